//! What reaches a terminal, and how does it look?
//!
//! - `format`: how are numbers, times and styled text written?
//! - `display`: who reads, how wide is the terminal, what do the flags say?
//! - `wrap`: how does text fit a width?
//! - `pager`: who shows text that is longer than the screen?
//! - `output`: what may be printed? The only file that writes to standard output and standard error.

mod display;
mod format;
mod output;
mod pager;
mod wrap;

pub use display::{
    Audience, Color, Display, Frame, Paging, audience, is_always_coloured, is_read_by_a_person, screen_width,
    shows_progress, use_display,
};
pub use format::*;
pub use output::*;
