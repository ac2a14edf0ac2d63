//! Laws for every transcript, every mask and every kernel.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use crate::talk::Strength;
use crate::talk::mask::{ExcludedRange, MaskReason};

use super::*;

const TEXTS: [&str; 12] = [
    "Can I open the door?", "I cast light.", "Let's go.", "Where is it?", "Is the door open?", "Yes, you can.",
    "You open the door.", "Make a check.", "((tea))", "...", "---", "",
];
const SPEAKERS: [&str; 5] = ["Ann", "Bo", "Cy", "DM", ""];

/// Proposes invalid candidates: earlier lines, far ones, excluded ones, by the wrong people and by nobody, with scores
/// that are not numbers, twice.
struct Liar;

impl Kernel for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn version(&self) -> u32 {
        1
    }

    fn least(&self, _: Strength, _: &Params) -> f32 {
        -1.0
    }

    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>> {
        let all = |intent: &Intent| {
            let places = (0..input.lines.len() + 3).chain([intent.at, usize::MAX]).rev();
            places
                .map(|at| ReplyCandidate { at, ordinal: 1, gap: 1, score: score(at), parts: vec![("lie", 1.0)] })
                .collect()
        };
        // Too few answers, or too many.
        intents.iter().skip(intents.len() % 2).map(all).chain([Vec::new()]).collect()
    }
}

fn score(at: usize) -> f32 {
    match at % 7 {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => -0.5,
        other => other as f32,
    }
}

#[derive(Clone, Debug)]
struct World {
    lines: Vec<TalkLine<'static>>,
    excluded: Vec<ExcludedRange>,
    is_chat: bool,
    k_local: u32,
}

fn worlds() -> impl Strategy<Value = World> {
    let line = (0..SPEAKERS.len(), 0..TEXTS.len(), 1u32..4);
    let range = (0u32..40, 0u32..4, 0..5usize);
    let parts = (prop::collection::vec(line, 0..40), prop::collection::vec(range, 0..4), any::<bool>(), 1u32..10);
    parts.prop_map(|(lines, ranges, is_chat, k_local)| {
        let mut index = 0;
        let lines = lines.into_iter().map(|(speaker, text, step)| {
            index += step;
            TalkLine { index, speaker: SPEAKERS[speaker], text: TEXTS[text] }
        });
        let excluded = ranges.into_iter().map(|(start, length, reason)| ExcludedRange {
            start,
            end: start + length,
            reason: MaskReason::ALL[reason],
        });
        World { lines: lines.collect(), excluded: excluded.collect(), is_chat, k_local }
    })
}

/// Links of a world, by a kernel; the mask is the detectors' and the world's.
fn link_world(world: &World, kernel: &dyn Kernel) -> (Vec<CausalLink>, EligibilityMask, Vec<SpeakerPart>) {
    let setting = if world.is_chat { Setting::Chat } else { Setting::Tabletop };
    let told = participants::ParticipantHints { setting: Some(setting), ..participants::ParticipantHints::default() };
    let participants = Participants::new(&world.lines, told).expect("good hints");
    let parts = participants.parts();
    let mut excluded = mask::detect(&world.lines, &parts, Detectors::ALL);
    excluded.extend(&world.excluded);
    let mask = EligibilityMask::new("law", world.lines.len(), excluded);
    let params = Params { k_local: world.k_local, ..Params::default() };
    let input =
        KernelInput { session: "law", setting, lines: &world.lines, parts: &parts, mask: &mask, params: &params };
    let intents = intent::intents(&input);
    let links = claim::claim(&input, &intents, kernel).0;
    assert_eq!(links.len(), intents.len());
    (links, mask, parts)
}

fn holds(world: &World, kernel: &dyn Kernel) -> Result<(), TestCaseError> {
    let (links, mask, parts) = link_world(world, kernel);
    let places: HashMap<u32, usize> = world.lines.iter().enumerate().map(|(at, line)| (line.index, at)).collect();
    let mut owned = HashSet::new();
    for link in &links {
        let Some(found) = &link.consequence else { continue };
        let (from, to) = (places[&link.intent_anchor], places[&found.anchor]);
        prop_assert!(from < to, "a consequence comes after its intent");
        prop_assert!((from..=to).all(|place| mask.is_eligible(place)), "no link across an excluded line");
        let between = (from + 1..=to).filter(|at| parts[*at].answers && world.lines[*at].speaker != link.actor);
        let ordinal = between.count() as u32;
        prop_assert!(ordinal <= world.k_local, "within K_local");
        prop_assert_eq!((found.distance, found.line_gap), (ordinal, (to - from) as u32));
        prop_assert!(parts[to].answers && world.lines[to].speaker != link.actor);
        if link.intent_strength == Strength::Strong {
            prop_assert!(owned.insert(to), "strong intents never share");
        }
    }
    let again = link_world(world, kernel).0;
    prop_assert_eq!(&links, &again, "the same links and ids each time");
    let ids: HashSet<_> = links.iter().map(|link| link.id).collect();
    prop_assert_eq!(ids.len(), links.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn the_seed_kernel_keeps_the_invariants(world in worlds()) {
        holds(&world, &SeedKernel)?;
    }

    #[test]
    fn no_kernel_can_break_the_invariants(world in worlds()) {
        holds(&world, &Liar)?;
    }

    #[test]
    fn any_text_is_survived(texts in prop::collection::vec(("[a-c]{0,1}", "\\PC{0,40}"), 0..20)) {
        let lines: Vec<TalkLine> =
            (0..).zip(&texts).map(|(index, (speaker, text))| TalkLine { index, speaker, text }).collect();
        let options = LinkOptions { detectors: Some(Detectors::ALL), traces: true, ..LinkOptions::default() };
        let request = Request { session: "any", lines: &lines, kernel: &SeedKernel, options: &options };
        prop_assert!(link(request).is_ok());
    }
}
