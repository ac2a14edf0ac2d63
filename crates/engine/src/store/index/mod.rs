//! `views/index/`: the files that searching reads without SQL.
//!
//! A *passage* (a prompt, an answer, a call with its output) is the unit that is
//! ranked; the *docs* file has one fixed-size record for each, by number, and
//! the *heads* file what is asked of every passage that has a word. Words
//! lie in immutable *segments*, vectors in a matrix with one row per passage and
//! their signs beside it.
//! SQLite says how much of each file counts, so a transaction covers them too:
//! what lies beyond was written by someone who did not get to commit. It also
//! keeps a checksum of each file and when it was written; only a file with
//! another time is read as a whole to see whether it is still what it was.

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
pub struct Damage {
    pub file: String,
    pub reason: &'static str,
}
