//! Which cards are remembered, and what supports them?
//!
//! - [`cards`], [`find_card`], [`card_evidence`]: which cards there are, and the words behind one.
//! - [`pack`]: which of them matter for a task?
//! - [`prompted`]: which are shown with a prompt?
//! - [`matching_cards`]: which are relevant to a question?
//! - [`unconfirmed_cards`]: which cards has nobody confirmed yet?
//! - [`gates`]: is the memory stable enough for more?
//! - [`named_in_tree`]: what does a card name that a working tree must have?

mod background;
mod everywhere;
mod evidence;
mod gates;
mod instructions;
mod list;
mod matching;
mod named;
mod pack;
mod prompted;
mod relevance;
mod unconfirmed;

pub use evidence::{Cited, card_evidence};
pub use gates::{Gate, gates};
pub use list::{CardInfo, card_info, cards, find_card};
pub(super) use matching::state_of;
pub use matching::{CardHit, matching_cards};
pub use named::{NamedInTree, named_in_tree};
pub use pack::{PACK_BUDGET, PACK_FRAME, Pack, PackItem, PackLeftOut, PackQuestion, PackSlot, card_doubt, pack};
pub use prompted::{PromptedCard, prompted};
pub use unconfirmed::{UnconfirmedCards, unconfirmed_cards};
