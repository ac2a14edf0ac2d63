use backstory_engine::model::{Part, PartKind};
use backstory_engine::retrieve::{Reconstruct, Story, StoryPiece, StorySession, reconstruct};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, Scope, TimeScope};
use crate::{json, terminal};

use super::Answers;

/// Tell what happened, in order
///
/// One session (--session, or --previous for the one before), or everything of
/// the project between two times. Sub-agents and teammates are told where they
/// were started. With --budget the newest part is kept.
#[derive(clap::Args)]
pub struct ReconstructCommand {
    /// The session: its id or a beginning of it that no other has
    #[arg(long, short, value_name = "ID")]
    session: Option<String>,
    /// The session before that one (before the newest, if none is named)
    #[arg(long)]
    previous: bool,
    #[command(flatten)]
    time: TimeScope,
    /// Only this agent's part; `main` is the session's own agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// At most about this many tokens; the newest are kept
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Show the agents' thinking too
    #[arg(long)]
    thinking: bool,
    /// The story as JSON, with evidence for every part
    #[arg(long)]
    json: bool,
}

impl Answers for ReconstructCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        // A named session says itself where it belongs.
        let project = match (&self.session, context.scope(&self.scope)?) {
            (Some(_), _) | (None, Scope::All) => None,
            (None, scope) => scope.project()?,
        };
        let (from, to) = self.time.resolve()?;
        let nothing_said = self.session.is_none() && !self.previous && from.is_none() && to.is_none();
        let question = Reconstruct {
            session: self.session,
            previous: self.previous,
            project,
            from,
            to,
            agent: self.agent,
            // The whole history of a project is too much to be an answer.
            budget: self.budget.or(nothing_said.then_some(8_000)),
        };
        let (log, views) = context.memory()?.parts();
        let story = reconstruct(log, views, &question)?;
        let json = json::story(&story);
        if story.sessions.is_empty() {
            let nothing = "Nothing happened then. `backstory sessions` lists what there is.\n";
            return Ok(Reply::plain("reconstruct", json, nothing));
        }
        Ok(Reply::recalled("reconstruct", json, text(&story, self.thinking)))
    }
}

pub fn text(story: &Story, thinking: bool) -> String {
    let mut out = String::new();
    if story.omitted > 0 {
        let earlier = terminal::count(story.omitted as u64, "earlier chunk");
        out.push_str(&terminal::paint(terminal::DIM, &format!("… {earlier} left out (--budget)\n")));
    }
    for session in &story.sessions {
        tell_session(&mut out, session, thinking);
    }
    out
}

fn tell_session(out: &mut String, session: &StorySession, thinking: bool) {
    let info = &session.info;
    let name = info.title.as_deref().or(info.first_prompt.as_deref()).unwrap_or("");
    let heading = format!("══ {} · {} · {}", info.session, info.project.name, terminal::time(info.started));
    out.push_str(&format!("{}\n   {}\n", terminal::paint(terminal::HEAD, &heading), terminal::clip(name, 96)));
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
            let marker =
                if piece.abandoned { "~~~ abandoned by a rewind ~~~" } else { "~~~ the branch that was kept ~~~" };
            out.push_str(&format!("\n{}\n", terminal::paint(terminal::WARN, marker)));
            abandoned = piece.abandoned;
        }
        tell_piece(out, piece, before, thinking, turn != Some((piece.run, piece.turn)));
        before = Some(piece);
        turn = Some((piece.run, piece.turn));
    }
    out.push('\n');
}

fn tell_piece(out: &mut String, piece: &StoryPiece, before: Option<&StoryPiece>, thinking: bool, new_turn: bool) {
    let head = format!("{}[{}] {}", indent(piece), piece.chunk.short(), terminal::time(piece.started));
    if new_turn {
        out.push('\n');
    }
    out.push_str(&format!("{}\n", terminal::paint(terminal::DIM, &head)));
    let mut previous: Option<&Part> = before.and_then(|piece| piece.body.parts.last());
    let mut first = true;
    for part in piece.body.parts.iter().filter(|part| thinking || part.kind != PartKind::Thinking) {
        let continued = previous.is_some_and(|previous| previous.event == part.event && previous.kind == part.kind);
        // A piece that goes on with the event before says so once.
        let mark = if continued && first { "(…) " } else { "" };
        let is_printed = matches!(part.kind, PartKind::ToolOutput | PartKind::Note);
        let said = if is_printed { terminal::foreign(&part.text) } else { part.text.clone() };
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
