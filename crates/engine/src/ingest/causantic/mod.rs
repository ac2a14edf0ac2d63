//! What Causantic kept: its database, and the archives that it exports.
//!
//! Causantic read Claude Code's sessions and kept them as chunks of rendered
//! text. [`ImportSource`] says which sessions there are and reads their chunks,
//! `runs` separates the runs of sub-agents from the session itself, `segments`
//! takes the rendering apart again, `events` makes events of it.
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
