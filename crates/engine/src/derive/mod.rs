//! Events -> views. A fold over the log: catching up after n appends gives the
//! same rows as starting from zero.
//!
//! Each stage is a folder with a NAME, a VERSION and pure functions from events
//! and earlier views to rows. [`refresh`] is the driver: it takes the new
//! events slice by slice and writes each stage's rows together with its cursor
//! in one transaction.
//!
//! - [`chunk`]: what are the units of this turn?
//! - [`graph`]: what came before what, within and between runs?
//! - [`links`]: which intent had which consequence?
//! - [`cards`]: what is worth remembering?
//! - [`edits`]: which files did an edit write?
//! - [`index`]: by which words and which vector is a passage found?
//!
//! [`clusters`] are no stage: made now and then from what the stages left.

pub mod cards;
pub mod chunk;
pub mod clusters;
mod edits;
pub mod graph;
pub mod index;
pub mod links;
mod originals;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::log::Log;
use crate::model::{Chunk, Episode, Event, EventKind, SourceKind, Timestamp};
use crate::store::{EpisodeNum, Head, StageRow, StoreError, TurnRow, ViewStore, ViewTx};

pub use clusters::ClustersMade;
pub use index::{Indexer, Vectors};

/// How much of the log one transaction folds: bounds memory and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimit {
    /// Bytes of text.
    pub bytes: usize,
    pub events: usize,
}

impl SliceLimit {
    pub const LONG: SliceLimit = SliceLimit { bytes: 16 << 20, events: 20_000 };
    /// For callers with a deadline: a slice is not interrupted.
    pub const SHORT: SliceLimit = SliceLimit { bytes: 256 << 10, events: 300 };
}

/// A derive step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    pub name: &'static str,
    /// Raise it when the stage's rows would come out differently.
    pub version: u32,
}

/// In order: a stage reads the rows of those before it.
pub const STAGES: [Stage; 6] = [
    Stage { name: chunk::NAME, version: chunk::VERSION },
    Stage { name: graph::NAME, version: graph::VERSION },
    Stage { name: links::NAME, version: links::VERSION },
    Stage { name: cards::NAME, version: cards::VERSION },
    Stage { name: edits::NAME, version: edits::VERSION },
    INDEX,
];

const INDEX: Stage = Stage { name: index::NAME, version: index::VERSION };

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    pub events: u64,
    /// All rows were thrown away first: a session came of which they told a copy.
    pub anew: bool,
}

/// Brings the views up to the end of the log. `progress` hears how many events
/// have been folded.
pub fn refresh(
    log: &mut Log,
    views: &mut ViewStore,
    vectors: Vectors,
    progress: &mut dyn FnMut(u64),
) -> Result<Refreshed, StoreError> {
    reset_outdated(log, views)?;
    let mut refreshed = Refreshed { anew: follow_aliases(log, views)?, ..Refreshed::default() };
    // Made when there is something to index: whoever asks a question refreshes first.
    let mut indexer = None;
    let mut mended = false;
    let is_checked = has_restarted(views)? || views.read().may_be_checked_often()?;
    loop {
        let cursor = cursor(views)?;
        let slice = next_slice(log, cursor, SliceLimit::LONG)?;
        let Some(last) = slice.last().map(|event| event.pos) else {
            cards::rewrite_stale(log, views)?;
            if refreshed.events == 0 {
                return Ok(refreshed);
            }
            views.tidy_index()?;
            match if is_checked { first_incomplete(views)? } else { None } {
                Some(stage) if !mended => {
                    mended = true;
                    reset(views, stage)?;
                    continue;
                }
                _ => return Ok(refreshed),
            }
        };
        if originals::replace_a_copy(log, views, &slice)? {
            reset(views, STAGES[0])?;
            refreshed.anew = true;
            continue;
        }
        refreshed.events += slice.len() as u64;
        match fold(log, views, indexer.get_or_insert_with(|| Indexer::new(vectors)), slice, last) {
            // Files of the index are gone or cut: made anew, once.
            Err(StoreError::Index(_)) if !mended => {
                mended = true;
                reset(views, INDEX)?;
                continue;
            }
            done => done?,
        }
        progress(refreshed.events);
    }
}

/// What there was time for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    pub events: u64,
    /// Nothing is left to do.
    pub all: bool,
}

/// Brings the views nearer to the end of the log, slice by slice, as long as
/// `go_on` says so. What only a rebuild can bring up to date is left to
/// [`refresh`]: it takes longer than anybody waits.
pub fn refresh_while(
    log: &mut Log,
    views: &mut ViewStore,
    vectors: Vectors,
    limit: SliceLimit,
    go_on: &dyn Fn() -> bool,
) -> Result<CaughtUp, StoreError> {
    let mut caught = CaughtUp::default();
    if outdated(log, views)?.is_some() || !knows_aliases(log, views)? {
        return Ok(caught);
    }
    let mut indexer = None;
    while go_on() {
        let cursor = cursor(views)?;
        let slice = next_slice(log, cursor, limit)?;
        let Some(last) = slice.last().map(|event| event.pos) else {
            cards::rewrite_stale(log, views)?;
            if caught.events > 0 {
                views.tidy_index()?;
            }
            caught.all = true;
            break;
        };
        if originals::replace_a_copy(log, views, &slice)? {
            break;
        }
        let events = slice.len() as u64;
        fold(log, views, indexer.get_or_insert_with(|| Indexer::new(vectors)), slice, last)?;
        caught.events += events;
    }
    Ok(caught)
}

/// Empties the stage `from` and those after it, to be folded anew.
pub fn reset(views: &mut ViewStore, from: Stage) -> Result<(), StoreError> {
    let mut tx = views.begin()?;
    let first = STAGES.iter().position(|stage| *stage == from).unwrap_or(0);
    for stage in &STAGES[first..] {
        clear(&mut tx, stage)?;
    }
    tx.commit()
}

/// A view written by another version of its stage is thrown away, with those
/// after it; all are when they were folded from another log.
fn reset_outdated(log: &mut Log, views: &mut ViewStore) -> Result<(), StoreError> {
    outdated(log, views)?.map_or(Ok(()), |stage| reset(views, stage))
}

/// The first stage whose rows have to be made anew.
fn outdated(log: &mut Log, views: &ViewStore) -> Result<Option<Stage>, StoreError> {
    if !follow_log(log, views)? {
        return Ok(Some(STAGES[0]));
    }
    for stage in STAGES {
        if let Some(row) = views.read().stage(stage.name)?
            && row.version != stage.version
        {
            return Ok(Some(stage));
        }
    }
    Ok(None)
}

/// Not a stage: the row that says which projects were one when the views were folded.
const ALIASES: &str = "aliases";

/// Rows stand under the projects that people made of the stored ones. When those have
/// changed, all rows are thrown away; says whether there were any.
fn follow_aliases(log: &mut Log, views: &mut ViewStore) -> Result<bool, StoreError> {
    if knows_aliases(log, views)? {
        return Ok(false);
    }
    let had_rows = cursor(views)? > 0;
    reset(views, STAGES[0])?;
    let mut tx = views.begin()?;
    match aliases_now(log)? {
        none if none == Head::EMPTY.chain => tx.remove_stage(ALIASES)?,
        chain => tx.set_stage(&StageRow { name: ALIASES.to_owned(), version: 1, cursor: 0, chain })?,
    }
    tx.commit()?;
    Ok(had_rows)
}

/// Do the rows stand under the projects as people have them now?
pub fn knows_aliases(log: &mut Log, views: &ViewStore) -> Result<bool, StoreError> {
    let folded = views.read().stage(ALIASES)?.map_or(Head::EMPTY.chain, |row| row.chain);
    Ok(folded == aliases_now(log)?)
}

fn aliases_now(log: &mut Log) -> Result<[u8; 32], StoreError> {
    let aliases = log.store().aliases()?;
    let mut now = Head::EMPTY.chain;
    if aliases.is_changing() {
        now[..16].copy_from_slice(&aliases.fingerprint().0);
    }
    Ok(now)
}

/// Were the views folded from this very log? Not so when an older copy of it
/// was put back, or when the machine lost its last writes.
pub fn follow_log(log: &mut Log, views: &ViewStore) -> Result<bool, StoreError> {
    for stage in STAGES {
        if let Some(row) = views.read().stage(stage.name)?
            && !is_followed(log.store().chain_at(row.cursor)?, &row)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A row that cannot be read says nothing against it.
fn is_followed(chain: Option<[u8; 32]>, row: &StageRow) -> bool {
    chain == Some(row.chain) || (row.cursor > 0 && chain == Some(Head::EMPTY.chain))
}

fn clear(tx: &mut ViewTx<'_>, stage: &Stage) -> Result<(), StoreError> {
    match stage.name {
        chunk::NAME => tx.clear_chunks()?,
        graph::NAME => tx.clear_edges()?,
        links::NAME => tx.clear_links()?,
        cards::NAME => tx.clear_cards()?,
        edits::NAME => tx.clear_edits()?,
        _ => tx.clear_index()?,
    }
    tx.clear_coverage(stage.name)?;
    let (name, version) = (stage.name.to_owned(), stage.version);
    tx.set_stage(&StageRow { name, version, cursor: 0, chain: Head::EMPTY.chain })
}

/// Does a stage start over while those before it are further?
fn has_restarted(views: &ViewStore) -> Result<bool, StoreError> {
    let chunks = views.read().stage(chunk::NAME)?.map_or(0, |row| row.cursor);
    Ok(cursor(views)? < chunks)
}

/// The first stage that lacks rows of some episode.
pub fn first_incomplete(views: &ViewStore) -> Result<Option<Stage>, StoreError> {
    let gaps = views.read().gaps()?;
    Ok(STAGES.into_iter().find(|stage| gaps.iter().any(|gap| gap.stage == stage.name)))
}

/// Stages move together, so the one that is furthest behind decides; the
/// others take what they know already without a change.
pub fn cursor(views: &ViewStore) -> Result<u64, StoreError> {
    let mut cursor = u64::MAX;
    for stage in STAGES {
        cursor = cursor.min(views.read().stage(stage.name)?.map_or(0, |row| row.cursor));
    }
    Ok(cursor)
}

fn next_slice(log: &mut Log, cursor: u64, limit: SliceLimit) -> Result<Vec<Event>, StoreError> {
    let mut slice = Vec::new();
    let mut bytes = 0;
    log.store().scan(cursor, |event| {
        let event = shortened(event);
        bytes += event.text.len();
        slice.push(event);
        bytes < limit.bytes && slice.len() < limit.events
    })?;
    Ok(slice)
}

/// Of what a person or an agent says in one message, so much is derived from: a slice is
/// not interrupted, and nobody reads more. The log keeps all of it.
const LONGEST_MESSAGE: usize = 1 << 20;

/// An event as the stages see it.
fn shortened(mut event: Event) -> Event {
    let is_message = matches!(event.kind, EventKind::User | EventKind::Assistant | EventKind::Thinking);
    if is_message && event.text.len() > LONGEST_MESSAGE {
        event.text.truncate(event.text.floor_char_boundary(LONGEST_MESSAGE));
        event.text.shrink_to_fit();
    }
    event
}

/// Events of an episode, as the stages see them.
fn events_of(log: &mut Log, episode: EpisodeNum, from: u32, to: u32) -> Result<Vec<Event>, StoreError> {
    Ok(log.store().events_of(episode, from, to)?.into_iter().map(shortened).collect())
}

/// An episode that has new events.
pub struct Touched {
    pub num: EpisodeNum,
    pub episode: Episode,
    /// The rows from here on are new to at least one later stage.
    pub first_turn: u32,
    /// When the earliest new chunk begins.
    pub from: Option<Timestamp>,
    /// The chunks from there on, and the events they were made from, where they
    /// were just made.
    pub chunks: Option<Vec<Chunk>>,
    pub events: Option<Vec<Event>>,
}

/// Turns with the events they were made from.
pub struct NewTurns<'a> {
    pub turns: Vec<TurnRow>,
    pub events: Cow<'a, [Event]>,
}

impl NewTurns<'_> {
    /// Each turn, and where its events are.
    pub fn ranges(&self) -> impl Iterator<Item = (&TurnRow, Range<usize>)> {
        self.turns.iter().enumerate().map(|(at, turn)| {
            let until = self.turns.get(at + 1).map_or(u32::MAX, |next| next.first_seq);
            let place = |seq| self.events.partition_point(|event| event.seq < seq);
            (turn, place(turn.first_seq)..place(until))
        })
    }
}

impl Touched {
    /// All of an episode whose chunks are there already.
    fn whole(tx: &ViewTx<'_>, num: EpisodeNum, episode: Episode) -> Result<Self, StoreError> {
        let from = tx.read().earliest_chunk(num, 0)?;
        Ok(Touched { num, episode, first_turn: 0, from, chunks: None, events: None })
    }

    /// The turns from the first new one on. Read from the log where a later
    /// stage starts over.
    pub fn new_turns(&self, log: &mut Log, tx: &ViewTx<'_>) -> Result<NewTurns<'_>, StoreError> {
        let mut turns = tx.read().turns(self.num)?;
        turns.retain(|turn| turn.turn >= self.first_turn);
        let events = match (&self.events, turns.first()) {
            (Some(events), _) => Cow::Borrowed(events.as_slice()),
            (None, Some(first)) => {
                let folded = tx.read().run(self.num)?.map_or(0, |run| run.next_seq);
                Cow::Owned(events_of(log, self.num, first.first_seq, folded)?)
            }
            (None, None) => Cow::Owned(Vec::new()),
        };
        Ok(NewTurns { turns, events })
    }

    pub fn is_main(&self) -> bool {
        self.episode.key.agent.is_none()
    }
}

fn fold(
    log: &mut Log,
    views: &mut ViewStore,
    indexer: &mut Indexer,
    slice: Vec<Event>,
    last: u64,
) -> Result<(), StoreError> {
    let mut by_episode: BTreeMap<EpisodeNum, (Episode, Vec<Event>)> = BTreeMap::new();
    let mut nums = std::collections::HashMap::new();
    let mut own = Vec::new();
    for event in slice {
        let num = match nums.get(&event.episode) {
            Some(num) => *num,
            None => {
                let Some(num) = log.store().episode_num(event.episode)? else { continue };
                nums.insert(event.episode, num);
                num
            }
        };
        if let Some((_, events)) = by_episode.get_mut(&num) {
            events.push(event);
        } else if let Some(episode) = log.store().episode(num)? {
            match episode.key.source {
                SourceKind::Backstory => own.push(event),
                SourceKind::Causantic if originals::is_copy(log, &episode)? => {}
                _ => drop(by_episode.insert(num, (episode, vec![event]))),
            }
        }
    }

    let chunk_cursor = views.read().stage(chunk::NAME)?.map_or(0, |row| row.cursor);
    let mut tx = views.begin()?;
    let mut touched = Vec::new();
    for (num, (episode, new)) in by_episode {
        touched.extend(chunk::fold_episode(log, &mut tx, num, episode, new, chunk_cursor)?);
    }
    graph::fold(log, &mut tx, &touched)?;
    links::fold(log, &mut tx, &touched)?;
    cards::fold(log, &mut tx, &touched, &own)?;
    edits::fold(log, &mut tx, &touched)?;
    index::fold(&mut tx, indexer, &touched)?;
    for episode in &touched {
        tx.put_coverage(episode.num)?;
    }
    tx.put_coverage_between()?;
    for stage in STAGES {
        let cursor = last.max(tx.read().stage(stage.name)?.map_or(0, |row| row.cursor));
        let chain = log.store().chain_at(cursor)?.unwrap_or(Head::EMPTY.chain);
        tx.set_stage(&StageRow { name: stage.name.to_owned(), version: stage.version, cursor, chain })?;
    }
    tx.commit()
}
