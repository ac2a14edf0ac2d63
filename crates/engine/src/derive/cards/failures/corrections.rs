//! Which command was immediately replaced by one that works?

use backstory_language::commands::{line as command, test_runner};
use backstory_language::diagnostics::DiagnosticKind;
use backstory_language::diagnostics::output;

use crate::model::{
    AgentStep, COMMAND_TAG, Candidate, CardKind, CardSource, ENVIRONMENT_TAG, Event, EvidenceKind, EvidenceRef, Exit,
    Failure, Found, Remedy, Resolution, Timestamp, agent_steps, any_tests_key, is_shell, span_hash,
};

/// Longer commands are rarely reusable.
const LONGEST: usize = 90;

/// Each with its position.
pub fn of_turn(events: &[Event]) -> Vec<(u32, Found)> {
    let steps = agent_steps(events);
    let calls: Vec<&AgentStep<'_>> = steps.iter().filter(|step| !step.is_said() && !only_looks(step)).collect();
    let mut out = Vec::new();
    for (at, failed) in calls.iter().enumerate() {
        // The next call must be the working form, apart from calls that only look around.
        let Some(worked) = calls.get(at + 1) else { continue };
        if is_shell(failed.event)
            && is_shell(worked.event)
            && let Some(found) = correction(failed, worked)
        {
            out.push((worked.output.map_or(worked.seq, |output| output.seq), Found::Candidate(found)));
        }
    }
    out
}

/// Is this a call that neither changes nor checks anything?
fn only_looks(step: &AgentStep<'_>) -> bool {
    if is_shell(step.event) {
        let line = command::read(&step.event.text);
        return line.checks.is_empty() && line.helpers.is_empty() && line.before.is_empty();
    }
    matches!(step.event.meta.tool.as_deref(), Some("Read" | "Grep" | "Glob" | "LS"))
}

fn correction(failed: &AgentStep<'_>, worked: &AgentStep<'_>) -> Option<Candidate> {
    if failed.exit() != Some(Exit::Failed) || worked.exit() != Some(Exit::Ok) {
        return None;
    }
    let (wrong, right) = (plain(&failed.event.text)?, plain(&worked.event.text)?);
    if !is_same_intent(&wrong, &right) {
        return None;
    }
    let (output, passed) = (failed.output?, worked.output?);
    // Only failures of the command itself, not of the files it checks.
    let diagnostic = output::read(&output.text).into_iter().find(|found| found.sort == DiagnosticKind::Tool)?;
    if !output::read(&passed.text).is_empty() || output::says_it_failed(&passed.text) {
        return None;
    }
    let cited = EvidenceRef {
        kind: EvidenceKind::ToolOutput,
        id: output.id.0,
        start: diagnostic.start,
        end: diagnostic.end,
        hash: diagnostic.hash,
    };
    let end = passed.text.floor_char_boundary(160);
    let shown = EvidenceRef {
        kind: EvidenceKind::ToolOutput,
        id: passed.id.0,
        start: 0,
        end: end as u32,
        hash: span_hash(&passed.text[..end]),
    };
    candidate(&wrong, &right, &diagnostic.text, vec![cited, shown], passed.time)
}

/// The correction, if another form of a command resolved the failure.
pub fn of_form(failure: &Failure, resolution: &Resolution) -> Option<Candidate> {
    let Remedy::Form { command, instead_of } = &resolution.remedy else { return None };
    let fits = |form: &str| form.len() <= LONGEST && !form.contains(['"', '\'', '`']) && !form.contains("/tmp");
    if !fits(command) || !fits(instead_of) || is_found_by_the_wrong_one(instead_of, command) {
        return None;
    }
    let evidence = vec![failure.failed, resolution.passed];
    let mut found = candidate(instead_of, command, &failure.text, evidence, resolution.time)?;
    // The environment that one program needs is needed for all tests.
    let needs = found.tags.iter().any(|tag| tag.starts_with(ENVIRONMENT_TAG));
    if let Some(runner) = test_runner(instead_of).filter(|_| needs && failure.sort == DiagnosticKind::Tool) {
        found.tags.push(any_tests_key(&runner));
    }
    Some(found)
}

/// Cards are found by commands without their environment: if only that differs, the working form
/// must set a new variable.
fn is_found_by_the_wrong_one(wrong: &str, right: &str) -> bool {
    let set = command::environment(wrong);
    command::normal_form(wrong) == command::normal_form(right)
        && command::environment(right).iter().all(|name| set.contains(name))
}

fn candidate(
    wrong: &str,
    right: &str,
    diagnostic: &str,
    evidence: Vec<EvidenceRef>,
    time: Option<Timestamp>,
) -> Option<Candidate> {
    let said: String = diagnostic.chars().take(80).collect();
    let statement = format!("`{wrong}` fails here ({}); use `{right}`.", said.replace('`', "'"));
    let (kind, source) = (CardKind::Fact, CardSource::Correction);
    let mut candidate = Candidate::new(kind, source, &statement, wrong, evidence, time).ok()?;
    candidate.tags = vec![format!("{COMMAND_TAG}{}", command::normal_form(wrong))];
    candidate.tags.extend(command::environment(right).iter().map(|name| format!("{ENVIRONMENT_TAG}{name}")));
    Some(candidate)
}

/// A single command, without what surrounds it, that somebody could type again.
fn plain(line: &str) -> Option<String> {
    if line.contains("<<") || line.contains('$') || line.contains("/tmp") {
        return None;
    }
    let read = command::read(line);
    let all: Vec<&String> = read.checks.iter().chain(&read.helpers).collect();
    match all.as_slice() {
        [one] if one.len() <= LONGEST && !one.starts_with("git ") && !one.contains(['"', '\'', '`']) => {
            Some((*one).clone())
        }
        _ => None,
    }
}

/// Nearly the same command: another program, or a flag more or less.
pub fn is_same_intent(wrong: &str, right: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (wrong.split(' ').collect(), right.split(' ').collect());
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let differ = a.len().max(b.len()) - shared.min(a.len().max(b.len()));
    let same_program = a.first() == b.first();
    let same_rest = a.len() > 1 && b.len() > 1 && a[1..] == b[1..];
    // `pytest` and `uv run pytest`.
    let wrapped = b.len() > a.len() && b.ends_with(&a);
    let same_task = same_program && shared >= 2 && differ <= 2 && only_flags_or_slips(&a, &b);
    wrong != right && (same_rest || wrapped || same_task)
}

/// Other words mean another intent: only flags may differ, and spellings slightly.
fn only_flags_or_slips(a: &[&str], b: &[&str]) -> bool {
    let only = |these: &[&str], those: &[&str]| -> Vec<String> {
        let alone = these.iter().filter(|word| !those.contains(word) && !word.starts_with('-'));
        alone.map(|word| (*word).to_owned()).collect()
    };
    let (a, b) = (only(a, b), only(b, a));
    let is_slip = |a: &String, b: &String| {
        let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        2 * same >= a.len().max(b.len())
    };
    a.len() <= 1 && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| is_slip(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nearly_the_same_words_have_the_same_intent() {
        assert!(is_same_intent("python tools/seed.py", "python3 tools/seed.py"));
        assert!(is_same_intent("go test ./api", "go test -tags=slow ./api"));
        assert!(is_same_intent("pytest", "uv run pytest"));
        assert!(!is_same_intent("go test ./api", "go build ./cmd"));
        assert!(!is_same_intent("make test", "make test"));
        assert!(!is_same_intent("npx jest", "make test"));
        assert!(!is_same_intent("npm run lint", "npm run test"), "another task");
        assert!(is_same_intent("npm run tests", "npm run test"));
    }
}
