//! BM25 over the fields of a passage: any of the words will do, rare ones count.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::store::Index;
use crate::store::index::{DocNum, Field, PassageKind, Segments, thinking_key};
use crate::text::{Tokenizer, is_stop_word};

use super::dates::Days;
use super::{Filter, Ranking};

/// A word of the question.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct QueryTerm {
    pub term: String,
    /// How often it was asked for.
    pub count: u32,
    /// Says only of which day; passages of that day need not have it.
    pub day: bool,
    /// In how many passages it occurs.
    pub passages: u32,
    /// How much a passage with it is worth.
    pub weight: f32,
}

/// Scores by passage number; zero where no word was found.
pub(super) struct WordScores {
    pub scores: Vec<f32>,
    /// In the order of their numbers: whoever groups them finds neighbours together.
    pub found: Vec<DocNum>,
    /// How much of the question's weight stands in a passage, in whatever field.
    pub covered: Vec<f32>,
    /// The weight of the whole question.
    pub asked: f32,
    /// Passages with a rare name of the question: a code, an identifier.
    pub named: HashSet<DocNum>,
    /// The largest score.
    pub best: f32,
    /// The largest score that a passage with every word could have.
    pub best_possible: f32,
}

/// A best passage with this share of what is possible is a good match.
const GOOD_MATCH: f32 = 0.35;
/// A term in more passages than this is not rare.
const RARE: f32 = 20.0;

/// Passages of a word that are looked at one by one.
const LOOKED_AT: usize = 1_000;
/// A name in more passages than this does not say what is meant.
const FEW: u32 = 8;

impl WordScores {
    /// How much the words can be trusted: less when even the best passage has
    /// few of them.
    pub fn confidence(&self) -> f32 {
        (self.best / self.best_possible.max(f32::MIN_POSITIVE) / GOOD_MATCH).min(1.0)
    }
}

/// The words of the question that tell something; all of them if none does.
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

/// The question without the names of those who speak: a vector that holds a
/// name is near to everything that person said.
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

pub(super) fn score(index: &Index, terms: &mut [QueryTerm], filter: &Filter, ranking: &Ranking) -> WordScores {
    let mut scores = WordScores {
        scores: vec![0.0; index.docs.count() as usize],
        found: Vec::new(),
        covered: vec![0.0; index.docs.count() as usize],
        asked: 0.0,
        named: HashSet::new(),
        best: 0.0,
        best_possible: 0.0,
    };
    let Ok(segments) = &index.words else { return scores };
    let averages = averages(index);
    for term in terms.iter_mut() {
        add_term(index, segments, term, &averages, filter, ranking, &mut scores);
        scores.best_possible += term.weight * (ranking.k1 + 1.0);
        if !term.day {
            scores.asked += term.weight;
        }
    }
    let found = scores.scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
    scores.found = found.map(|(doc, _)| doc as DocNum).collect();
    scores.best = scores.found.iter().map(|doc| scores.scores[*doc as usize]).fold(0.0, f32::max);
    scores
}

fn averages(index: &Index) -> [f32; 5] {
    index.state.terms.map(|terms| (terms as f32 / index.state.live.max(1) as f32).max(1.0))
}

fn add_term(
    index: &Index,
    segments: &Segments,
    term: &mut QueryTerm,
    averages: &[f32; 5],
    filter: &Filter,
    ranking: &Ranking,
    out: &mut WordScores,
) {
    let mut found: Vec<(DocNum, f32)> = Vec::with_capacity(segments.docs_with(term.term.as_bytes()) as usize);
    let live = |doc: DocNum| doc < index.docs.count() && (index.gone.is_empty() || !index.gone.contains(&doc));
    let rare = rarity(live_with(index, segments, &term.term));
    let fields = fields_for(rare, ranking);
    let weigh = |count: u16, length: u16, field: usize| {
        let length = f32::from(length) / averages[field];
        // A long log is not less about the one code that stands in it.
        let b = if SAYS_MUCH.contains(&field) { ranking.b * (1.0 - rare) } else { ranking.b };
        f32::from(count) / (1.0 - b + b * length)
    };
    for posting in segments.postings(term.term.as_bytes()).filter(|posting| live(posting.doc)) {
        let lengths = index.docs.lengths(posting.doc);
        let mut weight = 0.0;
        for (field, count) in posting.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            weight += fields[field] * weigh(*count, lengths[field], field);
        }
        found.push((posting.doc, weight));
    }
    if ranking.thinking > 0.0 {
        let field = Field::Thinking as usize;
        for posting in segments.postings(&thinking_key(&term.term)).filter(|posting| live(posting.doc)) {
            let length = index.docs.lengths(posting.doc)[field];
            found.push((posting.doc, ranking.thinking * weigh(posting.counts[0], length, field)));
        }
    }
    term.passages = found.len() as u32;
    let all = index.state.live.max(term.passages) as f32;
    let with = term.passages as f32;
    term.weight = (1.0 + (all - with + 0.5) / (with + 0.5)).ln() * (term.count as f32).sqrt();
    let open = filter.is_open();
    let is_name =
        term.passages <= FEW && term.term.len() > 3 && !term.term.bytes().all(|byte| byte.is_ascii_alphabetic());
    for (doc, weight) in found {
        if weight > 0.0 && (open || index.docs.get(doc).is_some_and(|doc| filter.lets(&doc))) {
            if is_name {
                out.named.insert(doc);
            }
            if !term.day {
                out.covered[doc as usize] += term.weight;
            }
            out.scores[doc as usize] += term.weight * weight * (ranking.k1 + 1.0) / (ranking.k1 + weight);
        }
    }
}

/// Passages with a term, without those that are gone. Where there are many it
/// does not matter how many.
fn live_with(index: &Index, segments: &Segments, term: &str) -> u32 {
    let all = segments.docs_with(term.as_bytes());
    if index.gone.is_empty() || all > LOOKED_AT as u32 {
        return all;
    }
    segments.postings(term.as_bytes()).filter(|posting| !index.gone.contains(&posting.doc)).count() as u32
}

/// From 1 for a term that occurs once down to 0.
fn rarity(passages: u32) -> f32 {
    (1.0 - (passages.max(1) as f32).ln() / RARE.ln()).max(0.0)
}

/// Fields that are long and mostly noise.
const SAYS_MUCH: [usize; 2] = [Field::Tail as usize, Field::Output as usize];

/// What tools print is mostly noise, but a rare word in it (an error code, a
/// name) is as good as anywhere; so is one in the tail of a long text.
fn fields_for(rare: f32, ranking: &Ranking) -> [f32; 4] {
    let mut fields = ranking.fields;
    for field in SAYS_MUCH {
        fields[field] = fields[field].max(rare);
    }
    fields
}
