//! How similar are two statements?

use std::collections::BTreeSet;

use crate::embed::{DIM, StaticTable};
use crate::text::{Tokenizer, is_stop_word};

/// The same: words and meaning are nearly equal.
const SAME_WORDS: f32 = 0.80;
const SAME_MEANING: f32 = 0.92;
/// Nothing new: the words or the meaning are close.
const NEAR_WORDS: f32 = 0.65;
const NEAR_MEANING: f32 = 0.78;

/// A statement prepared for comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedStatement {
    pub words: BTreeSet<String>,
    /// The words in order: who does what to whom.
    order: Vec<String>,
    pub vector: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Similarity {
    Not,
    Near,
    Same,
}

/// Prepares statements.
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

    pub fn read(&mut self, statement: &str) -> ComparedStatement {
        let order: Vec<String> = self.terms(statement).collect();
        let words = order.iter().cloned().collect();
        let mut vector = [0f32; DIM];
        self.table.embed_one(statement, &mut vector);
        ComparedStatement { words, order, vector: vector.to_vec() }
    }
}

impl ComparedStatement {
    /// Does each name a number that the other does not? "Ticket 101" is not "ticket 202".
    pub fn counts_otherwise(&self, other: &ComparedStatement) -> bool {
        let has_number = |word: &&String| word.bytes().any(|byte| byte.is_ascii_digit());
        let only =
            |a: &ComparedStatement, b: &ComparedStatement| a.words.difference(&b.words).any(|word| has_number(&word));
        only(self, other) && only(other, self)
    }

    pub fn similarity(&self, other: &ComparedStatement) -> Similarity {
        let words = jaccard(&self.words, &other.words);
        let meaning = cosine(&self.vector, &other.vector);
        if words >= SAME_WORDS && !is_in_order(&self.order, &other.order) {
            // "From a to b" is not "from b to a".
            Similarity::Not
        } else if words >= SAME_WORDS && meaning >= SAME_MEANING {
            Similarity::Same
        } else if words >= NEAR_WORDS || meaning >= NEAR_MEANING {
            Similarity::Near
        } else {
            Similarity::Not
        }
    }
}

/// Are the common words in the same order in both?
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
