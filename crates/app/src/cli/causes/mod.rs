//! `why "QUESTION"` and `why --impact NAME`: what in the code, its history and the memory is the cause.

pub mod impact;
mod memory;
pub mod question;
mod text;

pub use impact::tell_impact;
pub use question::{Asked, CauseArgs, ask};
