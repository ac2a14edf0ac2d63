//! Which content words do two lines share, and how rare are they?

use std::collections::VecDeque;

use crate::text::{TermId, Tokenizer, is_stop_word};

/// A line that shares words with the newest one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    /// The summed rarity of the common words.
    pub weight: f32,
    /// The number of those that hardly any other line had.
    pub rare: u32,
}

/// A word is rare while at most this many lines had it.
const RARE_LINES: u32 = 3;
/// The number of virtual lines before the first, so that rarity is meaningful from the start.
const LINES_BEFORE: f32 = 50.0;
/// The maximum number of words kept of a line.
const MOST_WORDS: usize = 40;

#[derive(Clone, Copy, Default)]
struct Term {
    /// The number of lines with it.
    lines: u32,
    /// The position of its newest occurrence plus one, counted from the very first; 0 if there is none.
    newest: u64,
    /// A stop word or a part of a speaker's name.
    ignored: bool,
}

#[derive(Clone, Copy)]
struct Occurrence {
    line: u32,
    /// Like [`Term::newest`].
    before: u64,
}

/// The words of the lines in the window.
pub(super) struct ReplyWords {
    tokenizer: Tokenizer,
    terms: Vec<Term>,
    recent: VecDeque<Occurrence>,
    /// The number of occurrences that have left `recent`.
    gone: u64,
    lines: u32,
    ids: Vec<TermId>,
}

impl ReplyWords {
    pub fn new() -> Self {
        ReplyWords {
            tokenizer: Tokenizer::new(),
            terms: Vec::new(),
            recent: VecDeque::new(),
            gone: 0,
            lines: 0,
            ids: Vec::new(),
        }
    }

    /// Names count as mentions, not as words.
    pub fn ignore(&mut self, name: &str) {
        self.tokenize(name);
        for id in std::mem::take(&mut self.ids) {
            self.terms[id as usize].ignored = true;
        }
    }

    /// Finds what `text`, as line `at`, shares with the lines from `oldest` on (`shared[line - oldest]`), and stores
    /// its words. Returns the summed rarity of all its words.
    pub fn line(&mut self, text: &str, at: u32, oldest: u32, shared: &mut [Shared]) -> f32 {
        while self.recent.front().is_some_and(|occurrence| occurrence.line < oldest) {
            self.recent.pop_front();
            self.gone += 1;
        }
        self.lines += 1;
        self.tokenize(text);
        let ids = std::mem::take(&mut self.ids);
        let mut total = 0.0;
        let mut kept = 0;
        for id in &ids {
            let Term { lines, mut newest, ignored } = self.terms[*id as usize];
            let again = newest > self.gone && self.recent[(newest - self.gone - 1) as usize].line == at;
            if ignored || again || kept == MOST_WORDS {
                continue;
            }
            kept += 1;
            let weight = ((LINES_BEFORE + self.lines as f32) / (1.0 + lines as f32)).ln();
            total += weight;
            let term = &mut self.terms[*id as usize];
            term.lines += 1;
            let before = newest;
            while newest > self.gone {
                let occurrence = self.recent[(newest - self.gone - 1) as usize];
                let to = &mut shared[(occurrence.line - oldest) as usize];
                to.weight += weight;
                to.rare += u32::from(lines <= RARE_LINES);
                newest = occurrence.before;
            }
            self.recent.push_back(Occurrence { line: at, before });
            self.terms[*id as usize].newest = self.gone + self.recent.len() as u64;
        }
        self.ids = ids;
        total
    }

    fn tokenize(&mut self, text: &str) {
        self.ids.clear();
        self.tokenizer.terms(text, &mut self.ids);
        for id in self.terms.len()..self.tokenizer.term_count() {
            let ignored = is_stop_word(self.tokenizer.term(id as TermId));
            self.terms.push(Term { ignored, ..Term::default() });
        }
    }
}
