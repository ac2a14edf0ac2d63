//! Does a card or a known failure forbid this action?
//!
//! An action is a command, a path to edit, or a plan in words. An index finds the few cards with words of the action.
//! A plan is also compared with every rule by meaning, since it says in other words what a rule forbids.

use std::collections::BTreeSet;

use backstory_language::clauses::{Action, Bind, ClauseReader, ConcernReader, is_plan};
use backstory_language::commands::line::environment;
use backstory_language::commands::test_runner;
use backstory_language::diagnostics::output;
use backstory_language::shell::ScriptExtent;
use backstory_language::similarity::cosine;

use crate::log::Log;
use crate::model::{
    Card, CardKind, CardSource, CardStatus, ENVIRONMENT_TAG, ERROR_TAG, ProjectId, Scope, Tier, Timestamp,
    any_tests_key, command_key, command_keys,
};
use crate::store::{CardFilter, ViewReader, ViewStore};

use super::RetrieveError;
use super::fix::{ErrorForm, Fix, FixItem, fix_in};
use super::recent::{LastFailure, RecentQuestion, failed_last};

/// The limit for each kind of warning.
const MOST: usize = 3;
/// Rules with a lower cosine to a plan are not read: they are about something else.
const NEAR: f32 = 0.12;
/// Added lines of an edit that are compared with the rules.
const MOST_LINES: usize = 400;
const MOST_KEYS: usize = 600;

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
    /// The text that an edit adds, if the action is an edit.
    pub content: Option<String>,
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
    /// Rules that a plan in words, or the text of an edit, seems to go against; by meaning, so not certain.
    pub concerns: Vec<Card>,
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
        let kinds = [&self.forbidden, &self.unread, &self.minded, &self.concerns, &self.said, &self.failed];
        kinds.into_iter().flatten()
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
    warnings.concerns = concerns(&view, question, &warnings)?;
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
            form: ErrorForm::Output,
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

/// Rules that a plan or the text of an edit seems to go against, the nearest first.
fn concerns(view: &ViewReader<'_>, question: &Check, known: &Warnings) -> Result<Vec<Card>, RetrieveError> {
    let mut reader = ConcernReader::new();
    let is_new = |card: &Card| is_rule(card, question) && !known.cards().any(|other| other.id == card.id);
    let mut found: Vec<(f32, Card)> = match &question.content {
        Some(content) => forbidden_lines(&mut reader, view, question, content)?,
        None if is_plan(&question.action) => against_plan(&mut reader, view, question)?,
        None => Vec::new(),
    };
    found.retain(|(_, card)| is_new(card));
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
    found.truncate(MOST);
    Ok(found.into_iter().map(|(_, card)| card).collect())
}

fn against_plan(
    reader: &mut ConcernReader,
    view: &ViewReader<'_>,
    question: &Check,
) -> Result<Vec<(f32, Card)>, RetrieveError> {
    let plan = reader.plan(&question.action);
    let mut found = Vec::new();
    for row in view.cards(&CardFilter { project: question.project, ..CardFilter::default() })? {
        let near = cosine(&row.vector, plan.vector());
        if near >= NEAR && is_rule(&row.card, question) && reader.rule(&row.card.statement).concerns(&plan) {
            found.push((near, row.card));
        }
    }
    Ok(found)
}

/// Meaning is no proof here: a line of code must have every word of what is forbidden.
fn forbidden_lines(
    reader: &mut ConcernReader,
    view: &ViewReader<'_>,
    question: &Check,
    content: &str,
) -> Result<Vec<(f32, Card)>, RetrieveError> {
    let written = content.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES);
    let lines: Vec<BTreeSet<String>> = written.map(|line| reader.stems(line)).collect();
    let mut keys: BTreeSet<&String> = lines.iter().flatten().collect();
    while keys.len() > MOST_KEYS {
        keys.pop_last();
    }
    let keys: Vec<String> = keys.into_iter().cloned().collect();
    let mut found = Vec::new();
    for card in cards(view, question, &keys)? {
        let rule = reader.rule(&card.statement);
        if lines.iter().any(|line| rule.forbids_in_code(line)) {
            found.push((0.0, card));
        }
    }
    Ok(found)
}

/// A rule of a person about what is built, in force or said, for this place and time.
fn is_rule(card: &Card, question: &Check) -> bool {
    let is_of_tools = matches!(
        card.source,
        CardSource::CheckCommand
            | CardSource::Correction
            | CardSource::Procedure
            | CardSource::Fix
            | CardSource::Attempt
    );
    let is_kind = card.kind.is_normative() || card.kind == CardKind::Fact;
    let known = question.before.is_none_or(|before| card.created.is_some_and(|created| created < before));
    card.status.is_open() && is_kind && !is_of_tools && known
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
