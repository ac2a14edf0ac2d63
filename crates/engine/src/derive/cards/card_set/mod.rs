//! The card set of one scope: turns candidates and judgements, ordered by time, into cards and a
//! ledger of every decision.
//!
//! A candidate passes these checks in order: evidence (it cannot be constructed without any), an
//! equal card (which gets its evidence), novelty, the caps of an episode, the budget of the scope,
//! what it supersedes. Nothing here reads a clock: the same entries give the same card set.

mod acts;
mod changes;
mod claim;
mod entry;
mod limits;
mod set;
mod upkeep;
mod utility;

pub use entry::{CardChange, CardEntry};
pub use limits::budget;
pub use set::CardSet;
pub use utility::{CardUse, ExposedCards, SessionOutcome, used};

use set::{Arrival, DraftCard, similarity};

/// Raised when the admission rules change; every card stores its version.
pub const RULES: u32 = 1;

#[cfg(test)]
mod tests;
