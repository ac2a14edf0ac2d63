//! Codex CLI rollouts (`~/.codex/sessions/**/rollout-*.jsonl`).
//!
//! Lines are `{timestamp, type, payload}`; the oldest files have bare response
//! items after a bare first line. What the model saw and said is in `response_item` records; most
//! `event_msg` records only repeat it for the screen. Each line is decided by itself, except for
//! messages that may be repeats.

mod calls;
mod envelope;
mod fates;
mod outputs;
mod repeats;
mod source;
mod words;

pub(super) use envelope::looks_like;
pub(super) use source::CodexSource;
