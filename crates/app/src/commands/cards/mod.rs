//! `backstory cards`

mod acts;
mod command;
mod page;
mod review;
mod transfer;

pub use acts::{New, add};
pub use command::{CardsCommand, card_kind, tree_of};

use command::tier;
