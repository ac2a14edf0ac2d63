//! How much alike are two statements?

use std::collections::BTreeSet;

use backstory_language::embed::{DIM, StaticTable};
use backstory_language::text::{Tokenizer, is_stop_word};

use super::limits::{NEAR_MEANING, NEAR_WORDS, SAME_MEANING, SAME_WORDS};

/// A statement as it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    pub words: BTreeSet<String>,
    /// The same words in their order: who does what to whom.
    order: Vec<String>,
    pub vector: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alike {
    Not,
    Near,
    Same,
}

/// Reads statements.
pub struct Comparer {
    tokenizer: Tokenizer,
    table: StaticTable,
}

impl Default for Comparer {
    fn default() -> Self {
        Self::new()
    }
}

impl Comparer {
    pub fn new() -> Self {
        Comparer { tokenizer: Tokenizer::new(), table: StaticTable::shipped() }
    }

    pub fn words(&mut self, statement: &str) -> BTreeSet<String> {
        self.terms(statement).collect()
    }

    fn terms(&mut self, statement: &str) -> impl Iterator<Item = String> {
        self.tokenizer.strings(statement).into_iter().filter(|term| !is_stop_word(term))
    }

    pub fn read(&mut self, statement: &str) -> Likeness {
        let order: Vec<String> = self.terms(statement).collect();
        let words = order.iter().cloned().collect();
        let mut vector = [0f32; DIM];
        self.table.embed_one(statement, &mut vector);
        Likeness { words, order, vector: vector.to_vec() }
    }
}

impl Likeness {
    /// Does each name a number that the other does not? "Ticket 101" is not "ticket 202".
    pub fn counts_otherwise(&self, other: &Likeness) -> bool {
        let has_number = |word: &&String| word.bytes().any(|byte| byte.is_ascii_digit());
        let only = |a: &Likeness, b: &Likeness| a.words.difference(&b.words).any(|word| has_number(&word));
        only(self, other) && only(other, self)
    }

    pub fn alike(&self, other: &Likeness) -> Alike {
        let words = jaccard(&self.words, &other.words);
        let meaning = cosine(&self.vector, &other.vector);
        if words >= SAME_WORDS && !is_in_order(&self.order, &other.order) {
            // "From a to b" is not "from b to a".
            Alike::Not
        } else if words >= SAME_WORDS && meaning >= SAME_MEANING {
            Alike::Same
        } else if words >= NEAR_WORDS || meaning >= NEAR_MEANING {
            Alike::Near
        } else {
            Alike::Not
        }
    }
}

/// Do the words that both have stand in the same order in both?
fn is_in_order(a: &[String], b: &[String]) -> bool {
    let shared = |words: &[String], other: &[String]| -> Vec<String> {
        let mut seen = BTreeSet::new();
        words.iter().filter(|word| other.contains(word) && seen.insert((*word).clone())).cloned().collect()
    };
    shared(a, b) == shared(b, a)
}

pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let both = a.intersection(b).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
