//! The card set of one scope: candidates and judgements in the order of time ->
//! cards, and a ledger of every decision.
//!
//! A candidate passes, in this order: evidence (it could not have been made
//! without), an equal card (which takes its evidence), novelty, the caps of an
//! episode, the budget of the scope, what it supersedes. Nothing here knows a
//! clock: the same entries give the same card set.

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

/// Raised when the rules of admission change; every card says by which it came.
pub const RULES: u32 = 1;

#[cfg(test)]
mod tests;
