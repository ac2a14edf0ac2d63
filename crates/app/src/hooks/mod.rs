//! What happens when a host (Claude Code, Codex) calls `backstory hook EVENT`?
//!
//! A hook must never harm the session that calls it. It always ends with code 0, prints one JSON object or nothing,
//! never waits long, and uses no network and no other program. A failure is one line in `hooks.log`, and `backstory
//! status` shows it.
//!
//! - [`run`]: runs a hook. [`call`], [`input`]: the host's call.
//! - [`session_start`], [`user_prompt`], [`pre_tool_use`], [`post_tool_use`]: what does the session get?
//! - [`verdict`]: may a tool call proceed? [`catch_up`]: what is read at the end of a session?
//! - [`answer`]: the JSON for the host. [`render`]: one item as text.
//! - [`memory`]: opens the memory without waiting.
//! - [`config_mistakes`]: handles mistakes in the configuration.
//! - [`already_shown`]: what has this session been shown?

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
