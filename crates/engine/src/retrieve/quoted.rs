//! Which earlier diagnostics does a pasted text quote, in whatever form?

use std::collections::BTreeMap;

use backstory_language::diagnostics::{Diagnostic, PastedText};

use crate::model::{Digest, ProjectId};
use crate::store::{FailureRow, StoreError, ViewReader};

/// The share of a diagnostic's words that a quotation has.
const QUOTED: f32 = 0.8;
/// Short diagnostics must be there whole.
const SHORT: usize = 4;
/// At most this many failures, newest first, are compared.
const MOST_FAILURES: usize = 4_000;
const MOST_QUOTED: usize = 3;

/// The best matches, one for each kind of diagnostic.
pub(super) fn quoted(
    view: &ViewReader<'_>,
    project: Option<ProjectId>,
    text: &str,
) -> Result<Vec<Diagnostic>, StoreError> {
    let pasted = PastedText::new(text);
    let mut found: BTreeMap<Digest, (f32, usize, FailureRow)> = BTreeMap::new();
    for row in view.newest_failures(project, MOST_FAILURES)? {
        let failure = &row.failure;
        if found.contains_key(&failure.fingerprint) {
            continue;
        }
        let share = pasted.share_of(failure.sort, &failure.text);
        let words = failure.text.split_whitespace().count();
        let needed = if words <= SHORT { 1.0 } else { QUOTED };
        if share >= needed {
            found.insert(failure.fingerprint, (share, words, row));
        }
    }
    let mut found: Vec<(f32, usize, FailureRow)> = found.into_values().collect();
    // More words are better evidence.
    found.sort_by(|a, b| {
        (b.0 * b.1 as f32).total_cmp(&(a.0 * a.1 as f32)).then(b.2.failure.time.cmp(&a.2.failure.time))
    });
    found.truncate(MOST_QUOTED);
    Ok(found.into_iter().map(|(_, _, row)| as_diagnostic(row)).collect())
}

fn as_diagnostic(FailureRow { failure, .. }: FailureRow) -> Diagnostic {
    Diagnostic {
        fingerprint: failure.fingerprint,
        sort: failure.sort,
        rule: failure.rule,
        text: failure.text,
        file: failure.file,
        code: failure.code,
        start: failure.failed.start,
        end: failure.failed.end,
        hash: failure.failed.hash,
        count: 1,
    }
}
