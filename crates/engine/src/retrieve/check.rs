//! Does a card or a known failure forbid this action?
//!
//! An action is a command, a path to edit, or a plan in words. An index finds the few cards with words of the action.

use std::collections::BTreeSet;

use backstory_language::clauses::{Action, Bind, ClauseReader};
use backstory_language::commands::line::environment;
use backstory_language::commands::test_runner;
use backstory_language::diagnostics::output;
use backstory_language::shell::ScriptExtent;

use crate::log::Log;
use crate::model::{
    Card, CardKind, CardStatus, ENVIRONMENT_TAG, ERROR_TAG, ProjectId, Scope, Tier, Timestamp, any_tests_key,
    command_key, command_keys,
};
use crate::store::{ViewReader, ViewStore};

use super::RetrieveError;
use super::fix::{Fix, FixItem, fix_in};
use super::recent::{LastFailure, RecentQuestion, failed_last};

/// The limit for each kind of warning.
const MOST: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The planned action.
    pub action: String,
    /// What the last command printed, if it failed.
    pub error: Option<String>,
    /// Limits the answer to this project's cards and those with a wider scope.
    pub project: Option<ProjectId>,
    /// Limits the answer to what was known before this time.
    pub before: Option<Timestamp>,
    pub other_than: Option<String>,
    /// The branch that is checked out; some commands depend on it.
    pub branch: Option<String>,
    pub extent: ScriptExtent,
}

/// The rules against it, and what helped before. Usually empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings {
    /// Constraints and commitments that the action would break.
    pub forbidden: Vec<Card>,
    /// Rules that a part of the action, which cannot be parsed, may break.
    pub unread: Vec<Card>,
    /// Rules that depend on something the action does not show ("never commit without running the tests"), or require
    /// more ("always with --locked").
    pub minded: Vec<Card>,
    /// Objections of a person that are not confirmed.
    pub said: Vec<Card>,
    /// Known failures: commands, and attempts at the last error.
    pub failed: Vec<Card>,
    pub fixes: Vec<FixItem>,
    /// The last run of this exact command, in another session, failed.
    pub failed_last: Option<LastFailure>,
}

impl Warnings {
    pub fn is_empty(&self) -> bool {
        self.cards().next().is_none() && self.fixes.is_empty() && self.failed_last.is_none()
    }

    /// All cards of the answer, most important first.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        [&self.forbidden, &self.unread, &self.minded, &self.said, &self.failed].into_iter().flatten()
    }

    /// Adds a constraint or commitment that applies to the action or may forbid an unparsed part of it.
    fn add_rule(&mut self, reader: &mut ClauseReader, action: &Action, card: Card) {
        match (card.status, reader.bears_on(&card.statement, action)) {
            (CardStatus::Proposed, Some(_)) => self.said.push(card),
            (CardStatus::Proposed, None) => {}
            (_, Some(Bind::Firm)) => self.forbidden.push(card),
            (_, Some(Bind::Loose)) => self.minded.push(card),
            (_, None) => {
                if reader.may_forbid(&card.statement, action) {
                    self.unread.push(card);
                }
            }
        }
    }

    /// Keeps the newest of each kind.
    fn shorten(&mut self) {
        for cards in [&mut self.forbidden, &mut self.unread, &mut self.minded, &mut self.said, &mut self.failed] {
            cards.sort_by_key(|card| std::cmp::Reverse((card.renewed, card.id)));
            cards.truncate(MOST);
        }
    }
}

pub fn check(log: &mut Log, views: &ViewStore, question: &Check) -> Result<Warnings, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let mut warnings = of_cards(&view, question)?;
    // A known failure is more specific, and a question about the past must not show the last run.
    if let (Some(project), None, true) = (question.project, question.before, warnings.failed.is_empty()) {
        let recent = RecentQuestion { project, other_than: question.other_than.clone() };
        warnings.failed_last = failed_last(log, &view, &recent, &question.action)?;
    }
    if let Some(error) = &question.error {
        let fix = Fix {
            error: error.clone(),
            project: question.project,
            before: question.before,
            other_than: question.other_than.clone(),
        };
        warnings.fixes = fix_in(log, &view, &fix)?.items;
    }
    Ok(warnings)
}

fn of_cards(view: &ViewReader<'_>, question: &Check) -> Result<Warnings, RetrieveError> {
    let mut reader = ClauseReader::new();
    let action = reader.action(&question.action, question.branch.as_deref(), question.extent);
    let any_tests = test_runner(&question.action).map(|runner| any_tests_key(&runner));
    let commands: Vec<String> = any_tests.into_iter().chain([command_key(&question.action)]).collect();
    let errors = error_keys(question.error.as_deref());
    let keys: Vec<String> = action.words.iter().chain(&commands).chain(&errors).cloned().collect();
    let mut warnings = Warnings::default();
    for card in cards(view, question, &keys)? {
        match card.kind {
            CardKind::Constraint | CardKind::Commitment => warnings.add_rule(&mut reader, &action, card),
            CardKind::Fact | CardKind::NegativeResult => {
                let known = command_keys(card.source, &card.tags, &card.statement);
                let of_command = commands.iter().any(|command| known.contains(command));
                let of_error =
                    card.kind == CardKind::NegativeResult && card.tags.iter().any(|tag| errors.contains(tag));
                if of_command && !sets_what_it_needs(&card, &question.action) || of_error {
                    warnings.failed.push(card);
                }
            }
            CardKind::Tactic | CardKind::Preference => {}
        }
    }
    warnings.shorten();
    Ok(warnings)
}

/// Is the command already in the form that works?
fn sets_what_it_needs(card: &Card, action: &str) -> bool {
    let mut needed = card.tags.iter().filter_map(|tag| tag.strip_prefix(ENVIRONMENT_TAG)).peekable();
    let set = environment(action);
    needed.peek().is_some() && needed.all(|name| set.iter().any(|set| set == name))
}

fn error_keys(error: Option<&str>) -> BTreeSet<String> {
    let found = error.map(output::of_failure).unwrap_or_default();
    found.iter().map(|diagnostic| format!("{ERROR_TAG}{}", diagnostic.fingerprint)).collect()
}

/// Cards that apply here and match one of the keys. Cards in doubt are marked, not left out.
fn cards(view: &ViewReader<'_>, question: &Check, keys: &[String]) -> Result<Vec<Card>, RetrieveError> {
    let mut cards = Vec::new();
    for id in view.prohibiting(question.project, keys)? {
        let Some(row) = view.card(id)? else { continue };
        let known = question.before.is_none_or(|before| row.card.created.is_some_and(|created| created < before));
        let here = question
            .project
            .is_none_or(|project| row.card.scope.tier != Tier::Repo || row.card.scope == Scope::repo(project));
        if row.card.counts_before_actions() && known && here {
            cards.push(row.card);
        }
    }
    Ok(cards)
}
