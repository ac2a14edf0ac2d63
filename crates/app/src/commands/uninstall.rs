use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::setup::{self, Applied, Change, FileOutcome, Level, Plan, Record, Settings};
use crate::{home, json, terminal};

use super::ask;

/// Remove Backstory from the settings of the agents
///
/// Removes the entries that `backstory init` made, and the files that it created for
/// them; every other byte stays. The memory is kept unless --delete-data is given.
#[derive(clap::Args)]
pub struct UninstallCommand {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Show the plan and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Also delete the memory: log, views, configuration. It cannot be undone
    #[arg(long)]
    delete_data: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl UninstallCommand {
    pub fn run(self) -> Result<(), AppError> {
        let memory_home = home::memory_home()?;
        let record = Record::load(&memory_home);
        let plan = setup::plan_uninstall(&settings(&record)?, &record);
        // The memory knows the setup's files and is needed for another attempt.
        let data = self.delete_data && memory_home.exists() && plan.refused.is_empty();
        if !self.json {
            terminal::print(&describe(&plan, &record, data)?)?;
        }
        if plan.is_none() && !data {
            if self.json {
                json::print("uninstall", report(&plan, true, data))?;
            }
            return refused(&plan);
        }
        if self.dry_run {
            match self.json {
                true => json::print("uninstall", report(&plan, false, data)),
                false => terminal::print("Nothing was changed (--dry-run).\n"),
            }?;
            return refused(&plan);
        }
        if !self.yes && (self.json || !home::may_ask()) {
            return Err(ask::nobody_to_ask("backstory uninstall"));
        }
        if !self.yes && !ask::agreed()? {
            return terminal::print("Nothing was changed.\n");
        }
        let applied = setup::apply(&plan, &memory_home)?;
        let left = if data { setup::delete_data(&memory_home)? } else { Vec::new() };
        match self.json {
            true => json::print("uninstall", report(&plan, true, data)),
            false => terminal::print(&done(&applied, data, &left)?),
        }?;
        refused(&plan)
    }
}

/// A file that could not be read is not a success.
fn refused(plan: &Plan) -> Result<(), AppError> {
    match plan.refused.as_slice() {
        [] => Ok(()),
        files => Err(AppError::new(ErrorKind::Failed, format!("not done: {}", files.join("; "))).hint(
            "Correct it and run this again: it may hold entries of Backstory. Until then --delete-data does nothing.",
        )),
    }
}

/// Every file that may have our entries.
pub fn settings(record: &Record) -> Result<Vec<Settings>, AppError> {
    let mut levels = vec![Level::User { folders: home::host_folders()? }];
    levels.extend(crate::code_index::project_root().ok().map(Level::Project));
    Ok(setup::settings_everywhere(&levels, record))
}

fn describe(plan: &Plan, record: &Record, data: bool) -> Result<String, AppError> {
    let mut out = String::new();
    if plan.is_none() && plan.refused.is_empty() {
        out.push_str("No entries of Backstory were found in the settings of Claude Code and Codex.\n");
    } else {
        out.push_str(&format!("{}\n", terminal::paint(terminal::BOLD, "Plan")));
    }
    for change in &plan.changes {
        let path = home::short(&change.settings.path);
        let made = record.of(&change.settings.path).is_some_and(|file| file.made);
        out.push_str(&if made && Settings::is_void(&change.edited.text) {
            format!("  {:<7} {path}: it was made for these entries\n", "remove")
        } else {
            format!("  {:<7} {path}: take out {}\n", "change", change.edited.removed.join(", "))
        });
    }
    for file in &plan.refused {
        out.push_str(&format!("  {} {file}\n", terminal::paint(terminal::WARN, "leave  ")));
    }
    let memory = home::short(&home::memory_home()?);
    if data {
        let gone = terminal::paint(terminal::BAD, "delete");
        out.push_str(&format!(
            "  {gone}  {memory}: the whole memory. Sessions that their host has deleted are lost.\n"
        ));
    } else if home::memory_home()?.exists() {
        out.push_str(&format!("  {:<7} {memory}: the memory (--delete-data deletes it)\n", "keep"));
    }
    Ok(out)
}

fn done(applied: &[Applied], data: bool, left: &[String]) -> Result<String, AppError> {
    let mut out = String::new();
    for file in applied {
        let path = home::short(&file.path);
        out.push_str(&match &file.fate {
            FileOutcome::Removed => format!("{} {path}\n", terminal::paint(terminal::BOLD, "Removed")),
            FileOutcome::Restored { backup: Some(backup) } => {
                let name = backup.file_name().unwrap_or_default().to_string_lossy().into_owned();
                format!(
                    "{} {path} (others changed it since; as it was before: {name})\n",
                    terminal::paint(terminal::BOLD, "Changed")
                )
            }
            _ => format!("{} {path}\n", terminal::paint(terminal::BOLD, "Changed")),
        });
    }
    if data {
        let memory = home::short(&home::memory_home()?);
        out.push_str(&format!("{} {memory}\n", terminal::paint(terminal::BOLD, "Deleted")));
        if !left.is_empty() {
            out.push_str(&format!("  left there, not ours: {}\n", left.join(", ")));
        }
    }
    out.push_str("Sessions that run already keep their entries until they end.\n");
    Ok(out)
}

fn report(plan: &Plan, done: bool, data: bool) -> Value {
    let files: Vec<Value> = plan.changes.iter().map(change_json).collect();
    json!({"done": done, "files": files, "refused": plan.refused, "data_deleted": done && data})
}

pub fn change_json(change: &Change) -> Value {
    json!({
        "path": change.settings.path,
        "host": change.settings.host.id(),
        "exists": change.before.is_some(),
        "changes": !change.is_none(),
        "added": change.edited.added,
        "updated": change.edited.updated,
        "removed": change.edited.removed,
    })
}
