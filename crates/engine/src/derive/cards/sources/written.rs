//! Of which kind is a written statement?

use crate::model::CardKind;

use super::{markdown, reading, rules};

/// An instruction is at least a preference, whatever its wording.
pub fn kind_of_written(statement: &str) -> CardKind {
    let lower = statement.to_lowercase();
    let forbids = ["no ", "under no circumstances "].iter().any(|start| lower.starts_with(start));
    match reading::wish(statement).or_else(|| rules::rule(statement)) {
        Some(kind) => kind,
        None if forbids => CardKind::Constraint,
        None if markdown::begins_with_order(statement) => CardKind::Preference,
        None => CardKind::Fact,
    }
}
