//! `backstory projects`

mod changes;
mod command;

pub use command::{ProjectsCommand, list, one};
