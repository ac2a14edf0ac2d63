//! Which units does a turn have?
//!
//! turns -> units -> chunks: an episode's events are cut into [`turns`], each
//! turn into [`units`] (a prompt, a paragraph, a call with its result), and the
//! units are packed into chunks of a few hundred tokens ([`pack`]).

mod anchors;
mod distinctive;
mod episode;
mod pack;
mod parts;
mod run;
mod split;
mod turns;
mod units;

pub use turns::cut_turns;
pub use units::{QUEUED, is_delivered_later};

pub(super) use episode::{fold_episode, record_key};

pub const NAME: &str = "chunk";
pub const VERSION: u32 = 10;
