//! Claude Code session files (`~/.claude/projects/**/*.jsonl`).
//!
//! One JSON record per line; `parentUuid` names a record's parent; one assistant message is spread
//! over several lines. A record becomes one event per content block. Almost everything is decided
//! line by line, so reading a file in slices gives the same events as reading it at once.

mod classify;
mod detect;
mod events;
mod oddities;
mod record;
mod source;
mod tools;

#[cfg(feature = "causantic")]
pub(super) use classify::{TextMark, classify};
pub(super) use detect::{introduction, looks_like};
pub(super) use source::ClaudeSource;
#[cfg(feature = "causantic")]
pub(super) use tools::{ResultMark, call_text, exit_of};
