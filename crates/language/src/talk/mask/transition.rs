//! Scene cuts: rules between scenes, time skips, breaks.
//!
//! With a game master, only their lines skip time or start a break; players merely talk about tomorrow.

use crate::talk::words::{LineWords, Phrases};

use super::detect::{RegimeDetector, SeenLine};
use super::{ExcludedRange, MaskReason};

/// A break without "welcome back" within this many lines is only its first line.
const LONGEST_BREAK: u32 = 120;

/// At the beginning of a sentence.
const SKIPS: &[&str] = &[
    "the next morning", "the next day", "the next evening", "the next night", "the following morning",
    "the following day", "the following evening", "the following night", "later that day", "later that night",
    "later that evening", "hours later", "days later", "weeks later", "months later", "years later", "an hour later",
    "a few hours later", "several hours later", "a few days later", "several days later", "a week later",
    "a day later", "two days later", "three days later", "two hours later", "some time later", "hours pass",
    "days pass", "weeks pass", "time passes", "a few hours pass", "several hours pass", "a few days pass",
    "several days pass", "the night passes", "the day passes", "meanwhile elsewhere", "cut to", "fade to", "fade out",
    "smash cut", "scene change", "end of scene", "new scene", "next scene", "end scene", "end of session",
    "previously on", "last time on", "to be continued",
];

/// Anywhere.
const BREAKS: &[&str] = &[
    "take a break",
    "take our break",
    "take a quick break",
    "take a short break",
    "take a bathroom break",
    "take a small break",
    "take a little break",
    "take a restroom break",
    "go to break",
    "go on break",
    "take five minutes",
    "take a five minute break",
    "take a ten minute break",
    "take a 5 minute break",
    "take a 10 minute break",
    "we'll be right back",
    "be right back here",
    "we'll be back in a few minutes",
    "we'll be back in a few",
    "see you next week",
    "see you all next week",
    "end the session",
    "end tonight's session",
    "where we'll end",
    "where we're going to end",
    "where we'll leave it",
    "where we'll pick up next",
];

const ANNOUNCES: &[&str] =
    &["we'll", "we're going to", "we are going to", "let's", "i'm going to", "we will", "we can", "time to"];

const BACK: &[&str] = &["welcome back", "and we're back", "we're back", "we are back"];

/// Is there a game master? Without one, everybody may announce a break.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GameMaster {
    Present,
    Absent,
}

pub struct Transition {
    ranges: Vec<ExcludedRange>,
    skips: Phrases,
    breaks: Phrases,
    announces: Phrases,
    back: Phrases,
    game_master: GameMaster,
    /// The start of a break.
    away: Option<u32>,
}

impl Transition {
    pub fn new(game_master: GameMaster) -> Self {
        Transition {
            ranges: Vec::new(),
            skips: Phrases::new(SKIPS),
            breaks: Phrases::new(BREAKS),
            announces: Phrases::new(ANNOUNCES),
            back: Phrases::new(BACK),
            game_master,
            away: None,
        }
    }

    fn push(&mut self, start: u32, end: u32) {
        self.ranges.push(ExcludedRange { start, end, reason: MaskReason::Transition });
    }

    fn skips(&self, words: &LineWords) -> bool {
        (0..words.len()).any(|at| words.begins_sentence(at) && self.skips.is_at(words, at))
    }
}

impl RegimeDetector for Transition {
    fn see(&mut self, seen: &SeenLine<'_>) {
        let may_say = seen.leads || self.game_master == GameMaster::Absent;
        if self.away.is_some_and(|away| seen.place - away > LONGEST_BREAK) {
            self.away = None;
        }
        let returns =
            may_say && (0..seen.words.len()).any(|at| seen.words.begins_clause(at) && self.back.is_at(seen.words, at));
        if returns {
            let start = self.away.take().unwrap_or(seen.place);
            self.push(start, seen.place);
            return;
        }
        let leaves = may_say && self.breaks.any(seen.words) && self.announces.any(seen.words);
        if leaves {
            self.away = Some(seen.place);
        }
        if leaves || is_rule(seen.text) || may_say && self.skips(seen.words) {
            self.push(seen.place, seen.place);
        }
    }

    fn end(self: Box<Self>) -> Vec<ExcludedRange> {
        self.ranges
    }
}

/// `---`, `***`, `* * *`, `___`, `===`, `~~~`, `[scene …]`, `# …`.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    let mut marks = text.chars().filter(|c| !c.is_whitespace());
    let Some(first) = marks.next() else { return false };
    let same = matches!(first, '-' | '*' | '_' | '=' | '~' | '—' | '#') && marks.all(|c| c == first);
    let count = text.chars().filter(|c| *c == first).count();
    let heading = text.get(..7).is_some_and(|start| {
        ["[scene ", "[scene:", "[scene]", "(scene ", "scene: "].iter().any(|mark| start.eq_ignore_ascii_case(mark))
    });
    same && (count >= 3 || first == '—') || heading
}

#[cfg(test)]
mod tests {
    use super::super::detect::{Detectors, ranges_in};
    use super::*;

    fn check(transcript: &str, expected: &[(u32, u32)]) {
        let only = Detectors { transition: true, ..Detectors::NONE };
        assert_eq!(ranges_in(transcript, only), expected);
    }

    #[test]
    fn rules_between_scenes() {
        for text in ["---", "* * *", "***", "=====", "[Scene: the inn]", "— —"] {
            assert!(is_rule(text), "{text:?}");
        }
        for text in ["", "--", "- well", "--- so I said", "*grins*", "scenery"] {
            assert!(!is_rule(text), "{text:?}");
        }
    }

    #[test]
    fn only_who_leads_skips_time() {
        check("GM: You sleep. The next morning, it rains.\nAnn: The next morning I want eggs.", &[(0, 0)]);
        check("GM: Be here the next morning or else.\nAnn: Fine.", &[]);
    }

    #[test]
    fn a_break_lasts_until_all_are_back() {
        check(
            "GM: We'll take a break here.\nAnn: Tea!\nBo: Cake!\nGM: Welcome back, everyone.\nAnn: I go in.",
            &[(0, 0), (0, 3)],
        );
        check("GM: Let's take a quick break.\nAnn: Tea!", &[(0, 0)]);
        check("GM: The guards take a break at noon.", &[]);
        check("Ann: Let's take a break!\nGM: You sit down.", &[]);
    }
}
