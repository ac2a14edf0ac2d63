//! What is worth remembering?
//!
//! 1. [`sources`]: what does a turn add? Statements with their evidence, by where
//!    they were said and what tools proved.
//! 2. [`failures`]: what went wrong in an episode, and what became of it?
//! 3. [`habits`]: what did several sessions do alike?
//! 4. [`card_set`]: which of them become cards? One card set per repository, and one for
//!    the cards that reach further.
//! 5. [`invalidated`]: which of them rest on something that has fallen?
//! 6. [`prohibitions`]: for which actions has a card to be looked at?
//!
//! Findings are folded turn by turn like every other stage. A card set cannot be: what
//! is admitted depends on everything before it in time, wherever it stands in the
//! log. So the fold marks card sets that are out of date, and [`rewrite`] writes them
//! again when everything is folded.

pub mod card_set;
pub mod failures;
mod habits;
mod invalidated;
pub mod judgements;
pub mod prohibitions;
mod rewrite;
pub mod sources;
mod stage;
mod topic;

pub use rewrite::rewrite_stale;
pub use stage::fold;
pub use topic::topic_of;

pub const NAME: &str = "cards";
pub const VERSION: u32 = 6;

/// The domain of cards that count in all of a person's repositories of a kind;
/// as long as nobody names domains there is one.
pub const DEFAULT_DOMAIN: &str = "repositories";
