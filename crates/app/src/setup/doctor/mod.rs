//! Which faults does this installation have, and how are they repaired?

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
