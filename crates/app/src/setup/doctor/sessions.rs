//! Are all of the agents' sessions read before they are deleted?

use std::time::{Duration, SystemTime};

use backstory_engine::log::Log;

use crate::error::AppError;
use crate::setup::hosts::claude;
use crate::setup::{self, Host};
use crate::{environment, home, terminal};

use super::Check;

const DAY: u64 = 24 * 3600;
/// The warning is given this many days before a session is deleted.
const WARNING_DAYS: u64 = 3;

pub fn sessions(log: Option<&mut Log>) -> Result<Vec<Check>, AppError> {
    let mut checks = Vec::new();
    let folder = home::host_folders()?.claude;
    for sessions in setup::sessions(log)? {
        let name = match sessions.host {
            Host::Claude => "Claude Code sessions",
            Host::Codex => "Codex sessions",
        };
        let all = terminal::count(sessions.all.files, "file");
        checks.push(match sessions.unread.files {
            0 => Check::well(name, format!("{all}, all read")),
            unread => {
                let told = format!(
                    "{} of {all} not read to the end ({})",
                    terminal::number(unread),
                    terminal::bytes(sessions.unread.bytes)
                );
                Check::note(name, told, "`backstory ingest` reads them.")
            }
        });
        if sessions.host == Host::Claude {
            checks.extend(soon_deleted(&sessions, claude::host_settings(&folder).cleanup_days));
        }
    }
    Ok(checks)
}

/// Claude Code deletes files that were not written to for some days.
fn soon_deleted(sessions: &setup::HostSessions, days: u64) -> Option<Check> {
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(environment::now().0.max(0) as u64);
    let kept = Duration::from_secs(days.saturating_sub(WARNING_DAYS) * DAY);
    let is_old = |written: &SystemTime| now.duration_since(*written).is_ok_and(|age| age >= kept);
    let soon = sessions.waiting.iter().filter(|(_, written)| written.as_ref().is_some_and(is_old)).count();
    if soon == 0 {
        return None;
    }
    let files = terminal::count(soon as u64, "file");
    let told = format!("{files} not in the log will be deleted soon: Claude Code keeps sessions for {days} days");
    let fix = "`backstory ingest` now; `cleanupPeriodDays` in Claude Code's settings.json keeps them longer.";
    Some(Check::fault("Claude Code sessions", told, fix))
}
