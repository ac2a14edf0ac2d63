//! What is worth remembering?
//!
//! 1. [`sources`]: what does a turn add? Statements with their evidence, by where they
//!    were said, and what tools proved.
//! 2. [`failures`]: what went wrong in an episode, and how was it resolved?
//! 3. [`habits`]: what did several sessions do in the same way?
//! 4. [`tactics`]: what did all fixes of one rule have in common?
//! 5. [`decisions`]: what do conversations decide, and what do later ones change?
//! 6. [`card_set`]: which of them become cards? One card set per repository, and one for
//!    the shared cards.
//! 7. [`invalidated`]: which of them depend on a card that no longer holds?
//! 8. [`prohibitions`]: for which actions must a card be checked?
//!
//! Findings are folded turn by turn, as in every other stage. A card set cannot be: admission
//! depends on everything earlier in time, at any position in the log. So the fold marks stale card
//! sets, and [`rewrite`] writes them again after folding.

pub mod card_set;
mod decisions;
pub mod failures;
mod habits;
mod invalidated;
pub mod judgements;
pub mod prohibitions;
mod rewrite;
pub mod sources;
mod stage;
mod tactics;
mod topic;

pub use rewrite::rewrite_stale;
pub use stage::fold;
pub use topic::topic_of;

pub const NAME: &str = "cards";
pub const VERSION: u32 = 7;

/// The domain of cards that apply to all repositories of a person; the only one until users can name domains.
pub const DEFAULT_DOMAIN: &str = "repositories";
