//! How was each diagnostic of an episode resolved?
//!
//! A diagnostic of a command about a file stays open until everything that was checked when it
//! appeared has passed without it. The edits between the last failure that shows it and the first
//! run that does not are its remedy; without edits, the commands that ran between them, or the
//! other form of the command. An edit after which it still appears is an attempt.

use std::collections::{BTreeMap, BTreeSet};

use backstory_language::commands::line as command;
use backstory_language::diagnostics::Diagnostic;
use backstory_language::diagnostics::fingerprint;

use crate::model::{
    Attempt, CheckRun, Digest, EditMade, EventId, EvidenceKind, EvidenceRef, Failure, Remedy, Resolution,
};

use super::corrections;

/// More edits than this do not count as an attempt at one diagnostic.
const MOST_EDITS: usize = 5;
/// With more commands than this between failure and success, it is unclear which one helped.
const MOST_COMMANDS: usize = 2;
/// How many of them are stored.
const MOST_TOLD: usize = 6;

/// Runs and edits in the order of the episode.
pub fn of_episode(runs: &[CheckRun], edits: &[EditMade]) -> Vec<Failure> {
    let mut watch = Watch { runs, edits, open: BTreeMap::new(), usual: BTreeMap::new(), closed: Vec::new() };
    for at in 0..runs.len() {
        watch.look(at);
    }
    let mut failures = watch.closed;
    for open in watch.open.into_values() {
        failures.push(open.failure);
    }
    failures.sort_by(|a, b| (a.seq, a.fingerprint, &a.file).cmp(&(b.seq, b.fingerprint, &b.file)));
    failures
}

type Key = (Digest, Option<String>);

struct Open {
    failure: Failure,
    /// The checks that have not passed since.
    pending: BTreeSet<String>,
    commands: BTreeSet<String>,
    diagnostic: Diagnostic,
    /// The last run that shows it.
    last: usize,
    /// The first run after it that does not.
    gone: Option<usize>,
}

struct Watch<'a> {
    runs: &'a [CheckRun],
    edits: &'a [EditMade],
    open: BTreeMap<Key, Open>,
    /// The diagnostics that a command prints even when it passes.
    usual: BTreeMap<&'a str, BTreeSet<Digest>>,
    closed: Vec<Failure>,
}

impl<'a> Watch<'a> {
    fn look(&mut self, at: usize) {
        match self.runs[at].passed {
            true => self.passed(at),
            false => self.failed(at),
        }
    }

    fn failed(&mut self, at: usize) {
        let run = &self.runs[at];
        let hides_others = run.is_cut
            || run
                .diagnostics
                .iter()
                .any(|found| found.sort == backstory_language::diagnostics::DiagnosticKind::Compile);
        for diagnostic in &run.diagnostics {
            let key = (diagnostic.fingerprint, diagnostic.file.clone());
            if cores(run).any(|command| self.is_usual(command, diagnostic.fingerprint)) {
                continue;
            }
            match self.open.get_mut(&key) {
                Some(open) => {
                    let attempt = attempt(run, diagnostic, open, edits_between(self.edits, &self.runs[open.last], run));
                    open.failure.attempts.extend(attempt);
                    open.diagnostic = diagnostic.clone();
                    open.failure.code = diagnostic.code;
                    open.last = at;
                    open.gone = None;
                    open.commands.extend(cores(run).map(str::to_owned));
                    open.pending = cores(run).map(str::to_owned).collect();
                }
                None => {
                    self.open.insert(key, opened(run, diagnostic, at));
                }
            }
        }
        let commands: BTreeSet<&str> = cores(run).collect();
        for (key, open) in &mut self.open {
            let shown = run.diagnostics.iter().any(|found| found.fingerprint == key.0 && found.file == key.1);
            let checked = open.pending.iter().all(|command| commands.contains(command.as_str()));
            if open.gone.is_none() && !shown && checked && !hides_others {
                open.gone = Some(at);
            }
        }
    }

    fn is_usual(&self, command: &str, fingerprint: Digest) -> bool {
        self.usual.get(command).is_some_and(|known| known.contains(&fingerprint))
    }

    fn passed(&mut self, at: usize) {
        let run = &self.runs[at];
        let fingerprints: BTreeSet<Digest> = run.diagnostics.iter().map(|diagnostic| diagnostic.fingerprint).collect();
        for command in cores(run) {
            self.usual.entry(command).or_default().extend(&fingerprints);
        }
        let mut done = Vec::new();
        for (key, open) in &mut self.open {
            if is_corrected(&self.runs[open.last..=at], self.edits, &open.diagnostic) {
                open.gone = Some(at);
                done.push(key.clone());
                continue;
            }
            if !cores(run).any(|command| open.commands.contains(command)) {
                continue;
            }
            for command in cores(run) {
                open.pending.remove(command);
            }
            open.gone = open.gone.or(Some(at));
            if open.pending.is_empty() {
                done.push(key.clone());
            }
        }
        for key in done {
            let Some(open) = self.open.remove(&key) else { continue };
            // A passing run prints it too: nothing was wrong, and nothing was resolved.
            let is_resolved = !fingerprints.contains(&key.0);
            let resolution = is_resolved.then(|| self.resolution(&open, at));
            self.closed.push(Failure { resolution, ..open.failure });
        }
    }

    fn resolution(&self, open: &Open, at: usize) -> Resolution {
        let (from, to) = (open.last, open.gone.unwrap_or(at));
        let edits = edits_between(self.edits, &self.runs[from], &self.runs[to]);
        let ran_between = ran_between(&self.runs[from..=to]);
        let (remedy, size) = match edits.is_empty() {
            true => (helped(&ran_between, &self.runs[from], &self.runs[to]), 0),
            false => remedy(&open.diagnostic, &edits),
        };
        let passed = &self.runs[at];
        Resolution {
            turn: passed.turn,
            seq: passed.seq,
            time: passed.time,
            remedy,
            size,
            edits_between: edits.len() as u32,
            ran_between,
            passed: passed.shown,
        }
    }
}

/// The checks of a run, in their normal form.
fn cores(run: &CheckRun) -> impl Iterator<Item = &str> {
    run.commands.iter().map(|command| command::core(command))
}

/// Commands after a failure that may have resolved it. Those on the failing line did not help.
fn ran_between(runs: &[CheckRun]) -> Vec<String> {
    let [failed, between @ .., gone] = runs else { return Vec::new() };
    let mut ran: Vec<&String> = Vec::new();
    for run in between.iter().filter(|run| run.passed) {
        ran.extend(&run.before);
        ran.extend(run.commands.iter().filter(|check| run.is_check && command::may_cure(check)));
    }
    ran.extend(&gone.before);
    ran.retain(|command| !failed.before.contains(command) && !failed.commands.contains(command));
    let mut known = BTreeSet::new();
    ran.into_iter().filter(|command| known.insert(command.as_str())).take(MOST_TOLD).cloned().collect()
}

/// The remedy, if there was no edit.
fn helped(ran: &[String], failed: &CheckRun, gone: &CheckRun) -> Remedy {
    let form = other_form(failed, gone);
    let mut commands: Vec<String> = ran.to_vec();
    if commands.len() > MOST_COMMANDS {
        commands.retain(|ran| !command::is_common(ran));
    }
    match (commands.len(), form) {
        (0, Some((instead_of, command))) => Remedy::Form { command, instead_of },
        (1..=MOST_COMMANDS, form) => {
            commands.extend(form.map(|(_, command)| command));
            Remedy::Commands { commands }
        }
        _ => Remedy::Nothing,
    }
}

/// The failed form of a command, and the form that passed.
fn other_form(failed: &CheckRun, gone: &CheckRun) -> Option<(String, String)> {
    let [(wrong, first), (right, second)] = [failed, gone].map(|run| (run.forms.first(), run.commands.first()));
    let ((wrong, right), (first, second)) = (wrong.zip(right)?, first.zip(second)?);
    let is_one = failed.forms.len() == 1 && gone.forms.len() == 1 && !first.starts_with("git ");
    let same = command::core(first) == command::core(second) || corrections::is_same_intent(first, second);
    (is_one && same && wrong != right).then(|| (wrong.clone(), right.clone()))
}

/// From a failure to a passing run: did the same command pass in another form? Only if it ran next,
/// and if the command itself was the error.
fn is_corrected(runs: &[CheckRun], edits: &[EditMade], diagnostic: &Diagnostic) -> bool {
    let [failed, passed] = runs else { return false };
    diagnostic.sort == backstory_language::diagnostics::DiagnosticKind::Tool
        && passed.is_check
        && other_form(failed, passed).is_some()
        && edits_between(edits, failed, passed).is_empty()
}

fn opened(run: &CheckRun, diagnostic: &Diagnostic, at: usize) -> Open {
    let failure = Failure {
        fingerprint: diagnostic.fingerprint,
        rule_fingerprint: diagnostic.rule.as_deref().map(fingerprint::of_rule),
        sort: diagnostic.sort,
        rule: diagnostic.rule.clone(),
        text: diagnostic.text.clone(),
        command: run.commands.join(" && "),
        of_helper: !run.is_check,
        file: diagnostic.file.clone(),
        code: diagnostic.code,
        seq: run.seq,
        time: run.time,
        failed: cited(run, diagnostic),
        attempts: Vec::new(),
        resolution: None,
    };
    let commands: BTreeSet<String> = cores(run).map(str::to_owned).collect();
    Open { failure, pending: commands.clone(), commands, diagnostic: diagnostic.clone(), last: at, gone: None }
}

fn cited(run: &CheckRun, diagnostic: &Diagnostic) -> EvidenceRef {
    EvidenceRef {
        kind: EvidenceKind::ToolOutput,
        id: run.output.0,
        start: diagnostic.start,
        end: diagnostic.end,
        hash: diagnostic.hash,
    }
}

fn edits_between<'a>(edits: &'a [EditMade], from: &CheckRun, to: &CheckRun) -> Vec<&'a EditMade> {
    edits.iter().filter(|edit| edit.seq > from.seq && edit.seq < to.seq).collect()
}

/// The diagnostic is still there: were the edits meant for it? Only if they changed its line, and
/// if the run did not remove some of several such diagnostics.
fn attempt(run: &CheckRun, diagnostic: &Diagnostic, open: &Open, edits: Vec<&EditMade>) -> Option<Attempt> {
    if diagnostic.count < open.diagnostic.count || edits.len() > MOST_EDITS {
        return None;
    }
    let on_line: Vec<&EditMade> = edits.into_iter().filter(|edit| is_on_line(&open.diagnostic, edit)).collect();
    if on_line.is_empty() {
        return None;
    }
    Some(Attempt {
        turn: run.turn,
        seq: run.seq,
        time: run.time,
        size: size(&on_line),
        edits: calls(&on_line),
        code: open.diagnostic.code,
        failed: cited(run, diagnostic),
    })
}

/// The edits closest to the diagnostic's position.
fn remedy(diagnostic: &Diagnostic, edits: &[&EditMade]) -> (Remedy, u32) {
    let on_line: Vec<&EditMade> = edits.iter().filter(|edit| is_on_line(diagnostic, edit)).copied().collect();
    if !on_line.is_empty() {
        return (Remedy::Line { edits: calls(&on_line) }, size(&on_line));
    }
    let in_file: Vec<&EditMade> = edits.iter().filter(|edit| is_in_file(diagnostic, edit)).copied().collect();
    if !in_file.is_empty() {
        return (Remedy::File { edits: calls(&in_file) }, size(&in_file));
    }
    (Remedy::Elsewhere { edits: calls(edits) }, size(edits))
}

fn is_on_line(diagnostic: &Diagnostic, edit: &EditMade) -> bool {
    is_in_file(diagnostic, edit) && diagnostic.code.is_some_and(|code| edit.before.contains(&code))
}

/// Tools name files from where they run, edits from the root.
fn is_in_file(diagnostic: &Diagnostic, edit: &EditMade) -> bool {
    diagnostic.file.as_deref().is_some_and(|file| {
        let file = file.trim_start_matches("./");
        edit.file.strip_suffix(file).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })
}

fn calls(edits: &[&EditMade]) -> Vec<EventId> {
    edits.iter().map(|edit| edit.call).take(MOST_EDITS).collect()
}

fn size(edits: &[&EditMade]) -> u32 {
    edits.iter().map(|edit| edit.size).sum()
}
