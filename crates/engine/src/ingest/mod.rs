//! Turns foreign formats into episodes, events and problems.
//!
//! Each format is a [`Source`]: it gets lines and fills a [`Reading`]. It is pure in the bytes (no
//! clock, no file system), so a golden folder tests it. [`find`] lists the files and their formats,
//! [`read`] feeds a file's new lines to its source, [`project`] resolves a working folder to its
//! repository; [`blame_lines`], [`read_commit`] and [`earlier_names`] ask git about a line, a
//! commit and the names of a file.

mod blame;
mod causantic;
mod claude;
mod codex;
mod commit;
mod cursor;
mod find;
mod format;
mod json;
mod lines;
mod names;
mod project;
mod read;
mod reading;
mod transcript;

pub use blame::{Blame, Blamed, before_moves, blame_lines, is_bare, tracked_as, work_tree};
pub use commit::{ChangedFile, Commit, HunkLine, around as lines_around, commit_message, read_commit};
pub use find::{FileTask, FoundFiles, InputPlace, TaskKind, find};
pub use format::Format;
pub use names::{Gone, earlier_names, gone, names_before};
pub use project::{
    Projects, Recorded, SessionPlace, branch_around, is_mark_of_long_history, is_same_remote, mark_of_long_history,
    project_tree,
};
pub use read::{IngestError, IngestReport, Ingester, ReadOptions, ReadOutcome};
pub use reading::{FileOrigin, Reading, ReadingSlot, RecordFate, Source, SourceEnd, Tally};
