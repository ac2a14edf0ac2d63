//! Renders a person's unconfirmed statements, for every surface.

use backstory_engine::model::CardId;

pub const TITLE: &str = "Unconfirmed (said by the user)";

/// In quotes: it may have been meant for the moment only. A statement that is a quotation already is not quoted again.
pub fn line(statement: &str, card: CardId, day: &str) -> String {
    let quote = if statement.contains(" \"") || statement.starts_with('`') { "" } else { "\"" };
    format!("- {quote}{statement}{quote} [{} {day}]", card.short())
}

pub fn wait_for_review(count: usize) -> String {
    match count {
        1 => "one proposed card waits for review: `backstory cards review`".to_owned(),
        several => format!("{several} proposed cards wait for review: `backstory cards review`"),
    }
}
