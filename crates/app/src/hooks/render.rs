//! Renders one item of the memory for a hook's answer.

use backstory_engine::model::{Card, Timestamp};
use backstory_engine::retrieve::{FixItem, KnownRemedy};

use crate::terminal;
use crate::untrusted::{self, foreign};

/// A card with its id, so that it can be looked up.
pub fn render_card(card: &Card, doubt: Option<&str>) -> String {
    let doubt = doubt.map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    format!("- {}{doubt} [{} {}]", untrusted::statement(card), card.id.short(), day(card.renewed))
}

/// One line: the failure, the fix, and the citation.
pub fn render_fix(item: &FixItem) -> String {
    let rule = item.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let remedy = match &item.remedy {
        KnownRemedy::Commands(commands) => {
            let ran: Vec<String> =
                commands.iter().map(|command| format!("`{}`", terminal::clip(command, 100))).collect();
            format!("ran {}", ran.join(", "))
        }
        KnownRemedy::Form(form) => format!("passed as `{}`", terminal::clip(form, 120)),
        KnownRemedy::Change(change) => {
            let quote = |lines: &[String]| lines.first().map(|line| format!("`{}`", terminal::clip(line, 100)));
            match (quote(&change.removed), quote(&change.added)) {
                (Some(removed), Some(added)) => format!("changed {removed} to {added}"),
                (None, Some(added)) => format!("added {added}"),
                (Some(removed), None) => format!("removed {removed}"),
                (None, None) => "edited".to_owned(),
            }
        }
    };
    let file = item.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let (command, diagnostic) = (terminal::clip(&item.command, 80), foreign(&terminal::clip(&item.then, 160)));
    let cited = item.edits.first().unwrap_or(&item.passed).id.to_string();
    format!("- `{command}`: {diagnostic}{rule}: {remedy}{file} [{} {}]", &cited[..12], day(item.resolved))
}

/// In UTC, for deterministic output without loading time zones.
pub fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "no date".to_owned(), |at| at.to_string().chars().take(10).collect())
}
