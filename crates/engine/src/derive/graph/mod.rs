//! What came before what?
//!
//! - [`chain`]: inside a run, chunk after chunk and turn after turn.
//! - [`agents`]: between the runs of one session: sub-agents and teams.
//! - [`sessions`]: from one session to the next of the same project.

mod agents;
mod chain;
mod sessions;

use std::collections::BTreeSet;

use crate::log::Log;
use crate::store::{StoreError, ViewTx};

use super::Touched;

pub const NAME: &str = "graph";
pub const VERSION: u32 = 4;

/// Renews the edges that the touched episodes can have changed.
pub(super) fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched]) -> Result<(), StoreError> {
    for episode in touched {
        chain::renew(tx, episode.num, episode.first_turn)?;
    }
    let sessions: BTreeSet<_> =
        touched.iter().map(|touched| (touched.episode.key.source, touched.episode.key.session.clone())).collect();
    for (source, session) in sessions {
        let runs = log.store().episodes_of_session(source, &session)?;
        agents::renew(tx, source, &session, &runs)?;
    }
    sessions::renew(log, tx, touched)
}
