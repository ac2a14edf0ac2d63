//! Did the hooks do what they are for, when they ran last?

use std::path::Path;

use super::Check;
use crate::hooks::{LastRun, MEND_ENTRIES, RunResult, last_misuse, last_runs, log_file};

const NAME: &str = "hooks";

/// The faults of the last runs, or how many hooks have run.
pub fn hooks(home: &Path) -> Vec<Check> {
    let runs = last_runs(home);
    let mut faults: Vec<Check> = runs.iter().filter_map(|run| fault(run, home)).collect();
    faults.extend(
        last_misuse(home, &runs).map(|line| Check::fault(NAME, format!("a call failed: {line}"), MEND_ENTRIES)),
    );
    if !faults.is_empty() {
        return faults;
    }
    if runs.is_empty() {
        return Vec::new();
    }
    let slowest = runs.iter().map(|run| run.duration_ms).fold(0.0, f64::max);
    let told = format!("{} ran well when they ran last, the slowest in {slowest:.0} ms", runs.len());
    vec![Check::well(NAME, told)]
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
