//! Splits a text into word pieces, greedily: the longest known piece first.

use super::vocabulary::{PiecePlace, PieceVocabulary};
use super::word_cache::WordCache;
use super::words::for_each_word;

/// Longer words, in characters, are unknown as a whole.
const LONGEST_WORD: usize = 100;

/// Splits text into the ids of its word pieces, as BERT (uncased) does.
pub struct WordPiece {
    vocabulary: PieceVocabulary,
    unknown: u32,
    cache: WordCache,
    word: Vec<u8>,
}

impl WordPiece {
    /// A tokenizer for this vocabulary; unknown words become `[UNK]`.
    pub fn new(vocabulary: PieceVocabulary) -> Self {
        let unknown = vocabulary.id("[UNK]").unwrap_or(0);
        Self { vocabulary, unknown, cache: WordCache::new(), word: Vec::new() }
    }

    pub fn vocabulary(&self) -> &PieceVocabulary {
        &self.vocabulary
    }

    /// Adds the ids of `text` to `ids`, without special pieces around them.
    pub fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        let Self { vocabulary, unknown, cache, word } = self;
        for_each_word(text, word, |word| {
            cache.pieces(word, ids, |word, ids| cut(vocabulary, *unknown, word, ids));
        });
    }
}

fn cut(vocabulary: &PieceVocabulary, unknown: u32, word: &[u8], ids: &mut Vec<u32>) {
    let before = ids.len();
    let known = characters(word) <= LONGEST_WORD && cut_known(vocabulary, word, ids);
    if !known {
        ids.truncate(before);
        ids.push(unknown);
    }
}

fn cut_known(vocabulary: &PieceVocabulary, word: &[u8], ids: &mut Vec<u32>) -> bool {
    let mut place = PiecePlace::Start;
    let mut rest = word;
    while !rest.is_empty() {
        let Some((id, length)) = vocabulary.longest_match(rest, place) else { return false };
        ids.push(id);
        rest = &rest[length..];
        place = PiecePlace::Inside;
    }
    true
}

fn characters(word: &[u8]) -> usize {
    let is_start = |byte: &&u8| (**byte & 0xC0) != 0x80;
    word.iter().filter(is_start).count()
}

#[cfg(test)]
mod tests;
