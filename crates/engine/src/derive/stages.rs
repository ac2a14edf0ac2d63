//! Which stages are there, how far is each, and which rows must be derived again?

use crate::log::Log;
use crate::store::{Head, StageRow, StoreError, ViewStore, ViewTx};

use super::{cards, cases, chunk, edits, graph, index, links};

/// A derive step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    pub name: &'static str,
    /// Raise it when the stage would give different rows.
    pub version: u32,
}

/// In order: a stage reads the rows of those before it.
pub const STAGES: [Stage; 7] = [
    Stage { name: chunk::NAME, version: chunk::VERSION },
    Stage { name: graph::NAME, version: graph::VERSION },
    Stage { name: links::NAME, version: links::VERSION },
    Stage { name: edits::NAME, version: edits::VERSION },
    Stage { name: cases::NAME, version: cases::VERSION },
    Stage { name: cards::NAME, version: cards::VERSION },
    INDEX,
];

pub(super) const INDEX: Stage = Stage { name: index::NAME, version: index::VERSION };

/// Clears the stage `from` and those after it, to be folded again.
pub fn reset(views: &mut ViewStore, from: Stage) -> Result<(), StoreError> {
    let mut tx = views.begin()?;
    let first = STAGES.iter().position(|stage| *stage == from).unwrap_or(0);
    for stage in &STAGES[first..] {
        clear(&mut tx, stage)?;
    }
    tx.commit()
}

/// Clears the first stage whose rows have another version, and all stages after it; all stages if
/// the rows are from another log.
pub(super) fn reset_outdated(log: &mut Log, views: &mut ViewStore) -> Result<(), StoreError> {
    outdated(log, views)?.map_or(Ok(()), |stage| reset(views, stage))
}

/// The first stage whose rows must be recreated.
pub(super) fn outdated(log: &mut Log, views: &ViewStore) -> Result<Option<Stage>, StoreError> {
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

/// Not a stage: the row with the project merges at the time of folding.
const ALIASES: &str = "aliases";

/// Rows use merged projects. If the merges have changed, all rows are cleared; returns whether
/// there were any.
pub(super) fn follow_aliases(log: &mut Log, views: &mut ViewStore) -> Result<bool, StoreError> {
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

/// Do the rows use the current project merges?
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

/// Were the views folded from this log? Not if an older copy of it was restored, or if the machine
/// lost its last writes.
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

/// An unreadable log row does not count as a mismatch.
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
        cases::NAME => tx.clear_cases()?,
        _ => tx.clear_index()?,
    }
    tx.clear_coverage(stage.name)?;
    let (name, version) = (stage.name.to_owned(), stage.version);
    tx.set_stage(&StageRow { name, version, cursor: 0, chain: Head::EMPTY.chain })
}

/// Does a stage start over while earlier ones are further ahead?
pub(super) fn has_restarted(views: &ViewStore) -> Result<bool, StoreError> {
    let chunks = views.read().stage(chunk::NAME)?.map_or(0, |row| row.cursor);
    Ok(cursor(views)? < chunks)
}

/// The first stage that lacks rows of some episode.
pub fn first_incomplete(views: &ViewStore) -> Result<Option<Stage>, StoreError> {
    let gaps = views.read().gaps()?;
    Ok(STAGES.into_iter().find(|stage| gaps.iter().any(|gap| gap.stage == stage.name)))
}

/// Stages move together, so the one furthest behind decides; the others skip events that they know.
pub fn cursor(views: &ViewStore) -> Result<u64, StoreError> {
    let mut cursor = u64::MAX;
    for stage in STAGES {
        cursor = cursor.min(views.read().stage(stage.name)?.map_or(0, |row| row.cursor));
    }
    Ok(cursor)
}
