//! How well are replies found? Compares simple rules, the seed's formula and the default on human reply links; and
//! trains the weights.

mod cost;
mod data;
mod fit;
mod intents;
mod rules;
mod score;
mod train;
mod weights;

use std::error::Error;
use std::path::Path;

use backstory_engine::model::{IntentType, Strength};
use backstory_language::talk::claim::claim;
use backstory_language::talk::reply::{FeatureGroup, Profile, Spread, WINDOW, spread};
use backstory_language::talk::{
    EligibilityMask, Intent, KernelInput, Params, SeedKernel, Setting, SpeakerPart, TalkLine,
};

use data::{Labelled, Split};
use intents::By;
use score::{Score, at_least};
use train::{Recipe, train};

pub use cost::run as run_cost;
pub use weights::run as run_train;

type EvalResult = Result<(), Box<dyn Error>>;

/// A link raises F1 if its probability is above half of F1. On held-out train files, F1 is .75 and highest with this
/// value.
const LEAST_LIKELY: f32 = 0.36;

/// Dialogues are tested with weights of the other folds.
const FOLDS: usize = 5;

/// Prints the tables; with `ablation`, also the contribution of each group of features.
pub fn run(data: &Path, ablation: bool) -> EvalResult {
    let dev = data::chat(data, Split::Dev)?;
    let chat = Read::with(&dev, |_| Profile::of(Setting::Chat).clone());
    chat.report("chat (IRC, dev files)", Setting::Chat, [0.72, 0.82, 0.87])?;
    let dialogues = data::dialogues(data)?;
    let folded = Read::folded(&dialogues, &Recipe::default());
    folded.report(&format!("dialogues (Molweni, {FOLDS} folds by group)"), Setting::TwoParty, [0.76, 0.89, 0.0])?;
    // They come from a chat of many people, where "try this" is advice, not an order.
    folded.intents("dialogues", Setting::Chat, 0.89, 0.0)?;
    if ablation {
        ablate(data, &dev, &dialogues)?;
    }
    Ok(())
}

/// Labelled transcripts with predictions.
struct Read<'a> {
    all: &'a [Labelled],
    profiles: Vec<Profile>,
    spreads: Vec<Vec<Spread>>,
}

impl<'a> Read<'a> {
    fn with(all: &'a [Labelled], profile: impl Fn(&Labelled) -> Profile) -> Self {
        let profiles: Vec<Profile> = all.iter().map(profile).collect();
        let read = |(labelled, profile): (&Labelled, _)| spread(&labelled.lines(), profile, WINDOW);
        let spreads = all.iter().zip(&profiles).map(read).collect();
        Read { all, profiles, spreads }
    }

    /// Predicts each fold with weights from the others.
    fn folded(all: &'a [Labelled], recipe: &Recipe) -> Self {
        let mut groups: Vec<usize> = all.iter().map(|labelled| labelled.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let fold = |labelled: &Labelled| groups.binary_search(&labelled.group).unwrap_or(0) % FOLDS;
        let profiles: Vec<Profile> =
            (0..FOLDS).map(|out| train(all.iter().filter(|labelled| fold(labelled) != out), recipe)).collect();
        Read::with(all, |labelled| profiles[fold(labelled)].clone())
    }

    fn links(&self) -> Score {
        self.all.iter().zip(&self.spreads).map(|(labelled, spreads)| links(labelled, |at| spreads[at].parent())).sum()
    }

    /// A line may answer several lines, or none if none is likely.
    fn likely_links(&self, least: f32) -> Score {
        let of_one = |(labelled, spreads): (&Labelled, &Vec<Spread>)| {
            let gold = labelled.gold();
            let mut score = Score { gold: gold.len(), ..Score::default() };
            for line in labelled.parents.keys() {
                let spread = &spreads[*line];
                let none = (labelled.counts_none && spread.none >= least).then_some(*line);
                let likely = spread.parents.iter().filter(|(_, probability)| *probability >= least);
                for parent in likely.map(|(parent, _)| *parent).chain(none) {
                    score.said += 1;
                    score.hits += usize::from(gold.contains(&(*line, parent)));
                }
            }
            score
        };
        self.all.iter().zip(&self.spreads).map(of_one).sum()
    }

    fn asked(&self, setting: Setting) -> Result<Vec<intents::DetectedIntents>, Box<dyn Error>> {
        let mut all = Vec::new();
        for ((labelled, profile), spreads) in self.all.iter().zip(&self.profiles).zip(&self.spreads) {
            all.extend(intents::asked(labelled, setting, profile, spreads)?);
        }
        Ok(all)
    }

    fn report(&self, name: &str, setting: Setting, [link, intent, precise]: [f64; 3]) -> EvalResult {
        Score::title(&format!("{name}: what each line answers"));
        let by_rule = |rule: fn(&[_]) -> rules::Parents| -> Score {
            self.all
                .iter()
                .map(|labelled| (labelled, rule(&labelled.lines())))
                .map(|(labelled, parents)| links(labelled, |at| parents[at]))
                .sum()
        };
        by_rule(rules::previous).print("previous line");
        by_rule(rules::latest_other).print("latest line by another speaker");
        by_rule(rules::mentions).print("mentioned nick, else my thread");
        self.all.iter().map(seed_links).sum::<Score>().print("seed kernel");
        let links = self.links();
        links.print("default");
        let all = self.likely_links(LEAST_LIKELY);
        all.print(&format!("default, all of p >= {LEAST_LIKELY}"));
        at_least("link F1, one for each line", links.f1(), link);
        at_least(&format!("link F1, all of p >= {LEAST_LIKELY}"), all.f1(), link);

        self.intents(name, setting, intent, precise)?;
        self.calibration(name);
        Ok(())
    }

    /// Intents and kernels are those of the setting; the weights are those of this reading.
    fn intents(&self, name: &str, setting: Setting, intent: f64, precise: f64) -> EvalResult {
        Score::title(&format!("{name}, intents of {}: consequence within {} lines", setting.name(), intents::REACH));
        let asked = self.asked(setting)?;
        intents::score(&asked, By::Next, 0.0).print("next line by another speaker");
        intents::score(&asked, By::Mention, 0.0).print("next line that mentions me");
        intents::score(&asked, By::Seed, 0.0).print("seed kernel");
        for least in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
            intents::score(&asked, By::Scorer, least).print(&format!("likeliest line, p >= {least}"));
        }
        let ours = intents::score(&asked, By::Default, 0.0);
        ours.print("default kernel");
        for kind in [IntentType::Question, IntentType::Request, IntentType::Declare, IntentType::Propose] {
            let of_kind: Vec<_> = asked.iter().filter(|asked| asked.kind == kind).collect();
            let title = format!("default kernel, {} × {kind:?}", of_kind.len());
            intents::score(of_kind, By::Default, 0.0).print(&title);
        }
        let (silent, without) = intents::abstained(&asked, By::Default, 0.0);
        println!("{} intents, {without:.3} without a consequence; {silent:.3} of these claim nothing", asked.len());
        at_least("intent F1 of the default kernel", ours.f1(), intent);
        if precise > 0.0 {
            at_least("precision at p >= 0.5", intents::score(&asked, By::Scorer, 0.5).precision(), precise);
        }
        Ok(())
    }

    /// Stated probabilities, and how often they are right.
    fn calibration(&self, name: &str) {
        let mut tenths = [(0usize, 0usize, 0.0f64); 10];
        for (labelled, spreads) in self.all.iter().zip(&self.spreads) {
            for (line, parents) in &labelled.parents {
                let spread = &spreads[*line];
                let all = spread.parents.iter().map(|(at, p)| (*p, parents.contains(at)));
                for (probability, right) in all.chain([(spread.none, parents.is_empty())]).filter(|(p, _)| *p >= 0.01) {
                    let tenth = &mut tenths[((probability * 10.0) as usize).min(9)];
                    *tenth = (tenth.0 + 1, tenth.1 + usize::from(right), tenth.2 + f64::from(probability));
                }
            }
        }
        println!(
            "\n{name}: probabilities of at least 0.01, none included\n{:<12} {:>8} {:>8} {:>8}",
            "", "count", "mean p", "right"
        );
        for (tenth, (count, right, sum)) in tenths.iter().enumerate() {
            let of = |value: f64| value / (*count).max(1) as f64;
            println!(
                "{:.1} to {:.1}   {count:>8} {:>8.3} {:>8.3}",
                tenth as f64 / 10.0,
                (tenth + 1) as f64 / 10.0,
                of(*sum),
                of(*right as f64)
            );
        }
    }
}

/// Compares predicted links with labelled ones.
fn links(labelled: &Labelled, parent: impl Fn(usize) -> Option<usize>) -> Score {
    let gold = labelled.gold();
    let mut score = Score { gold: gold.len(), ..Score::default() };
    for line in labelled.parents.keys() {
        let parent = parent(*line).or_else(|| labelled.counts_none.then_some(*line));
        score.said += usize::from(parent.is_some());
        score.hits += usize::from(parent.is_some_and(|parent| gold.contains(&(*line, parent))));
    }
    score
}

/// Every line claims a consequence with the seed kernel and may share it; an unclaimed line answers nothing.
fn seed_links(labelled: &Labelled) -> Score {
    let lines = labelled.lines();
    let part = |line: &TalkLine<'_>| if rules::is_said(line) { SpeakerPart::BOTH } else { SpeakerPart::default() };
    let parts: Vec<SpeakerPart> = lines.iter().map(part).collect();
    let mask = EligibilityMask::new("labelled", lines.len(), Vec::new());
    let params = Params::default();
    let setting = Setting::Chat;
    let input =
        KernelInput { session: "labelled", setting, lines: &lines, parts: &parts, mask: &mask, params: &params };
    let said = (0..lines.len()).filter(|at| rules::is_said(&lines[*at]));
    let intent = |at| Intent { at, kind: IntentType::Question, strength: Strength::Weak };
    let (links, _) = claim(&input, &said.map(intent).collect::<Vec<_>>(), &SeedKernel);

    let gold = labelled.gold();
    let mut claimed = vec![false; lines.len()];
    let mut score = Score { gold: gold.len(), ..Score::default() };
    let mut says = |line: usize, parent: usize| {
        if labelled.parents.contains_key(&line) {
            score.said += 1;
            score.hits += usize::from(gold.contains(&(line, parent)));
        }
    };
    for link in links {
        if let Some(found) = link.consequence {
            claimed[found.anchor as usize] = true;
            says(found.anchor as usize, link.intent_anchor as usize);
        }
    }
    for line in labelled.parents.keys().filter(|line| labelled.counts_none && !claimed[**line]) {
        says(*line, *line);
    }
    score
}

/// Fits weights without a group of features, on every fifth train file.
fn ablate(data: &Path, dev: &[Labelled], dialogues: &[Labelled]) -> EvalResult {
    let chat: Vec<Labelled> = data::chat(data, Split::Train)?.into_iter().step_by(5).collect();
    println!("\nwithout a group of features: link F1\n{:<20} {:>10} {:>10}", "", "chat", "dialogues");
    let print = |name: &str, recipe: &Recipe| {
        let profile = train(chat.iter(), recipe);
        let on_chat = Read::with(dev, |_| profile.clone()).links().f1();
        let on_dialogues = Read::folded(dialogues, recipe).links().f1();
        println!("{name:<20} {on_chat:>10.3} {on_dialogues:>10.3}");
    };
    print("all features", &Recipe::default());
    for group in FeatureGroup::ALL {
        print(&format!("without {}", group.name()), &Recipe::default().without(group));
    }
    Ok(())
}
