//! Is the log intact? Finds the first broken row and all unreadable rows.

use std::collections::HashMap;

use crate::model::EpisodeId;
use crate::store::{EventRow, Head, StoreError, UnreadableRow};

use super::{Log, LogError};

/// The first fault of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The broken row, if it is one row.
    pub pos: Option<u64>,
    pub reason: String,
}

impl Fault {
    /// As one line of text.
    pub fn render(&self) -> String {
        match self.pos {
            Some(pos) => format!("row {pos}: {}", self.reason),
            None => self.reason.clone(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub events: u64,
    pub forgotten: u64,
    pub artifacts: u64,
    pub fault: Option<Fault>,
    /// Rows that are skipped because their content cannot be used.
    pub unreadable: Vec<UnreadableRow>,
}

impl Verified {
    fn found(&mut self, pos: Option<u64>, reason: impl Into<String>) {
        self.fault.get_or_insert_with(|| Fault { pos, reason: reason.into() });
    }
}

impl Log {
    /// Checks the file, the chain, every payload and every artifact.
    pub fn verify(&mut self) -> Result<Verified, LogError> {
        let mut verified = Verified::default();
        self.verify_chain(&mut verified)?;
        // A fault with a row is more informative than the one that SQLite reports.
        if let (Some(detail), None) = (self.store.integrity()?, &verified.fault) {
            verified.found(None, format!("the file is damaged: {detail}"));
        }
        self.verify_episodes(&mut verified)?;
        self.verify_artifacts(&mut verified)?;
        Ok(verified)
    }

    fn verify_episodes(&mut self, verified: &mut Verified) -> Result<(), LogError> {
        for (num, episode) in self.store.episodes()? {
            match self.store.episode_num(episode.id()) {
                Ok(Some(found)) if found == num => {}
                Ok(_) => verified.found(None, format!("episode {} does not have the id of its content", num.0)),
                Err(StoreError::Damaged(_)) => verified.found(None, "the index of episodes is damaged"),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn verify_chain(&mut self, verified: &mut Verified) -> Result<(), LogError> {
        let mut chain = ChainProgress::default();
        self.store.scan_rows(|row| {
            match row {
                Err(lost) => {
                    verified.found(Some(lost.pos), lost.reason.as_str());
                    chain.lose(lost.pos);
                    verified.unreadable.push(lost);
                }
                Ok(row) => {
                    // Faults of the row itself come first: a changed hash breaks the chain as
                    // well.
                    let reason = row.payload.as_ref().err().cloned();
                    if let Some(reason) = chain.place_fault(&row).or(reason.clone()).or(chain.link_fault(&row)) {
                        verified.found(Some(row.pos), reason);
                    }
                    verified.events += u64::from(reason.is_none());
                    verified.forgotten += u64::from(row.forgotten);
                    chain.go_on(&row);
                    verified.unreadable.extend(reason.map(|reason| UnreadableRow {
                        pos: row.pos,
                        id: Some(row.encoded.id),
                        episode: Some(row.episode),
                        reason,
                    }));
                }
            }
            true
        })?;
        Ok(())
    }

    fn verify_artifacts(&mut self, verified: &mut Verified) -> Result<(), LogError> {
        for artifact in self.store.artifacts()? {
            match &artifact.unreadable {
                None => verified.artifacts += 1,
                Some(reason) => verified.found(None, format!("artifact {}: {reason}", artifact.id)),
            }
        }
        Ok(())
    }
}

/// How far the chain was followed. It continues after a broken row, so that one broken row is
/// one fault.
#[derive(Default)]
struct ChainProgress {
    pos: u64,
    /// Chain values that the next row may follow from; empty after an unreadable row.
    before: Vec<[u8; 32]>,
    next_seq: HashMap<EpisodeId, u32>,
    /// Rows whose episode is unknown.
    lost: u32,
}

impl ChainProgress {
    fn lose(&mut self, pos: u64) {
        self.pos = pos;
        self.lost += 1;
        self.before.clear();
    }

    /// Is the row not the next of the log, or not the next of its episode?
    fn place_fault(&self, row: &EventRow) -> Option<String> {
        if row.pos != self.pos + 1 {
            return Some(format!("row {} is missing", self.pos + 1));
        }
        let seq = self.next_seq.get(&row.episode).copied().unwrap_or_default();
        let fits = row.seq == seq || (row.seq > seq && row.seq - seq <= self.lost);
        (!fits).then(|| format!("place {seq} of its episode is missing"))
    }

    fn link_fault(&self, row: &EventRow) -> Option<String> {
        let first = [Head::EMPTY.chain];
        let before = if self.pos == 0 { &first[..] } else { &self.before };
        let follows = |chain: &[u8; 32]| self.next_of(*chain, row) == row.chain;
        let broken = !before.is_empty() && !before.iter().any(follows);
        broken.then(|| "its chain value does not follow from the row before".to_owned())
    }

    fn next_of(&self, chain: [u8; 32], row: &EventRow) -> [u8; 32] {
        Head { pos: self.pos, chain }.next(row.episode, row.project, row.seq, &row.encoded).chain
    }

    /// Accepts both the stored chain value and the expected one.
    fn go_on(&mut self, row: &EventRow) {
        let before = if self.pos == 0 { vec![Head::EMPTY.chain] } else { std::mem::take(&mut self.before) };
        let mut next: Vec<[u8; 32]> = before.into_iter().map(|chain| self.next_of(chain, row)).collect();
        if !next.contains(&row.chain) {
            next.truncate(1);
            next.push(row.chain);
        } else {
            next = vec![row.chain];
        }
        self.before = next;
        self.pos = row.pos;
        self.next_seq.insert(row.episode, row.seq.saturating_add(1));
    }
}
