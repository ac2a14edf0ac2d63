use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::setup::doctor::{Check, State, examine};
use crate::{json, terminal};

/// Check everything, and say what mends each fault
///
/// Looks at the memory's folder, the log, the views, the configuration, the
/// entries in the settings of Claude Code and Codex, the last run of each hook, and
/// the sessions that were not read yet. Changes nothing. Where your own settings name another
/// `backstory` than this one, it is asked for its version; no other program is started.
/// The exit code is 1 if something is wrong.
#[derive(clap::Args)]
pub struct DoctorCommand {
    /// Everything as JSON
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    pub fn run(self) -> Result<(), AppError> {
        let checks = examine()?;
        let count = |state| checks.iter().filter(|check| check.state == state).count();
        let (faults, notes) = (count(State::Fault), count(State::Note));
        if self.json {
            let items: Vec<Value> = checks.iter().map(check_json).collect();
            json::print("doctor", json!({"ok": faults == 0, "faults": faults, "notes": notes, "items": items}))?;
        } else {
            terminal::print(&checks.iter().map(line).collect::<String>())?;
        }
        match faults {
            0 if self.json => Ok(()),
            0 if notes > 0 => {
                terminal::print(&format!("No faults; {} worth knowing.\n", terminal::count(notes as u64, "note")))
            }
            0 => terminal::print("All is well.\n"),
            _ => Err(AppError::new(ErrorKind::Failed, terminal::count(faults as u64, "fault"))
                .hint("Lines with an arrow say what mends each.")),
        }
    }
}

fn line(check: &Check) -> String {
    let mark = match check.state {
        State::Well => terminal::paint(terminal::USER, "✓"),
        State::Note => terminal::paint(terminal::WARN, "!"),
        State::Fault => terminal::paint(terminal::BAD, "✗"),
    };
    let fix = check.fix.as_ref().map(|fix| format!("    → {fix}\n")).unwrap_or_default();
    format!("{mark} {}: {}\n{fix}", terminal::paint(terminal::BOLD, check.name), check.message)
}

fn check_json(check: &Check) -> Value {
    json!({"name": check.name, "state": check.state.name(), "told": check.message, "fix": check.fix})
}
