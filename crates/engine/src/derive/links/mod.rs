//! Which intent had which consequence, and what was never answered?
//!
//! Chats are linked by what is said (`backstory_language::talk`), sessions of agents
//! by structure ([`agent`]).

pub mod agent;
mod stage;
pub mod talk;

pub(super) use stage::fold;

pub const NAME: &str = "links";
pub const VERSION: u32 = 5;
