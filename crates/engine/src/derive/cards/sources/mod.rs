//! What does a turn add to the cards?
//!
//! Where something was said matters more than its wording:
//!
//! - [`noted`]: what a person typed into the host's memory.
//! - [`instructions`]: statements written into an instruction file ([`markdown`]).
//! - [`rejections`]: why a person rejected a call.
//! - [`answers`]: answers to the agent's questions.
//! - [`chats`]: what people say about themselves in sessions without work.
//! - [`wording`]: prompts and queued messages whose wording shows that they are meant to last,
//!   or that are rules ([`rules`]).
//! - [`decided`]: what a conversation decided, read from its whole case.
//!
//! Only a person's own words count ([`spoken`]), and only statements that can be read on their own
//! ([`reading`]). Finding nothing is fine.

mod answers;
mod chats;
mod decided;
mod instructions;
mod markdown;
mod noted;
mod reading;
mod rejections;
mod rules;
mod said;
mod spoken;
mod turn;
mod wording;
mod written;

pub use decided::of_case;
pub use turn::of_turn;
pub use written::kind_of_written;

use said::{Said, cite, is_found, is_said_by_person, output_of};
