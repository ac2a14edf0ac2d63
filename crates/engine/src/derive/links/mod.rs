//! Which intent had which consequence, and which was never answered?
//!
//! Chats are linked by their content (`backstory_language::talk`), agent sessions by structure ([`agent`]).

pub mod agent;
mod stage;
pub mod talk;

pub(super) use stage::fold;

pub const NAME: &str = "links";
pub const VERSION: u32 = 5;
