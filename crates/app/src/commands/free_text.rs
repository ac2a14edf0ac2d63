//! Rejects blank text: it is not a question, action or id.

use crate::error::{AppError, ErrorKind};

/// The text as typed. `what` names it, `example` is a command with it.
pub fn needed(text: String, what: &str, example: &str) -> Result<String, AppError> {
    if text.trim().is_empty() {
        let message = format!("{what} is empty");
        return Err(AppError::new(ErrorKind::Usage, message).hint(format!("For example: `{example}`.")));
    }
    Ok(text)
}

/// A parser for ids, names and option values that rejects blank ones.
pub fn not_blank(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty".to_owned()),
        _ => Ok(text.to_owned()),
    }
}
