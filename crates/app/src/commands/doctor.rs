use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::setup::doctor::{Check, State, examine};
use crate::{json, terminal};

/// Check the installation and print how to repair each fault
///
/// Checks the memory's folder, the log, the views, the configuration, the entries in
/// the settings of Claude Code and Codex, the last run of each hook, and unread
/// sessions. It changes nothing. If your own settings name another `backstory`, that
/// program is asked for its version; no other program is started. The exit code is 1
/// if there is a fault.
#[derive(clap::Args)]
pub struct DoctorCommand {
    /// Print JSON
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
            terminal::print_text(&checks.iter().map(line).collect::<String>())?;
        }
        match faults {
            0 if self.json => Ok(()),
            0 if notes > 0 => terminal::print(&format!("No faults, {}.\n", terminal::count(notes as u64, "note"))),
            0 => terminal::print("No faults.\n"),
            _ => Err(AppError::new(ErrorKind::CheckFailed, terminal::count(faults as u64, "fault"))
                .hint("The line with an arrow says how to repair it.")),
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
