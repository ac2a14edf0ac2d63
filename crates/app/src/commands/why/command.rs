//! `backstory why`: dispatches questions about a line, a commit or a fault.

use backstory_cause::role::{FileRole, role};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;

use crate::commands::Answers;
use crate::commands::free_text::{self, not_blank};

use super::question::CauseArgs;
use super::{commit as commit_story, file, impact, line, question};

/// Find the cause of a fault, or the conversation behind a line or commit
///
/// `backstory why "why does checkout time out"` ranks the places in the code that can
/// cause it: the place, why it matters, and the chain of evidence that leads there.
/// Tests, documents, commits, sessions and cards that explain it follow. A stack
/// trace or a whole bug report works too. The command first reads what changed in
/// the code of the current folder.
///
/// `backstory why src/cart.ts:45` (or `45-52`) finds the edit that wrote the line, the
/// work behind it (the request, what was decided, cause and result), the checks that
/// failed before and passed after, rejected edits, later edits, and the code that
/// depends on it now. It follows moved lines and renamed files through git.
///
/// `backstory why src/cart.ts` lists the work behind each range of lines of the file.
///
/// `backstory why 1a2b3c4` (or `HEAD~2`, or a branch) does the same for every line
/// that a commit added, and for the lines that it removed.
///
/// `backstory why --impact Cart.add` lists what a change would affect: callers, tests,
/// files that change together with it, past fixes, and cards about it.
///
/// Unproven parts are marked.
#[derive(clap::Args)]
pub struct WhyCommand {
    /// A question, FILE:LINE, a file, or a commit of the current repository
    #[arg(value_name = "QUESTION|FILE[:LINE]|COMMIT", required_unless_present = "impact", num_args = 1..)]
    asked: Vec<String>,
    /// List what a change of this function, type or file would affect
    #[arg(long, value_name = "NAME", conflicts_with = "asked", value_parser = not_blank)]
    impact: Option<String>,
    #[command(flatten)]
    causes: CauseArgs,
    /// The session that asks; its edits show whether the answer was right
    #[arg(long, value_name = "SESSION", alias = "session", hide_short_help = true)]
    asking_session: Option<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for WhyCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        if let Some(name) = &self.impact {
            self.refuse_graph()?;
            return impact::reply(context, name, &self.scope);
        }
        let asked =
            free_text::needed(self.asked.join(" "), "the question", "backstory why \"why does checkout time out\"")?;
        if line::is_meant(context, &asked) {
            self.refuse_graph()?;
            return line::reply(context, &asked, &self.scope);
        }
        if file::is_meant(context, &asked) {
            self.refuse_graph()?;
            return file::reply(context, &asked, &self.scope);
        }
        let is_one_word = !asked.trim().contains(char::is_whitespace);
        if let Some(commit) = if is_one_word { commit_story::find(context, &asked) } else { None } {
            self.refuse_graph()?;
            return commit_story::reply(context, commit, &self.scope);
        }
        if is_one_word {
            refuse_halves(context, &asked)?;
        }
        question::reply(context, &asked, &self.scope, &self.causes, self.asking_session)
    }
}

impl WhyCommand {
    fn refuse_graph(&self) -> Result<(), AppError> {
        match self.causes.graph {
            Some(_) => Err(AppError::new(ErrorKind::Usage, "--graph draws the answer to a question")
                .hint("Ask one: `backstory why \"why does checkout time out\" --graph out.svg`.")),
            None => Ok(()),
        }
    }
}

/// The id of the commit with this name here.
pub fn named_commit(context: &AskContext, name: &str) -> Option<String> {
    commit_story::find(context, name).map(|commit| commit.id)
}

/// The story of that commit.
pub fn reply_of_commit(context: &mut AskContext, id: &str, scope: &ProjectScope) -> Result<Reply, AppError> {
    match commit_story::find(context, id) {
        Some(commit) => commit_story::reply(context, commit, scope),
        None => Err(AppError::new(ErrorKind::NotFound, format!("git knows no commit '{id}' here"))),
    }
}

/// Rejects a single word that looks like a line or a commit, but is neither.
fn refuse_halves(context: &AskContext, word: &str) -> Result<(), AppError> {
    let ways = "Name a file and a line (`backstory why src/cart.ts:45`), a commit (`backstory why HEAD~2`), or ask a question.";
    // A folder.
    if context.readable(word).is_some() {
        let message = format!("'{word}' names no line");
        return Err(
            AppError::new(ErrorKind::Usage, message).hint(format!("{ways} `--impact {word}` says who uses it."))
        );
    }
    if word.contains(['/', '\\']) && role(word) != FileRole::Document || names_document(word) {
        let message = format!("there is no file '{word}' here");
        return Err(AppError::new(ErrorKind::NotFound, message).hint(ways));
    }
    let is_revision = word.starts_with("HEAD") || word.contains(['~', '^']) || word.contains("@{");
    let is_hash = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    if is_revision || is_hash {
        let message = format!("'{word}' names no line, and git knows no such commit here");
        return Err(AppError::new(ErrorKind::Usage, message).hint(ways));
    }
    Ok(())
}

/// `docs/setup.md`: a page, and no call like `cart.add`.
fn names_document(word: &str) -> bool {
    let is_page = word.rsplit_once('.').is_some_and(|(_, extension)| ["md", "txt", "rst", "adoc"].contains(&extension));
    is_page && !word.contains("://")
}
