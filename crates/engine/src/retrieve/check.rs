//! Does anything speak against doing this?
//!
//! An action is a command, a path that is to be edited, or a plan in words. Cards
//! are found by the words of the action, through an index; only those few are read.

use std::collections::BTreeSet;

use backstory_language::clauses::{Bind, Reader};
use backstory_language::commands::line::environment;
use backstory_language::commands::test_runner;
use backstory_language::diagnostics::output;
use backstory_language::shell::Extent;

use crate::log::Log;
use crate::model::{
    Card, CardKind, CardStatus, ENVIRONMENT_TAG, ERROR_TAG, ProjectId, Scope, Tier, Timestamp, any_tests_key,
    command_key, command_keys,
};
use crate::store::{ViewReader, ViewStore};

use super::RetrieveError;
use super::fix::{Fix, FixItem, fix_in};
use super::recent::{LastFailure, RecentQuestion, failed_last};

/// Of each kind, at most so many are told.
const MOST: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// What is to be done.
    pub action: String,
    /// What the last command printed, if it failed.
    pub error: Option<String>,
    /// This project's cards and those that reach further; without one, all.
    pub project: Option<ProjectId>,
    /// Only what was known before.
    pub before: Option<Timestamp>,
    pub other_than: Option<String>,
    /// The branch that is checked out, on which some commands act.
    pub branch: Option<String>,
    pub extent: Extent,
}

/// What speaks against it, and what helped before. Mostly nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings {
    /// Constraints and commitments that the action would break.
    pub forbidden: Vec<Card>,
    /// The same, where a part of the action cannot be read and may break them.
    pub unread: Vec<Card>,
    /// The same, where it depends on what the action does not show ("never commit
    /// without running the tests"), or asks for more ("always with --locked").
    pub minded: Vec<Card>,
    /// What a person said against it, which nobody has confirmed.
    pub said: Vec<Card>,
    /// What is known to fail: commands, and attempts at the last error.
    pub failed: Vec<Card>,
    pub fixes: Vec<FixItem>,
    /// The very command failed when it was last run, in another session.
    pub failed_last: Option<LastFailure>,
}

impl Warnings {
    pub fn is_empty(&self) -> bool {
        self.cards().next().is_none() && self.fixes.is_empty() && self.failed_last.is_none()
    }

    /// All that is told of cards, what weighs most first.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        [&self.forbidden, &self.unread, &self.minded, &self.said, &self.failed].into_iter().flatten()
    }
}

pub fn check(log: &mut Log, views: &ViewStore, question: &Check) -> Result<Warnings, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let mut reader = Reader::new();
    let action = reader.action(&question.action, question.branch.as_deref(), question.extent);
    let command = command_key(&question.action);
    let errors = error_keys(question.error.as_deref());
    let mut keys: Vec<String> = action.words.iter().cloned().collect();
    let commands: Vec<String> =
        test_runner(&question.action).map(|runner| any_tests_key(&runner)).into_iter().chain([command]).collect();
    keys.extend(commands.iter().cloned());
    keys.extend(errors.iter().cloned());

    let mut warnings = Warnings::default();
    for card in cards(&view, question, &keys)? {
        match card.kind {
            CardKind::Constraint | CardKind::Commitment => {
                let Some(bind) = reader.bears_on(&card.statement, &action) else {
                    if card.status != CardStatus::Proposed && reader.may_forbid(&card.statement, &action) {
                        warnings.unread.push(card);
                    }
                    continue;
                };
                match (card.status, bind) {
                    (CardStatus::Proposed, _) => warnings.said.push(card),
                    (_, Bind::Firm) => warnings.forbidden.push(card),
                    (_, Bind::Loose) => warnings.minded.push(card),
                }
            }
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
    let lists =
        [&mut warnings.forbidden, &mut warnings.unread, &mut warnings.minded, &mut warnings.said, &mut warnings.failed];
    for cards in lists {
        cards.sort_by_key(|card| std::cmp::Reverse((card.renewed, card.id)));
        cards.truncate(MOST);
    }
    // Known to fail says more, and what was known before some time is not the last.
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

/// Is the command about to be run in the form that works?
fn sets_what_it_needs(card: &Card, action: &str) -> bool {
    let mut needed = card.tags.iter().filter_map(|tag| tag.strip_prefix(ENVIRONMENT_TAG)).peekable();
    let set = environment(action);
    needed.peek().is_some() && needed.all(|name| set.iter().any(|set| set == name))
}

fn error_keys(error: Option<&str>) -> BTreeSet<String> {
    let found = error.map(output::of_failure).unwrap_or_default();
    found.iter().map(|diagnostic| format!("{ERROR_TAG}{}", diagnostic.print)).collect()
}

/// Cards that count here, and that any of the keys leads to. What is under doubt is
/// told as such: better than to be silent.
fn cards(view: &ViewReader<'_>, question: &Check, keys: &[String]) -> Result<Vec<Card>, RetrieveError> {
    let mut cards = Vec::new();
    for id in view.guarded_by(question.project, keys)? {
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
