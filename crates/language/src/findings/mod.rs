//! What does a message state that is worth telling later?
//!
//! - [`passages`]: into which statements does it divide?
//! - [`cues`]: what does a statement say: a cause, a result, a decision?

mod cues;
mod passages;

pub use cues::{Cue, Cues};
pub use passages::{LONGEST, Passage, Shape, is_item, item_mark, passages};
