//! Was anything typed? Nothing but blanks is no question, no action and no id.

use crate::error::{AppError, ErrorKind};

/// The text as it was typed. `what` names it, `example` is a command that has it.
pub fn needed(text: String, what: &str, example: &str) -> Result<String, AppError> {
    if text.trim().is_empty() {
        let message = format!("{what} is empty");
        return Err(AppError::new(ErrorKind::Usage, message).hint(format!("For example: `{example}`.")));
    }
    Ok(text)
}

/// An id, a name or a word of an option, for the parser of arguments.
pub fn not_blank(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty".to_owned()),
        _ => Ok(text.to_owned()),
    }
}
