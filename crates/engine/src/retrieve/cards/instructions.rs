//! Do the instruction files of a working tree say what a card says? The agent has read them.

use std::collections::BTreeSet;

use backstory_language::similarity::Comparer;

/// A statement may be wrapped into so many lines.
const LINES: usize = 3;
/// The share of a statement's words that the lines must have.
const SAID: f32 = 0.85;

pub(super) struct InstructionText {
    /// The words of each line.
    lines: Vec<BTreeSet<String>>,
}

impl InstructionText {
    pub fn new(text: &str, comparer: &mut Comparer) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        InstructionText { lines: lines.map(|line| comparer.words(line)).collect() }
    }

    pub fn has(&self, statement: &str, comparer: &mut Comparer) -> bool {
        if self.lines.is_empty() {
            return false;
        }
        let words = comparer.words(statement);
        let starts = (0..self.lines.len()).filter(|at| !self.lines[*at].is_disjoint(&words));
        starts.map(|at| &self.lines[at..self.lines.len().min(at + LINES)]).any(|lines| has_most(lines, &words))
    }
}

fn has_most(lines: &[BTreeSet<String>], words: &BTreeSet<String>) -> bool {
    let said = words.iter().filter(|word| lines.iter().any(|line| line.contains(*word))).count();
    said as f32 >= SAID * words.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_may_be_wrapped() {
        let mut comparer = Comparer::new();
        let text = "# Rules\n\n- Never push to main; open a\n  pull request instead.\n- Prices are integer cents.\n";
        let text = InstructionText::new(text, &mut comparer);
        assert!(text.has("Never push to main; open a pull request instead.", &mut comparer));
        assert!(text.has("prices are integer cents", &mut comparer));
        assert!(!text.has("Never push to main without a review.", &mut comparer));
        assert!(!InstructionText::new("", &mut comparer).has("Never push.", &mut comparer));
    }
}
