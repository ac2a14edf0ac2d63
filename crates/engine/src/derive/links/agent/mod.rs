//! Links agent sessions by structure: a prompt and everything until the next one, a call and its result.
//!
//! - [`answers`]: which step answers which part?
//! - [`outcomes`]: how did calls end, and what did the person say about it?

mod answers;
mod outcomes;
mod turn;

pub use outcomes::prints_failed_tests;
pub use turn::{
    AgentEpisode, Earlier, KERNEL, KERNEL_VERSION, REACH, TurnLinks, TurnPlace, of_episode, of_turn, remember,
    without_queued_copies,
};
