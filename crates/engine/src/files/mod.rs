//! How are files of others read safely, and files of our own kept private?
//!
//! A repository or a session may name anything: a device without an end, a pipe that nobody writes to, a link to
//! another place. So every such file is opened here ([`open`], [`open_within`]): only regular files, within a size,
//! and inside their tree. What Backstory writes is for its owner only ([`create_dir`], [`for_writing`]).

mod bounded;
mod limited;
mod lines;
mod private;

pub use bounded::{Bounded, open, open_within, read, read_text, read_unlinked, read_within, text_within};
pub use limited::Limited;
pub use lines::{LineEnd, Lines};
pub use private::{create, create_dir, create_new, for_appending, for_writing, write};
