//! Which terms does a text consist of?
//!
//! Words are lower-cased and stemmed. An identifier gives its parts and, if it
//! has several, itself as a whole, spelt so that `toFormData` and
//! `to_form_data` are one term. Writing without spaces gives pairs of letters.

use backstory_language::text::is_ngram_script;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// The hash of a term. Two terms of one repository with the same hash are
/// rarer than one repository in two, and cost a little noise; in return
/// nothing has to hand out numbers, and parsed files can be kept anywhere.
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

/// A bag being filled.
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

/// Turns text into terms; remembers the words it has met.
pub struct Words {
    stemmer: Stemmer,
    known: FxHashMap<String, Vec<Term>>,
    stop: FxHashSet<&'static str>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            known: FxHashMap::with_hasher(FxBuildHasher),
            stop: STOP_WORDS.split_whitespace().collect(),
        }
    }
}

impl Words {
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
            let terms = self.cut(identifier);
            self.known.insert(identifier.to_owned(), terms);
        }
        &self.known[identifier]
    }

    fn cut(&self, identifier: &str) -> Vec<Term> {
        let pairs = pairs(identifier);
        if !pairs.is_empty() {
            return pairs.iter().map(|pair| Term::of(pair)).collect();
        }
        let parts = parts(identifier);
        let is_telling = |part: &&String| part.chars().count() > 1 && !self.stop.contains(part.as_str());
        let mut terms: Vec<Term> = parts.iter().filter(is_telling).map(|part| self.stemmed(part)).collect();
        if parts.len() > 1 {
            terms.push(Term::of(&parts.concat()));
        }
        terms
    }

    fn stemmed(&self, part: &str) -> Term {
        Term::of(&self.stemmer.stem(part))
    }
}

/// Where words are not set apart (Chinese, Japanese, Thai), each two neighbouring letters count as one.
/// Gives nothing for other writing.
pub fn pairs(run: &str) -> Vec<String> {
    if !run.chars().next().is_some_and(is_ngram_script) {
        return Vec::new();
    }
    let letters: Vec<char> = run.chars().collect();
    letters.windows(2.min(letters.len())).map(|pair| pair.iter().collect()).collect()
}

/// The term of a whole identifier, however it is spelt.
pub fn whole(identifier: &str) -> Term {
    Term::of(&parts(identifier).concat())
}

/// Does every text have this word?
pub fn is_common(word: &str) -> bool {
    let lower = word.to_lowercase();
    STOP_WORDS.split_whitespace().any(|common| common == lower)
}

/// The runs of letters, digits and underscores; what is written without spaces is a run of its own.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).flat_map(|rest| OneScript { rest });
    runs.filter(|word| word.len() <= 80 || word.chars().next().is_some_and(is_ngram_script))
}

/// A run, cut where its script changes: `カートのtotal` is two words.
struct OneScript<'a> {
    rest: &'a str,
}

impl<'a> Iterator for OneScript<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let end = match self.rest.is_ascii() {
            true => self.rest.len(),
            false => self.rest.find(|c| is_ngram_script(c) != is_ngram_script(first)).unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// The lower-case parts of an identifier: `parseHTTPDate_v2` is parse, http, date, v2.
pub fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let characters: Vec<char> = identifier.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1);
        let starts_camel = c.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || b.is_numeric() || after.is_some_and(|a| a.is_lowercase()));
        let joins = matches!(c, '_' | '-');
        if joins || starts_camel {
            parts.push(String::new());
        }
        if !joins && let Some(part) = parts.last_mut() {
            part.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

const STOP_WORDS: &str = "a an and are as at be been but by can could did do does doing done for from get gets got \
had has have having how i if in into is it its just may me might more most my no not of off on only or other our out \
over own same she should so some such than that the their them then there these they this those through to too under \
until up us use used using very via was we were what when where which while who whom why will with would you your am \
also any because before after both each few he her here him his itself let like now one see since still they thing \
want way well work works working expect expected actual behavior behaviour issue bug please thanks hi hello";

#[cfg(test)]
mod tests {
    use super::{Words, identifiers, parts, whole};

    #[test]
    fn identifiers_fall_into_parts() {
        assert_eq!(parts("parseHTTPDate_v2"), ["parse", "http", "date", "v2"]);
        assert_eq!(parts("__init__"), ["init"]);
        assert_eq!(parts("Größe"), ["größe"]);
        assert_eq!(parts("__"), Vec::<String>::new());
        assert_eq!(whole("toFormData"), whole("to_form_data"));
    }

    #[test]
    fn writing_without_spaces_is_found_by_a_part_of_it() {
        let text = "カートのtotalが不正";
        assert_eq!(identifiers(text).collect::<Vec<_>>(), ["カートの", "total", "が不正"]);
        let mut words = Words::default();
        let (said, asked) = (words.bag("合計が不正になる"), words.bag("不正"));
        assert!(asked.terms.iter().all(|(term, _)| said.count(*term) > 0.0));
        assert_eq!(words.bag("鍵").terms.len(), 1);
    }
}
