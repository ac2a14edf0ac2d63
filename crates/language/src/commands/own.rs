//! Does a command line print Backstory's output and nothing else?

use crate::shell::{self, CommandPlace, SimpleCommand, base_name};

/// They select, cut or count the lines that they read.
const FILTERS: [&str; 15] =
    ["awk", "cat", "column", "cut", "fold", "grep", "head", "jq", "less", "rg", "sed", "sort", "tail", "uniq", "wc"];
/// They print nothing.
const SILENT: [&str; 2] = ["cd", "export"];

/// Every program of the line is Backstory, a filter behind it, or silent. Markers are not needed to recognise such
/// output, so `--plain` and filtered JSON are covered.
pub fn prints_only_own_output(line: &str) -> bool {
    if !line.contains("backstory") {
        return false;
    }
    let script = shell::read(line);
    let is_ours = |command: &SimpleCommand| program(command) == "backstory";
    let is_harmless = |command: &SimpleCommand| match program(command) {
        program if command.reads_pipe => FILTERS.contains(&program),
        program => SILENT.contains(&program),
    };
    let on_line = || script.commands.iter().filter(|command| command.place == CommandPlace::Line);
    script.faults.is_empty()
        && on_line().any(is_ours)
        && on_line().all(|command| command.words.is_empty() || is_ours(command) || is_harmless(command))
}

fn program(command: &SimpleCommand) -> &str {
    command.words.first().map_or("", |word| base_name(&word.raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_backstory_and_filters_prints_only_its_output() {
        for line in [
            "backstory search wrapping --plain",
            "cd /shop && ~/bin/backstory recall \"why $(date)\" --plain 2>&1 | grep -v x | head -5",
            "WIDTH=80 backstory sessions --plain; backstory show 1a2b",
            "backstory search x --json | jq '.result.items[0]'",
        ] {
            assert!(prints_only_own_output(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_prints_something_else_is_read() {
        for line in [
            "cargo test -p backstory",
            "backstory search x --plain; cat notes.md",
            "backstory search x --plain && cargo test",
            "backstory search x --plain | xargs cat",
            "cat backstory.md | head",
            "echo backstory",
            "backstory search 'x",
            "",
        ] {
            assert!(!prints_only_own_output(line), "{line}");
        }
    }
}
