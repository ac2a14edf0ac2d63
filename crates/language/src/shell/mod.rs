//! What does a command line run? The only parser of shell text in the project.
//!
//! - [`script`]: the parts of a command line, as data.
//! - [`parse`], [`word`], [`document`], [`dollar`]: text -> [`Script`].
//! - [`run`]: the programs that a script runs, through quotes, variables, `sudo`, `xargs`, `bash -c` and the like, and
//!   which parts are unreadable.
//! - [`argv`]: a list of arguments as one line, and back.
//!
//! Parsing never fails. Damaged text is read as far as possible and reported as a
//! [`SyntaxFault`]. Depth and time are bounded.

mod argv;
mod document;
mod dollar;
mod expand;
mod parse;
mod run;
mod script;
mod simple;
mod starters;
mod word;

pub use argv::{base_name, line_of, script_argument};
pub use expand::{Argument, CURRENT_BRANCH, Knowledge};
pub use parse::read;
pub use run::{ProgramRun, RunReach, ScriptReading, Unread, UnreadReason, runs};
pub use script::{
    Assignment, CommandPlace, Operator, Redirection, RedirectionKind, Script, ScriptExtent, SimpleCommand, SyntaxFault,
    Word, WordPart,
};
pub use simple::simple_commands;

#[cfg(test)]
mod tests;
