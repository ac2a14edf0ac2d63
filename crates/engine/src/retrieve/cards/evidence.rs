//! Which quotes support a card?

use crate::log::{EvidenceError, Log};
use crate::model::{EventId, EvidenceKind, EvidenceRef, SourceKind, Timestamp};
use crate::store::StoreError;

/// A piece of evidence, with the words around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cited {
    pub evidence: EvidenceRef,
    /// The exact words; absent if the log does not contain them.
    pub words: Option<String>,
    /// Why they are missing.
    pub missing: Option<String>,
    /// The text around them.
    pub before: String,
    pub after: String,
    pub session: Option<String>,
    pub source: Option<SourceKind>,
    pub time: Option<Timestamp>,
}

/// Bytes around the words that are shown.
const AROUND: usize = 160;

/// The words that support a card, in their context.
pub fn card_evidence(log: &mut Log, evidence: &[EvidenceRef]) -> Result<Vec<Cited>, StoreError> {
    let mut cited = Vec::new();
    for evidence in evidence {
        let (words, missing) = match log.resolve(evidence) {
            Ok(words) => (Some(words), None),
            Err(EvidenceError::Store(error)) => return Err(error),
            Err(error) => (None, Some(error.to_string())),
        };
        let event = match evidence.kind {
            EvidenceKind::DocSpan => None,
            _ => log.store().event(EventId(evidence.id))?,
        };
        let text = event.as_ref().filter(|_| words.is_some()).map_or("", |event| event.text.as_str());
        let (before, after) = around(text, evidence.start as usize, evidence.end as usize);
        let num = match &event {
            Some(event) => log.store().episode_num(event.episode)?,
            None => None,
        };
        let episode = num.map(|num| log.store().episode(num)).transpose()?.flatten();
        cited.push(Cited {
            evidence: *evidence,
            words,
            missing,
            before: before.to_owned(),
            after: after.to_owned(),
            session: episode.as_ref().map(|episode| episode.key.session.clone()),
            source: episode.as_ref().map(|episode| episode.key.source),
            time: event.and_then(|event| event.time),
        });
    }
    Ok(cited)
}

fn around(text: &str, start: usize, end: usize) -> (&str, &str) {
    let from = text.floor_char_boundary(start.saturating_sub(AROUND).min(text.len()));
    let to = text.ceil_char_boundary((end + AROUND).min(text.len()));
    (text.get(from..start).unwrap_or_default(), text.get(end..to).unwrap_or_default())
}
