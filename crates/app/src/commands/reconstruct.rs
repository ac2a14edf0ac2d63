use backstory_engine::model::{Part, PartKind};
use backstory_engine::retrieve::{Reconstruct, Story, StoryPiece, StorySession, reconstruct};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, ResolvedScope, TimeScope};
use crate::{home, json, terminal};

use super::Answers;
use super::free_text::not_blank;

/// Show what happened, in order
///
/// Prints one session, the session before it (--previous), or everything in the
/// project between two times. The work of sub-agents and teammates appears where
/// they were started. With --budget only the newest part is printed.
#[derive(clap::Args)]
pub struct ReconstructCommand {
    /// The session's id, or its first digits
    #[arg(value_name = "ID", value_parser = not_blank)]
    session: Option<String>,
    #[arg(long = "session", short, value_name = "ID", hide = true, conflicts_with = "session", value_parser = not_blank)]
    session_option: Option<String>,
    /// The session before ID, or before the newest one
    #[arg(long)]
    previous: bool,
    #[command(flatten)]
    time: TimeScope,
    /// Only the work of this agent; `main` is the session's own agent
    #[arg(long, value_name = "NAME", value_parser = not_blank)]
    agent: Option<String>,
    /// Print about TOKENS tokens at most, the newest ones
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Include the agents' thinking
    #[arg(long)]
    thinking: bool,
    /// Print JSON, with the evidence of every part
    #[arg(long)]
    json: bool,
}

impl Answers for ReconstructCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let session = self.session.or(self.session_option);
        // A named session determines the project.
        let project = match (&session, context.scope(&self.scope)?) {
            (Some(_), _) | (None, ResolvedScope::All) => None,
            (None, scope) => scope.project()?,
        };
        let (from, to) = self.time.resolve()?;
        let nothing_said = session.is_none() && !self.previous && from.is_none() && to.is_none();
        let question = Reconstruct {
            session,
            previous: self.previous,
            project,
            from,
            to,
            agent: self.agent,
            // The whole history of a project is too long.
            budget: self.budget.or(nothing_said.then_some(8_000)),
        };
        let (log, views) = context.memory()?.parts();
        let story = reconstruct(log, views, &question)?;
        let json = json::story(&story);
        let thinking = if self.thinking { Thinking::Shown } else { Thinking::Hidden };
        if story.sessions.is_empty() {
            let nothing = "Nothing happened in that time. `backstory sessions` lists the sessions.\n";
            return Ok(Reply::nothing("reconstruct", json, nothing));
        }
        Ok(Reply::recalled("reconstruct", json, text(&story, thinking)))
    }
}

/// Is the agents' thinking shown?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    Shown,
    Hidden,
}

impl Thinking {
    fn shows(self, part: &Part) -> bool {
        self == Thinking::Shown || part.kind != PartKind::Thinking
    }
}

pub fn text(story: &Story, thinking: Thinking) -> String {
    let mut out = String::new();
    if story.omitted > 0 {
        let earlier = terminal::count(story.omitted as u64, "earlier chunk");
        out.push_str(&terminal::paint(terminal::DIM, &format!("… {earlier} omitted (--budget)\n")));
    }
    for session in &story.sessions {
        render_session(&mut out, session, thinking);
    }
    out
}

fn render_session(out: &mut String, session: &StorySession, thinking: Thinking) {
    let info = &session.info;
    let name = info.title.as_deref().or(info.first_prompt.as_deref()).unwrap_or("");
    let heading = format!("══ {} · {} · {}", info.session, info.project.name, terminal::time(info.started));
    out.push_str(&format!(
        "{}\n   {}\n",
        terminal::paint(terminal::HEAD, &heading),
        terminal::clip_to_width(name, 3, 96)
    ));
    let mut run = 0;
    let mut abandoned = false;
    let mut turn = None;
    let mut before = None;
    for piece in &session.pieces {
        if piece.run != run {
            let task = piece.task.as_deref().map(|task| format!(" · {task}")).unwrap_or_default();
            let marker = format!("{}--- Agent: {}{task} ---", indent(piece), piece.agent);
            out.push_str(&format!("\n{}\n", terminal::paint(terminal::HEAD, &marker)));
            run = piece.run;
        }
        if piece.abandoned != abandoned {
            let marker = if piece.abandoned { "~~~ abandoned by a rewind ~~~" } else { "~~~ kept branch ~~~" };
            out.push_str(&format!("\n{}\n", terminal::paint(terminal::WARN, marker)));
            abandoned = piece.abandoned;
        }
        render_piece(out, piece, before, thinking, turn != Some((piece.run, piece.turn)));
        before = Some(piece);
        turn = Some((piece.run, piece.turn));
    }
    out.push('\n');
}

fn render_piece(out: &mut String, piece: &StoryPiece, before: Option<&StoryPiece>, thinking: Thinking, new_turn: bool) {
    let head = format!("{}[{}] {}", indent(piece), piece.chunk.short(), terminal::time(piece.started));
    if new_turn {
        out.push('\n');
    }
    out.push_str(&format!("{}\n", terminal::paint(terminal::DIM, &head)));
    let mut previous: Option<&Part> = before.and_then(|piece| piece.body.parts.last());
    let mut first = true;
    for part in piece.body.parts.iter().filter(|part| thinking.shows(part)) {
        let continued = previous.is_some_and(|previous| previous.event == part.event && previous.kind == part.kind);
        // A continued piece is marked once.
        let mark = if continued && first { "(…) " } else { "" };
        let is_printed = matches!(part.kind, PartKind::ToolOutput | PartKind::Note);
        let said = match part.kind {
            _ if is_printed => terminal::foreign(&part.text),
            // A file tool's call starts with the path.
            PartKind::ToolCall => home::relative(&part.text).to_owned(),
            _ => part.text.clone(),
        };
        let text = if continued { format!("{mark}{said}") } else { format!("{}{said}", heading(part)) };
        first = false;
        let hanging = if part.kind == PartKind::ToolOutput { "    " } else { "" };
        for (number, line) in text.lines().enumerate() {
            let hanging = if number == 0 && !continued { "" } else { hanging };
            out.push_str(&format!("{}{hanging}{line}\n", indent(piece)));
        }
        previous = Some(part);
    }
}

fn indent(piece: &StoryPiece) -> String {
    "    ".repeat(piece.depth as usize)
}

fn heading(part: &Part) -> String {
    let label = part.label.as_deref();
    match part.kind {
        PartKind::User => {
            let who = match label {
                Some("queued") => "User (queued)".to_owned(),
                Some(name) => name.to_owned(),
                None => "User".to_owned(),
            };
            format!("{}: ", terminal::paint(terminal::USER, &who))
        }
        PartKind::Assistant => format!("{}: ", terminal::paint(terminal::BOLD, "Agent")),
        PartKind::Thinking => format!("{}: ", terminal::paint(terminal::DIM, "(thinking)")),
        PartKind::ToolCall => {
            format!("{} ", terminal::paint(terminal::TOOL, &format!("[{}]", label.unwrap_or("tool"))))
        }
        PartKind::ToolOutput => match label {
            Some(label) if label.starts_with("from ") => {
                format!("  {} ", terminal::paint(terminal::DIM, &format!("→ {label}:")))
            }
            Some(exit) => format!("  {} ", terminal::paint(terminal::BAD, &format!("→ {exit}:"))),
            None => format!("  {} ", terminal::paint(terminal::DIM, "→")),
        },
        PartKind::Note => format!("{} ", terminal::paint(terminal::WARN, "·")),
    }
}
