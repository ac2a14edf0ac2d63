//! Runs all checks in order.

use crate::error::{AppError, MEND_VIEWS};
use crate::home;

use super::check::{Check, State};
use super::{hooks, hosts, memory, sessions};

/// All checks, in order of dependency. A fault that follows from another one, or cannot be repaired before it, is left
/// out.
pub fn examine() -> Result<Vec<Check>, AppError> {
    let memory_home = home::memory_home()?;
    let mut checks = memory::home(&memory_home);
    checks.extend(memory::config(&memory_home));
    // Its faults were reported; the rest is checked nevertheless.
    home::config_that_counts()?;
    let forget = memory::forget(&memory_home);
    let is_unfinished = forget.is_some();
    checks.extend(forget);
    if memory::log(&memory_home, &mut checks)
        && !is_unfinished
        && let Some(mut memory) = memory::open(&memory_home, &mut checks)
    {
        checks.extend(or_fault("views", memory::views(&mut memory), MEND_VIEWS));
        checks.extend(or_fault("projects", memory::projects(&mut memory), "`backstory projects` lists them."));
    }
    checks.extend(or_fault("agents", hosts::hosts(), "`backstory init` shows what it would do."));
    let hooks = hooks::hooks(&memory_home, &checks);
    checks.extend(hooks);
    if !keeps_from_reading(&checks) {
        let mut log = memory::known_log(&memory_home);
        let sessions = sessions::sessions(log.as_mut());
        checks.extend(or_fault("sessions", sessions, "`backstory ingest` reads them."));
    }
    checks.extend(or_fault("code index", memory::code(), "Delete views/code in the memory's folder."));
    Ok(checks)
}

/// Is reading into the memory impossible anyway?
fn keeps_from_reading(checks: &[Check]) -> bool {
    checks.iter().any(|check| check.state == State::Fault && matches!(check.name, "home" | "log"))
}

/// A check that fails to run is a fault itself, and the others continue.
fn or_fault(name: &'static str, checks: Result<Vec<Check>, AppError>, fix: &str) -> Vec<Check> {
    checks.unwrap_or_else(|error| vec![Check::failed(name, &error, fix)])
}
