//! Is the memory itself healthy?

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use backstory_engine::log::Log;
use backstory_engine::retrieve::{project_suggestions, status as status_of};
use backstory_engine::store::{DeriveLock, StoreError, UnfinishedForget};
use backstory_engine::{Flaws, Memory, MemoryError};

use crate::config;
use crate::embedding::EmbeddingModel;
use crate::endpoint::Timeout;
use crate::error::{AppError, FINISH_FORGET, MEND_LOG, MEND_OLD_VIEWS, MEND_ROWS, MEND_VIEWS};
use crate::{code_index, disk_space, home, terminal};
use crate::{damage, project_suggestions};

use super::Check;

/// The wait for another writing process.
const DOCTOR_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Less free space is reported.
const LITTLE: u64 = 200_000_000;

pub fn home(folder: &Path) -> Vec<Check> {
    let shown = home::short(folder);
    if !folder.exists() {
        return vec![Check::note("home", format!("{shown} is not there yet"), home::SET_UP)];
    }
    if let Err(error) = std::fs::read_dir(folder) {
        let fix = format!("Make {shown} a folder that you may read, or set BACKSTORY_HOME to another.");
        return vec![Check::fault("home", format!("{shown}: {error}"), fix)];
    }
    let lack = disk_space::shortage_in(folder);
    let mut checks = vec![match (lack, tempfile::NamedTempFile::new_in(folder)) {
        (Some(lack), _) => Check::fault("home", format!("{shown} cannot be written: {}", lack.why()), lack.fix()),
        (None, Ok(_)) => Check::well("home", format!("{shown} can be read and written")),
        (None, Err(error)) => {
            let reason = error.kind();
            let fix = format!("Allow writing to {shown}: until then nothing new is remembered.");
            Check::fault("home", format!("{shown} cannot be written: {reason}"), fix)
        }
    }];
    // A full disk is reported already.
    checks.extend(if lack == Some(disk_space::Shortage::Disk) { None } else { space(folder) });
    checks.extend(lock(folder));
    checks
}

/// The free disk space, if it is too little.
pub fn little_space(folder: &Path) -> Option<u64> {
    free_bytes(folder).filter(|free| *free < LITTLE)
}

/// A check of the free disk space, if that can be determined.
fn space(folder: &Path) -> Option<Check> {
    let free = free_bytes(folder)?;
    Some(if free < LITTLE {
        let fix = "Free some space, or move the memory with BACKSTORY_HOME.";
        Check::fault("disk", format!("{} free", terminal::bytes(free)), fix)
    } else {
        Check::well("disk", format!("{} free", terminal::bytes(free)))
    })
}

/// A lock belongs to a process and ends with it; the file alone means nothing.
fn lock(folder: &Path) -> Option<Check> {
    let path = folder.join("derive.lock");
    if !path.exists() {
        return None;
    }
    Some(match DeriveLock::try_take(&path) {
        Ok(Some(_)) => Check::well("locks", "no process holds one"),
        Err(StoreError::ReadOnly) => return None,
        Ok(None) => Check::note(
            "locks",
            "another process is deriving right now",
            "Nothing to do: new events are included when it is done. If it never ends, end that process.",
        ),
        Err(error) => Check::fault("locks", error.to_string(), format!("Allow reading {}.", path.display())),
    })
}

/// Are some projects probably one, or one several?
pub fn projects(memory: &mut Memory) -> Result<Vec<Check>, AppError> {
    let suggestions = project_suggestions(memory.log())?;
    let note = |it| {
        Check::note(
            "projects",
            project_suggestions::reason_of(it),
            format!("If so: `{}`.", project_suggestions::command_of(it)),
        )
    };
    Ok(suggestions.iter().take(MOST_SUGGESTIONS).map(note).collect())
}

/// `backstory projects` lists the others.
const MOST_SUGGESTIONS: usize = 3;

pub fn config(home: &Path) -> Vec<Check> {
    let loaded = config::load_what_counts(home, home::current_folder().ok().as_deref());
    let mut checks: Vec<Check> =
        loaded.mistakes.iter().map(|mistake| Check::fault("config", mistake, CONFIG)).collect();
    let doubts = loaded.doubts();
    if !doubts.is_empty() {
        let fix = "Correct or remove it; `backstory config` shows what is in force.";
        checks.push(Check::note("config", doubts.join("; "), fix));
    } else if checks.is_empty() {
        checks.push(Check::well("config", "valid"));
    }
    checks
}

const CONFIG: &str = "Correct it: until then most commands refuse to run. `backstory config example` shows every key.";

/// Can the log be opened? All of it is read, because damage in the middle is not detected otherwise. It is not kept
/// open: on a full disk only one process can open it.
pub fn log(folder: &Path, checks: &mut Vec<Check>) -> bool {
    let file = folder.join("log.sqlite");
    if !file.exists() {
        if std::fs::read_dir(folder).is_ok() {
            checks.push(Check::note("log", "nothing was read yet", home::SET_UP));
        }
        return false;
    }
    let verified =
        Log::open_within(&file, DOCTOR_LOCK_TIMEOUT).and_then(|mut log| log.verify().map(|verified| (verified, log)));
    match verified {
        Ok((verified, mut log)) => {
            checks.push(match &verified.fault {
                Some(_) if log.store().is_truncated() => {
                    let lost = terminal::count(verified.unreadable.len() as u64, "row");
                    Check::fault("log", format!("the end of the file is missing: {lost} cannot be read"), MEND_LOG)
                }
                Some(_) if !verified.unreadable.is_empty() => {
                    let first: Vec<String> =
                        verified.unreadable.iter().take(3).map(|row| damage::row_text(&mut log, row)).collect();
                    let count = terminal::count(verified.unreadable.len() as u64, "row");
                    Check::fault("log", format!("{count} cannot be read: {}", first.join("; ")), MEND_ROWS)
                }
                None => Check::well("log", format!("whole, {}", terminal::count(verified.events, "event"))),
                Some(fault) => Check::fault("log", format!("damaged: {}", fault.render()), MEND_LOG),
            });
            true
        }
        Err(error) => {
            let is_closed = std::fs::File::open(&file).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
            let fix = if is_closed { "Only its owner may read it: run this as the owner." } else { MEND_LOG };
            checks.push(Check::failed("log", &AppError::from(error), fix));
            false
        }
    }
}

/// Was a forget interrupted? Until it is finished, the views are unusable.
pub fn forget(folder: &Path) -> Option<Check> {
    if !UnfinishedForget::is_in(folder) {
        return None;
    }
    Some(match DeriveLock::try_take(&folder.join("derive.lock")) {
        Ok(None) => Check::note("forget", "under way", "Nothing to do: the process that forgets finishes it."),
        _ => {
            let told = "an earlier `backstory log forget` was cut off: what it removes may still be in the files";
            Check::fault("forget", told, FINISH_FORGET)
        }
    })
}

/// Opens the log again, for comparisons only.
pub fn known_log(folder: &Path) -> Option<Log> {
    let file = folder.join("log.sqlite");
    if file.exists() { Log::open_within(&file, DOCTOR_LOCK_TIMEOUT).ok() } else { None }
}

/// Opens the views unchanged: a check recreates nothing.
pub fn open(folder: &Path, checks: &mut Vec<Check>) -> Option<Memory> {
    let mut log = match Log::open_within(&folder.join("log.sqlite"), DOCTOR_LOCK_TIMEOUT) {
        Ok(log) => log,
        Err(error) => {
            checks.push(Check::failed("log", &AppError::from(error), MEND_LOG));
            return None;
        }
    };
    let is_read_only = log.store().is_read_only();
    match Memory::open_fast(folder, log, DOCTOR_LOCK_TIMEOUT) {
        Ok(memory) => Some(memory),
        Err(MemoryError::Store(error @ StoreError::Older { .. })) if is_read_only => {
            checks.push(Check::fault("views", error.to_string(), MEND_OLD_VIEWS));
            None
        }
        Err(MemoryError::Store(error @ StoreError::Older { .. })) => {
            checks.push(Check::note("views", error.to_string(), "Nothing to do: the next command recreates them."));
            None
        }
        Err(error) => {
            checks.push(Check::failed("views", &AppError::from(error), MEND_VIEWS));
            None
        }
    }
}

/// Versions, damage, and the backlog of each stage.
pub fn views(memory: &mut Memory) -> Result<Vec<Check>, AppError> {
    let (log, views) = memory.parts();
    if let Some(diagnostic) = views.integrity()? {
        return Ok(vec![Check::fault("views", format!("damaged: {diagnostic}"), MEND_VIEWS)]);
    }
    let status = status_of(log, views)?;
    let old: Vec<&str> = status
        .stages
        .iter()
        .filter(|stage| stage.built.is_some_and(|built| built != stage.version))
        .map(|stage| stage.name)
        .collect();
    let behind = status.stages.iter().map(|stage| stage.behind).max().unwrap_or_default();
    let mut checks = vec![if !old.is_empty() {
        let fix = match log.store().is_read_only() {
            true => MEND_OLD_VIEWS,
            false => "`backstory rebuild` recreates them; so does the next ingest.",
        };
        Check::note("views", format!("made by another version: {}", old.join(", ")), fix)
    } else if behind > 0 {
        let fix = "`backstory ingest` catches up.";
        Check::note("views", format!("{} behind the log", terminal::count(behind, "event")), fix)
    } else {
        Check::well("views", "up to date")
    }];
    // Another check reports faults of the configuration.
    if let (true, Ok(config)) = (old.is_empty(), home::config()) {
        let mut chosen = match EmbeddingModel::open(config, Timeout::Question) {
            Ok(chosen) => chosen,
            Err(error) => {
                let fix = "config.toml names the model; `backstory config` shows what is in force.";
                checks.push(Check::fault("vectors", error.to_string(), fix));
                return Ok(checks);
            }
        };
        let mut damaged = damage::of_index(memory, chosen.embedder().model())?;
        let flaws = memory.flaws()?;
        if damaged.is_empty() {
            damaged = flaws.files;
        }
        checks.push(match damaged.as_slice() {
            [] => Check::well("index", "whole, by its checksums"),
            files => {
                Check::fault("index", format!("damaged: {}", files.join(", ")), "`backstory maintain` repairs it.")
            }
        });
        if let Some(damage) = flaws.views {
            checks[0] = Check::fault("views", format!("damaged: {damage}"), "`backstory maintain` repairs them.");
        }
        let gaps = Flaws { gaps: flaws.gaps, ..Flaws::default() }.lines();
        checks.push(match gaps.as_slice() {
            [] => Check::well("stages", "every stage has all of every run"),
            lines => Check::fault("stages", lines.join("; "), "`backstory maintain` repairs them."),
        });
    }
    Ok(checks)
}

/// Indexes of deleted trees waste space.
pub fn code() -> Result<Vec<Check>, AppError> {
    let kept = code_index::kept()?;
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let is_gone = |root: &Option<String>| root.as_ref().is_some_and(|root| !Path::new(root).is_dir());
    let (gone, there): (Vec<_>, Vec<_>) = kept.iter().partition(|index| is_gone(&index.root));
    Ok(vec![if gone.is_empty() {
        Check::well("code index", format!("of {}", terminal::count(there.len() as u64, "tree")))
    } else {
        let folders: Vec<String> = gone.iter().map(|index| home::short(&index.folder)).collect();
        let told = format!("of {} that is gone", terminal::count(gone.len() as u64, "tree"));
        Check::note("code index", told, format!("Delete {}.", folders.join(", ")))
    }])
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}
