//! Is the log whole? Names the first row that is not.

use std::collections::HashMap;

use crate::model::{EpisodeId, digest_of};
use crate::store::{Head, payload_hash};

use super::{Log, LogError};

/// The first thing found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The broken row, where one row is to blame.
    pub pos: Option<u64>,
    pub reason: String,
}

impl Fault {
    /// In one line.
    pub fn told(&self) -> String {
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
}

impl Log {
    /// Checks the file, the chain, every payload and every artifact.
    pub fn verify(&mut self) -> Result<Verified, LogError> {
        let mut verified = Verified::default();
        if let Some(complaint) = self.store.integrity()? {
            verified.fault = Some(Fault { pos: None, reason: format!("the file is damaged: {complaint}") });
            return Ok(verified);
        }
        for (num, episode) in self.store.episodes()? {
            if self.store.episode_num(episode.id())? != Some(num) {
                let reason = format!("episode {} does not have the id of its content", num.0);
                verified.fault = Some(Fault { pos: None, reason });
                return Ok(verified);
            }
        }
        self.verify_chain(&mut verified)?;
        if verified.fault.is_none() {
            self.verify_artifacts(&mut verified)?;
        }
        Ok(verified)
    }

    fn verify_chain(&mut self, verified: &mut Verified) -> Result<(), LogError> {
        let mut head = Head::EMPTY;
        let mut next_seq: HashMap<EpisodeId, u32> = HashMap::new();
        let scanned = self.store.scan_rows(|row, payload| {
            let seq = next_seq.entry(row.episode).or_default();
            let expected = head.next(row.episode, row.project, *seq, &row.encoded);
            let reason = if row.pos != expected.pos {
                Some(format!("row {} is missing", expected.pos))
            } else if row.seq != *seq {
                Some(format!("place {} of its episode is missing", *seq))
            } else {
                match payload {
                    Err(error) => Some(format!("its payload cannot be read: {error}")),
                    Ok(Some(bytes)) if payload_hash(&bytes) != row.encoded.hash => {
                        Some("its payload does not match its hash".to_owned())
                    }
                    Ok(_) if row.chain != expected.chain => {
                        Some("its chain value does not follow from the row before".to_owned())
                    }
                    Ok(_) => None,
                }
            };
            if let Some(reason) = reason {
                verified.fault = Some(Fault { pos: Some(row.pos), reason });
                return false;
            }
            verified.events += 1;
            verified.forgotten += u64::from(row.forgotten);
            *seq += 1;
            head = expected;
            true
        });
        if let Err(error) = scanned {
            let reason = format!("it cannot be read: {error}");
            verified.fault = Some(Fault { pos: Some(verified.events + 1), reason });
        }
        Ok(())
    }

    fn verify_artifacts(&mut self, verified: &mut Verified) -> Result<(), LogError> {
        for artifact in self.store.artifacts()? {
            verified.artifacts += 1;
            if let Some(text) = &artifact.text
                && digest_of("artifact", &[artifact.path.as_bytes(), text.as_bytes()]) != artifact.id.0
            {
                let reason = format!("artifact {} does not match its id", artifact.id);
                verified.fault = Some(Fault { pos: None, reason });
                return Ok(());
            }
        }
        Ok(())
    }
}
