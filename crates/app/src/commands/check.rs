use backstory_engine::model::{Card, Channel, EvidenceRef};
use backstory_engine::retrieve::{Check, LastFailure, Warnings, card_doubt, check};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::working_tree::WorkingTree;
use crate::{environment, json, terminal};

use super::sessions::short;
use super::{Answers, answer, fix};

/// Does anything speak against doing this?
///
/// An action is a command (`backstory check git push --force`), a path that is to
/// be edited (`backstory check src/gen/api.ts`) or a plan in words. What comes
/// back: constraints and commitments that forbid it or are to be minded, or that a
/// part of it which cannot be read may break, what a person said against it that
/// was not confirmed yet, what is known to fail or
/// failed when it was last run in another session, and, with --error, what
/// resolved that error before. A commit or a push counts for the branch that is
/// checked out. Mostly nothing speaks against it: then
/// nothing is printed and the exit code is 0. Made to be asked before every step.
/// Everything from the action on is the action: options stand before it.
#[derive(clap::Args)]
pub struct CheckCommand {
    /// What is to be done: a command, a path, or words
    #[arg(value_name = "ACTION", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    action: Vec<String>,
    /// What the last command printed, if it failed; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// The host's session that asks, so that what came of it is known later
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// The answer as JSON
    #[arg(long)]
    json: bool,
}

impl CheckCommand {
    pub fn run(mut self) -> Result<(), AppError> {
        if self.error.as_deref() == Some("-") {
            self.error = Some(fix::from_input("the error")?);
        }
        super::show(self)
    }
}

impl Answers for CheckCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let error = self.error;
        let project = context.scope(&self.scope)?.even_unknown();
        let branch = if self.scope.is_given() { None } else { WorkingTree::branch_in(&context.folder) };
        let (log, views) = context.memory()?.parts();
        let other_than = self.session.clone();
        let action = self.action.join(" ");
        let question = Check { action, error, project, other_than, branch, ..Check::default() };
        let found = check(log, views, &question)?;
        let cards = found.cards().map(|card| card.id).collect();
        context.shown(Channel::Check, cards, self.session, String::new())?;
        let json = json::warnings(&found, environment::now());
        if !found.is_empty() {
            return Ok(Reply::recalled("check", json, tell(&found)));
        }
        // An agent that runs the command pays for every word; one that calls a
        // tool gets an answer.
        let is_read = context.is_agents() || terminal::is_read_by_a_person();
        Ok(Reply::plain("check", json, if is_read { "Nothing speaks against it.\n" } else { "" }))
    }
}

fn tell(found: &Warnings) -> String {
    let mut parts = Vec::new();
    for card in &found.forbidden {
        parts.push(tell_card(terminal::paint(terminal::BAD, "forbidden"), card));
    }
    for card in &found.unread {
        parts.push(tell_card(terminal::paint(terminal::BAD, "cannot be read in full, may be forbidden"), card));
    }
    for card in &found.minded {
        parts.push(tell_card(terminal::paint(terminal::WARN, "to be minded"), card));
    }
    for card in &found.said {
        parts.push(tell_card(terminal::paint(terminal::WARN, "said, not confirmed"), card));
    }
    for card in &found.failed {
        parts.push(tell_card(terminal::paint(terminal::WARN, "known to fail"), card));
    }
    for item in &found.fixes {
        parts.push(fix::tell(item, environment::now()));
    }
    parts.extend(found.failed_last.as_ref().map(tell_failure));
    parts.join("\n")
}

fn tell_failure(failure: &LastFailure) -> String {
    let why = failure
        .diagnostic
        .as_deref()
        .map(|why| format!(": {}", terminal::foreign(&terminal::clip(why, 160))))
        .unwrap_or_default();
    let what = terminal::paint(terminal::WARN, "failed when it was last run");
    let head = format!(
        "  session {} · {}{}\n",
        short(&failure.session),
        terminal::time(failure.time),
        fix::age(failure.time, environment::now())
    );
    let cited = fix::evidence(&[&failure.evidence]);
    format!("{what}: `{}`{why}\n{}{cited}", failure.command, terminal::paint(terminal::DIM, &head))
}

fn tell_card(what: String, card: &Card) -> String {
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
