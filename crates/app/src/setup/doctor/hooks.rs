//! Did the hooks do what they are for, when they ran last?

use std::path::Path;

use super::Check;
use crate::hooks::{LastRun, RunResult, last_runs, log_file};

const NAME: &str = "hooks";

/// The faults of the last runs, or how many hooks have run.
pub fn hooks(home: &Path) -> Vec<Check> {
    let runs = last_runs(home);
    if runs.is_empty() {
        return Vec::new();
    }
    let faults: Vec<Check> = runs.iter().filter_map(|run| fault(run, home)).collect();
    if !faults.is_empty() {
        return faults;
    }
    let slowest = runs.iter().map(|run| run.duration_ms).fold(0.0, f64::max);
    let told = format!("{} ran well when they ran last, the slowest in {slowest:.0} ms", runs.len());
    vec![Check::well(NAME, told)]
}

fn fault(run: &LastRun, home: &Path) -> Option<Check> {
    let message = run.message.as_deref().unwrap_or("no reason was noted");
    match run.result {
        RunResult::Fault => Some(Check::fault(
            NAME,
            format!("{} failed on {}: {message}", run.event, run.time),
            format!("The session went on without it. {} has the earlier faults.", log_file(home).display()),
        )),
        RunResult::Started => Some(Check::note(
            NAME,
            format!("{} of {} did not come to its end", run.event, run.time),
            "It still runs, or the host has ended it; the next command reads what was left.",
        )),
        RunResult::Nothing | RunResult::Told | RunResult::Read | RunResult::Off => None,
    }
}
