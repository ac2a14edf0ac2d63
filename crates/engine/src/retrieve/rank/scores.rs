//! BM25 over the fields of a passage: any word may match, and rare words count more.
//!
//! In a large memory the lists of common words are long and say little. They are walked, most distinctive first, until
//! no passage with only the remaining words can be among the best; those words are then looked up for the passages that
//! still can. The best passages are the same as after walking every list; the scores of others may lack the commonest
//! words.

use std::collections::HashSet;

use crate::store::Index;
use crate::store::index::{DocNum, Field, Posting, Segments, thinking_key};

use super::best::Best;
use super::words::QueryTerm;
use super::{Filter, Ranking};

/// Scores by passage number; zero if it contains no word.
pub(super) struct WordScores {
    pub scores: Vec<f32>,
    /// The share of the question's weight in a passage, over all fields.
    pub covered: Vec<f32>,
    /// The best passages, which in most memories are all. In numerical order, so that neighbours are adjacent.
    pub found: Vec<DocNum>,
    /// The weight of the whole question.
    pub asked: f32,
    /// Passages with a rare name of the question: a code, an identifier.
    pub named: HashSet<DocNum>,
    /// The largest score.
    pub best: f32,
    /// The score that a passage with every word could have.
    pub best_possible: f32,
    /// The passages with complete scores, sorted, if not every word was looked up in every passage.
    complete: Option<Vec<DocNum>>,
}

/// A best passage with this share of the possible score is a good match.
const GOOD_MATCH: f32 = 0.35;
/// A term in more passages than this is not rare.
const RARE: f32 = 20.0;
/// A name in more passages is not specific.
const FEW: u32 = 8;
/// If more passages contain a word, only the best count for their sessions and turns.
const HEARD: usize = 20_000;
/// Lookups in a list have a cost too: smaller memories and shorter lists are walked.
const LARGE_MEMORY: DocNum = 50_000;
const LONG_LIST: u32 = 5_000;

impl WordScores {
    fn none(passages: DocNum) -> Self {
        WordScores {
            scores: vec![0.0; passages as usize],
            covered: vec![0.0; passages as usize],
            found: Vec::new(),
            asked: 0.0,
            named: HashSet::new(),
            best: 0.0,
            best_possible: 0.0,
            complete: None,
        }
    }

    /// The reliability of the words: lower if even the best passage has few of them.
    pub fn confidence(&self) -> f32 {
        (self.best / self.best_possible.max(f32::MIN_POSITIVE) / GOOD_MATCH).min(1.0)
    }

    /// Completes the scores of these passages.
    pub fn complete(
        &mut self,
        index: &Index,
        terms: &[QueryTerm],
        ranking: &Ranking,
        docs: impl Iterator<Item = DocNum>,
    ) {
        let (Some(complete), Ok(segments)) = (&self.complete, &index.words) else { return };
        let mut docs: Vec<DocNum> = docs.filter(|doc| complete.binary_search(doc).is_err()).collect();
        docs.sort_unstable();
        for doc in &docs {
            self.scores[*doc as usize] = 0.0;
            self.covered[*doc as usize] = 0.0;
        }
        let weigher = Weigher::new(index, ranking);
        for term in terms {
            self.look_up(segments, &weigher, term, &docs);
        }
    }

    fn add(&mut self, doc: DocNum, term: &QueryTerm, weight: f32, ranking: &Ranking) {
        if !term.day {
            self.covered[doc as usize] += term.weight;
        }
        self.scores[doc as usize] += term.weight * weight * (ranking.k1 + 1.0) / (ranking.k1 + weight);
    }

    fn look_up(&mut self, segments: &Segments, weigher: &Weigher<'_>, term: &QueryTerm, docs: &[DocNum]) {
        let weigh = weigher.of(term.passages);
        segments.postings_of(term.term.as_bytes(), docs, |posting| {
            let weight = weigh(&posting);
            if weight > 0.0 {
                self.add(posting.doc, term, weight, weigher.ranking);
            }
        });
    }

    fn all(&self) -> impl Iterator<Item = (DocNum, f32)> {
        self.scores.iter().enumerate().map(|(doc, score)| (doc as DocNum, *score))
    }
}

pub(super) fn score(index: &Index, terms: &mut [QueryTerm], filter: &Filter, ranking: &Ranking) -> WordScores {
    // Thoughts have separate lists, which are walked completely.
    let prune = index.docs.count() >= LARGE_MEMORY && ranking.thinking == 0.0;
    score_with(index, terms, filter, ranking, if prune { LONG_LIST } else { u32::MAX })
}

/// `long`: lists with fewer postings are always walked.
fn score_with(index: &Index, terms: &mut [QueryTerm], filter: &Filter, ranking: &Ranking, long: u32) -> WordScores {
    let mut out = WordScores::none(index.docs.count());
    let Ok(segments) = &index.words else { return out };
    let weigher = Weigher::new(index, ranking);
    let walk = PostingsReader { index, segments, weigher: &weigher, filter, open: filter.is_open() };
    let mut common: Vec<usize> = Vec::new();
    for (place, term) in terms.iter_mut().enumerate() {
        let passages = segments.docs_with(term.term.as_bytes());
        if passages < long {
            walk.whole(term, &mut out);
        } else {
            // Among so many, deleted passages do not matter.
            weigh_term(index, term, passages);
            common.push(place);
        }
    }
    for term in terms.iter() {
        out.best_possible += most(term, ranking);
        if !term.day {
            out.asked += term.weight;
        }
    }
    common.sort_by(|a, b| terms[*b].weight.total_cmp(&terms[*a].weight).then(a.cmp(b)));
    let common: Vec<&QueryTerm> = common.into_iter().map(|place| &terms[place]).collect();
    walk.common(&common, out.best_possible, &mut out);

    let mut best = Best::new(HEARD);
    out.all().for_each(|(doc, score)| best.add(doc, score));
    out.found = best.numbered();
    out.best = out.found.iter().map(|doc| out.scores[*doc as usize]).fold(0.0, f32::max);
    out
}

fn weigh_term(index: &Index, term: &mut QueryTerm, passages: u32) {
    term.passages = passages;
    let all = index.state.live.max(passages) as f32;
    let with = passages as f32;
    term.weight = (1.0 + (all - with + 0.5) / (with + 0.5)).ln() * (term.count as f32).sqrt();
}

/// The upper bound of a passage's score for a word.
fn most(term: &QueryTerm, ranking: &Ranking) -> f32 {
    term.weight * (ranking.k1 + 1.0)
}

/// Reads complete lists.
struct PostingsReader<'a> {
    index: &'a Index,
    segments: &'a Segments,
    weigher: &'a Weigher<'a>,
    filter: &'a Filter,
    open: bool,
}

impl PostingsReader<'_> {
    /// A word's weight is known only once its passages are.
    fn whole(&self, term: &mut QueryTerm, out: &mut WordScores) {
        let ranking = self.weigher.ranking;
        let live_with = self.live_with(&term.term);
        let weigh = self.weigher.of(live_with);
        let mut found: Vec<(DocNum, f32)> = Vec::with_capacity(live_with as usize);
        found.extend(self.postings(term.term.as_bytes()).map(|posting| (posting.doc, weigh(&posting))));
        if ranking.thinking > 0.0 {
            let weigh = self.weigher.of_thoughts(live_with);
            found.extend(self.postings(&thinking_key(&term.term)).map(|posting| (posting.doc, weigh(&posting))));
            // A word that is both said and thought is one word of the question.
            found.sort_by_key(|(doc, _)| *doc);
            found.dedup_by(|thought, said| {
                thought.0 == said.0 && {
                    said.1 += thought.1;
                    true
                }
            });
        }
        weigh_term(self.index, term, found.len() as u32);
        let letters_only = term.term.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_name = term.passages <= FEW && term.term.len() > 3 && !letters_only;
        for (doc, weight) in found {
            if weight > 0.0 && self.lets(doc, out) {
                if is_name {
                    out.named.insert(doc);
                }
                out.add(doc, term, weight, ranking);
            }
        }
    }

    /// Walks words with long lists, most distinctive first. `best_possible`: of all words.
    fn common(&self, mut terms: &[&QueryTerm], best_possible: f32, out: &mut WordScores) {
        let ranking = self.weigher.ranking;
        let most_of = |terms: &[&QueryTerm]| terms.iter().map(|term| most(term, ranking)).sum::<f32>();
        let mut threshold = 0.0;
        while let Some((term, rest)) = terms.split_first() {
            let left = most_of(terms);
            // No passage has more than the sum of the previous words; counting is slow.
            if left < best_possible - left {
                threshold = threshold_of(out.all(), ranking);
            }
            if left < threshold {
                break;
            }
            self.list(term, out);
            terms = rest;
        }
        if terms.is_empty() {
            return;
        }
        let left = most_of(terms);
        let could_be = out.all().filter(|(_, score)| *score > 0.0 && *score + left >= threshold);
        let mut docs: Vec<DocNum> = could_be.map(|(doc, _)| doc).collect();
        while let Some((term, rest)) = terms.split_first() {
            out.look_up(self.segments, self.weigher, term, &docs);
            terms = rest;
            let left = most_of(terms);
            let threshold = threshold_of(docs.iter().map(|doc| (*doc, out.scores[*doc as usize])), ranking);
            docs.retain(|doc| out.scores[*doc as usize] + left >= threshold);
        }
        out.complete = Some(docs);
    }

    fn list(&self, term: &QueryTerm, out: &mut WordScores) {
        let weigh = self.weigher.of(term.passages);
        for posting in self.postings(term.term.as_bytes()) {
            let weight = weigh(&posting);
            if weight > 0.0 && self.lets(posting.doc, out) {
                out.add(posting.doc, term, weight, self.weigher.ranking);
            }
        }
    }

    /// The number of passages with a term. If there are many, deleted ones are not subtracted.
    fn live_with(&self, term: &str) -> u32 {
        let all = self.segments.docs_with(term.as_bytes());
        if self.index.gone.is_empty() || all as f32 > 2.0 * RARE + self.index.gone.len() as f32 {
            return all;
        }
        self.postings(term.as_bytes()).count() as u32
    }

    fn postings<'b>(&'b self, term: &'b [u8]) -> impl Iterator<Item = Posting> + 'b {
        let gone = &self.index.gone;
        let live = |doc: DocNum| doc < self.index.docs.count() && (gone.is_empty() || !gone.contains(&doc));
        self.segments.postings(term).filter(move |posting| live(posting.doc))
    }

    /// A passage with a score has passed the filter already.
    fn lets(&self, doc: DocNum, out: &WordScores) -> bool {
        self.open
            || out.scores[doc as usize] > 0.0
            || self.index.docs.get(doc).is_some_and(|doc| self.filter.lets(&doc))
    }
}

/// The score that a passage needs to be a candidate.
fn threshold_of(scores: impl Iterator<Item = (DocNum, f32)>, ranking: &Ranking) -> f32 {
    let mut best = Best::new(ranking.candidates);
    scores.for_each(|(doc, score)| best.add(doc, score));
    best.threshold()
}

/// Weighs the occurrences of a word in a passage, by field and passage length.
struct Weigher<'a> {
    index: &'a Index,
    ranking: &'a Ranking,
    /// Terms per field of an average passage.
    averages: [f32; 5],
}

impl<'a> Weigher<'a> {
    fn new(index: &'a Index, ranking: &'a Ranking) -> Self {
        let average = |terms: u64| (terms as f32 / index.state.live.max(1) as f32).max(1.0);
        Weigher { index, ranking, averages: index.state.terms.map(average) }
    }

    /// For a word that occurs in this many passages.
    fn of(&self, passages: u32) -> impl Fn(&Posting) -> f32 {
        let rare = rarity(passages);
        let fields = fields_for(rare, self.ranking);
        move |posting| {
            let lengths = self.index.docs.lengths(posting.doc);
            let mut weight = 0.0;
            for (field, count) in posting.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                weight += fields[field] * self.weigh(*count, lengths[field], field, rare);
            }
            weight
        }
    }

    fn of_thoughts(&self, passages: u32) -> impl Fn(&Posting) -> f32 {
        let rare = rarity(passages);
        let field = Field::Thinking as usize;
        move |posting| {
            let length = self.index.docs.lengths(posting.doc)[field];
            self.ranking.thinking * self.weigh(posting.counts[0], length, field, rare)
        }
    }

    #[inline]
    fn weigh(&self, count: u16, length: u16, field: usize, rare: f32) -> f32 {
        let length = f32::from(length) / self.averages[field];
        // A long log is not less about the one code in it.
        let b = if SAYS_MUCH.contains(&field) { self.ranking.b * (1.0 - rare) } else { self.ranking.b };
        f32::from(count) / (1.0 - b + b * length)
    }
}

/// From 1 for a term that occurs once down to 0.
fn rarity(passages: u32) -> f32 {
    (1.0 - (passages.max(1) as f32).ln() / RARE.ln()).max(0.0)
}

/// Fields that are long and mostly noise.
const SAYS_MUCH: [usize; 2] = [Field::Tail as usize, Field::Output as usize];

/// Tool output is mostly noise, but a rare word in it (an error code, a name) is as good as anywhere; the same holds
/// for the tail of a long text.
fn fields_for(rare: f32, ranking: &Ranking) -> [f32; 4] {
    let mut fields = ranking.fields;
    for field in SAYS_MUCH {
        fields[field] = fields[field].max(rare);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChunkId, Digest};
    use crate::store::index::{Bytes, Doc, Docs, FIELDS, IndexDamage, PassageKind, Segment, SegmentBuilder};
    use crate::store::{EpisodeNum, IndexState};
    use proptest::prelude::*;
    use std::sync::Arc;

    const TERMS: [&str; 6] = ["code", "does", "fail", "login", "token", "zebra"];

    /// The occurrences of each term in each passage, by field.
    type Counts = Vec<[[u16; 4]; 6]>;

    fn index_of(passages: &Counts) -> Result<Index, IndexDamage> {
        let (mut heads, mut records) = (Vec::new(), Vec::new());
        let mut words = SegmentBuilder::default();
        let mut state =
            IndexState { docs: passages.len() as DocNum, live: passages.len() as u32, ..IndexState::default() };
        for (doc, terms) in passages.iter().enumerate() {
            let mut lengths = [0; FIELDS];
            for (term, counts) in terms.iter().enumerate().filter(|(_, counts)| counts.iter().any(|count| *count > 0)) {
                words.add(term as u32, &Posting { doc: doc as DocNum, counts: *counts });
                lengths.iter_mut().zip(counts).for_each(|(length, count)| *length += count);
            }
            state.terms.iter_mut().zip(lengths).for_each(|(terms, length)| *terms += u64::from(length));
            let record = Doc {
                chunk: ChunkId(Digest([0; 16])),
                project: 0,
                session: 0,
                time: None,
                episode: EpisodeNum(doc as i64 % 3),
                turn: 0,
                previous: None,
                parts: (0, 1),
                lengths,
                kind: PassageKind::User,
                asks: false,
                writes: false,
            };
            record.encode(&mut heads, &mut records);
        }
        let bytes = |bytes: Vec<u8>| Bytes::Owned(Arc::new(bytes));
        let segment = words.finish(|term| TERMS[term as usize]);
        let length = segment.len() as u64;
        Ok(Index {
            state,
            docs: Docs::new("docs", bytes(heads), bytes(records), state.docs)?,
            words: Ok(Segments(vec![Segment::open("words", bytes(segment), length, 0..state.docs)?])),
            vectors: Err(IndexDamage { file: "vectors".to_owned(), reason: "not made yet" }),
            gone: HashSet::new(),
        })
    }

    fn question() -> Vec<QueryTerm> {
        let term = |term: &&str| QueryTerm {
            term: (*term).to_owned(),
            count: 1,
            day: *term == "does",
            passages: 0,
            weight: 0.0,
        };
        TERMS.iter().map(term).collect()
    }

    fn candidates(words: &WordScores, ranking: &Ranking) -> Vec<(DocNum, f32)> {
        let mut best = Best::new(ranking.candidates);
        words.all().for_each(|(doc, score)| best.add(doc, score));
        best.sorted()
    }

    fn is_like(a: f32, b: f32) -> bool {
        (a - b).abs() <= 1e-4 * (1.0 + a.abs())
    }

    /// Some terms occur in most passages, some in few.
    fn passages() -> impl Strategy<Value = Counts> {
        let counts = |share: f64| {
            prop::option::weighted(share, prop::array::uniform4(0u16..4)).prop_map(Option::unwrap_or_default)
        };
        let terms = (counts(0.6), counts(0.9), counts(0.4), counts(0.2), counts(0.1), counts(0.02));
        prop::collection::vec(terms.prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f]), 1..400)
    }

    proptest! {
        #[test]
        fn the_best_are_those_of_walking_every_list(passages in passages(), wanted in 1usize..20, other in any::<u32>(), run in prop::option::of(0u32..3)) {
            let index = index_of(&passages).map_err(|damage| TestCaseError::fail(damage.to_string()))?;
            let ranking = Ranking { candidates: wanted, ..Ranking::default() };
            let filter = Filter { episodes: run.map(|run| [run].into_iter().collect()), ..Filter::default() };
            let mut terms = question();
            let all = score_with(&index, &mut terms.clone(), &filter, &ranking, u32::MAX);
            let mut pruned = score_with(&index, &mut terms, &filter, &ranking, 1);

            let expected = candidates(&all, &ranking);
            let found = candidates(&pruned, &ranking);
            prop_assert_eq!(found.len(), expected.len());
            for ((doc, score), (_, expected)) in found.into_iter().zip(expected) {
                prop_assert!(is_like(score, expected), "{} {}", score, expected);
                prop_assert!(is_like(score, all.scores[doc as usize]));
                prop_assert!(is_like(pruned.covered[doc as usize], all.covered[doc as usize]));
            }
            prop_assert!(is_like(pruned.best, all.best) && is_like(pruned.asked, all.asked));

            let doc = other % passages.len() as DocNum;
            if filter.lets(&index.docs.get(doc).ok_or(TestCaseError::fail("no record"))?) {
                pruned.complete(&index, &terms, &ranking, [doc].into_iter());
                prop_assert!(is_like(pruned.scores[doc as usize], all.scores[doc as usize]));
                prop_assert!(is_like(pruned.covered[doc as usize], all.covered[doc as usize]));
            }
        }
    }

    #[test]
    fn common_words_find_nothing_where_rarer_ones_do() -> Result<(), IndexDamage> {
        let common = [1, 0, 0, 0];
        let passages: Counts = (0..1000)
            .map(|doc| {
                let rare = if doc % 100 == 0 { [1, 0, 0, 0] } else { [0; 4] };
                [common, common, [0; 4], [0; 4], rare, [0; 4]]
            })
            .collect();
        let ranking = Ranking { candidates: 5, ..Ranking::default() };
        let words = score_with(&index_of(&passages)?, &mut question(), &Filter::default(), &ranking, 1);
        assert_eq!(words.found, (0..1000).step_by(100).collect::<Vec<_>>());
        assert_eq!(words.complete.as_deref(), Some(words.found.as_slice()));
        Ok(())
    }
}
