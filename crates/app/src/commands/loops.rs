use backstory_engine::model::{EventKind, Meta, SourceKind};
use backstory_engine::retrieve::{Judgement, LOOPS_SESSION, LoopKind, Loops, OpenLoop, Verdict, find_loop, loops};
use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{environment, home, json, terminal};

use super::Answers;
use super::free_text::not_blank;
use super::page::PageArgs;
use super::sessions::{SessionFilter, short};

/// List unfinished work, newest first
///
/// Open loops are requests and questions without an answer, work that was stopped or
/// rejected and not resumed, tests that failed in their last run, and tasks that an
/// agent wrote down and did not finish. `loops done ID` and `loops drop ID` close one:
/// they add a judgement to the log and remove nothing.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct LoopsCommand {
    #[command(subcommand)]
    close: Option<Close>,
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// Show at most N items
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::page::limit)]
    limit: usize,
    /// Skip the first N items
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Only loops of this session: its id, or its first digits
    #[arg(long, value_name = "SESSION", value_parser = not_blank)]
    session: Option<String>,
    /// Include closed ones
    #[arg(long)]
    closed: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Close {
    /// Close a loop as done
    Done(CloseArgs),
    /// Close a loop as no longer wanted
    Drop(CloseArgs),
    /// Open a closed loop again
    Reopen(CloseArgs),
}

#[derive(clap::Args)]
struct CloseArgs {
    /// The loop's id, or its first digits
    #[arg(value_parser = not_blank)]
    id: String,
    /// A short reason
    #[arg(value_name = "NOTE")]
    note: Vec<String>,
}

impl LoopsCommand {
    /// Closes a loop, or lists the open ones.
    pub fn run(self) -> Result<(), AppError> {
        match self.close {
            Some(Close::Done(args)) => judge(Verdict::Done, &args),
            Some(Close::Drop(args)) => judge(Verdict::Dropped, &args),
            Some(Close::Reopen(args)) => judge(Verdict::Reopened, &args),
            None => super::print_answer(self),
        }
    }
}

impl Answers for LoopsCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let only = SessionFilter::of(context, self.session.as_deref(), &self.scope)?;
        let (from, to) = self.time.resolve()?;
        let (log, views) = context.memory()?.parts();
        let mut found =
            loops(log, views, &Loops { project: only.project, from, to, closed: self.closed, latest: None })?;
        found.retain(|open| only.has(&open.session));
        let page = PageArgs::new(self.offset, self.limit);
        let (total, shown) = (found.len(), page.of(&found));
        let items: Vec<_> = shown.iter().map(json::open_loop).collect();
        let json = page.json(items, total);
        if shown.is_empty() {
            let none = match (&only.session, only.project) {
                (Some(_), _) => "No open loop in this session.\n",
                (None, None) => "No open loop in any project.\n",
                (None, Some(_)) => {
                    "No open loop in this project. `backstory loops --all-projects` looks in all projects.\n"
                }
            };
            return Ok(Reply::nothing("loops", json, page.nothing(total, none)));
        }
        let mut out = String::new();
        for (at, open) in shown.iter().enumerate() {
            let goes_on = at > 0 && open.kind == LoopKind::Task && shown[at - 1].kind == LoopKind::Task;
            out.push_str(&describe(open, goes_on && shown[at - 1].session == open.session));
        }
        out.push_str(&page.rest(shown.len(), total));
        out.push_str("\n`backstory loops done ID` or `backstory loops drop ID` closes one.\n");
        Ok(Reply::recalled("loops", json, out).with_lines(shown.iter().map(line).collect::<Vec<_>>()))
    }
}

/// One loop, open or closed.
pub fn one(context: &mut AskContext, id: &str) -> Result<Reply, AppError> {
    let (log, views) = context.memory()?.parts();
    let open = find_loop(log, views, id)?;
    let json = json!({ "loop": json::open_loop(&open) });
    Ok(Reply::recalled("loops", json, describe(&open, false)))
}

/// One line for a pipe.
fn line(open: &OpenLoop) -> String {
    let (id, kind, when) = (open.id, open.kind.name(), terminal::time(open.time));
    format!("{id}\t{kind}\t{when}\t{}", terminal::clip(&open.text, 200))
}

fn judge(verdict: Verdict, args: &CloseArgs) -> Result<(), AppError> {
    let mut memory = home::open_existing()?;
    let (log, views) = memory.parts();
    let open = find_loop(log, views, &args.id)?;
    let known = open.judgement.as_ref().map_or(Verdict::Reopened, |judgement| judgement.verdict);
    if known == verdict && args.note.is_empty() {
        let state = if verdict == Verdict::Reopened { "open" } else { verdict.name() };
        return terminal::print(&format!("already {state}: {}\n", terminal::clip(&open.text, 100)));
    }
    let note = args.note.join(" ");
    let text = Judgement::text(verdict, Some(note.as_str()).filter(|note| !note.is_empty()));
    // So that forgetting the project or the session also removes the note.
    let input = Some(json!({"project": open.project.id, "session": open.session}));
    let meta = Meta { record: Some(open.id.to_string()), input, ..Meta::default() };
    log.append_own(LOOPS_SESSION, EventKind::Judgement, environment::now(), text, meta)?;
    terminal::print(&format!("{}: {}\n", verdict.name(), terminal::clip(&open.text, 100)))
}

/// `goes_on`: a task of the same session as the previous one.
fn describe(open: &OpenLoop, goes_on: bool) -> String {
    let id = &open.id.to_string()[..12];
    if goes_on && open.judgement.is_none() {
        let id = terminal::paint(terminal::DIM, &format!("[{id}]"));
        return format!("{id}  {}\n", terminal::clip(&open.text, 200));
    }
    let mut out = format!(
        "{}  {}  {} · session {} · {}\n    {}\n",
        terminal::paint(terminal::DIM, &format!("[{id}]")),
        terminal::paint(terminal::BOLD, &format!("{:11}", open.kind.name())),
        terminal::time(open.time),
        short(&open.session),
        open.project.name,
        terminal::clip(&open.text, 200),
    );
    if let Some(last) = &open.last {
        out.push_str(&format!("    last: {}\n", terminal::clip(last, 160)));
    }
    if let Some(judgement) = &open.judgement {
        let note = judgement.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        out.push_str(&format!("    {}{note}\n", judgement.verdict.name()));
    } else if let Some(resume) = resume(open) {
        out.push_str(&format!("    {}\n", terminal::paint(terminal::DIM, &resume)));
    }
    out
}

/// The command that resumes the session.
pub fn resume(open: &OpenLoop) -> Option<String> {
    match open.source {
        SourceKind::ClaudeCode => Some(format!("claude --resume {}", open.session)),
        SourceKind::Codex => Some(format!("codex resume {}", open.session)),
        SourceKind::Transcript | SourceKind::Causantic | SourceKind::Backstory => None,
    }
}
