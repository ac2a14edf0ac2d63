//! How much of a question does each turn have?
//!
//! Passages are small; people ask about what a turn said as a whole. The words of a
//! turn's prose are counted over its passages: what the person said and what the
//! agent said, apart from each other. Calls and what tools printed do not count.

use std::collections::HashMap;

use crate::store::index::{DocNum, Field, PassageKind};
use crate::store::{Index, StoreError, ViewReader};

use super::super::rank::{Filter, QueryTerm, REPORT_WORDS};

/// Sub-agents that start sub-agents.
const DEEPEST_AGENT: usize = 4;
/// No turn.
const NONE: u32 = u32::MAX;
/// A word of fewer passages counts for the share of a question as one of so many does, or of this
/// share of all: a word that nobody ever said must not hide an answer to the others. In a long
/// report it does say that nobody spoke of it.
const RARE: f32 = 8.0;
const RARE_SHARE: f32 = 0.01;
/// BM25: how soon repetition stops to matter, how much length does.
const K1: f32 = 1.2;
const B: f32 = 0.6;

/// A turn that has prose.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub episode: u32,
    pub turn: u32,
    /// In [`TurnIndex::sessions`].
    pub session: u32,
    /// In [`TurnIndex::cases`].
    pub case: u32,
    /// The turn before it in the same case.
    pub before: Option<u32>,
    /// Terms of the person and of the agent.
    pub lengths: [u32; 2],
    /// When its first passage was said.
    pub time: Option<i64>,
}

/// Every turn with prose that a filter lets through.
pub struct TurnIndex {
    pub turns: Vec<Turn>,
    /// Terms of each session's prose.
    pub sessions: Vec<u32>,
    pub session_tags: HashMap<u64, u32>,
    pub cases: u32,
    /// The turn of each passage of prose.
    of_doc: Vec<u32>,
    /// By episode and number.
    places: HashMap<(u32, u32), u32>,
    /// The turn that started each sub-agent: its work counts for that turn.
    started_by: StartingTurns,
}

/// Scores by turn, or by session.
pub struct TurnScores {
    pub person: Vec<f32>,
    pub agent: Vec<f32>,
    /// The turn with half of the turn before it in the same case.
    pub context: Vec<f32>,
    pub session: Vec<f32>,
    /// The share of the question's weight that a session has.
    pub covered: Vec<f32>,
}

impl TurnIndex {
    pub fn read(view: &ViewReader<'_>, index: &Index, filter: &Filter) -> Result<Self, StoreError> {
        let places = CasePlaces::read(view)?;
        let mut out = TurnIndex {
            turns: Vec::new(),
            sessions: Vec::new(),
            session_tags: HashMap::new(),
            cases: places.count,
            of_doc: vec![NONE; index.docs.count() as usize],
            places: HashMap::new(),
            started_by: StartingTurns::read(view)?,
        };
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut last: Option<((u32, u32), u32)> = None;
        for doc in 0..index.docs.count() {
            if !index.docs.is_prose(doc) || (!index.gone.is_empty() && index.gone.contains(&doc)) {
                continue;
            }
            let key = index.docs.turn(doc);
            let turn = match last.filter(|(at, _)| *at == key) {
                Some((_, turn)) => turn,
                None => *known.entry(key).or_insert_with(|| out.open(index, doc, key, &places, filter)),
            };
            last = Some((key, turn));
            out.add(index, doc, turn);
        }
        known.retain(|_, turn| *turn != NONE);
        out.places = known;
        out.join();
        Ok(out)
    }

    fn open(&mut self, index: &Index, doc: DocNum, key: (u32, u32), places: &CasePlaces, filter: &Filter) -> u32 {
        let Some(record) = index.docs.get(doc).filter(|record| lets(filter, record)) else { return NONE };
        let Some(case) = places.of(key) else { return NONE };
        let next = self.sessions.len() as u32;
        let session = *self.session_tags.entry(record.session).or_insert(next);
        if session == next {
            self.sessions.push(0);
        }
        let time = record.time.map(|time| time.0);
        self.turns.push(Turn { episode: key.0, turn: key.1, session, case, before: None, lengths: [0, 0], time });
        (self.turns.len() - 1) as u32
    }

    fn add(&mut self, index: &Index, doc: DocNum, turn: u32) {
        self.of_doc[doc as usize] = turn;
        let Some(row) = self.turns.get_mut(turn as usize) else { return };
        let lengths = index.docs.lengths(doc);
        let terms = u32::from(lengths[Field::Content as usize]) + u32::from(lengths[Field::Tail as usize]);
        row.lengths[speaker(index, doc)] += terms;
        self.sessions[row.session as usize] += terms;
    }

    /// Tells each turn the one before it in its case.
    fn join(&mut self) {
        let mut order: Vec<u32> = (0..self.turns.len() as u32).collect();
        order.sort_by_key(|at| (self.turns[*at as usize].episode, self.turns[*at as usize].turn));
        for pair in order.windows(2) {
            let (before, after) = (self.turns[pair[0] as usize], &mut self.turns[pair[1] as usize]);
            if before.case == after.case {
                after.before = Some(pair[0]);
            }
        }
    }

    pub fn has(&self, turn: (u32, u32)) -> bool {
        self.place(turn).is_some()
    }

    pub fn place(&self, turn: (u32, u32)) -> Option<u32> {
        self.places.get(&self.started_by.of(turn)).copied()
    }

    pub fn score(&self, index: &Index, terms: &[QueryTerm]) -> TurnScores {
        let turns = self.turns.len();
        let mut out = TurnScores {
            person: vec![0.0; turns],
            agent: vec![0.0; turns],
            context: vec![0.0; turns],
            session: vec![0.0; self.sessions.len()],
            covered: vec![0.0; self.sessions.len()],
        };
        let Ok(segments) = &index.words else { return out };
        let averages = self.averages();
        let mut counts = Counts::new(turns, self.sessions.len());
        let share = CoveredShare::of(index, terms);
        for term in terms {
            for posting in segments.postings(term.term.as_bytes()) {
                let Some(turn) = self.of_doc.get(posting.doc as usize).copied().filter(|turn| *turn != NONE) else {
                    continue;
                };
                let said = posting.counts[Field::Content as usize] + posting.counts[Field::Tail as usize];
                counts.add(turn, speaker(index, posting.doc), said.into(), &self.turns);
            }
            self.add_term(&mut out, &mut counts, term, &averages, &share);
        }
        out
    }

    /// How much each case has of some words, by how much each of them counts.
    pub fn likeness(&self, index: &Index, words: &[(String, f32)]) -> Vec<f32> {
        let mut lengths = vec![0.0; self.cases as usize];
        for turn in &self.turns {
            lengths[turn.case as usize] += (turn.lengths[0] + turn.lengths[1]) as f32;
        }
        let average = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let mut scores = vec![0.0; self.cases as usize];
        let Ok(segments) = &index.words else { return scores };
        let mut counts: HashMap<u32, f32> = HashMap::new();
        for (word, counts_for) in words {
            for posting in segments.postings(word.as_bytes()) {
                let said = posting.counts[Field::Content as usize] + posting.counts[Field::Tail as usize];
                if let Some(turn) = self.turns.get(self.of_doc[posting.doc as usize] as usize).filter(|_| said > 0) {
                    *counts.entry(turn.case).or_default() += f32::from(said);
                }
            }
            for (case, count) in counts.drain() {
                scores[case as usize] += counts_for * weight(count, lengths[case as usize], average.max(1.0));
            }
        }
        scores
    }

    /// Of the person's words, the agent's, a turn's and a session's.
    fn averages(&self) -> [f32; 4] {
        let turns = self.turns.len().max(1) as f32;
        let sum = |speaker: usize| self.turns.iter().map(|turn| turn.lengths[speaker] as f32).sum::<f32>();
        let (person, agent) = (sum(0), sum(1));
        let sessions = self.sessions.iter().map(|length| *length as f32).sum::<f32>();
        [person / turns, agent / turns, (person + agent) / turns, sessions / self.sessions.len().max(1) as f32]
            .map(|average| average.max(1.0))
    }

    fn add_term(
        &self,
        out: &mut TurnScores,
        counts: &mut Counts,
        term: &QueryTerm,
        averages: &[f32; 4],
        share: &CoveredShare,
    ) {
        let asked = (term.count as f32).sqrt();
        let in_turns = rarity(self.turns.len(), counts.turns.len()) * asked;
        let in_sessions = rarity(self.sessions.len(), counts.sessions.len()) * asked;
        for turn in &counts.turns {
            let at = *turn as usize;
            let row = &self.turns[at];
            let [person, agent] = counts.of_turn[at];
            out.person[at] += in_turns * weight(person, row.lengths[0] as f32, averages[0]);
            out.agent[at] += in_turns * weight(agent, row.lengths[1] as f32, averages[1]);
            let (before, length) = self.with_before(counts, row);
            out.context[at] += in_turns * weight(person + agent + before, length, averages[2]);
        }
        // A turn without the word may follow one that has it.
        for turn in &counts.turns {
            for after in self.after(*turn).filter(|after| counts.of_turn[*after as usize] == [0.0; 2]) {
                let (before, length) = self.with_before(counts, &self.turns[after as usize]);
                out.context[after as usize] += in_turns * weight(before, length, averages[2]);
            }
        }
        for session in &counts.sessions {
            let at = *session as usize;
            out.session[at] += in_sessions * weight(counts.of_session[at], self.sessions[at] as f32, averages[3]);
            out.covered[at] += share.of_term(term);
        }
        counts.clear();
    }

    /// Half of what the turn before has of a word, and the length with half of that turn's.
    fn with_before(&self, counts: &Counts, row: &Turn) -> (f32, f32) {
        let own = (row.lengths[0] + row.lengths[1]) as f32;
        let Some(before) = row.before.map(|before| before as usize) else { return (0.0, own) };
        let lengths = self.turns[before].lengths;
        let [person, agent] = counts.of_turn[before];
        (0.5 * (person + agent), own + 0.5 * (lengths[0] + lengths[1]) as f32)
    }

    /// The turn that follows in the same case: mostly the next one that was read.
    fn after(&self, turn: u32) -> impl Iterator<Item = u32> {
        let near = turn + 1..(turn + 3).min(self.turns.len() as u32);
        near.filter(move |after| self.turns[*after as usize].before == Some(turn))
    }
}

/// A long text with many words that no answer repeats.
pub(super) fn is_report(terms: &[QueryTerm]) -> bool {
    terms.len() > REPORT_WORDS
}

/// How much of a question is each of its words?
pub(super) struct CoveredShare {
    /// What a rare word counts.
    most: f32,
    all: f32,
}

impl CoveredShare {
    pub fn of(index: &Index, terms: &[QueryTerm]) -> Self {
        let passages = index.state.live as f32;
        let rare = RARE.min(RARE_SHARE * passages).max(1.0);
        let most = match is_report(terms) {
            true => f32::INFINITY,
            false => (1.0 + (passages - rare + 0.5).max(0.5) / (rare + 0.5)).ln(),
        };
        let mut share = CoveredShare { most, all: 1.0 };
        share.all = terms.iter().map(|term| share.weight(term)).sum::<f32>().max(f32::MIN_POSITIVE);
        share
    }

    fn weight(&self, term: &QueryTerm) -> f32 {
        term.weight.min(self.most * (term.count as f32).sqrt())
    }

    pub fn of_term(&self, term: &QueryTerm) -> f32 {
        self.weight(term) / self.all
    }
}

/// How often a word stands in each turn and session.
struct Counts {
    of_turn: Vec<[f32; 2]>,
    of_session: Vec<f32>,
    turns: Vec<u32>,
    sessions: Vec<u32>,
}

impl Counts {
    fn new(turns: usize, sessions: usize) -> Self {
        Counts {
            of_turn: vec![[0.0; 2]; turns],
            of_session: vec![0.0; sessions],
            turns: Vec::new(),
            sessions: Vec::new(),
        }
    }

    fn add(&mut self, turn: u32, speaker: usize, said: f32, turns: &[Turn]) {
        if said == 0.0 {
            return;
        }
        let of_turn = &mut self.of_turn[turn as usize];
        if *of_turn == [0.0; 2] {
            self.turns.push(turn);
        }
        of_turn[speaker] += said;
        let session = turns[turn as usize].session;
        let of_session = &mut self.of_session[session as usize];
        if *of_session == 0.0 {
            self.sessions.push(session);
        }
        *of_session += said;
    }

    fn clear(&mut self) {
        for turn in self.turns.drain(..) {
            self.of_turn[turn as usize] = [0.0; 2];
        }
        for session in self.sessions.drain(..) {
            self.of_session[session as usize] = 0.0;
        }
    }
}

fn rarity(all: usize, with: usize) -> f32 {
    let (all, with) = (all as f32, with as f32);
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

fn weight(count: f32, length: f32, average: f32) -> f32 {
    if count == 0.0 { 0.0 } else { count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average)) }
}

/// 0 for the person, 1 for the agent.
fn speaker(index: &Index, doc: DocNum) -> usize {
    usize::from(index.docs.get(doc).is_some_and(|record| record.kind == PassageKind::Assistant))
}

/// A case is told as a whole: kinds of passages are not asked for.
fn lets(filter: &Filter, record: &crate::store::index::Doc) -> bool {
    let any_kind = Filter { kinds: Vec::new(), ..filter.clone() };
    any_kind.lets(record)
}

/// The turn that started each sub-agent.
pub(super) struct StartingTurns(HashMap<u32, (u32, u32)>);

impl StartingTurns {
    pub fn read(view: &ViewReader<'_>) -> Result<Self, StoreError> {
        let mut turns = HashMap::new();
        for agent in view.agents()? {
            let (Some(parent), Some(chunk)) = (agent.parent, agent.spawn_chunk) else { continue };
            if let Some(chunk) = view.chunk_row(chunk)? {
                turns.insert(agent.episode.0 as u32, (parent.0 as u32, chunk.turn));
            }
        }
        Ok(StartingTurns(turns))
    }

    /// The turn of a main agent for which a turn works: a sub-agent may be started by another one.
    pub fn of(&self, mut turn: (u32, u32)) -> (u32, u32) {
        for _ in 0..DEEPEST_AGENT {
            let Some(starter) = self.0.get(&turn.0) else { break };
            turn = *starter;
        }
        turn
    }
}

/// Which turns are of which case.
struct CasePlaces {
    /// Episode, first turn, last turn, in order.
    rows: Vec<(u32, u32, u32)>,
    count: u32,
}

impl CasePlaces {
    fn read(view: &ViewReader<'_>) -> Result<Self, StoreError> {
        let rows = view.case_places()?;
        Ok(CasePlaces { count: rows.len() as u32, rows })
    }

    fn of(&self, (episode, turn): (u32, u32)) -> Option<u32> {
        let after = self.rows.partition_point(|row| (row.0, row.1) <= (episode, turn));
        let at = after.checked_sub(1)?;
        let row = self.rows[at];
        (row.0 == episode && turn <= row.2).then_some(at as u32)
    }
}
