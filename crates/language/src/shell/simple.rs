//! Which simple commands does a line contain?

use super::argv;
use super::argv::base_name;
use super::argv::script_argument;
use super::parse::read;
use super::script::SimpleCommand;
use super::script::Word;

/// The unquoted words of each simple command, with those of inner scripts (`bash -c '…'`) last.
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = Vec::new();
    collect(line, 0, &mut commands);
    commands
}

fn collect(line: &str, depth: usize, out: &mut Vec<Vec<String>>) {
    const DEEPEST: usize = 3;
    let first = out.len();
    let words = |command: &SimpleCommand| command.words.iter().map(Word::text).collect::<Vec<_>>();
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
