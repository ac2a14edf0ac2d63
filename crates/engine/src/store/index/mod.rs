//! `views/index/`: which files does a search read without SQL?
//!
//! A *passage* (a prompt, an answer, a call with its output) is the ranked unit. The *docs* file
//! has one record of fixed size per passage, by number; the *heads* file has the part that is
//! read for every passage with a word of the question. Words lie in immutable *segments*,
//! vectors in a matrix with one row per passage and their signs beside it. A row in SQLite says
//! how much of each file is valid, so a transaction covers the files, too: the bytes after that
//! were written without a commit. The row also has the file's checksum and modification time;
//! only a file with another time is read and checked.

mod docs;
mod files;
mod matrix;
mod postings;
mod segment;
mod signs;

pub use docs::{Doc, DocNum, Docs, FIELDS, Field, PassageKind, project_tag, tag};
pub(super) use docs::{HEAD, RECORD};
pub use files::{Bytes, IndexFiles, Written};
pub use matrix::Matrix;
pub(super) use matrix::{quantise, row_bytes};
pub use postings::{Posting, Postings};
pub(super) use segment::merge;
pub use segment::{Segment, SegmentBuilder, Segments, thinking_key};
pub use signs::Signs;
pub(super) use signs::{sign_bytes, signs};

/// Why a part of the index cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct IndexDamage {
    pub file: String,
    pub reason: &'static str,
}
