//! Adds the scores that a passage gets from its neighbours, its turn and its session.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::model::{Part, PartKind, writes_files};
use crate::store::index::{Doc, DocNum, PassageKind};
use crate::store::{Index, StoreError, ViewReader};

use super::scores::WordScores;
use super::{AnswerThreshold, Filter, Ranking, Records, Scored, fuse};

/// How many passages of prose of a session, and how many passages of a turn, count for it.
const OF_SESSION: usize = 4;
const OF_TURN: usize = 8;
/// The number of candidates whose neighbours become candidates too.
const WITH_NEIGHBOURS: usize = 100;

/// Turns, by run and number, with a call that contains a word of the question.
type Worked = HashSet<(u32, u32)>;

pub(super) fn with_context(
    view: &ViewReader<'_>,
    index: &Index,
    (question, threshold): (&str, AnswerThreshold),
    mut list: Vec<Scored>,
    words: &WordScores,
    filter: &Filter,
    ranking: &Ranking,
) -> Result<Vec<Scored>, StoreError> {
    let mut records = Records::new(index);
    for scored in &mut list {
        if records.get(scored.doc).is_some_and(|record| record.kind == PassageKind::Assistant) {
            scored.own *= ranking.assistant;
        }
    }
    let mut next = HashMap::new();
    for scored in list.iter().take(WITH_NEIGHBOURS) {
        if let Some(after) = next_passage(view, &mut records, scored.doc)? {
            next.insert(scored.doc, after);
        }
    }
    add_neighbours(&mut list, &mut records, &next, filter);
    let calls = words.found.iter().filter(|doc| index.docs.is_call(**doc));
    let mut last = None;
    let turns_of_calls = calls.map(|doc| index.docs.turn(*doc)).filter(|turn| last.replace(*turn) != Some(*turn));
    let worked: Worked = turns_of_calls.collect();
    neighbours(&mut list, &mut records, &next, &worked, ranking, threshold);
    if ranking.session > 0.0 {
        sessions(&mut list, words, index, &mut records, ranking);
    }
    if ranking.turn > 0.0 {
        turns(&mut list, words, index, &mut records, &worked, ranking);
    }
    for scored in &mut list {
        scored.score = scored.own + scored.neighbours + scored.session + scored.turn;
    }
    for scored in &mut list {
        if words.named.contains(&scored.doc) {
            scored.verbatim = ranking.verbatim;
            scored.score += scored.verbatim;
        }
    }
    if ranking.verbatim > 0.0 {
        fuse::sort(&mut list);
        verbatim(view, &mut list, &mut records, question, ranking)?;
    }
    fuse::sort(&mut list);
    Ok(list)
}

/// Usually the next number; another one if its run continued later.
fn next_passage(view: &ViewReader<'_>, records: &mut Records<'_>, doc: DocNum) -> Result<Option<DocNum>, StoreError> {
    if records.get(doc + 1).is_some_and(|after| after.previous == Some(doc)) {
        return Ok(Some(doc + 1));
    }
    let Some(record) = records.get(doc) else { return Ok(None) };
    let Some(here) = view.passages_of(record.chunk)? else { return Ok(None) };
    Ok(view.passages_after(record.episode, here.turn, here.ord)?.map(|row| row.first))
}

/// A passage without a word of the question may follow one that has them.
fn add_neighbours(list: &mut Vec<Scored>, records: &mut Records<'_>, next: &HashMap<DocNum, DocNum>, filter: &Filter) {
    let mut known: HashSet<DocNum> = list.iter().map(|scored| scored.doc).collect();
    for at in 0..list.len().min(WITH_NEIGHBOURS) {
        let doc = list[at].doc;
        let around = [records.get(doc).and_then(|record| record.previous), next.get(&doc).copied()];
        for doc in around.into_iter().flatten() {
            if known.insert(doc) && records.get(doc).is_some_and(|record| filter.lets(&record)) {
                list.push(Scored { doc, ..Scored::default() });
            }
        }
    }
}

/// Between people, the previous and the next passage gain. Between a person and an agent only the prompt gains: an
/// agent's turns repeat the request anyway.
fn neighbours(
    list: &mut [Scored],
    records: &mut Records<'_>,
    next: &HashMap<DocNum, DocNum>,
    worked: &Worked,
    ranking: &Ranking,
    threshold: AnswerThreshold,
) {
    let alone: HashMap<DocNum, (f32, bool)> =
        list.iter().map(|scored| (scored.doc, (scored.own, threshold.has(scored)))).collect();
    let person = |record: Option<Doc>| record.filter(|record| record.kind == PassageKind::User);
    for scored in list {
        let Some(record) = person(records.get(scored.doc)) else { continue };
        let mut add = |doc: DocNum, share: f32| {
            if let Some((own, answers)) = alone.get(&doc).filter(|_| share > 0.0) {
                scored.neighbours += share * own;
                scored.beside_answer |= *answers;
            }
        };
        if let Some(previous) = record.previous
            && let Some(before) = person(records.get(previous))
        {
            add(previous, if before.asks { ranking.reply } else { ranking.after });
        }
        if let Some(next) = next.get(&scored.doc) {
            let turn = (record.episode.0 as u32, record.turn);
            match records.get(*next).map(|after| after.kind) {
                Some(PassageKind::User) => add(*next, ranking.before),
                Some(PassageKind::Assistant) if !worked.contains(&turn) => add(*next, ranking.answered),
                _ => {}
            }
        }
    }
}

/// The best passages of prose of the best session sum to 1.0.
fn sessions(list: &mut [Scored], words: &WordScores, index: &Index, records: &mut Records<'_>, ranking: &Ranking) {
    let prose = words.found.iter().copied().filter(|doc| index.docs.is_prose(*doc));
    let scores = prose.map(|doc| (index.docs.session(doc), words.scores[doc as usize]));
    let mut pool: Pool<_, OF_SESSION> = Pool::new(scores, |_| true);
    let writing = words.found.iter().filter(|doc| index.docs.writes(**doc));
    pool.raise(writing.map(|doc| index.docs.session(*doc)), ranking.written);
    for scored in list {
        scored.session = ranking.session
            * words.confidence()
            * records.get(scored.doc).map_or(0.0, |record| pool.share(&record.session));
    }
}

/// The best passages of the best turn, of any kind, sum to 1.0. Only turns with actions: a transcript is divided into
/// turns by length alone.
fn turns(
    list: &mut [Scored],
    words: &WordScores,
    index: &Index,
    records: &mut Records<'_>,
    worked: &Worked,
    ranking: &Ranking,
) {
    let scores = words.found.iter().map(|doc| (index.docs.turn(*doc), words.scores[*doc as usize]));
    let mut pool: Pool<_, OF_TURN> = Pool::new(scores, |turn| worked.contains(turn));
    let writing = words.found.iter().filter(|doc| index.docs.writes(**doc));
    pool.raise(writing.map(|doc| index.docs.turn(*doc)), ranking.written);
    for scored in list {
        scored.turn = ranking.turn
            * words.confidence()
            * records.get(scored.doc).map_or(0.0, |record| pool.share(&(record.episode.0 as u32, record.turn)));
    }
}

/// Sums of the best few scores of a group.
struct Pool<K, const SPEAKERS: usize> {
    sums: HashMap<K, f32>,
    largest: f32,
}

impl<K: Copy + Eq + std::hash::Hash, const SPEAKERS: usize> Pool<K, SPEAKERS> {
    fn new(scores: impl Iterator<Item = (K, f32)>, counts: impl Fn(&K) -> bool) -> Self {
        let mut best: HashMap<K, [f32; SPEAKERS]> = HashMap::new();
        // Neighbours are mostly in the same group, which is then looked up once.
        let mut scores = scores.peekable();
        while let Some(&(group, _)) = scores.peek() {
            let speakers = best.entry(group).or_insert([0.0; SPEAKERS]);
            while let Some((_, score)) = scores.next_if(|(next, _)| *next == group) {
                if score > speakers[SPEAKERS - 1] {
                    speakers[SPEAKERS - 1] = score;
                    speakers.sort_unstable_by(|a, b| b.total_cmp(a));
                }
            }
        }
        best.retain(|group, _| counts(group));
        let sums: HashMap<K, f32> = best.into_iter().map(|(group, scores)| (group, scores.iter().sum())).collect();
        let largest = sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        Pool { sums, largest }
    }

    /// Raises the sums of these groups by a factor.
    fn raise(&mut self, groups: impl Iterator<Item = K>, by: f32) {
        let mut raised: HashSet<K> = HashSet::new();
        let mut last = None;
        for group in groups {
            // Neighbours are mostly of one group.
            if last != Some(group) && raised.insert(group) {
                self.sums.entry(group).and_modify(|sum| *sum *= 1.0 + by);
            }
            last = Some(group);
        }
        self.largest = self.sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    }

    fn share(&self, group: &K) -> f32 {
        self.sums.get(group).copied().unwrap_or(0.0) / self.largest
    }
}

/// The number of candidates that are read to check for a verbatim match.
const READ: usize = 40;
/// All of the question's words, allowing for rounding.
const ALL_WORDS: f32 = 0.99;
/// Shorter lines occur everywhere.
const SHORTEST_QUOTE: usize = 12;

fn verbatim(
    view: &ViewReader<'_>,
    list: &mut [Scored],
    records: &mut Records<'_>,
    question: &str,
    ranking: &Ranking,
) -> Result<(), StoreError> {
    let longest = question.lines().map(plain).max_by_key(String::len).unwrap_or_default();
    if longest.len() < SHORTEST_QUOTE {
        return Ok(());
    }
    let one_line = question.trim().lines().nth(1).is_none();
    let mut read = HashMap::new();
    // A passage with the line has its words, so most candidates need not be read.
    let may_have = |scored: &Scored| !one_line || scored.covered >= ALL_WORDS;
    for scored in list.iter_mut().take(READ).filter(|scored| may_have(scored)) {
        let Some(record) = records.get(scored.doc) else { continue };
        let body = match read.entry(record.chunk) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(view.body(record.chunk)?.unwrap_or_default()),
        };
        let parts = body.parts.get(record.parts.0.into()..record.parts.1.into()).unwrap_or_default();
        let share = parts.iter().map(|part| quoted(part, &longest)).fold(0.0, f32::max);
        if scored.verbatim == 0.0 && share > 0.0 {
            scored.verbatim = share * ranking.verbatim;
            scored.score += scored.verbatim;
        }
    }
    Ok(())
}

/// The weight of a quote inside a longer line.
const INSIDE_A_LINE: f32 = 0.5;

/// Is the quote what an edit wrote or a commit's subject? Talk, output and removed lines quote others.
fn quoted(part: &Part, quote: &str) -> f32 {
    if part.kind != PartKind::ToolCall {
        return 0.0;
    }
    let tool = part.label.as_deref();
    if !tool.is_some_and(writes_files) {
        return f32::from(u8::from(part.text.contains("git commit") && plain(&part.text).contains(quote)));
    }
    let written = part.text.lines().filter(|line| !line.starts_with('-')).map(|line| {
        let line = plain(line.trim_start_matches('+'));
        match line.contains(quote) {
            true if line.len() == quote.len() => 1.0,
            true => INSIDE_A_LINE,
            false => 0.0,
        }
    });
    written.fold(0.0, f32::max)
}

/// Lower case, with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
