use backstory_engine::model::{Card, CardStatus, Channel, EvidenceRef, ProjectId};
use backstory_engine::retrieve::{Check, LastFailure, Warnings, card_doubt, cards, check};
use backstory_engine::store::CardFilter;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::working_tree::WorkingTree;
use crate::{environment, json, terminal};

use super::sessions::short;
use super::{Answers, answer, fix, free_text};

/// Check an action against rules and past failures
///
/// An action is a command (`backstory check git push --force`), a path to edit
/// (`backstory check src/gen/api.ts`) or a plan in words. The answer lists
/// constraints that forbid the action or apply to it, rules that a plan seems to go
/// against by its meaning, unconfirmed statements against it, failed attempts, and,
/// with --error, known fixes of that error. A commit or a push counts for the branch
/// that is checked out.
///
/// If no rule or failure is found, one line says how many were looked at and the exit code is 0, so that the command can run before every step. Options may stand
/// before or after the action; everything after `--` is the action.
#[derive(clap::Args)]
pub struct CheckCommand {
    /// A command, a path, or words
    #[arg(value_name = "ACTION", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    action: Vec<String>,
    /// The output of the last command, if it failed; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// The session that asks; its outcome counts for the cards shown
    #[arg(long, value_name = "SESSION", alias = "session", hide_short_help = true)]
    asking_session: Option<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CheckCommand {
    pub fn run(mut self) -> Result<(), AppError> {
        if self.error.as_deref() == Some("-") {
            self.error = Some(fix::from_input("the error")?);
        }
        super::print_answer(self)
    }
}

impl Answers for CheckCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let action = free_text::needed(self.action.join(" "), "the action", "backstory check git push --force")?;
        let error = self.error;
        let project = context.scope(&self.scope)?.even_unknown();
        let branch = if self.scope.is_given() { None } else { WorkingTree::branch_in(&context.folder) };
        let (log, views) = context.memory()?.parts();
        let other_than = self.asking_session.clone();
        let question = Check { action, error, project, other_than, branch, ..Check::default() };
        let found = check(log, views, &question)?;
        let shown = found.cards().map(|card| card.id).collect();
        context.shown(Channel::Check, shown, self.asking_session, String::new())?;
        let json = json::warnings(&found, environment::now());
        if !found.is_empty() {
            return Ok(Reply::recalled("check", json, render(&found)));
        }
        Ok(Reply::plain("check", json, nothing_found(context, project)?))
    }
}

/// Says how much was looked at: an empty memory objects to nothing.
fn nothing_found(context: &mut AskContext, project: Option<ProjectId>) -> Result<String, AppError> {
    let statuses = vec![CardStatus::Active, CardStatus::NeedsRecheck, CardStatus::Proposed];
    let (log, views) = context.memory()?.parts();
    let checked = cards(log, views, &CardFilter { project, kind: None, statuses })?;
    let rules = checked.iter().filter(|info| info.card.kind.is_normative()).count() as u64;
    let rest = checked.len() as u64 - rules;
    let (rules, rest) = (terminal::count(rules, "rule"), terminal::count(rest, "other card"));
    Ok(format!("No rule or failure found ({rules} and {rest} checked).\n"))
}

fn render(found: &Warnings) -> String {
    let cards = |cards: &[Card], style, what: &str| -> Vec<String> {
        cards.iter().map(|card| render_card(terminal::paint(style, what), card)).collect()
    };
    let mut constraints = cards(&found.forbidden, terminal::BAD, "forbidden");
    constraints.extend(cards(&found.unread, terminal::BAD, "may be forbidden, part of it cannot be read"));
    constraints.extend(cards(&found.minded, terminal::WARN, "applies"));
    let mut failed = cards(&found.failed, terminal::WARN, "known to fail");
    failed.extend(found.failed_last.as_ref().map(render_failure));
    let fixes = found.fixes.iter().map(|item| fix::render_fix(item, environment::now())).collect();
    let concerns = cards(&found.concerns, terminal::WARN, "concerns this, by its meaning");
    let unconfirmed = cards(&found.said, terminal::WARN, "said");
    let sections = [
        ("Constraints", constraints),
        ("Rules that may speak against it", concerns),
        ("Unconfirmed", unconfirmed),
        ("Failed attempts", failed),
        ("Known fixes", fixes),
    ];
    sections
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(title, entries)| format!("{}\n{}", terminal::paint(terminal::BOLD, title), entries.join("\n")))
        .collect::<Vec<_>>()
        .join("\n")
}

fn render_failure(failure: &LastFailure) -> String {
    let why = failure
        .diagnostic
        .as_deref()
        .map(|why| format!(": {}", terminal::foreign(&terminal::clip(why, 160))))
        .unwrap_or_default();
    let what = terminal::paint(terminal::WARN, "failed in its last run");
    let head = format!(
        "  session {} · {}{}\n",
        short(&failure.session),
        terminal::time(failure.time),
        fix::age(failure.time, environment::now())
    );
    let cited = fix::evidence(&[&failure.evidence]);
    format!("{what}: `{}`{why}\n{}{cited}", failure.command, terminal::paint(terminal::DIM, &head))
}

fn render_card(what: String, card: &Card) -> String {
    let cited: Vec<&EvidenceRef> = card.evidence.iter().collect();
    let head = format!(
        "  {} · {} · {}{} · card {}\n",
        card.kind.name(),
        card.source.name(),
        terminal::time(card.renewed),
        fix::age(card.renewed, environment::now()),
        &card.id.to_string()[..12]
    );
    let doubt = card_doubt(card, &|_| None).map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    format!(
        "{what}: {}{doubt}\n{}{}",
        answer::statement(card),
        terminal::paint(terminal::DIM, &head),
        fix::evidence(&cited)
    )
}
