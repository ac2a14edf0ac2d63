//! What reaches a terminal, and how does it look?
//!
//! - `format`: how are numbers, times and styled text written?
//! - `output`: what may be printed? The only file that writes to standard output and standard error.

mod format;
mod output;

pub use format::*;
pub use output::*;
