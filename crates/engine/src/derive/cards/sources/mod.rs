//! What does a turn add to the cards?
//!
//! Where something was said counts for more than how it was worded:
//!
//! - [`noted`]: what a person typed into the host's memory.
//! - [`instructions`]: what was written into an instruction file ([`markdown`]).
//! - [`rejections`]: why a call was refused.
//! - [`answers`]: what was answered to the agent's questions.
//! - [`chats`]: what people say of themselves where nothing but talk happens.
//! - [`wording`]: what was queued while the agent worked, and prompts, where the
//!   words themselves say that they are meant to last, or are a rule ([`rules`]).
//!
//! Only a person's own words count ([`spoken`]), and only those that can be read
//! on their own ([`reading`]). Nothing found is a good answer.

mod answers;
mod chats;
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

pub use turn::of_turn;
pub use written::kind_of_written;

use said::{Said, cite, is_found, is_said_by_person, output_of};
