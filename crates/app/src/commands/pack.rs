use backstory_engine::model::Channel;
use backstory_engine::retrieve::{PACK_FRAME, Pack, PackItem, PackLeftOut, PackQuestion, PackSlot, pack};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{home, json, terminal, unconfirmed};

use super::{Answers, answer, free_text};

/// Print the rules, failures and facts that matter for a task
///
/// Chooses a few cards that concern the task: constraints and commitments, failed
/// attempts, tactics that worked, preferences and facts. Rules for every task follow.
/// Doubtful cards are marked. Statements that nobody has confirmed come last, under
/// their own heading; they are not in force. What CLAUDE.md or AGENTS.md says is left
/// out. If no card concerns the task, nothing is printed; without a task, all
/// constraints are. The log records which cards were shown, so that their use can be
/// measured.
#[derive(clap::Args)]
pub struct PackCommand {
    /// The task, in your words
    #[arg(value_name = "TASK")]
    task: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Print TOKENS tokens at most [default: 800, or pack.budget]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// The output of the last tool call, if it failed
    #[arg(long, value_name = "TEXT")]
    failure: Option<String>,
    /// The session that asks; its outcome counts for the cards shown
    #[arg(long, value_name = "SESSION", alias = "session", hide_short_help = true)]
    asking_session: Option<String>,
    /// Record nothing in the log
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for PackCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let task = match self.task.as_slice() {
            [] => String::new(),
            words => free_text::needed(words.join(" "), "the task", "backstory pack \"add a retry to the upload\"")?,
        };
        let project = context.scope(&self.scope)?.even_unknown();
        let budget = self.budget.unwrap_or(home::config()?.pack.budget);
        let tree = context.tree(&self.scope);
        let question = PackQuestion {
            project,
            task,
            failure: self.failure.clone(),
            budget,
            instructions: tree.instructions(&context.folder),
            ..PackQuestion::default()
        };
        let made = pack(context.memory()?.views(), &question, &|named| tree.has(named))?;
        let cards: Vec<_> = made.items.iter().chain(&made.unconfirmed).map(|item| item.card.id).collect();
        let is_empty = cards.is_empty();
        if !self.dry_run && !is_empty {
            context.shown(Channel::AutoPack, cards, self.asking_session.clone(), question.task.clone())?;
        }
        let json = json::pack(&made);
        Ok(match is_empty {
            true => Reply::nothing("pack", json, nothing(&made, budget, context)),
            false => Reply::recalled("pack", json, text(&made)),
        })
    }
}

/// Without a card there is no text, unless a card exceeded the budget.
fn nothing(made: &Pack, budget: u64, context: &AskContext) -> String {
    let too_long: Vec<u64> = made
        .left_out
        .iter()
        .filter(|(_, why)| *why == PackLeftOut::OverBudget)
        .map(|(item, _)| item.tokens + PACK_FRAME)
        .collect();
    match too_long.iter().min() {
        Some(least) => {
            let cards = terminal::count(too_long.len() as u64, "card");
            format!("None of {cards} fits into {budget} tokens; the shortest needs about {least}.\n")
        }
        None if context.is_agents() => "No card matches this task.\n".to_owned(),
        None => String::new(),
    }
}

pub fn text(pack: &Pack) -> String {
    let mut out = String::new();
    let mut head = None;
    for item in &pack.items {
        if head.replace(item.slot) != Some(item.slot) {
            out.push_str(&format!("{}\n", terminal::paint(terminal::BOLD, title(item.slot))));
        }
        out.push_str(&line(item));
    }
    if !pack.unconfirmed.is_empty() {
        out.push_str(&format!("{}\n", terminal::paint(terminal::BOLD, unconfirmed::TITLE)));
    }
    for item in &pack.unconfirmed {
        let (card, day) = (&item.card, terminal::day(item.card.renewed));
        out.push_str(&format!("{}\n", unconfirmed::line(&answer::statement(card), card.id, &day)));
    }
    out
}

pub fn title(slot: PackSlot) -> &'static str {
    match slot {
        PackSlot::Constraint => "Constraints",
        PackSlot::Preference => "Preferences",
        PackSlot::NegativeResult => "Failed attempts",
        PackSlot::Tactic => "What worked",
        PackSlot::Fact => "Facts",
        PackSlot::Always => "Always",
    }
}

fn line(item: &PackItem) -> String {
    let doubt = item.doubt.as_deref().map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let date = terminal::day(item.card.renewed);
    let cite = terminal::paint(terminal::DIM, &format!("[{} {date}]", item.card.id.short()));
    format!("- {}{doubt} {cite}\n", answer::statement(&item.card))
}
