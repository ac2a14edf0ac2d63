//! How did calls end, and what did the person say about it?

use std::collections::HashSet;

use backstory_language::commands::test_runner;
use backstory_language::prompts::asks::is_go_ahead;
use backstory_language::text::{Tokenizer, is_stop_word};

use crate::model::{
    AgentStep, Basis, Class, Event, EventId, Exit, Outcome, OutcomeKind, foreign_text, is_shell, reason_of_rejection,
};

use super::{Earlier, REACH};

/// `prompt` begins the turn.
pub fn of_turn(events: &[Event], prompt: Option<&Event>, steps: &[AgentStep<'_>], earlier: &[Earlier]) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = steps.iter().filter_map(of_call).collect();
    for event in events.iter().filter(|event| event.meta.class == Some(Class::Interruption)) {
        let last = steps.iter().rfind(|step| step.seq < event.seq).map(|step| step.event.id);
        let about = last.or(prompt.map(|prompt| prompt.id)).unwrap_or(event.id);
        outcomes.push(Outcome {
            kind: OutcomeKind::ToolFailure,
            basis: Basis::Interrupted,
            event: event.id,
            seq: event.seq,
            about,
            runner: None,
        });
    }
    for step in steps {
        if let Some(output) = step.output.filter(|output| reason_of_rejection(output).is_some()) {
            let (event, seq, about) = (output.id, output.seq, step.event.id);
            let kind = OutcomeKind::UserCorrected;
            outcomes.push(Outcome { kind, basis: Basis::Words, event, seq, about, runner: None });
        }
    }
    if let Some((prompt, words)) = prompt.map(|prompt| (prompt, foreign_text(&prompt.text)))
        && let Some(kind) = said_of_before(&words)
        && let Some(about) = meant(&words, earlier)
    {
        let (event, seq) = (prompt.id, prompt.seq);
        outcomes.push(Outcome { kind, basis: Basis::Words, event, seq, about, runner: None });
    }
    outcomes.sort_by_key(|outcome| (outcome.seq, outcome.kind));
    outcomes
}

fn of_call(step: &AgentStep<'_>) -> Option<Outcome> {
    let output = step.output?;
    let exit = output.meta.exit?;
    let command = if is_shell(step.event) { step.event.text.as_str() } else { "" };
    let runner = test_runner(command);
    let tests = runner.is_some();
    let (kind, basis) = match exit {
        Exit::Rejected => (OutcomeKind::ToolFailure, Basis::Rejected),
        Exit::Interrupted => (OutcomeKind::ToolFailure, Basis::Interrupted),
        Exit::Failed if tests => (OutcomeKind::ToolFailure, Basis::Tests),
        Exit::Failed => (OutcomeKind::ToolFailure, Basis::Exit),
        // A pipe hides the exit code of the tests, but not their output.
        Exit::Ok if tests && prints_failed_tests(&output.text) => (OutcomeKind::ToolFailure, Basis::Tests),
        Exit::Ok if tests => (OutcomeKind::ToolSuccess, Basis::Tests),
        Exit::Ok => (OutcomeKind::ToolSuccess, Basis::Exit),
    };
    Some(Outcome { kind, basis, event: output.id, seq: output.seq, about: step.event.id, runner })
}

/// Lines that test runners print when tests fail.
pub fn prints_failed_tests(output: &str) -> bool {
    output.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("--- FAIL")
            || line.starts_with("FAIL\t")
            || line == "FAIL"
            || line.starts_with("test result: FAILED")
            || line.starts_with("FAILED ")
            || line.starts_with("FAILURES!")
            || line.contains("Tests:") && line.contains(" failed")
    })
}

const CORRECTIONS: [&str; 12] = [
    "that's wrong", "that is wrong", "that's not what", "that is not what", "not what i", "still not working",
    "still fails", "still failing", "doesn't work", "does not work", "didn't work", "you broke",
];

const CONFIRMATIONS: [&str; 12] = [
    "that works", "it works now", "works now", "that worked", "it worked", "works great", "works perfectly",
    "that fixed it", "that fixes it", "fixed it, thanks", "that was it", "that helped",
];

/// Does a prompt confirm or correct the previous answer? Only if it says so: a bare yes means go
/// ahead, not that it helped.
fn said_of_before(prompt: &str) -> Option<OutcomeKind> {
    if is_go_ahead(prompt) {
        return None;
    }
    let head: String = prompt.chars().take(300).collect::<String>().to_lowercase().replace('’', "'");
    let first = head.split(|c: char| !c.is_alphanumeric() && c != '\'').find(|word| !word.is_empty());
    let opens = matches!(first, Some("no" | "nope" | "wait" | "but" | "hmm"));
    if CORRECTIONS.iter().any(|words| head.contains(words)) || opens {
        return Some(OutcomeKind::UserCorrected);
    }
    let negated = ["not ", "n't ", "if ", "never "].iter().any(|word| head.contains(word)) || head.contains('?');
    (!negated && CONFIRMATIONS.iter().any(|words| head.contains(words))).then_some(OutcomeKind::UserConfirmedHelpful)
}

/// The earlier prompt that is meant: the last one, unless another shares clearly more words.
fn meant(prompt: &str, earlier: &[Earlier]) -> Option<EventId> {
    let mut tokenizer = Tokenizer::new();
    let mut terms = |text: &str| -> HashSet<String> {
        tokenizer.strings(text).into_iter().filter(|term| !is_stop_word(term)).collect()
    };
    let wanted = terms(prompt);
    let near = &earlier[earlier.len().saturating_sub(REACH)..];
    let shares: Vec<f32> = near
        .iter()
        .map(|earlier| wanted.intersection(&terms(&earlier.text)).count() as f32 / wanted.len().max(1) as f32)
        .collect();
    let last = near.len().checked_sub(1)?;
    let best = (0..near.len()).rev().max_by(|a, b| shares[*a].total_cmp(&shares[*b]).then(a.cmp(b)))?;
    let clearly = shares[best] >= 0.5 && shares[best] >= shares[last] + 0.25;
    Some(near[if clearly { best } else { last }].prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_judge() {
        assert_eq!(said_of_before("yes"), None);
        assert_eq!(said_of_before("great, that works"), Some(OutcomeKind::UserConfirmedHelpful));
        assert_eq!(said_of_before("I wonder if that works"), None);
        assert_eq!(said_of_before("no, I meant the other file"), Some(OutcomeKind::UserCorrected));
        assert_eq!(said_of_before("Now add a test"), None);
        assert_eq!(said_of_before("Nothing else"), None);
        assert_eq!(said_of_before("it still fails on the second run"), Some(OutcomeKind::UserCorrected));
    }

    #[test]
    fn a_correction_reaches_the_prompt_it_is_about() {
        let earlier = |name: &str, text: &str| Earlier {
            prompt: EventId(crate::model::digest_of("test", &[name.as_bytes()])),
            text: text.to_owned(),
        };
        let before = [earlier("a", "sort the invoices by customer"), earlier("b", "paint the header blue")];
        assert_eq!(meant("no, sort the invoices by date", &before), Some(before[0].prompt));
        assert_eq!(meant("no, green", &before), Some(before[1].prompt));
        assert_eq!(meant("no", &[]), None);
    }
}
