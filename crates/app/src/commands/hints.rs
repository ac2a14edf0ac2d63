//! What a person may not know, said once.

use std::fs;

use backstory_engine::Memory;
use backstory_files as files;

use crate::error::AppError;
use crate::{home, terminal};

/// Remembers which hints were given, one name a line.
const FILE: &str = "hints";
const LARGEST: u64 = 64 << 10;
const CAUSANTIC: &str = "causantic";

/// Another memory lies on this machine and was never read.
pub fn causantic(memory: &mut Memory) -> Result<(), AppError> {
    let Some(path) = home::causantic_database() else { return Ok(()) };
    let name = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let cursors = memory.log().store().cursors()?;
    if cursors.iter().any(|cursor| *cursor.path == *name.to_string_lossy()) || !is_first_time(memory, CAUSANTIC) {
        return Ok(());
    }
    terminal::print(&format!(
        "{} Causantic has a memory on this machine: `backstory ingest {}` reads it (shown once)\n",
        terminal::paint(terminal::BOLD, "Hint"),
        path.display()
    ))
}

fn is_first_time(memory: &Memory, hint: &str) -> bool {
    let file = memory.home().join(FILE);
    let given = files::read_text(&file, LARGEST).unwrap_or_default();
    let is_first = !given.lines().any(|line| line == hint);
    if is_first {
        // Where nothing can be written it is said again.
        drop(files::write(&file, format!("{given}{hint}\n")));
    }
    is_first
}
