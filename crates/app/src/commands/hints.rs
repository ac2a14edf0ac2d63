//! Hints that a person gets once.

use std::fs;

use backstory_engine::Memory;
use backstory_files as files;

use crate::error::AppError;
use crate::{home, terminal};

/// The file of hints already given, one name per line.
const FILE: &str = "hints";
const LARGEST_HINTS_FILE: u64 = 64 << 10;
const CAUSANTIC: &str = "causantic";

/// Suggests reading another memory on this machine that was never read.
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
    let given = files::read_text(&file, LARGEST_HINTS_FILE).unwrap_or_default();
    let is_first = !given.lines().any(|line| line == hint);
    if is_first {
        // If nothing can be written, the hint is repeated.
        drop(files::write(&file, format!("{given}{hint}\n")));
    }
    is_first
}
