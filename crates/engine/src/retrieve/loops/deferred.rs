//! What did a person postpone?

use std::collections::HashSet;

use backstory_language::prompts::deferral;

use crate::model::{SourceKind, span_hash};
use crate::store::LinkRow;

use super::later::covers;
use super::{Later, LoopKind, OpenLoop, Run};

/// Indexed words that postpone; they do not say what is postponed.
const PUTTING_OFF: [&str; 16] = [
    "later", "tomorrow", "next", "time", "leav", "let", "postpon", "defer", "park", "save", "anoth", "futur", "separ",
    "session", "week", "dai",
];

pub(super) fn of_run(run: &Run, later: &Later<'_>, found: &mut Vec<OpenLoop>) {
    if run.continued || run.info.source == SourceKind::Transcript {
        return;
    }
    for (at, row) in run.links.iter().enumerate().filter(|(_, row)| run.is_active(row.turn)) {
        let asked = &row.link.intent_text;
        let Some(place) = deferral(asked) else { continue };
        let text = &asked[place.clone()];
        let before = run.links[..at].iter().rfind(|before| run.is_active(before.turn) && before.turn < row.turn);
        // "Leave it for tomorrow" refers to the previous request.
        let points = distinctive_words(text, later).len() < 2;
        let about = if points { before.map_or("", |before| before.link.intent_text.as_str()) } else { text };
        let wanted = distinctive_words(about, later);
        if wanted.is_empty() || is_taken_up(&run.links[at + 1..], row, &wanted, later) || later.take_up_terms(&wanted) {
            continue;
        }
        let mut cited = row.intent;
        cited.start += place.start as u32;
        cited.end = cited.start + text.len() as u32;
        cited.hash = span_hash(text);
        let mut open = run.open(LoopKind::Deferred, text.to_owned(), row.time, vec![cited]);
        if let Some(before) = before.filter(|_| points) {
            open.last = Some(before.link.intent_text.clone());
            open.evidence.push(before.intent);
        }
        // The last message may be listed already as unanswered.
        let is_same = |other: &OpenLoop| other.session == open.session && other.text == *asked;
        found.retain(|other| other.kind != LoopKind::Unanswered || !is_same(other));
        found.push(open);
    }
}

/// The words that identify the topic.
fn distinctive_words(text: &str, later: &Later<'_>) -> HashSet<String> {
    let mut terms = later.doings.terms(text);
    terms.retain(|term| !PUTTING_OFF.contains(&term.as_str()));
    terms
}

/// Was it requested later in the same session?
fn is_taken_up(after: &[LinkRow], row: &LinkRow, wanted: &HashSet<String>, later: &Later<'_>) -> bool {
    let mut after = after.iter().filter(|link| link.turn > row.turn);
    after.any(|link| covers(&later.doings.terms(&link.link.intent_text), wanted))
}
