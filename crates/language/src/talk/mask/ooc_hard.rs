//! Out-of-character lines marked by the speaker: `((…))`, `//`, `[OOC]`, `ooc:`, or in words.

use crate::talk::words::{LineWords, Mark};

use super::detect::{RegimeDetector, SeenLine};
use super::{ExcludedRange, MaskReason};

/// An unclosed block has at most this many lines.
const LONGEST: u32 = 20;

#[derive(Default)]
pub struct OocHard {
    ranges: Vec<ExcludedRange>,
    open: Option<Block>,
}

struct Block {
    start: u32,
    end_mark: &'static str,
}

impl RegimeDetector for OocHard {
    fn see(&mut self, seen: &SeenLine<'_>) {
        // An unclosed block was a slip: only its first line is marked.
        if let Some(Block { start, end_mark }) = self.open.take_if(|block| seen.place - block.start <= LONGEST) {
            if contains(seen.text, end_mark) {
                self.push(start, seen.place);
                return;
            }
            self.open = Some(Block { start, end_mark });
        }
        if is_marked(seen.text) || says_so(seen.words) {
            self.push(seen.place, seen.place);
        }
        if self.open.as_ref().is_none_or(|block| seen.place - block.start > LONGEST) {
            self.open = opened(seen.text).map(|end_mark| Block { start: seen.place, end_mark });
        }
    }

    fn end(self: Box<Self>) -> Vec<ExcludedRange> {
        self.ranges
    }
}

impl OocHard {
    fn push(&mut self, start: u32, end: u32) {
        self.ranges.push(ExcludedRange { start, end, reason: MaskReason::OocHard });
    }
}

/// The closing mark of a block that this line opens and does not close.
fn opened(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.starts_with("((") && !text.contains("))") {
        return Some("))");
    }
    (starts(text, "[ooc]") && !contains(text, "[/ooc]")).then_some("[/ooc]")
}

fn is_marked(text: &str) -> bool {
    let text = text.trim();
    let slashes = text.starts_with("//") && !text.starts_with("///");
    let doubled = text.starts_with("((");
    let named = ["[ooc", "(ooc", "<ooc", "{ooc", "ooc:", "ooc -", "ooc,", "/ooc"];
    slashes || doubled || named.iter().any(|mark| starts(text, mark))
}

/// "out of character" as an announcement, not as a remark about somebody.
fn says_so(words: &LineWords) -> bool {
    (0..words.len()).any(|at| {
        let announces = words.is_at(at, &["out", "of", "character"]) && {
            let ends = words.mark(at + 2) != Mark::Nothing || at + 3 == words.len();
            let before = if at == 0 { "" } else { words.get(at - 1) };
            let starts = words.begins_clause(at) || matches!(before, "speaking" | "talking" | "just");
            let me =
                at >= 2 && matches!(words.get(at - 2), "i'm" | "we're" | "am") || matches!(before, "i'm" | "we're");
            let this = at >= 2 && words.is_at(at - 2, &["this", "is"]);
            starts && (ends || at == 0 || before == "speaking") || (me || this) && ends
        };
        announces || words.is_at(at, &["ooc"]) && words.begins_clause(at)
    })
}

fn starts(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

fn contains(text: &str, mark: &str) -> bool {
    text.as_bytes().windows(mark.len()).any(|window| window.eq_ignore_ascii_case(mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::detect::{Detectors, ranges_in};

    fn check(transcript: &str, expected: &[(u32, u32)]) {
        let only = Detectors { ooc_hard: true, ..Detectors::NONE };
        assert_eq!(ranges_in(transcript, only), expected);
    }

    #[test]
    fn marks_are_seen() {
        for text in ["((brb))", "// back in five", "[OOC] my mic is off", "ooc: pizza is here", "(OOC hello)"] {
            check(&format!("Ann: I open it.\nBo: {text}\nGM: It opens."), &[(1, 1)]);
        }
        for text in ["Out of character, do we have time?", "This is out of character.", "I'm so out of character!"] {
            check(&format!("Ann: {text}"), &[(0, 0)]);
        }
    }

    #[test]
    fn a_remark_about_somebody_is_in_character() {
        for text in
            ["He acts so out of character that I worry.", "You look out of character.", "a (small) door", "/// doc"]
        {
            check(&format!("Ann: {text}"), &[]);
        }
    }

    #[test]
    fn a_block_ends_where_it_closes() {
        check("Ann: ((wait\nBo: what is it\nAnn: nothing))\nGM: So.", &[(0, 0), (0, 2)]);
        check("Ann: ((wait\nBo: what is it\nGM: So.", &[(0, 0)]);
    }
}
