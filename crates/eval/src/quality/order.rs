//! Does recall return what led to a chunk, in chronological order?

use std::collections::{HashMap, HashSet};

use backstory_engine::model::{ChunkId, EdgeKind, PartKind};
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::retrieve::{ChainItem, Direction, EpisodicAnswer};
use backstory_engine::store::EpisodeNum;

use super::EvalResult;
use super::overlap::spread;
use super::world::World;

const QUESTIONS: usize = 200;
/// Earlier turns have no history.
const FIRST_TURN: u32 = 3;
/// The maximum number of characters of a chunk's prose used as the question, and the minimum.
const ASKED: usize = 300;
const LEAST_ASKED: usize = 40;

pub fn run(world: &mut World, ranking: &Ranking) -> EvalResult<()> {
    let past = Past::read(world)?;
    let mut questions = Vec::new();
    for chunk in past.later_chunks() {
        questions.extend(prose(world, chunk)?.map(|question| (chunk, question)));
    }
    let mut tally = Tally::default();
    for (chunk, question) in spread(&questions, QUESTIONS) {
        let told = world.follow(&question, Direction::Backward, ranking)?;
        tally.add(&past, chunk, &told);
    }
    tally.print();
    Ok(())
}

/// The position of a chunk in its run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Spot {
    episode: EpisodeNum,
    turn: u32,
    ord: u32,
}

/// What happened before what, by the parents of turns; between runs, by the edges.
struct Past {
    spots: HashMap<ChunkId, Spot>,
    parents: HashMap<(EpisodeNum, u32), Option<u32>>,
    /// By the target run: the positions of arrival and of origin.
    arrivals: HashMap<EpisodeNum, Vec<(Spot, Spot)>>,
}

impl Past {
    fn read(world: &World) -> EvalResult<Self> {
        let view = world.memory.views().read();
        let mut past = Past { spots: HashMap::new(), parents: HashMap::new(), arrivals: HashMap::new() };
        for (episode, _) in view.runs()? {
            for turn in view.turns(episode)? {
                past.parents.insert((episode, turn.turn), turn.parent);
            }
            for row in view.chunk_rows(episode)? {
                past.spots.insert(row.id, Spot { episode, turn: row.turn, ord: row.ord });
            }
        }
        for row in view.edges()?.into_iter().filter(|row| row.edge.kind != EdgeKind::WithinChain) {
            if let (Some(from), Some(to)) = (past.spots.get(&row.edge.source), past.spots.get(&row.edge.target)) {
                past.arrivals.entry(to.episode).or_default().push((*to, *from));
            }
        }
        Ok(past)
    }

    /// In the order of the runs.
    fn later_chunks(&self) -> Vec<ChunkId> {
        let mut chunks: Vec<_> = self.spots.iter().filter(|(_, spot)| spot.turn >= FIRST_TURN).collect();
        chunks.sort_by_key(|(_, spot)| (spot.episode.0, spot.turn, spot.ord));
        chunks.into_iter().map(|(chunk, _)| *chunk).collect()
    }

    fn precedes(&self, earlier: ChunkId, later: ChunkId) -> bool {
        let (Some(earlier), Some(later)) = (self.spots.get(&earlier), self.spots.get(&later)) else { return false };
        let mut seen = HashSet::new();
        let mut open = vec![*later];
        while let Some(spot) = open.pop().filter(|_| seen.len() < 10_000) {
            if self.precedes_in_run(earlier, &spot) {
                return true;
            }
            let arrivals = self.arrivals.get(&spot.episode).into_iter().flatten();
            for (_, from) in arrivals.filter(|(to, _)| *to == spot || self.precedes_in_run(to, &spot)) {
                if from == earlier {
                    return true;
                }
                if seen.insert(*from) {
                    open.push(*from);
                }
            }
        }
        false
    }

    fn precedes_in_run(&self, earlier: &Spot, later: &Spot) -> bool {
        if earlier.episode != later.episode {
            return false;
        }
        if earlier.turn == later.turn {
            return earlier.ord < later.ord;
        }
        let mut at = Some(later.turn);
        let mut steps = 0;
        while let Some(turn) = at.filter(|_| steps <= self.parents.len()) {
            if turn == earlier.turn {
                return true;
            }
            steps += 1;
            at = self.parents.get(&(later.episode, turn)).copied().flatten();
        }
        false
    }

    /// Is it the previous chunk of the same run?
    fn is_just_before(&self, earlier: ChunkId, later: ChunkId) -> bool {
        let (Some(before), Some(after)) = (self.spots.get(&earlier), self.spots.get(&later)) else { return false };
        if !self.precedes_in_run(before, after) {
            return false;
        }
        let between = |spot: &Spot| self.precedes_in_run(before, spot) && self.precedes_in_run(spot, after);
        !self.spots.values().any(between)
    }
}

/// The start of what was said in a chunk; None if that is too short.
fn prose(world: &World, chunk: ChunkId) -> EvalResult<Option<String>> {
    let body = world.body(chunk)?;
    let said = body.parts.iter().filter(|part| matches!(part.kind, PartKind::User | PartKind::Assistant));
    let text = said.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n");
    let text: String = text.trim().chars().take(ASKED).collect();
    Ok((text.chars().count() >= LEAST_ASKED).then_some(text))
}

#[derive(Default)]
struct Tally {
    asked: u32,
    found: u32,
    in_order: u32,
    all_predecessors: u32,
    just_before: u32,
    predecessors: u32,
    shown_before: u32,
    ranked_instead: u32,
}

impl Tally {
    fn add(&mut self, past: &Past, asked: ChunkId, told: &EpisodicAnswer) {
        self.asked += 1;
        self.ranked_instead += u32::from(told.fallback.is_some());
        let chunks = |items: &[ChainItem]| items.iter().map(|item| item.shown.chunk).collect::<Vec<_>>();
        let mut chains = told.chains.iter().map(|chain| chunks(&chain.items));
        let Some(chain) = chains.find(|chain| chain.contains(&asked)) else { return };
        self.found += 1;
        self.in_order += u32::from(chain.windows(2).all(|pair| past.precedes(pair[0], pair[1])));
        let before: Vec<ChunkId> = chain.iter().copied().take_while(|chunk| *chunk != asked).collect();
        let right = before.iter().filter(|chunk| past.precedes(**chunk, asked)).count();
        self.predecessors += right as u32;
        self.shown_before += before.len() as u32;
        self.all_predecessors += u32::from(right == before.len() && !before.is_empty());
        self.just_before += u32::from(before.last().is_some_and(|last| past.is_just_before(*last, asked)));
    }

    fn print(&self) {
        let of = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        println!("recall from a chunk of a later turn ({} questions)", self.asked);
        println!("the chunk is in the answer                  {:.3}", of(self.found, self.asked));
        println!("of these: its chain is in true order        {:.3}", of(self.in_order, self.found));
        println!("          all before it truly led to it     {:.3}", of(self.all_predecessors, self.found));
        println!("          the one just before it is shown   {:.3}", of(self.just_before, self.found));
        println!("shown before it and truly before it         {:.3}", of(self.predecessors, self.shown_before));
        println!("ranked results instead of chains            {:.3}\n", of(self.ranked_instead, self.asked));
    }
}
