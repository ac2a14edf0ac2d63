//! `backstory init`

mod command;
mod first_steps;
mod proposal;

pub use command::InitCommand;

use command::known_memory;
