//! Codex CLI rollouts (`~/.codex/sessions/**/rollout-*.jsonl`).
//!
//! Lines are `{timestamp, type, payload}`; the oldest files have bare response
//! items behind a bare first line. What the model saw and said comes as
//! `response_item`; most `event_msg` records only repeat it for the screen.
//! Lines are decided one by one, save for messages that might be repeats.

mod calls;
mod fates;
mod outputs;
mod record;
mod repeats;
mod source;
mod words;

pub(super) use record::looks_like;
pub(super) use source::CodexSource;
