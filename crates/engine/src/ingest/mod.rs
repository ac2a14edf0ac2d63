//! Bytes of foreign formats -> episodes, events and problems.
//!
//! Each format is a [`Source`]: it is given lines and fills a [`Reading`]. It is
//! pure in the bytes (no clock, no file system), so a golden folder tests it.
//! [`find`] says which files there are and what they are, [`read`] feeds a
//! file's new lines to its source, [`project`] says which repository a working
//! folder belongs to, [`blame_line`] and [`read_commit`] what git knows of a line
//! and of a commit.

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
mod project;
mod read;
mod reading;
mod transcript;

pub use blame::{Blame, Blamed, blame_line, is_bare, tracked_as, work_tree};
pub use commit::{ChangedFile, Commit, NewLine, around as lines_around, read_commit};
pub use find::{FileTask, Found, Place, TaskKind, find};
pub use format::Format;
pub use project::Projects;
pub use read::{FileOutcome, IngestError, Report, ingest_file, ingest_file_with, ingest_stream};
pub use reading::{End, Fate, Origin, Reading, ReadingSlot, Source, Tally};
