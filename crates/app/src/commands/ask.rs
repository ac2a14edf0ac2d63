//! Asks a person for consent.

use crate::error::{AppError, ErrorKind};
use crate::terminal;

pub fn nobody_to_ask(command: &str) -> AppError {
    AppError::new(ErrorKind::Usage, "nothing was changed: there is no terminal to ask on")
        .hint(format!("`{command} --yes` does it; `{command} --dry-run` shows the plan."))
}

/// Asks once. Any answer but yes means no.
pub fn agreed() -> Result<bool, AppError> {
    terminal::print("\nGo on? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
