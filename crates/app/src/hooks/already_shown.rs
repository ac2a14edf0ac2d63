//! What has this session been shown? A hint is shown once; a prohibition every time.

use std::io::Write;
use std::path::{Path, PathBuf};

use backstory_files as files;

use crate::hook_runs as record;

/// Above this size the older half is removed.
const LONGEST: u64 = 64 << 10;
const LARGEST: u64 = 1 << 20;

fn file(home: &Path) -> PathBuf {
    home.join("hooks").join("told")
}

fn line(session: &str, what: &str) -> String {
    // A session's name comes from the host, and the text may be anything.
    let clean = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    format!("{} {}\n", clean(session), clean(what))
}

/// Returns whether it is new to the session, and records it.
pub fn is_new(home: &Path, session: Option<&str>, what: &str) -> bool {
    let Some(session) = session else { return true };
    let line = line(session, what);
    let known = files::read_text(&file(home), LARGEST).unwrap_or_default();
    if known.contains(&line) {
        return false;
    }
    note(home, &known, &line);
    true
}

/// If this fails, the session is shown it again.
fn note(home: &Path, known: &str, line: &str) {
    if known.len() as u64 > LONGEST {
        let lines: Vec<&str> = known.lines().collect();
        let kept: String = lines[lines.len() / 2..].iter().map(|line| format!("{line}\n")).collect();
        let _ = record::write_atomically(&file(home), (kept + line).as_bytes());
        return;
    }
    let append = || -> std::io::Result<()> {
        record::create_folder(&home.join("hooks"))?;
        files::for_appending().open(file(home))?.write_all(line.as_bytes())
    };
    let _ = append();
}

/// A compaction removes it from the agent's context.
pub fn forget(home: &Path, session: &str) {
    let Ok(known) = files::read_text(&file(home), LARGEST) else { return };
    let of_session = line(session, "").split(' ').next().unwrap_or_default().to_owned();
    let kept: String =
        known.lines().filter(|line| !line.starts_with(&of_session)).map(|line| format!("{line}\n")).collect();
    if kept.len() != known.len() {
        let _ = record::write_atomically(&file(home), kept.as_bytes());
    }
}
