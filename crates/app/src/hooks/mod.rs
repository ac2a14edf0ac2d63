//! What happens when a host (Claude Code, Codex) calls `backstory hook EVENT`?
//!
//! A hook must never harm the session that calls it. It always ends with code 0, prints
//! one JSON object or nothing, never waits long, and asks no network and no other
//! program. A failure is one line in `hooks.log`, and `backstory status` shows it.
//!
//! - [`run`]: how does a hook run? [`call`], [`input`]: what did the host say?
//! - [`session_start`], [`user_prompt`], [`pre_tool_use`], [`post_tool_use`]: what does the session get?
//! - [`verdict`]: may a tool call go on? [`catch_up`]: what is read at the end of a session?
//! - [`answer`]: what JSON does the host get? [`render`]: how does one item look?
//! - [`memory`]: how is the memory opened without waiting?
//! - [`config_mistakes`]: what if the configuration has a mistake?
//! - [`already_shown`]: what has this session seen before?

mod already_shown;
mod answer;
mod call;
mod catch_up;
mod config_mistakes;
mod input;
mod memory;
mod panic_barrier;
mod post_tool_use;
mod pre_tool_use;
mod render;
mod run;
mod session_start;
mod user_prompt;
mod verdict;

pub use run::{called, note_misuse};
