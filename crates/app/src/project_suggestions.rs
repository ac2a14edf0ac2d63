//! Describes which projects probably belong together or should be split.

use backstory_engine::retrieve::ProjectSuggestion;

use crate::terminal;

/// The command that makes the change.
pub fn command_of(suggestion: &ProjectSuggestion) -> String {
    match suggestion {
        ProjectSuggestion::Merge { from, into, .. } => {
            format!("backstory projects merge {} {}", from.short(), into.short())
        }
        ProjectSuggestion::Split { project, folder, .. } => {
            format!("backstory projects split {} {}", project.short(), terminal::shell_word(folder))
        }
    }
}

pub fn reason_of(suggestion: &ProjectSuggestion) -> &str {
    match suggestion {
        ProjectSuggestion::Merge { reason, .. } | ProjectSuggestion::Split { reason, .. } => reason,
    }
}
