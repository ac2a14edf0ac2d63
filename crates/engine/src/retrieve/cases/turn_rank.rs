//! Which turns answer a question best?

use crate::model::Timestamp;
use crate::store::Index;

use super::super::rank::Days;
use super::super::search::Hits;
use super::turn_index::{TurnIndex, TurnScores};

/// What each signal counts; each is divided by its largest value first.
struct Weights {
    agent: f32,
    context: f32,
    person: f32,
    /// The best passage of the turn and of the session, by words and by meaning.
    turn_passage: f32,
    session_passage: f32,
    session: f32,
    /// The context of the turn before.
    before: f32,
    /// Later turns of a session tell how it ended.
    late: f32,
    /// A turn of a day that the question names.
    dated: f32,
}

const WEIGHTS: Weights = Weights {
    agent: 0.7,
    context: 0.5,
    person: 0.3,
    turn_passage: 0.2,
    session_passage: 2.0,
    session: 0.7,
    before: 0.3,
    late: 0.1,
    dated: 1.5,
};

/// Turns that are looked at.
const MOST_TURNS: usize = 60;

pub struct RankedTurn {
    /// In [`TurnIndex::turns`].
    pub turn: u32,
    pub score: f32,
}

pub struct RankedTurns {
    /// Best first.
    pub turns: Vec<RankedTurn>,
    /// The share of the question's weight that the best session has.
    pub covered: f32,
}

pub fn rank(turns: &TurnIndex, index: &Index, hits: &Hits, days: &Days) -> RankedTurns {
    let mut scores = turns.score(index, &hits.terms);
    for list in [&mut scores.person, &mut scores.agent, &mut scores.context, &mut scores.session] {
        normalise(list);
    }
    let passages = Passages::best(turns, index, hits);
    let mut scored: Vec<(f32, u32)> = (0..turns.turns.len() as u32)
        .filter_map(|turn| fused(turns, &scores, &passages, turn).map(|score| (score, turn)))
        .map(|(score, turn)| (score + dated(turns.turns[turn as usize].time, days), turn))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let covered = scored.first().map_or(0.0, |(_, turn)| scores.covered[turns.turns[*turn as usize].session as usize]);
    scored.truncate(MOST_TURNS);
    RankedTurns { turns: scored.into_iter().map(|(score, turn)| RankedTurn { turn, score }).collect(), covered }
}

fn fused(turns: &TurnIndex, scores: &TurnScores, passages: &Passages, turn: u32) -> Option<f32> {
    let at = turn as usize;
    let row = &turns.turns[at];
    let before = row.before.map_or(0.0, |before| scores.context[before as usize]);
    let own = WEIGHTS.agent * scores.agent[at]
        + WEIGHTS.context * scores.context[at]
        + WEIGHTS.person * scores.person[at]
        + WEIGHTS.turn_passage * passages.of_turn[at]
        + WEIGHTS.before * before;
    if own == 0.0 {
        return None;
    }
    let session = row.session as usize;
    let late = row.turn as f32 / (row.turn as f32 + 8.0);
    Some(
        own + WEIGHTS.session_passage * passages.of_session[session]
            + WEIGHTS.session * scores.session[session]
            + WEIGHTS.late * late,
    )
}

fn dated(time: Option<i64>, days: &Days) -> f32 {
    if time.is_some_and(|time| days.have(Timestamp(time))) { WEIGHTS.dated } else { 0.0 }
}

/// The scores of the best passages; the best turn and the best session have 1.0.
struct Passages {
    of_turn: Vec<f32>,
    of_session: Vec<f32>,
}

impl Passages {
    fn best(turns: &TurnIndex, index: &Index, hits: &Hits) -> Self {
        let (mut of_turn, mut of_session) = (vec![0.0; turns.turns.len()], vec![0.0; turns.sessions.len()]);
        for hit in &hits.chunks {
            if let Some(session) = turns.session_tags.get(&index.docs.session(hit.score.doc)) {
                raise(&mut of_session[*session as usize], hit.score.score);
            }
            if let Some(turn) = turns.place(index.docs.turn(hit.score.doc)) {
                raise(&mut of_turn[turn as usize], hit.score.score);
            }
        }
        normalise(&mut of_turn);
        normalise(&mut of_session);
        Passages { of_turn, of_session }
    }
}

fn raise(best: &mut f32, score: f32) {
    *best = score.max(*best);
}

fn normalise(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 {
        scores.iter_mut().for_each(|score| *score /= largest);
    }
}
