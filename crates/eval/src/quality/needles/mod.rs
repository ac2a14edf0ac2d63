//! An error code in the output of a command, among real sessions: is it in the answer?

mod plant;

use std::path::Path;

use backstory_engine::model::estimate_tokens;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::retrieve::{Direction, EpisodicAnswer, SearchItem};

use super::world::World;
use super::{EvalResult, sessions_in};
use plant::Needle;

#[derive(Clone, Copy)]
enum Verb {
    Search,
    Recall,
    Predict,
}

/// A form of question about a code.
struct Form {
    name: &'static str,
    verb: Verb,
    question: fn(&str) -> String,
}

const FORMS: [Form; 5] = [
    Form { name: "search CODE", verb: Verb::Search, question: str::to_owned },
    Form { name: "search how did we fix ...", verb: Verb::Search, question: how_did_we },
    Form { name: "recall CODE", verb: Verb::Recall, question: str::to_owned },
    Form { name: "recall how did we fix ...", verb: Verb::Recall, question: how_did_we },
    Form { name: "predict CODE ... again", verb: Verb::Predict, question: again },
];

fn how_did_we(code: &str) -> String {
    format!("how did we fix the {code} failure last time?")
}

fn again(code: &str) -> String {
    format!("{code} failure happened again")
}

pub struct Needles {
    pub world: World,
    needles: Vec<Needle>,
}

/// The results of one form.
#[derive(Default)]
struct FormScores {
    asked: u32,
    with_code: u32,
    with_fix: u32,
    /// The number whose code is deep in a log.
    deep: u32,
    deep_with_code: u32,
    tokens: u64,
    largest: u32,
}

impl Needles {
    pub fn plant(data: &Path) -> EvalResult<Self> {
        let folder = tempfile::tempdir()?;
        let needles = plant::plant(folder.path())?;
        let world = World::of_folders(&[&sessions_in(data), folder.path()], None)?;
        Ok(Needles { world, needles })
    }

    fn measure(&mut self, form: &Form, ranking: &Ranking) -> EvalResult<FormScores> {
        let mut scores = FormScores::default();
        for needle in &self.needles {
            let answer = answer(&mut self.world, form, &needle.code, ranking)?;
            let tokens = estimate_tokens(&answer);
            scores.asked += 1;
            let with_code = u32::from(answer.contains(&needle.code));
            scores.with_code += with_code;
            scores.deep += u32::from(needle.deep);
            scores.deep_with_code += with_code * u32::from(needle.deep);
            scores.with_fix += u32::from(answer.contains(&needle.fix));
            scores.tokens += u64::from(tokens);
            scores.largest = scores.largest.max(tokens);
        }
        Ok(scores)
    }

    /// The share of answers with the code, for the worst form.
    pub fn measure_worst(&mut self, ranking: &Ranking) -> EvalResult<f64> {
        let mut worst = 1.0f64;
        for form in &FORMS {
            let scores = self.measure(form, ranking)?;
            worst = worst.min(f64::from(scores.with_code) / f64::from(scores.asked.max(1)));
        }
        Ok(worst)
    }
}

pub fn run(data: &Path, ranking: &Ranking) -> EvalResult<()> {
    let mut needles = Needles::plant(data)?;
    println!("planted error codes ({} among the real sessions)", needles.needles.len());
    println!("                            shows the code  deep in a log  shows the fix  mean tokens  largest");
    for form in &FORMS {
        let scores = needles.measure(form, ranking)?;
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        println!(
            "{:<27} {:>14.3} {:>14.3} {:>14.3} {:>12} {:>8}",
            form.name,
            share(scores.with_code, scores.asked),
            share(scores.deep_with_code, scores.deep),
            share(scores.with_fix, scores.asked),
            scores.tokens / u64::from(scores.asked.max(1)),
            scores.largest
        );
    }
    println!();
    Ok(())
}

fn answer(world: &mut World, form: &Form, code: &str, ranking: &Ranking) -> EvalResult<String> {
    let question = (form.question)(code);
    Ok(match form.verb {
        Verb::Search => found(&world.search(&question, ranking)?.items),
        Verb::Recall => text_of(&world.follow(&question, Direction::Backward, ranking)?),
        Verb::Predict => text_of(&world.follow(&question, Direction::Forward, ranking)?),
    })
}

fn found(items: &[SearchItem]) -> String {
    items.iter().map(|item| item.shown.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Everything shown: the experience, the chains, the fallback.
fn text_of(answer: &EpisodicAnswer) -> String {
    let mut texts: Vec<String> = Vec::new();
    if let Some(seen) = &answer.experience {
        texts.extend(seen.actions.iter().chain(&seen.files).chain(&seen.prompts).map(|seen| seen.what.clone()));
    }
    texts.extend(answer.chains.iter().flat_map(|chain| &chain.items).map(|item| item.shown.text.clone()));
    texts.extend(answer.fallback.iter().map(|ranked| found(&ranked.items)));
    texts.join("\n")
}
