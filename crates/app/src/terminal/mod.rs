//! Output to the terminal.
//!
//! - `format`: numbers, times and styled text.
//! - `display`: the reader, the terminal's size and the flags.
//! - `wrap`: wraps text.
//! - `pager`: shows text that is longer than the screen.
//! - `output`: filters text. The only file that writes to standard output and standard error.

mod display;
mod format;
mod output;
mod pager;
mod wrap;

pub use display::{
    Audience, Color, Display, Frame, Paging, audience, is_always_coloured, is_read_by_a_person, shows_progress,
    terminal_width, use_display,
};
pub use format::*;
pub use output::*;
