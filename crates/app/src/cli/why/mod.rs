//! Why is it so? One file for each thing that can be asked about.

mod line;
mod page;

use super::scope::ProjectScope;
use crate::error::AppError;

/// Why is this line here? The conversation behind a line of code
///
/// `backstory why src/cart.ts:45` finds the edit that wrote the line, what the
/// person had asked for, which check failed before and passed after, what was
/// refused, and which edits came later. Lines that moved and files that were
/// renamed are followed through git. What cannot be proven is said so.
#[derive(clap::Args)]
pub struct WhyCommand {
    /// FILE:LINE
    #[arg(value_name = "FILE:LINE")]
    asked: String,
    #[command(flatten)]
    scope: ProjectScope,
    /// The answer as JSON
    #[arg(long)]
    json: bool,
}

impl WhyCommand {
    pub fn run(self) -> Result<(), AppError> {
        line::tell(&self.asked, &self.scope, self.json)
    }
}
