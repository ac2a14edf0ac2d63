//! Stems English words.

use rust_stemmers::{Algorithm, Stemmer};

/// The only stemmer of the program.
pub(super) struct WordStemmer(Stemmer);

impl WordStemmer {
    pub fn new() -> Self {
        WordStemmer(Stemmer::create(Algorithm::English))
    }

    /// `word` in lower case.
    pub fn stem(&self, word: &str) -> String {
        self.0.stem(word).into_owned()
    }
}
