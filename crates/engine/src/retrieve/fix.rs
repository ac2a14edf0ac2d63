//! What resolved this error before, and which attempts failed?
//!
//! An answer is useful only if the same diagnostic occurred before, was resolved by a small and clear change, and
//! stayed away. Otherwise nothing is returned: reading the error itself helps more than reading about another one.

use std::collections::BTreeSet;

use backstory_language::commands::line as command;
use backstory_language::diagnostics::{Diagnostic, DiagnosticKind};
use backstory_language::diagnostics::{fingerprint, output};

use crate::log::Log;
use crate::model::{
    CodeChange, EventId, EvidenceRef, Failure, ProjectId, Remedy, Resolution, Timestamp, cite_edit, code_change,
};
use crate::store::{EpisodeNum, FailureRow, Fingerprint, ViewReader, ViewStore};

use super::RetrieveError;
use super::quoted::quoted;

/// At most this many diagnostics of an error text are answered.
const MOST_ANSWERS: usize = 3;
/// At most this many earlier cases of a diagnostic are considered.
const MOST_CASES: usize = 60;
/// Other ways are searched among so many cases, and so many are told.
const MOST_COMPARED: usize = 12;
const MOST_ALTERNATIVES: usize = 2;
/// At most this many removed, and added, lines of a change are shown.
const MOST_LINES: usize = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// What the failing command printed.
    pub error: String,
    /// Only this project's past; None: all projects.
    pub project: Option<ProjectId>,
    /// Only what was known before this time.
    pub before: Option<Timestamp>,
    /// Excludes this session.
    pub other_than: Option<String>,
    pub form: ErrorForm,
}

/// Where the text of an error comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorForm {
    /// A command printed it.
    #[default]
    Output,
    /// A person pasted or retold it, perhaps in part or among other words.
    Pasted,
}

/// What the memory knows about an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixes {
    /// How many diagnostics the text holds.
    pub diagnostics: usize,
    /// How many of them occurred before, with or without a useful answer.
    pub known: usize,
    pub items: Vec<FixItem>,
    /// Those that occurred before but have no item.
    pub seen: Vec<PastFailure>,
}

/// An earlier occurrence of a diagnostic, and what was done until it ended. Which part of that helped is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct PastFailure {
    pub diagnostic: String,
    pub command: String,
    pub session: String,
    pub time: Option<Timestamp>,
    pub failed: EvidenceRef,
    pub ended: Option<PassedRun>,
}

/// The command passed.
#[derive(Clone, Debug, PartialEq)]
pub struct PassedRun {
    pub time: Option<Timestamp>,
    pub edits: u32,
    pub ran: Vec<String>,
    pub passed: EvidenceRef,
}

/// One diagnostic, and how it was resolved before.
#[derive(Clone, Debug, PartialEq)]
pub struct FixItem {
    /// The diagnostic of the question.
    pub diagnostic: String,
    pub rule: Option<String>,
    pub sort: DiagnosticKind,
    pub ground: FixGround,
    /// The diagnostic of that time.
    pub then: String,
    pub command: String,
    pub file: Option<String>,
    pub session: String,
    pub resolved: Option<Timestamp>,
    pub remedy: KnownRemedy,
    /// The number of cases in which it was resolved.
    pub times: usize,
    /// Other ways, newest first.
    pub alternatives: Vec<FixAlternative>,
    /// A change that was tried before and did not resolve the diagnostic.
    pub in_vain: Option<CodeChange>,
    pub failed: EvidenceRef,
    pub passed: EvidenceRef,
    pub edits: Vec<EvidenceRef>,
}

impl FixItem {
    /// A fault in one piece of code is rarely a fault in another.
    fn helps_others(&self) -> bool {
        match self.sort {
            _ if self.remedy.is_around() => true,
            DiagnosticKind::Compile => names_it(&self.remedy, &self.diagnostic),
            sort => sort.is_reusable(),
        }
    }
}

/// Why an earlier case is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixGround {
    /// The same diagnostic.
    Diagnostic,
    /// Only the rule matches, not the message.
    Rule,
    /// The text quotes the diagnostic loosely.
    Quoted,
}

/// Another way in which the same diagnostic was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixAlternative {
    pub remedy: KnownRemedy,
    pub session: String,
    pub resolved: Option<Timestamp>,
}

/// What helped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownRemedy {
    Change(CodeChange),
    /// The commands between the failure and the pass.
    Commands(Vec<String>),
    /// The form in which the command passed, with nothing else in between.
    Form(String),
}

impl KnownRemedy {
    /// A change of the environment, not of the code: useful for any diagnostic. `git reset` and the like change the
    /// code.
    fn is_around(&self) -> bool {
        match self {
            KnownRemedy::Change(_) => false,
            KnownRemedy::Commands(ran) => ran.iter().any(|ran| !command::is_common(ran)),
            KnownRemedy::Form(_) => true,
        }
    }
}

/// What a remedy comes to; two changes of one way are the same advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RemedyWay {
    /// The tool was told to be silent here.
    Silenced,
    Removed,
    Changed,
    Ran,
    OtherForm,
}

impl KnownRemedy {
    fn way(&self) -> RemedyWay {
        const SILENT: [&str; 10] = [
            "nolint", "noqa", "eslint-disable", "ts-ignore", "ts-expect-error", "#[allow", "#[expect", "type: ignore",
            "pylint: disable", "suppress",
        ];
        match self {
            KnownRemedy::Commands(_) => RemedyWay::Ran,
            KnownRemedy::Form(_) => RemedyWay::OtherForm,
            KnownRemedy::Change(change) if change.added.is_empty() => RemedyWay::Removed,
            KnownRemedy::Change(change) => {
                let lower: Vec<String> = change.added.iter().map(|line| line.to_lowercase()).collect();
                let is_silent = |line: &String| SILENT.iter().any(|word| line.contains(word));
                if lower.iter().any(is_silent) { RemedyWay::Silenced } else { RemedyWay::Changed }
            }
        }
    }
}

pub fn fix(log: &mut Log, views: &ViewStore, question: &Fix) -> Result<Fixes, RetrieveError> {
    let snapshot = views.snapshot()?;
    fix_in(log, &snapshot.read(), question)
}

/// Does a text quote a diagnostic? Short words in a text that is not command output do not count.
pub fn has_diagnostics(text: &str) -> bool {
    !output::read(text).is_empty()
}

pub(super) fn fix_in(log: &mut Log, view: &ViewReader<'_>, question: &Fix) -> Result<Fixes, RetrieveError> {
    let found = output::read_quoted(&question.error);
    let fixes = fixes_of(log, view, question, &found, FixGround::Diagnostic)?;
    if question.form == ErrorForm::Output || !fixes.items.is_empty() || !fixes.seen.is_empty() {
        return Ok(fixes);
    }
    let quoted = quoted(view, question.project, &question.error)?;
    let loose = fixes_of(log, view, question, &quoted, FixGround::Quoted)?;
    Ok(Fixes { diagnostics: fixes.diagnostics.max(loose.diagnostics), known: fixes.known.max(loose.known), ..loose })
}

fn fixes_of(
    log: &mut Log,
    view: &ViewReader<'_>,
    question: &Fix,
    found: &[Diagnostic],
    ground: FixGround,
) -> Result<Fixes, RetrieveError> {
    let mut asked: Vec<&Diagnostic> = Vec::new();
    for diagnostic in found {
        if !asked.iter().any(|known| known.fingerprint == diagnostic.fingerprint) {
            asked.push(diagnostic);
        }
    }
    let mut fixes = Fixes { diagnostics: asked.len(), ..Fixes::default() };
    let mut shown: BTreeSet<(EpisodeNum, u32)> = BTreeSet::new();
    for diagnostic in asked {
        let mut cases = Cases::of(log, view, question, diagnostic)?;
        if cases.ground == FixGround::Diagnostic {
            cases.ground = ground;
        }
        fixes.known += usize::from(cases.came_up);
        if fixes.items.len() >= MOST_ANSWERS {
            continue;
        }
        let asked = AskedDiagnostic { text: &diagnostic.text, rule: diagnostic.rule.as_deref(), sort: diagnostic.sort };
        let mut is_answered = false;
        for row in cases.best(&diagnostic.text) {
            // One remedy may have resolved several diagnostics.
            let Some(resolution) = &row.failure.resolution else { continue };
            is_answered = shown.contains(&(row.episode, resolution.seq));
            if is_answered {
                break;
            }
            if let Some(mut item) = item(log, &asked, row, &cases)?.filter(|item| item.helps_others()) {
                shown.insert((row.episode, resolution.seq));
                item.alternatives = alternatives(log, &asked, &item, &cases)?;
                fixes.items.push(item);
                is_answered = true;
                break;
            }
        }
        if !is_answered && cases.ground != FixGround::Rule && fixes.seen.len() < MOST_ANSWERS {
            fixes.seen.extend(past_failure(log, &diagnostic.text, &cases)?);
        }
    }
    Ok(fixes)
}

/// The newest of each other way in which the diagnostic was resolved.
fn alternatives(
    log: &mut Log,
    asked: &AskedDiagnostic<'_>,
    chosen: &FixItem,
    cases: &Cases,
) -> Result<Vec<FixAlternative>, RetrieveError> {
    let mut rows: Vec<&FailureRow> = cases.best(asked.text).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.failure.resolution.as_ref().and_then(|end| end.time)));
    let mut ways = vec![chosen.remedy.way()];
    let mut found = Vec::new();
    for row in rows.into_iter().take(MOST_COMPARED) {
        let other = item(log, asked, row, cases)?.filter(FixItem::helps_others);
        let Some(other) = other.filter(|other| !ways.contains(&other.remedy.way())) else { continue };
        ways.push(other.remedy.way());
        found.push(FixAlternative { remedy: other.remedy, session: other.session, resolved: other.resolved });
    }
    found.truncate(MOST_ALTERNATIVES);
    Ok(found)
}

/// The newest case, preferring those that ended.
fn past_failure(log: &mut Log, diagnostic: &str, cases: &Cases) -> Result<Option<PastFailure>, RetrieveError> {
    let newest = cases.rows.iter().max_by_key(|row| (row.failure.resolution.is_some(), row.failure.time));
    let Some(row) = newest else { return Ok(None) };
    let ended = row.failure.resolution.as_ref().map(|end| PassedRun {
        time: end.time,
        edits: end.edits_between,
        ran: end.ran_between.clone(),
        passed: end.passed,
    });
    Ok(Some(PastFailure {
        diagnostic: diagnostic.to_owned(),
        command: row.failure.command.clone(),
        session: session_of(log, row.episode)?,
        time: row.failure.time,
        failed: row.failure.failed,
        ended,
    }))
}

/// How an error was resolved for good, for an unasked answer; `None` if it is useless to others.
pub(super) fn resolved(log: &mut Log, row: &FailureRow) -> Result<Option<FixItem>, RetrieveError> {
    let failure = &row.failure;
    let is_of_use = match failure.resolution.as_ref().map(|end| &end.remedy) {
        Some(Remedy::Form { .. }) => true,
        // Such as a missing service.
        Some(Remedy::Commands { commands }) if failure.sort == DiagnosticKind::Other => {
            KnownRemedy::Commands(commands.clone()).is_around()
        }
        _ => failure.sort.is_reusable() && !failure.of_helper,
    };
    if !is_of_use || !failure.resolution.as_ref().is_some_and(Resolution::is_clear) {
        return Ok(None);
    }
    Ok(as_it_was(log, row)?.filter(FixItem::helps_others))
}

/// How it ended, even if useless to others: by a clear remedy, or by the only edit in between, in any file.
pub(super) fn recounted(log: &mut Log, row: &FailureRow) -> Result<Option<FixItem>, RetrieveError> {
    let Some(resolution) = &row.failure.resolution else { return Ok(None) };
    let elsewhere = match &resolution.remedy {
        Remedy::Elsewhere { edits } => edits.first().filter(|_| resolution.edits_between == 1),
        _ if resolution.is_clear() => return as_it_was(log, row),
        _ => None,
    };
    let Some(edit) = elsewhere else { return Ok(None) };
    let edited = log.store().event(*edit)?.and_then(|edit| edit.meta.files.first().cloned());
    let name = edited.map(|file| file.rsplit('/').next().unwrap_or_default().to_owned());
    Ok(as_it_was(log, row)?.map(|item| FixItem { file: name, ..item }))
}

fn as_it_was(log: &mut Log, row: &FailureRow) -> Result<Option<FixItem>, RetrieveError> {
    let failure = &row.failure;
    let asked = AskedDiagnostic { text: &failure.text, rule: failure.rule.as_deref(), sort: failure.sort };
    let cases =
        Cases { rows: vec![row.clone()], ground: FixGround::Diagnostic, came_up: true, came_back: BTreeSet::new() };
    item(log, &asked, row, &cases)
}

/// The diagnostic of the question.
struct AskedDiagnostic<'a> {
    text: &'a str,
    rule: Option<&'a str>,
    sort: DiagnosticKind,
}

/// The relevant earlier cases of a diagnostic.
struct Cases {
    rows: Vec<FailureRow>,
    ground: FixGround,
    came_up: bool,
    /// Cases that were resolved but came back at the same place.
    came_back: BTreeSet<(EpisodeNum, u32)>,
}

impl Cases {
    fn of(
        log: &mut Log,
        view: &ViewReader<'_>,
        question: &Fix,
        diagnostic: &Diagnostic,
    ) -> Result<Self, RetrieveError> {
        let exact = known(log, view, question, Fingerprint::Diagnostic(diagnostic.fingerprint))?;
        let came_up = !exact.is_empty();
        let mut cases = Cases { came_back: came_back(&exact), rows: exact, ground: FixGround::Diagnostic, came_up };
        if cases.best(&diagnostic.text).next().is_none()
            && let Some(rule) = &diagnostic.rule
        {
            let mut rows = known(log, view, question, Fingerprint::Rule(fingerprint::of_rule(rule)))?;
            rows.retain(|row| is_worded_alike(&diagnostic.text, &row.failure.text));
            let of_rule = Cases { came_back: came_back(&rows), rows, ground: FixGround::Rule, came_up: true };
            // Otherwise only the exact diagnostic counts.
            if of_rule.best(&diagnostic.text).next().is_some() {
                cases = of_rule;
            }
        }
        Ok(cases)
    }

    /// Cases with a clear and lasting resolution, best first: the same words before mere matches by kind.
    fn best(&self, asked: &str) -> impl Iterator<Item = &FailureRow> {
        let mut rows: Vec<&FailureRow> = self.rows.iter().filter(|row| self.counts(row)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.failure.text == asked, rank(&row.failure))));
        rows.into_iter()
    }

    fn counts(&self, row: &FailureRow) -> bool {
        let Some(resolution) = &row.failure.resolution else { return false };
        let same_words = self.ground != FixGround::Rule || matches!(resolution.remedy, Remedy::Line { .. });
        resolution.is_clear() && same_words && !self.came_back.contains(&(row.episode, row.failure.seq))
    }
}

/// Changes of the same line rank first; then the newest.
fn rank(failure: &Failure) -> (u8, Option<Timestamp>) {
    let resolution = failure.resolution.as_ref();
    let nearness = match resolution.map(|resolution| &resolution.remedy) {
        Some(Remedy::Line { .. } | Remedy::Form { .. }) => 2,
        Some(Remedy::Commands { .. }) => 1,
        _ => 0,
    };
    (nearness, resolution.and_then(|resolution| resolution.time))
}

fn known(
    log: &mut Log,
    view: &ViewReader<'_>,
    question: &Fix,
    fingerprint: Fingerprint,
) -> Result<Vec<FailureRow>, RetrieveError> {
    let mut rows = view.failures_like(fingerprint, question.project, MOST_CASES)?;
    if let Some(before) = question.before {
        rows.retain(|row| row.failure.time.is_some_and(|time| time < before));
        for row in &mut rows {
            let later = |time: Option<Timestamp>| time.is_none_or(|time| time >= before);
            if row.failure.resolution.as_ref().is_some_and(|resolution| later(resolution.time)) {
                row.failure.resolution = None;
            }
            row.failure.attempts.retain(|attempt| !later(attempt.time));
        }
    }
    if let Some(session) = &question.other_than {
        let mut own = BTreeSet::new();
        for row in &rows {
            if session_of(log, row.episode)? == *session {
                own.insert(row.episode);
            }
        }
        rows.retain(|row| !own.contains(&row.episode));
    }
    Ok(rows)
}

/// Resolved cases whose diagnostic recurred in the same file, later in the same session.
fn came_back(rows: &[FailureRow]) -> BTreeSet<(EpisodeNum, u32)> {
    let again = |row: &FailureRow, resolved: u32| {
        let later = |other: &&FailureRow| other.episode == row.episode && other.failure.seq > resolved;
        rows.iter().filter(later).any(|other| other.failure.file == row.failure.file)
    };
    let resolved =
        rows.iter().filter_map(|row| row.failure.resolution.as_ref().map(|resolution| (row, resolution.seq)));
    resolved.filter(|(row, seq)| again(row, *seq)).map(|(row, _)| (row.episode, row.failure.seq)).collect()
}

fn session_of(log: &mut Log, episode: EpisodeNum) -> Result<String, RetrieveError> {
    Ok(log.store().episode(episode)?.map(|episode| episode.key.session).unwrap_or_default())
}

fn item(
    log: &mut Log,
    asked: &AskedDiagnostic<'_>,
    row: &FailureRow,
    cases: &Cases,
) -> Result<Option<FixItem>, RetrieveError> {
    let failure = &row.failure;
    let Some(resolution) = &failure.resolution else { return Ok(None) };
    let mut edits = Vec::new();
    let remedy = match &resolution.remedy {
        Remedy::Commands { commands } => KnownRemedy::Commands(commands.clone()),
        Remedy::Form { command, .. } => KnownRemedy::Form(command.clone()),
        remedy => match change(log, remedy.edits(), failure.code, &mut edits)? {
            Some(change) => KnownRemedy::Change(change),
            None => return Ok(None),
        },
    };
    let in_vain = match failure.attempts.last() {
        Some(attempt) => change(log, &attempt.edits, failure.code, &mut Vec::new())?,
        None => None,
    };
    let resolved = cases.rows.iter().filter(|row| row.failure.resolution.is_some());
    let times = resolved.map(|row| row.episode).collect::<BTreeSet<_>>().len();
    Ok(Some(FixItem {
        diagnostic: asked.text.to_owned(),
        rule: asked.rule.map(str::to_owned),
        sort: asked.sort,
        ground: cases.ground,
        then: failure.text.clone(),
        command: failure.command.clone(),
        file: failure.file.clone(),
        session: session_of(log, row.episode)?,
        resolved: resolution.time,
        remedy,
        times,
        alternatives: Vec::new(),
        in_vain,
        failed: failure.failed,
        passed: resolution.passed,
        edits,
    }))
}

/// One rule can have many messages: at least two in five of all words must be shared.
fn is_worded_alike(a: &str, b: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        fingerprint::normal(DiagnosticKind::Lint, text).split(' ').map(str::to_owned).collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    5 * shared >= 2 * (a.len() + b.len() - shared)
}

/// A compile error is about a name: a change without that name is about something else.
fn names_it(remedy: &KnownRemedy, diagnostic: &str) -> bool {
    let KnownRemedy::Change(change) = remedy else { return false };
    let name = diagnostic.split(|c: char| !c.is_alphanumeric() && c != '_').rfind(|word| word.len() > 2);
    name.is_some_and(|name| change.added.iter().any(|line| line.contains(name)))
}

/// The total of the edits in a few lines; their evidence is added to `cited`.
fn change(
    log: &mut Log,
    edits: &[EventId],
    code: Option<u32>,
    cited: &mut Vec<EvidenceRef>,
) -> Result<Option<CodeChange>, RetrieveError> {
    let mut whole = CodeChange::default();
    for edit in edits {
        let Some(event) = log.store().event(*edit)?.filter(|event| !event.forgotten) else { continue };
        let change = code_change(&event.text, code);
        // The same change in several places counts once.
        let is_known = |lines: &[String], line: &String| lines.contains(line);
        let (removed, added) = (whole.removed.clone(), whole.added.clone());
        whole.removed.extend(change.removed.into_iter().filter(|line| !is_known(&removed, line)));
        whole.added.extend(change.added.into_iter().filter(|line| !is_known(&added, line)));
        cited.push(cite_edit(&event));
    }
    whole.removed.truncate(MOST_LINES);
    whole.added.truncate(MOST_LINES);
    let is_empty = whole.removed.is_empty() && whole.added.is_empty();
    Ok((!is_empty).then_some(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_no_diagnostic() {
        for prompt in ["push it", "add a queue", "hello\nplease run the tests"] {
            assert!(!has_diagnostics(prompt), "{prompt}");
        }
        assert!(has_diagnostics("DEPLOY_TOKEN is not set"));
        assert!(has_diagnostics("this came up:\nlib/gate.go:7:1: result of shut is not checked (errcheck)"));
    }
}
