//! Which words of a question are searched for?

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use backstory_language::text::{Tokenizer, is_stop_word};

use crate::store::Index;
use crate::store::index::{DocNum, Field, PassageKind};

use super::Filter;
use super::dates::Days;

/// A word of the question.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct QueryTerm {
    pub term: String,
    /// The number of occurrences in the question.
    pub count: u32,
    /// It only names a day; passages of that day need not contain it.
    pub day: bool,
    /// The number of passages that contain it.
    pub passages: u32,
    /// The score weight of a passage that contains it.
    pub weight: f32,
}

/// At most this many passages of a word are checked one by one.
const LOOKED_AT: usize = 1_000;
/// The significant words of the question; all of them if none is.
pub(super) fn query_terms(tokenizer: &mut Tokenizer, text: &str, days: &Days) -> Vec<QueryTerm> {
    let mut counts: Vec<(String, u32)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for term in tokenizer.strings(text) {
        match places.get(&term) {
            Some(at) => counts[*at].1 += 1,
            None => {
                places.insert(term.clone(), counts.len());
                counts.push((term, 1));
            }
        }
    }
    if counts.iter().any(|(term, _)| !is_stop_word(term)) {
        counts.retain(|(term, _)| !is_stop_word(term));
    }
    let of_days: HashSet<String> = days.words.iter().flat_map(|word| tokenizer.strings(word)).collect();
    let only_days = counts.iter().all(|(term, _)| of_days.contains(term));
    let term = |(term, count): (String, u32)| {
        let day = !only_days && of_days.contains(&term);
        QueryTerm { term, count, day, passages: 0, weight: 0.0 }
    };
    counts.into_iter().map(term).collect()
}

/// The question without the names of speakers: a vector of a name is similar to everything that person said.
pub(super) fn without_speakers<'a>(
    tokenizer: &mut Tokenizer,
    index: &Index,
    filter: &Filter,
    text: &'a str,
) -> Cow<'a, str> {
    let Ok(segments) = &index.words else { return Cow::Borrowed(text) };
    let is_speaker = |term: &String| {
        let said = |doc: DocNum| {
            let record = index.docs.get(doc).filter(|record| record.kind == PassageKind::User && filter.lets(record));
            record.is_some() && !index.gone.contains(&doc)
        };
        let postings = segments.postings(term.as_bytes()).take(LOOKED_AT);
        postings.filter(|posting| posting.counts[Field::Place as usize] > 0 && said(posting.doc)).nth(2).is_some()
    };
    let kept: Vec<&str> =
        text.split_whitespace().filter(|word| !tokenizer.strings(word).first().is_some_and(is_speaker)).collect();
    if kept.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(kept.join(" ")) }
}
