//! Players among themselves: a long run of lines without the game master and without dice. Its start may follow up on
//! the game master and the game master may react to its end, so both edges are eligible.

use crate::talk::words::{LineWords, Phrases};

use super::detect::{RegimeDetector, SeenLine};
use super::{ExcludedRange, MaskReason};

/// The number of eligible lines at each edge of a run.
const EDGE: u32 = 4;
/// The shortest middle that is excluded.
const SHORTEST: u32 = 6;

const DICE: &[&str] = &[
    "roll", "rolled", "rolls", "rolling", "dice", "die", "d4", "d6", "d8", "d10", "d12", "d20", "d100", "natural 20",
    "natural 1", "nat 20", "nat 1", "plus", "minus", "initiative", "saving throw", "save", "check", "advantage",
    "disadvantage", "damage", "hit points", "spell slot", "modifier",
];

pub struct OocSoft {
    ranges: Vec<ExcludedRange>,
    dice: Phrases,
    /// The start of the run.
    from: Option<u32>,
    last: u32,
}

impl OocSoft {
    pub fn new() -> Self {
        OocSoft { ranges: Vec::new(), dice: Phrases::new(DICE), from: None, last: 0 }
    }

    fn close(&mut self) {
        let Some(from) = self.from.take() else { return };
        let lines = self.last + 1 - from;
        if lines >= 2 * EDGE + SHORTEST {
            let (start, end) = (from + EDGE, self.last - EDGE);
            self.ranges.push(ExcludedRange { start, end, reason: MaskReason::OocSoft });
        }
    }
}

impl RegimeDetector for OocSoft {
    fn see(&mut self, seen: &SeenLine<'_>) {
        if seen.leads || is_number(seen.words) || self.dice.any(seen.words) {
            self.close();
        } else {
            self.from.get_or_insert(seen.place);
        }
        self.last = seen.place;
    }

    fn end(mut self: Box<Self>) -> Vec<ExcludedRange> {
        // As if the game master spoke after the last line.
        self.close();
        self.ranges
    }
}

/// A bare number is a die's result.
fn is_number(words: &LineWords) -> bool {
    words.len() == 1 && words.get(0).bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::detect::{Detectors, ranges_in};

    fn check(transcript: &str, expected: &[(u32, u32)]) {
        let only = Detectors { ooc_soft: true, ..Detectors::NONE };
        assert_eq!(ranges_in(transcript, only), expected);
    }

    fn banter(lines: usize) -> String {
        ["Ann: more tea?", "Bo: yes, tea."].iter().cycle().take(lines).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn only_the_middle_of_a_long_run() {
        check(&format!("GM: Rain.\n{}GM: Night falls.", banter(20)), &[(5, 16)]);
        check(&format!("GM: Rain.\n{}GM: Night falls.", banter(13)), &[]);
    }

    #[test]
    fn dice_are_the_game() {
        check(&format!("GM: Rain.\n{}Ann: I rolled a five.\n{}GM: So.", banter(10), banter(10)), &[]);
        check(&format!("GM: Rain.\n{}Ann: 17.\n{}GM: So.", banter(10), banter(10)), &[]);
    }

    #[test]
    fn without_a_game_master_nobody_banters() {
        check(&banter(50), &[]);
    }
}
