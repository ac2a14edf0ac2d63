//! What is wrong with this installation, and what repairs it?

mod check;
mod doubles;
mod examine;
mod hooks;
mod hosts;
mod memory;
mod sessions;

pub use check::{Check, State};
pub use examine::examine;
pub use memory::little_space;
