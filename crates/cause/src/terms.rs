//! Which terms does a text consist of, and how often does each occur?
//!
//! The rules are those of [`backstory_language::text::IdentifierTerms`]; here terms become numbers for storage.

use backstory_language::text::{IdentifierTerms, identifier_parts, identifiers};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The hash of a term. Fewer than one repository in two has two terms with the same hash, which adds a little noise; in
/// return no numbers have to be assigned, and parsed files can be stored anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term(pub u32);

impl Term {
    /// The term of a word in its final form.
    pub fn of(word: &str) -> Self {
        // FNV-1a, folded.
        let hash = word
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self((hash ^ (hash >> 32)) as u32)
    }

    /// The term of a whole identifier, in any spelling.
    pub fn of_identifier(identifier: &str) -> Self {
        Self::of(&identifier_parts(identifier).concat())
    }
}

/// How often each term occurs, in the order of the terms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bag {
    pub terms: Vec<(Term, f32)>,
}

impl Bag {
    /// The number of occurrences.
    pub fn length(&self) -> f32 {
        self.terms.iter().map(|(_, count)| count).sum()
    }

    /// How often `term` occurs.
    pub fn count(&self, term: Term) -> f32 {
        self.terms.binary_search_by_key(&term, |entry| entry.0).map_or(0.0, |at| self.terms[at].1)
    }
}

/// Fills a bag.
#[derive(Default)]
pub struct Counter(FxHashMap<Term, f32>);

impl Counter {
    pub fn add(&mut self, term: Term, count: f32) {
        *self.0.entry(term).or_default() += count;
    }

    pub fn bag(self) -> Bag {
        let mut terms: Vec<_> = self.0.into_iter().collect();
        terms.sort_unstable_by_key(|entry| entry.0);
        Bag { terms }
    }
}

/// Turns text into terms; caches identifiers.
#[derive(Default)]
pub struct TermVocabulary {
    rules: IdentifierTerms,
    known: FxHashMap<String, Vec<Term>>,
}

impl TermVocabulary {
    /// Counts the terms of `text`, each occurrence as `weight`.
    pub fn count(&mut self, text: &str, weight: f32, counter: &mut Counter) {
        for identifier in identifiers(text) {
            for term in self.terms(identifier) {
                counter.add(*term, weight);
            }
        }
    }

    /// The bag of a text.
    pub fn bag(&mut self, text: &str) -> Bag {
        let mut counter = Counter::default();
        self.count(text, 1.0, &mut counter);
        counter.bag()
    }

    /// The terms of one identifier: its parts, then itself if it has several.
    pub fn terms(&mut self, identifier: &str) -> &[Term] {
        if !self.known.contains_key(identifier) {
            let terms = self.rules.terms(identifier).iter().map(|term| Term::of(term)).collect();
            self.known.insert(identifier.to_owned(), terms);
        }
        &self.known[identifier]
    }
}

#[cfg(test)]
mod tests {
    use super::{Term, TermVocabulary};

    #[test]
    fn an_identifier_is_one_term_however_it_is_spelt() {
        assert_eq!(Term::of_identifier("toFormData"), Term::of_identifier("to_form_data"));
    }

    #[test]
    fn text_without_spaces_is_found_by_a_part_of_it() {
        let mut vocabulary = TermVocabulary::default();
        let (document, question) = (vocabulary.bag("合計が不正になる"), vocabulary.bag("不正"));
        assert!(question.terms.iter().all(|(term, _)| document.count(*term) > 0.0));
        assert_eq!(vocabulary.bag("鍵").terms.len(), 1);
    }
}
