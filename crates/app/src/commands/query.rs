//! The common question of search, recall, predict and explain.

use backstory_engine::ingest::{CommitMessage, newest_commits};
use backstory_engine::retrieve::rank::{EpisodeSet, Filter, Now, Ranking};
use backstory_engine::retrieve::{Extent, SEARCH_LIMIT, Search};
use backstory_engine::store::index::PassageKind;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::scope::{ProjectScope, TimeScope};
use crate::{environment, home};

use super::free_text::{self, not_blank};
use super::sessions;

/// Commits of a repository whose messages are read.
const MOST_COMMITS: usize = 2_000;
/// A larger budget is not useful.
pub const MOST_TOKENS: u64 = 1_000_000;

#[derive(clap::Args, Clone, Debug)]
pub struct QueryArgs {
    /// A question in your own words, code, a path or an error code; it may name
    /// days. Put `--` before a question that begins with a dash
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    question: Vec<String>,
    /// Only the words and calls of this agent; `main` is a session's own agent
    #[arg(long, value_name = "NAME", value_parser = not_blank)]
    agent: Option<String>,
    /// Only this session: its id, or its first digits
    #[arg(long, value_name = "SESSION", value_parser = not_blank)]
    session: Option<String>,
    #[command(flatten)]
    time: TimeScope,
    /// Only passages of this kind (may be repeated)
    #[arg(long, value_name = "KIND")]
    kind: Vec<PassageKindArg>,
    /// Only chunks that touched a file whose path contains PATH (may be repeated)
    #[arg(long, value_name = "PATH", value_parser = not_blank)]
    files: Vec<String>,
    /// Print about TOKENS tokens of text at most [default: search.budget, or what fits a screen; 2000 for passages]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=MOST_TOKENS))]
    budget: Option<u64>,
    /// Include the agents' thinking
    #[arg(long)]
    thinking: bool,
    /// Follow the original design to the letter: words and vectors fused by reciprocal ranks
    /// (k = 60), cluster siblings, newer results higher, diverse results (MMR); one chain for each
    /// of five seeds, the one with the best score is the answer
    #[arg(long)]
    seed_mode: bool,
    #[command(flatten)]
    pub scope: ProjectScope,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The number of items: at least one.
pub fn limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().map_err(|_| "expected a number of items".to_owned())?;
    if (1..=1_000).contains(&limit) { Ok(limit) } else { Err("expected 1 to 1000 items".to_owned()) }
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum PassageKindArg {
    /// Words of a person
    User,
    /// Words of an agent
    Assistant,
    /// Tool calls: edits, commands and their output
    Call,
    /// Notes of the host
    Note,
}

impl QueryArgs {
    /// The lines and tokens of an answer made of cases: a budget of a flag or the configuration has no line limit.
    pub fn extent(&self, question: &Search, default: Extent) -> Result<Extent, AppError> {
        let is_chosen = self.budget.is_some() || home::config()?.search.has_chosen_budget;
        Ok(match is_chosen {
            true => Extent { lines: usize::MAX, tokens: question.budget, ..default },
            false => default,
        })
    }

    pub fn text(&self) -> String {
        self.question.join(" ")
    }

    pub fn search(&self, context: &mut AskContext, limit: Option<usize>) -> Result<Search, AppError> {
        let text = free_text::needed(self.text(), "the question", "backstory search \"how are retries configured\"")?;
        let (from, to) = self.time.resolve()?;
        let kinds = self.kind.iter().map(|kind| match kind {
            PassageKindArg::User => PassageKind::User,
            PassageKindArg::Assistant => PassageKind::Assistant,
            PassageKindArg::Call => PassageKind::Call,
            PassageKindArg::Note => PassageKind::Note,
        });
        let filter = Filter {
            project: context.scope(&self.scope)?.project()?,
            from,
            to,
            kinds: kinds.collect(),
            episodes: self.episodes(context)?,
            files: self.files.clone(),
        };
        let mut search = Search::new(text);
        search.filter = filter;
        search.agent.clone_from(&self.agent);
        search.limit = limit.unwrap_or(SEARCH_LIMIT);
        let chosen = &home::config()?.search;
        search.budget = self.budget.unwrap_or(chosen.budget);
        search.thinking = self.thinking || chosen.thinking;
        search.now = Some(Now { time: environment::now(), zone: environment::time_zone() });
        if self.seed_mode {
            search.ranking = Ranking::seed();
        }
        Ok(search)
    }

    /// The newest commits of the repository around the folder, where its project is asked and no
    /// filter names a session.
    pub fn commits(&self, context: &AskContext, question: &Search) -> Result<Vec<CommitMessage>, AppError> {
        let is_of_session = self.session.is_some() || self.agent.is_some();
        if self.scope.is_given() || is_of_session || question.filter.project.is_none() {
            return Ok(Vec::new());
        }
        let is_in_time = |commit: &CommitMessage| {
            question.filter.from.is_none_or(|from| commit.time >= from)
                && question.filter.to.is_none_or(|to| commit.time < to)
        };
        Ok(newest_commits(&context.folder, MOST_COMMITS).into_iter().filter(is_in_time).collect())
    }

    /// The runs of the session that limits the answer.
    fn episodes(&self, context: &mut AskContext) -> Result<Option<EpisodeSet>, AppError> {
        let Some(asked) = &self.session else { return Ok(None) };
        let info = sessions::named(context.memory()?, asked)?;
        Ok(Some(info.episodes.iter().map(|episode| episode.0 as u32).collect()))
    }

    /// What to try if nothing was found.
    pub fn suggestion(&self, search: &Search) -> String {
        let mut tries = Vec::new();
        if search.filter.project.is_some() {
            tries.push("--all-projects");
        }
        if search.filter.from.is_some() || search.filter.to.is_some() {
            tries.push("another time");
        }
        if search.agent.is_some()
            || self.session.is_some()
            || !search.filter.kinds.is_empty()
            || !search.filter.files.is_empty()
        {
            tries.push("fewer filters");
        }
        tries.push("other words");
        format!("Nothing found. Try {} or --thinking; `backstory ingest` reads new sessions.\n", tries.join(", "))
    }
}
