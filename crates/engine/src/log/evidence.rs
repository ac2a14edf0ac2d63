//! Is a cited text still what it was?

use crate::model::{ArtifactId, Event, EventId, EvidenceKind, EvidenceRef, span_hash};
use crate::store::StoreError;

use super::Log;

#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error("nothing in the log has the id {0}")]
    NotFound(String),
    #[error("{0} was forgotten on request")]
    Forgotten(String),
    #[error("{id} cannot be read: {reason}")]
    Unreadable { id: String, reason: String },
    #[error("{id} has no text at bytes {start}..{end}")]
    OutOfRange { id: String, start: u32, end: u32 },
    #[error("the text of {id} at bytes {start}..{end} is not the text that was cited")]
    Changed { id: String, start: u32, end: u32 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Log {
    /// The cited text, checked against its hash.
    pub fn resolve(&mut self, evidence: &EvidenceRef) -> Result<String, EvidenceError> {
        let text = match evidence.kind {
            EvidenceKind::DocSpan => self.artifact_text(evidence)?,
            _ => self.event_text(evidence)?,
        };
        cited_span(&text, evidence).map(str::to_owned)
    }

    fn event_text(&mut self, evidence: &EvidenceRef) -> Result<String, EvidenceError> {
        let id = evidence.id.to_string();
        match self.store.event(EventId(evidence.id))? {
            None => Err(EvidenceError::NotFound(id)),
            Some(Event { unreadable: Some(reason), .. }) => Err(EvidenceError::Unreadable { id, reason }),
            Some(event) if event.forgotten => Err(EvidenceError::Forgotten(evidence.id.to_string())),
            Some(event) => Ok(event.text),
        }
    }

    fn artifact_text(&mut self, evidence: &EvidenceRef) -> Result<String, EvidenceError> {
        let artifact = self
            .store
            .artifact(ArtifactId(evidence.id))?
            .ok_or_else(|| EvidenceError::NotFound(evidence.id.to_string()))?;
        if let Some(reason) = artifact.unreadable {
            return Err(EvidenceError::Unreadable { id: evidence.id.to_string(), reason });
        }
        artifact.text.ok_or_else(|| EvidenceError::Forgotten(evidence.id.to_string()))
    }
}

/// The span of `text` that the evidence names, if its hash matches.
pub(super) fn cited_span<'a>(text: &'a str, evidence: &EvidenceRef) -> Result<&'a str, EvidenceError> {
    let (id, start, end) = (evidence.id.to_string(), evidence.start, evidence.end);
    match text.get(start as usize..end as usize) {
        None => Err(EvidenceError::OutOfRange { id, start, end }),
        Some(span) if span_hash(span) != evidence.hash => Err(EvidenceError::Changed { id, start, end }),
        Some(span) => Ok(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Batch, Bookkeeping, LogError};
    use crate::model::{EvidenceKind, digest_of};

    #[test]
    fn a_stored_file_version_can_be_cited() -> Result<(), LogError> {
        let mut log = Log::open_in_memory()?;
        let text = "first line\nsecond line\n";
        let mut batch = Batch::default();
        batch.artifacts.push(("docs/a.md".to_owned(), text.to_owned()));
        log.append(batch, &Bookkeeping::default())?;
        let id = digest_of("artifact", &[b"docs/a.md", text.as_bytes()]);
        let mut evidence =
            EvidenceRef { kind: EvidenceKind::DocSpan, id, start: 11, end: 22, hash: span_hash("second line") };
        assert_eq!(log.resolve(&evidence).ok().as_deref(), Some("second line"));

        evidence.start = 10;
        assert!(matches!(log.resolve(&evidence), Err(EvidenceError::Changed { .. })));
        evidence.end = 99;
        assert!(matches!(log.resolve(&evidence), Err(EvidenceError::OutOfRange { .. })));
        evidence.id = span_hash("nothing");
        assert!(matches!(log.resolve(&evidence), Err(EvidenceError::NotFound(_))));
        Ok(())
    }
}
