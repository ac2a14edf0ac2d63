//! Which stem does an English word have?

use rust_stemmers::{Algorithm, Stemmer};

/// Every stem of the program comes from here.
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
