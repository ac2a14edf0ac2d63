//! What does a command line run? The one reader of shell text for the whole project.
//!
//! - [`script`]: the parts of a command line, as data.
//! - [`parse`], [`word`], [`document`], [`dollar`]: text -> [`Script`].
//! - [`run`]: the programs that a script runs, through quotes, variables, `sudo`,
//!   `xargs`, `bash -c` and the like, and which parts cannot be read.
//! - [`argv`]: a list of arguments as one line, and back.
//!
//! Parsing never fails. Damaged text is read as far as possible and reported as a
//! [`Fault`]. Depth and time are bounded.

mod argv;
mod document;
mod dollar;
mod expand;
mod parse;
mod run;
mod script;
mod starters;
mod word;

pub use argv::{base_name, line_of, script_argument};
pub use expand::{Argument, CURRENT_BRANCH, Knowledge};
pub use parse::read;
pub use run::{Reach, Reading, Run, Unread, UnreadReason, runs};
pub use script::{
    Assignment, Command, Extent, Fault, Operator, Part, Place, Redirection, RedirectionKind, Script, Word,
};

/// The words of each simple command without quotes, those of inner scripts
/// (`bash -c '…'`) last.
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = Vec::new();
    collect(line, 0, &mut commands);
    commands
}

fn collect(line: &str, depth: usize, out: &mut Vec<Vec<String>>) {
    const DEEPEST: usize = 3;
    let first = out.len();
    let words = |command: &Command| command.words.iter().map(Word::text).collect::<Vec<_>>();
    out.extend(read(line).commands.iter().map(words).filter(|words| !words.is_empty()));
    let scripts: Vec<String> = out[first..].iter().filter_map(|words| script_in(words)).collect();
    for script in scripts.iter().filter(|_| depth < DEEPEST) {
        collect(script, depth + 1, out);
    }
}

/// The script of the first shell among these words.
fn script_in(words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let shell = words.iter().position(|word| argv::is_shell(base_name(word)))?;
    script_argument(&words[shell..]).map(|at| words[shell + at].to_owned())
}

#[cfg(test)]
mod tests;
