//! `backstory links`

mod choices;
mod command;
mod page;
mod plot;

pub use command::{LinksCommand, one};
