use backstory_engine::model::Channel;
use backstory_engine::retrieve::{Pack, PackItem, PackQuestion, Slot, pack};

use super::scope::ProjectScope;
use super::{Answers, answer};
use crate::desk::Desk;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{home, screen, wire};

/// Choose what must be known before a task: a few cards, with citations
///
/// Constraints and commitments of this project come first, then what failed
/// before, tactics that worked, preferences and facts that have to do with the
/// task. Cards under doubt are marked. Nothing is printed when nothing counts.
/// What was shown is noted in the log, so that it can be seen what helped.
#[derive(clap::Args)]
pub struct PackCommand {
    /// What is to be done, in your words
    #[arg(value_name = "TASK")]
    task: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// At most so many tokens [default: 800, or pack.budget]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// What the last tool call printed, if it failed
    #[arg(long, value_name = "TEXT")]
    failure: Option<String>,
    /// The session that will see it, so that its outcome counts
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only look: note nothing in the log
    #[arg(long)]
    dry_run: bool,
    /// The pack as JSON
    #[arg(long)]
    json: bool,
}

impl Answers for PackCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, desk: &mut Desk) -> Result<Reply, AppError> {
        let project = desk.scope(&self.scope)?.even_unknown();
        let budget = self.budget.unwrap_or(home::config()?.pack.budget);
        let question = PackQuestion { project, task: self.task.join(" "), failure: self.failure.clone(), budget };
        let tree = desk.tree(&self.scope);
        let made = pack(desk.memory()?.views(), &question, &|named| tree.has(named))?;
        if !self.dry_run && !made.items.is_empty() {
            let cards = made.items.iter().map(|item| item.card.id).collect();
            desk.shown(Channel::AutoPack, cards, self.session.clone(), question.task.clone())?;
        }
        let json = wire::pack(&made);
        if !made.items.is_empty() {
            return Ok(Reply::recalled("pack", json, text(&made)));
        }
        let nothing = "Nothing is remembered that counts for this task.\n";
        Ok(Reply::plain("pack", json, if desk.is_agents() { nothing } else { "" }))
    }
}

pub fn text(pack: &Pack) -> String {
    let mut out = String::new();
    let mut head = None;
    for item in &pack.items {
        if head.replace(item.slot) != Some(item.slot) {
            out.push_str(&format!("{}\n", screen::paint(screen::BOLD, title(item.slot))));
        }
        out.push_str(&line(item));
    }
    out
}

fn title(slot: Slot) -> &'static str {
    match slot {
        Slot::Always => "Respect",
        Slot::Preference => "Preferred",
        Slot::NegativeResult => "Failed before",
        Slot::Tactic => "Worked before",
        Slot::Fact => "Known",
    }
}

fn line(item: &PackItem) -> String {
    let doubt = item.doubt.as_deref().map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let date = screen::day(item.card.renewed);
    let cite = screen::paint(screen::DIM, &format!("[{} {date}]", item.card.id.short()));
    format!("- {}{doubt} {cite}\n", answer::statement(&item.card))
}
