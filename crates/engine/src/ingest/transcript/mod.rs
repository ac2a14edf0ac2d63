//! Chat and game transcripts: who said what, in JSON or plain text.
//!
//! Field names, time stamps and nesting differ from export to export; none of
//! them is known in advance. Transcripts are always read from their start, so
//! that counting repeated words gives the same event every time.

mod detect;
mod document;
mod fields;
mod plain;
mod roles;
mod source;
mod when;

pub(super) use detect::detect;
pub(super) use source::{TranscriptLayout, TranscriptSource};
