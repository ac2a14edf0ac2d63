//! Did the last runs of the hooks succeed?

use std::path::Path;

use crate::hook_runs::{LastRun, MEND_ENTRIES, RunResult, last_misuse, last_runs, log_file};

use super::{Check, State};

const NAME: &str = "hooks";

/// The faults of the last runs, or the number of hooks that have run. A cause that another check reports is left out,
/// and a shared cause is reported once.
pub fn hooks(home: &Path, found: &[Check]) -> Vec<Check> {
    let runs = last_runs(home);
    let mut causes: Vec<&str> = found.iter().filter(|check| check.state == State::Fault).map(cause).collect();
    let known = causes.len();
    let mut faults: Vec<Check> = Vec::new();
    for run in &runs {
        let message = run.message.as_deref().filter(|_| run.result == RunResult::Fault);
        if message.is_some_and(|message| causes.iter().any(|cause| message.contains(cause))) {
            continue;
        }
        causes.extend(message);
        faults.extend(fault(run, home));
    }
    let is_known = causes[..known].iter().any(|cause| runs.iter().any(|run| message_of(run).contains(cause)));
    faults.extend(
        last_misuse(home, &runs).map(|line| Check::fault(NAME, format!("a call failed: {line}"), MEND_ENTRIES)),
    );
    if !faults.is_empty() {
        return faults;
    }
    if runs.is_empty() || is_known {
        return Vec::new();
    }
    let slowest = runs.iter().map(|run| run.duration_ms).fold(0.0, f64::max);
    let told = format!("{} ran well when they ran last, the slowest in {slowest:.0} ms", runs.len());
    vec![Check::well(NAME, told)]
}

/// The cause of a fault, without its location.
fn cause(check: &Check) -> &str {
    match check.name {
        "home" => check.message.split_once(" cannot be written: ").map_or(check.message.as_str(), |(_, why)| why),
        _ => &check.message,
    }
}

fn message_of(run: &LastRun) -> &str {
    run.message.as_deref().unwrap_or_default()
}

fn fault(run: &LastRun, home: &Path) -> Option<Check> {
    let message = run.message.as_deref().unwrap_or("no reason was noted");
    match run.result {
        RunResult::Fault => {
            let told = format!("{} failed on {}: {message}", run.event, run.time);
            let elsewhere =
                || format!("If no other line says why, {} has the earlier faults.", log_file(home).display());
            let fix = run.fix.clone().unwrap_or_else(elsewhere);
            Some(Check::fault(NAME, told, format!("{fix} This line goes once {} has run well.", run.event)))
        }
        RunResult::Started => Some(Check::note(
            NAME,
            format!("{} of {} did not come to its end", run.event, run.time),
            "It still runs, or the host has ended it; the next command reads what was left.",
        )),
        RunResult::Nothing | RunResult::Told | RunResult::Read | RunResult::Off => None,
    }
}
