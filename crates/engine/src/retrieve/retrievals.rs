//! Which questions were asked before, and with which answers?

use crate::log::Log;
use crate::model::{
    Event, EventId, EventKind, ProjectId, RETRIEVALS_SESSION, Retrieval, RetrievalOutcome, SourceKind, Timestamp,
};
use crate::store::StoreError;

use super::RetrieveError;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retrievals {
    /// None: all projects.
    pub project: Option<ProjectId>,
    /// The number of newest ones to list.
    pub limit: Option<usize>,
}

/// A question with its answer, as logged.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrievalInfo {
    pub event: EventId,
    pub time: Option<Timestamp>,
    pub question: String,
    pub retrieval: Retrieval,
    /// The last judgement of a person.
    pub outcome: Option<RetrievalOutcome>,
}

/// Newest first.
pub fn retrievals(log: &mut Log, wanted: &Retrievals) -> Result<Vec<RetrievalInfo>, RetrieveError> {
    let mut found: Vec<RetrievalInfo> = Vec::new();
    let aliases = log.store().aliases()?;
    for event in own_events(log)? {
        let Some(input) = event.meta.input else { continue };
        match event.kind {
            EventKind::Retrieval => {
                let Ok(mut retrieval) = serde_json::from_value::<Retrieval>(input) else { continue };
                retrieval.project = retrieval.project.map(|project| aliases.current(project));
                let (time, question) = (event.time, event.text);
                found.push(RetrievalInfo { event: event.id, time, question, retrieval, outcome: None });
            }
            EventKind::Outcome => {
                let Ok(outcome) = serde_json::from_value::<RetrievalOutcome>(input) else { continue };
                if let Some(info) = found.iter_mut().find(|info| info.event == outcome.retrieval) {
                    info.outcome = Some(outcome);
                }
            }
            _ => {}
        }
    }
    found.retain(|info| wanted.project.is_none_or(|project| info.retrieval.project == Some(project)));
    found.reverse();
    found.truncate(wanted.limit.unwrap_or(usize::MAX));
    Ok(found)
}

/// The retrieval with this id, or the only one whose id starts with it.
pub fn find_retrieval(log: &mut Log, asked: &str) -> Result<RetrievalInfo, RetrieveError> {
    let hex = asked.trim_matches(['[', ']']).to_lowercase();
    let mut found = retrievals(log, &Retrievals::default())?;
    found.retain(|info| !hex.is_empty() && info.event.to_string().starts_with(&hex));
    match found.len() {
        0 | 1 => found.pop().ok_or_else(|| RetrieveError::NotFound { what: "retrieval", asked: asked.to_owned() }),
        _ => Err(RetrieveError::Ambiguous {
            what: "retrieval",
            asked: asked.to_owned(),
            candidates: found.iter().take(6).map(|info| info.event.short()).collect(),
        }),
    }
}

/// In the order of the log.
fn own_events(log: &mut Log) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    for (num, _) in log.store().episodes_of_session(SourceKind::Backstory, RETRIEVALS_SESSION)? {
        events.extend(log.store().events_of(num, 0, u32::MAX)?);
    }
    Ok(events)
}
