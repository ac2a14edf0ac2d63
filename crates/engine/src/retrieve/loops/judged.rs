//! What did a person mark as done or dropped?

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{Digest, EventKind, SourceKind, Timestamp};

use super::super::RetrieveError;

/// The episode that contains judgements of loops.
pub const LOOPS_SESSION: &str = "loops";

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Done,
    Dropped,
    /// The judgement was withdrawn: the loop is open again.
    Reopened,
}

impl Verdict {
    const ALL: [Verdict; 3] = [Verdict::Done, Verdict::Dropped, Verdict::Reopened];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Done => "done",
            Verdict::Dropped => "dropped",
            Verdict::Reopened => "reopened",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Judgement {
    pub verdict: Verdict,
    pub note: Option<String>,
    pub time: Option<Timestamp>,
}

impl Judgement {
    /// The text of its event: the verdict, then the note.
    pub fn text(verdict: Verdict, note: Option<&str>) -> String {
        note.map_or_else(|| verdict.name().to_owned(), |note| format!("{}\n{note}", verdict.name()))
    }

    fn parse(text: &str, time: Option<Timestamp>) -> Option<Self> {
        let (verdict, note) = text.split_once('\n').map_or((text, None), |(verdict, note)| (verdict, Some(note)));
        let verdict = Verdict::ALL.into_iter().find(|known| known.name() == verdict)?;
        Some(Judgement { verdict, note: note.map(str::to_owned), time })
    }
}

/// The last judgement of each loop.
pub(super) fn all(log: &mut Log) -> Result<HashMap<Digest, Judgement>, RetrieveError> {
    let mut judgements = HashMap::new();
    for (num, _) in log.store().episodes_of_session(SourceKind::Backstory, LOOPS_SESSION)? {
        for event in log.store().events_of(num, 0, u32::MAX)? {
            let about = event.meta.record.as_deref().and_then(Digest::parse);
            let judgement = Judgement::parse(&event.text, event.time).filter(|_| event.kind == EventKind::Judgement);
            let (Some(about), Some(judgement)) = (about, judgement) else { continue };
            match judgement.verdict {
                Verdict::Reopened => judgements.remove(&about),
                _ => judgements.insert(about, judgement),
            };
        }
    }
    Ok(judgements)
}
