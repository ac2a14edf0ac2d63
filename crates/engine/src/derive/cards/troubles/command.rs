//! What does a command line run, without what differs from run to run?

use crate::derive::links::agent::test_runner;

/// What a command line comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The commands that check, build or run the project, in order.
    pub checks: Vec<String>,
    /// Other commands that change something.
    pub helpers: Vec<String>,
    /// Only a part of the output is shown.
    pub is_cut: bool,
    /// The state it ends with is that of another command.
    pub is_piped: bool,
}

/// They look at things, move them about, or speak to the world: how they end says
/// nothing about the project.
const READERS: [&str; 64] = [
    "grep", "rg", "cat", "ls", "find", "sed", "head", "tail", "cd", "echo", "printf", "wc", "awk", "jq", "which",
    "type", "pwd", "mkdir", "rm", "cp", "mv", "ln", "sleep", "kill", "pkill", "ps", "export", "unset", "diff", "tree",
    "chmod", "touch", "gh", "curl", "wget", "sort", "uniq", "xargs", "tee", "du", "df", "stat", "file", "env", "set",
    "source", ".", "true", "false", "test", "[", "[[", "for", "while", "do", "done", "if", "then", "fi", "read",
    "open", "ssh", "tmux", "backstory",
];
/// Words before a command that do not change what it does.
pub const PREFIXES: [&str; 6] = ["sudo", "time", "nice", "nohup", "command", "exec"];
/// Words that make a command a check or a build.
const CHECKS: [&str; 24] = [
    "build", "compile", "lint", "vet", "clippy", "check", "typecheck", "type-check", "tsc", "credo", "dialyzer",
    "mypy", "pyright", "ruff", "eslint", "golangci-lint", "flake8", "pylint", "rubocop", "shellcheck", "stylelint",
    "biome", "ktlint", "hadolint",
];
/// They put code in order, or get what it needs.
const FORMATTERS: [&str; 9] = ["fmt", "format", "gofmt", "rustfmt", "prettier", "black", "isort", "tidy", "generate"];
/// Flags that change how much is printed, or that nothing is remembered.
const QUIET: [&str; 9] = ["-v", "-vv", "--verbose", "-q", "--quiet", "-count=1", "--color=never", "--nocapture", "-s"];

const LONGEST: usize = 160;

pub fn read(line: &str) -> CommandLine {
    let mut out = CommandLine::default();
    // What follows a here-document is its text.
    let line = line.split("<<").next().unwrap_or_default();
    for (simple, piped_into) in simple_commands(line) {
        out.is_piped |= !piped_into.is_empty();
        out.is_cut |= piped_into.iter().any(|into| {
            let program = into.split_whitespace().next().unwrap_or_default();
            matches!(program, "head" | "tail" | "grep" | "rg" | "awk" | "sed" | "wc")
        });
        let words = telling_words(&simple);
        let Some(program) = words.first().map(|word| base_name(word).to_owned()) else { continue };
        if is_check(&program, &words) {
            let command = check_of(&program, &words);
            if !out.checks.contains(&command) {
                out.checks.push(command);
            }
        } else if !READERS.contains(&program.as_str()) && program != "git" {
            out.helpers.push(clip(&words.join(" ")));
        }
    }
    out
}

/// The form under which a command is known, whatever surrounds it.
pub fn normal_form(line: &str) -> String {
    let read = read(line);
    match read.checks.is_empty() {
        false => read.checks.join(" && "),
        true => read.helpers.join(" && "),
    }
}

fn check_of(program: &str, words: &[String]) -> String {
    match program {
        // The message and the branch are other ones each time.
        "git" => words.iter().take(2).cloned().collect::<Vec<_>>().join(" "),
        _ => clip(&words.join(" ")),
    }
}

fn clip(command: &str) -> String {
    command.chars().take(LONGEST).collect()
}

fn is_check(program: &str, words: &[String]) -> bool {
    if program == "git" {
        // Hooks check what is committed and pushed.
        return matches!(words.get(1).map(String::as_str), Some("commit" | "push"));
    }
    if READERS.contains(&program) || words.iter().any(|word| matches!(word.as_str(), "-c" | "-e" | "--help" | "-h")) {
        return false;
    }
    let names = |list: &[&str]| {
        words.iter().take(4).any(|word| {
            let task = base_name(word).split(':').next().unwrap_or_default();
            list.contains(&task)
        })
    };
    if names(&FORMATTERS) {
        return words.iter().any(|word| word.starts_with("--check") || word == "-l" || word == "--diff");
    }
    test_runner(&words.join(" ")).is_some() || names(&CHECKS) || runs_something(program, words)
}

/// A program or a script of the project.
fn runs_something(program: &str, words: &[String]) -> bool {
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    match program {
        "go" | "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "mix" | "mise" | "uv" | "poetry" | "deno" => second == "run",
        "make" | "just" | "rake" => true,
        "python" | "python3" | "node" | "ruby" | "bash" | "sh" => second.contains('.') && !second.starts_with("/tmp"),
        _ => words[0].starts_with("./") || words[0].starts_with('.') && words[0].contains('/'),
    }
}

pub fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words of a command that say what it does.
fn telling_words(simple: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut all = simple.split_whitespace().peekable();
    while let Some(word) = all.next() {
        let first = words.is_empty();
        if first && (PREFIXES.contains(&word) || is_assignment(word)) {
            continue;
        }
        if first && word == "timeout" {
            all.next();
            continue;
        }
        if word.starts_with(['>', '<']) || is_redirection(word) {
            // `> file`: the name is a word of its own.
            if word.ends_with(['>', '<']) {
                all.next();
            }
            continue;
        }
        if !QUIET.contains(&word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// `CI=1`
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}

fn is_redirection(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    rest.len() < word.len() && rest.starts_with('>')
}

/// Every command of a line, also those that something is piped into.
pub fn pieces_of(line: &str) -> Vec<String> {
    let all = pieces(line).into_iter().map(|(piece, _)| piece.trim().to_owned());
    all.filter(|piece| !piece.is_empty()).collect()
}

/// The commands of a line, each with what its output is piped into.
fn simple_commands(line: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut piped = false;
    for (text, ended_by) in pieces(line) {
        let text = text.trim().to_owned();
        match commands.last_mut() {
            Some((_, into)) if piped => into.push(text),
            _ => commands.push((text, Vec::new())),
        }
        piped = ended_by == Ended::Pipe;
    }
    commands.retain(|(command, _)| !command.is_empty());
    commands
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Pipe,
    Other,
}

/// Cut at `&&`, `||`, `;`, `|` and line breaks that are not quoted.
fn pieces(line: &str) -> Vec<(String, Ended)> {
    let mut out = Vec::new();
    let mut piece = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) => {
                if c == open {
                    quote = None;
                }
                piece.push(c);
            }
            (None, '\'' | '"' | '`') => {
                quote = Some(c);
                piece.push(c);
            }
            (None, '\\') if chars.peek() == Some(&'\n') => {
                chars.next();
                piece.push(' ');
            }
            (None, '&') if chars.peek() == Some(&'&') => {
                chars.next();
                out.push((std::mem::take(&mut piece), Ended::Other));
            }
            (None, '|') => {
                let or = chars.peek() == Some(&'|');
                if or {
                    chars.next();
                }
                out.push((std::mem::take(&mut piece), if or { Ended::Other } else { Ended::Pipe }));
            }
            (None, ';' | '\n') => out.push((std::mem::take(&mut piece), Ended::Other)),
            (None, _) => piece.push(c),
        }
    }
    out.push((piece, Ended::Other));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_a_check_does_not_count() {
        for line in [
            "make lint",
            "cd /srv/app && make lint 2>&1 | tail -20",
            "CI=1 make lint > out.txt",
            "time make lint; echo $?",
        ] {
            assert_eq!(read(line).checks, ["make lint"], "{line}");
        }
        assert_eq!(read("make fmt && make lint && go test -v ./...").checks, ["make lint", "go test ./..."]);
        assert_eq!(read("git commit -m \"fix; all\"").checks, ["git commit"]);
    }

    #[test]
    fn looking_is_not_checking() {
        for line in ["grep -r build src", "ls tests", "git log", "cat check", "python3 -c 'print(1)'", "go help"] {
            assert_eq!(read(line).checks, Vec::<String>::new(), "{line}");
        }
        assert_eq!(read("mix format && ls").helpers, ["mix format"]);
    }

    #[test]
    fn a_cut_output_is_told() {
        assert!(read("make test 2>&1 | tail -5").is_cut);
        assert!(!read("make test").is_cut);
        assert!(read("make test | tee log").is_piped);
    }
}
