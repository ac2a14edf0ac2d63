//! Does the log hold a session and an imported copy of it?
//!
//! Sessions imported from Causantic are copies. Once the log has the session itself, only that is
//! derived: the copy stays in the log and has no rows.

use std::collections::BTreeSet;

use crate::log::Log;
use crate::model::{Episode, Event, SourceKind};
use crate::store::{StoreError, ViewStore};

/// Is this an imported copy of a session that the log has?
pub(super) fn is_copy(log: &mut Log, episode: &Episode) -> Result<bool, StoreError> {
    if episode.key.source != SourceKind::Causantic {
        return Ok(false);
    }
    Ok(!log.store().episodes_of_session(SourceKind::ClaudeCode, &episode.key.session)?.is_empty())
}

/// Do the views have rows of an imported copy of these events' sessions?
pub(super) fn replace_a_copy(log: &mut Log, views: &ViewStore, events: &[Event]) -> Result<bool, StoreError> {
    let episodes: BTreeSet<_> = events.iter().map(|event| event.episode).collect();
    for id in episodes {
        let Some(num) = log.store().episode_num(id)? else { continue };
        let Some(episode) = log.store().episode(num)? else { continue };
        if episode.key.source != SourceKind::ClaudeCode {
            continue;
        }
        for (copy, _) in log.store().episodes_of_session(SourceKind::Causantic, &episode.key.session)? {
            if views.read().run(copy)?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
