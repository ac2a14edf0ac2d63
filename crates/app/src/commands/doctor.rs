use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::setup::doctor::{Check, State, examine};
use crate::{screen, wire};

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
            wire::print("doctor", json!({"ok": faults == 0, "faults": faults, "notes": notes, "items": items}))?;
        } else {
            screen::print(&checks.iter().map(line).collect::<String>())?;
        }
        match faults {
            0 if self.json => Ok(()),
            0 if notes > 0 => {
                screen::print(&format!("No faults; {} worth knowing.\n", screen::count(notes as u64, "note")))
            }
            0 => screen::print("All is well.\n"),
            _ => Err(AppError::new(ErrorKind::Failed, screen::count(faults as u64, "fault"))
                .hint("Lines with an arrow say what mends each.")),
        }
    }
}

fn line(check: &Check) -> String {
    let mark = match check.state {
        State::Well => screen::paint(screen::USER, "✓"),
        State::Note => screen::paint(screen::WARN, "!"),
        State::Fault => screen::paint(screen::BAD, "✗"),
    };
    let fix = check.fix.as_ref().map(|fix| format!("    → {fix}\n")).unwrap_or_default();
    format!("{mark} {}: {}\n{fix}", screen::paint(screen::BOLD, check.name), check.told)
}

fn check_json(check: &Check) -> Value {
    json!({"name": check.name, "state": check.state.name(), "told": check.told, "fix": check.fix})
}
