//! Reads what Causantic kept: its database, and the archives that it exports.
//!
//! Causantic read Claude Code's sessions and kept them as chunks of rendered text. [`ImportSource`]
//! lists the sessions and reads their chunks, `runs` separates sub-agents from the session itself,
//! `segments` splits the rendered text into blocks, and `events` turns the blocks into events.
//!
//! Builds without the feature `causantic` only recognise such files.

#[cfg(feature = "causantic")]
mod archive;
mod detect;
#[cfg(feature = "causantic")]
mod encrypted;
#[cfg(feature = "causantic")]
mod events;
#[cfg(feature = "causantic")]
mod input;
#[cfg(feature = "causantic")]
mod runs;
#[cfg(feature = "causantic")]
mod segments;

pub(super) use detect::looks_like;
#[cfg(feature = "causantic")]
pub(super) use input::{ImportError, ImportSource};
