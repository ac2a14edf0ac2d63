use backstory_engine::model::{Card, Channel, ProjectId, estimate_tokens};
use backstory_engine::retrieve::{
    PACK_FRAME, Pack, PackItem, PackLeftOut, PackQuestion, PackSlot, pack, unconfirmed_cards,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{home, json, terminal, unconfirmed};

use super::{Answers, answer, free_text};

/// Unconfirmed statements may take this part of the budget.
const PART_OF_SAID: u64 = 3;

/// Print the rules, failures and facts that matter for a task
///
/// Chooses a few cards: constraints and commitments of this project first, then
/// failed attempts, tactics that worked, preferences and facts about the task.
/// Doubtful cards are marked. Statements that nobody has confirmed yet come last,
/// under their own heading; they are not in force. Without a matching card nothing
/// is printed. The log records which cards were shown, so that their use can be
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
        let said = Said::of(context, project, budget / PART_OF_SAID)?;
        // A budget of zero would mean the default.
        let left = budget.saturating_sub(said.tokens()).max(1);
        let question = PackQuestion { project, task, failure: self.failure.clone(), budget: left };
        let tree = context.tree(&self.scope);
        let made = pack(context.memory()?.views(), &question, &|named| tree.has(named))?;
        let cards: Vec<_> = made.items.iter().map(|item| &item.card).chain(&said.cards).map(|card| card.id).collect();
        let is_empty = cards.is_empty();
        if !self.dry_run && !is_empty {
            context.shown(Channel::AutoPack, cards, self.asking_session.clone(), question.task.clone())?;
        }
        let json = json::pack(&made, &said.cards, said.waiting, made.tokens + said.tokens());
        if !is_empty {
            return Ok(Reply::recalled("pack", json, text(&made) + &said.text));
        }
        let mut text = nothing(&made, budget, context);
        if text.is_empty() || said.waiting > 0 && made.left_out.is_empty() {
            text = said.too_long(budget).unwrap_or(text);
        }
        Ok(Reply::nothing("pack", json, text))
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

/// Unconfirmed statements of a person in this project. They are not in force and not part of the pack; but whoever
/// starts work should know them.
#[derive(Default)]
struct Said {
    cards: Vec<Card>,
    /// The number of cards that wait for confirmation.
    waiting: usize,
    text: String,
}

impl Said {
    fn of(context: &mut AskContext, project: Option<ProjectId>, room: u64) -> Result<Self, AppError> {
        let Some(project) = project else { return Ok(Said::default()) };
        let found = unconfirmed_cards(context.memory()?.views(), project)?;
        let title = format!("{}\n", terminal::paint(terminal::BOLD, unconfirmed::TITLE));
        let last = format!("{}\n", unconfirmed::for_the_user(found.count));
        let mut said = Said { waiting: found.count, ..Said::default() };
        let mut lines = String::new();
        for card in unconfirmed::newest(&found.said) {
            let line = unconfirmed::line(&answer::statement(card), card.id, &terminal::day(card.renewed));
            let longer = format!("{lines}{line}\n");
            if u64::from(estimate_tokens(&format!("{title}{longer}{last}"))) <= room {
                (said.text, lines) = (format!("{title}{longer}{last}"), longer);
                said.cards.push(card.clone());
            }
        }
        Ok(said)
    }

    /// There are statements, but none fits.
    fn too_long(&self, budget: u64) -> Option<String> {
        let cards = terminal::count(self.waiting as u64, "card");
        (self.waiting > 0).then(|| format!("The proposed cards ({cards}) do not fit into {budget} tokens.\n"))
    }

    fn tokens(&self) -> u64 {
        estimate_tokens(&self.text).into()
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
    out
}

pub fn title(slot: PackSlot) -> &'static str {
    match slot {
        PackSlot::Always => "Constraints",
        PackSlot::Preference => "Preferences",
        PackSlot::NegativeResult => "Failed attempts",
        PackSlot::Tactic => "What worked",
        PackSlot::Fact => "Facts",
    }
}

fn line(item: &PackItem) -> String {
    let doubt = item.doubt.as_deref().map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let date = terminal::day(item.card.renewed);
    let cite = terminal::paint(terminal::DIM, &format!("[{} {date}]", item.card.id.short()));
    format!("- {}{doubt} {cite}\n", answer::statement(&item.card))
}
