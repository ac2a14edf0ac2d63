//! Why is it so? One file for each thing that can be asked about.

mod commit;
mod line;
mod page;

use super::scope::ProjectScope;
use crate::error::{AppError, ErrorKind};

/// Why is this line here? The conversation behind a line or a commit
///
/// `backstory why src/cart.ts:45` finds the edit that wrote the line, what the
/// person had asked for, which check failed before and passed after, what was
/// refused, and which edits came later. Lines that moved and files that were
/// renamed are followed through git.
///
/// `backstory why 1a2b3c4`, `why HEAD~2`, `why BRANCH` looks up each line that
/// the commit put in: which prompts wrote how many of them and in which files,
/// what failed before and passed after, what was refused, the call that made the
/// commit, and which edits took its lines out since.
///
/// What cannot be proven is said so.
#[derive(clap::Args)]
pub struct WhyCommand {
    /// FILE:LINE, or a commit of the repository around the current folder
    #[arg(value_name = "FILE:LINE|COMMIT")]
    asked: String,
    #[command(flatten)]
    scope: ProjectScope,
    /// The answer as JSON
    #[arg(long)]
    json: bool,
}

impl WhyCommand {
    pub fn run(self) -> Result<(), AppError> {
        if line::is_meant(&self.asked) {
            return line::tell(&self.asked, &self.scope, self.json);
        }
        if let Some(commit) = commit::find(&self.asked)? {
            return commit::tell(commit, &self.scope, self.json);
        }
        let message = format!("'{}' names no line, and git knows no such commit here", self.asked);
        Err(AppError::new(ErrorKind::Usage, message)
            .hint("Name a file and a line (`backstory why src/cart.ts:45`), or a commit (`backstory why HEAD~2`)."))
    }
}
