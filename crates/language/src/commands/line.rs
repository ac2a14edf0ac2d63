//! What does a command line run, apart from details that vary between runs?

use crate::shell::{self, CommandPlace, Operator, Script, SimpleCommand, base_name};

use super::test_runner;

/// The summary of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The commands that check, build or run the project, in order.
    pub checks: Vec<String>,
    /// Each of the checks as it was typed, with the environment it was given.
    pub forms: Vec<String>,
    /// Other commands that change something.
    pub helpers: Vec<String>,
    /// Commands before the first check, in order: helpers, and commands that tidy files or the working tree. Their
    /// outcome says nothing about the project, but they may make a check pass.
    pub before: Vec<String>,
    /// Only a part of the output is printed.
    pub is_cut: bool,
    /// The exit status is that of another command.
    pub is_piped: bool,
}

/// They read, move or publish things: their outcome says nothing about the project.
const READERS: [&str; 58] = [
    "grep", "rg", "cat", "ls", "find", "sed", "head", "tail", "cd", "echo", "printf", "wc", "awk", "jq", "which",
    "type", "pwd", "mkdir", "rm", "cp", "mv", "ln", "sleep", "kill", "pkill", "ps", "export", "unset", "diff", "tree",
    "chmod", "touch", "gh", "curl", "wget", "sort", "uniq", "xargs", "tee", "du", "df", "stat", "file", "env", "set",
    "source", ".", "true", "false", "test", "[", "[[", "for", "read", "open", "ssh", "tmux", "backstory",
];
/// Words before a command that do not change what it does.
const PREFIXES: [&str; 6] = ["sudo", "time", "nice", "nohup", "command", "exec"];
/// Words that make a command a check or a build.
const CHECKS: [&str; 24] = [
    "build", "compile", "lint", "vet", "clippy", "check", "typecheck", "type-check", "tsc", "credo", "dialyzer",
    "mypy", "pyright", "ruff", "eslint", "golangci-lint", "flake8", "pylint", "rubocop", "shellcheck", "stylelint",
    "biome", "ktlint", "hadolint",
];
/// They format code or install dependencies.
const FORMATTERS: [&str; 9] = ["fmt", "format", "gofmt", "rustfmt", "prettier", "black", "isort", "tidy", "generate"];
/// Flags that change the amount of output or disable caches.
const QUIET: [&str; 9] = ["-v", "-vv", "--verbose", "-q", "--quiet", "-count=1", "--color=never", "--nocapture", "-s"];

const LONGEST: usize = 160;

pub fn read(line: &str) -> CommandLine {
    let mut out = CommandLine::default();
    let script = shell::read(line);
    let mut exported: Vec<String> = Vec::new();
    // Readers of a pipe only show the output of the first command.
    let is_first = |command: &&SimpleCommand| {
        command.place == CommandPlace::Line && command.is_program() && !command.reads_pipe && !is_background(command)
    };
    for command in script.commands.iter().filter(is_first) {
        out.is_piped |= !command.downstream.is_empty();
        out.is_cut |= programs_behind(&script, command)
            .any(|program| matches!(program, "head" | "tail" | "grep" | "rg" | "awk" | "sed" | "wc"));
        if command.words[0].raw == "export" {
            let set = command.words[1..].iter().map(|word| &word.raw).filter(|word| tells_of_environment(word));
            exported.extend(set.cloned());
            continue;
        }
        let (given, words) = telling_words(command);
        let Some(program) = words.first().map(|word| base_name(word).to_owned()) else { continue };
        if is_check(&program, &words) {
            let command = check_of(&program, &words);
            if !out.checks.contains(&command) {
                let all: Vec<&str> = exported.iter().chain(&given).map(String::as_str).chain([&*command]).collect();
                out.forms.push(clip(&all.join(" ")));
                out.checks.push(command);
            }
            continue;
        }
        let is_helper = !READERS.contains(&program.as_str()) && program != "git";
        if is_helper {
            out.helpers.push(clip(&words.join(" ")));
        }
        if out.checks.is_empty() && (is_helper && !only_looks(&words) || puts_in_order(&program, &words)) {
            out.before.push(clip(&words.join(" ")));
        }
    }
    out
}

/// What runs on in the background proves nothing.
fn is_background(command: &SimpleCommand) -> bool {
    command.end == Operator::Background
}

/// Does a run of it prove something: does it test, build, lint or check types? Commands that bring
/// something elsewhere or go on running do not, whatever else they do.
pub fn proves(check: &str) -> bool {
    const ELSEWHERE: [&str; 22] = [
        "deploy", "upload", "publish", "release", "ship", "push", "submit", "start", "serve", "server", "dev", "watch",
        "preview", "plan", "apply", "destroy", "migrate", "seed", "sync", "up", "down", "install",
    ];
    let words: Vec<&str> = check.split(' ').collect();
    let program = base_name(words[0]);
    let tasks = words.iter().take(4).map(|word| base_name(word));
    let names = |word: &str, name: &str| word.split([':', '-', '_', '.']).any(|part| part == name);
    let goes_elsewhere = tasks.clone().any(|task| ELSEWHERE.iter().any(|name| names(task, name)));
    let tells = |task: &str| {
        CHECKS.contains(&task.split(':').next().unwrap_or_default())
            || ["test", "tests", "check", "lint", "build", "verify", "typecheck"].iter().any(|name| names(task, name))
    };
    program != "git" && !goes_elsewhere && (test_runner(check).is_some() || tasks.clone().any(tells))
}

/// The programs into which a command's output is piped.
fn programs_behind<'s>(script: &'s Script, command: &SimpleCommand) -> impl Iterator<Item = &'s str> {
    let behind = script.commands[command.downstream.clone()].iter();
    behind.filter_map(|command| command.words.first()).map(|word| word.raw.as_str())
}

/// Can a check pass after this one that failed before? Tests and lints change nothing.
pub fn may_cure(check: &str) -> bool {
    let words: Vec<String> = check.split(' ').map(str::to_owned).collect();
    let program = base_name(&words[0]);
    program != "git" && test_runner(check).is_none() && !has_task(&words, &CHECKS[2..]) && !only_looks(&words)
}

/// Helpers that only query state: `docker ps`, `go version`.
fn only_looks(words: &[String]) -> bool {
    const ASKS: [&str; 23] = [
        "ps", "logs", "log", "ls", "list", "show", "view", "info", "status", "version", "--version", "-V", "--help",
        "help", "get", "describe", "inspect", "env", "outdated", "why", "search", "doc", "diff",
    ];
    let is_inline = words.iter().skip(1).take(2).any(|word| matches!(word.as_str(), "-c" | "-e"));
    is_inline || words.iter().skip(1).take(2).any(|word| ASKS.contains(&word.as_str()))
}

/// Is it common in lines of any purpose, like `mkdir` and `rm`?
pub fn is_common(command: &str) -> bool {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    puts_in_order(base_name(&words[0]), &words)
}

/// Changes files, the working tree or the shell's state, without reporting on it.
fn puts_in_order(program: &str, words: &[String]) -> bool {
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    match program {
        "git" => matches!(
            second,
            "checkout" | "switch" | "pull" | "merge" | "rebase" | "submodule" | "reset" | "restore" | "lfs"
        ),
        _ => matches!(program, "cp" | "mv" | "rm" | "ln" | "chmod" | "mkdir" | "kill" | "pkill" | "source" | "."),
    }
}

/// Words before the program, which make it found.
const WRAPPERS: [&[&str]; 15] = [
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["hatch", "run"],
    &["pdm", "run"],
    &["rye", "run"],
    &["npx"],
    &["bunx"],
    &["pnpm", "exec"],
    &["yarn", "exec"],
    &["bundle", "exec"],
    &["python", "-m"],
    &["python3", "-m"],
    &["mise", "exec", "--"],
    &["mise", "x", "--"],
];

/// The same for `pytest`, `uv run pytest` and `.venv/bin/pytest`.
pub fn core(command: &str) -> &str {
    let mut rest = command;
    'again: loop {
        for wrapper in WRAPPERS {
            let inner = wrapper.iter().try_fold(rest, |rest, word| rest.strip_prefix(word)?.strip_prefix(' '));
            if let Some(inner) = inner.filter(|inner| !inner.starts_with('-')) {
                rest = inner;
                continue 'again;
            }
        }
        break;
    }
    let program = rest.split(' ').next().unwrap_or_default();
    // Programs installed in a language environment.
    let installed = program.contains("venv/bin/") || program.contains("node_modules/.bin/");
    if installed { &rest[program.rfind('/').map_or(0, |at| at + 1)..] } else { rest }
}

/// The environment that a command line sets, by name.
pub fn environment(line: &str) -> Vec<String> {
    let script = shell::read(line);
    let words = script.commands.iter().flat_map(SimpleCommand::raw_words).filter(|word| tells_of_environment(word));
    words.filter_map(|word| Some(word.split_once('=')?.0.to_owned())).collect()
}

/// `PYTHONPATH=src`, but not variables that only change the amount of output or disable checks.
fn tells_of_environment(word: &str) -> bool {
    const NOISE: [&str; 12] = [
        "CI", "DEBUG", "VERBOSE", "NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "PAGER", "GIT_PAGER", "HUSKY",
        "RUST_BACKTRACE", "PYTHONUNBUFFERED",
    ];
    const PARTS: [&str; 5] = ["SKIP", "DISABLE", "LOG", "COLOR", "CACHE"];
    let name = word.split('=').next().unwrap_or_default();
    let whole = ['"', '\''].iter().all(|quote| word.matches(*quote).count() % 2 == 0);
    is_assignment(word)
        && whole
        && !word.contains("/tmp")
        && !word.contains("$(")
        && !NOISE.contains(&name)
        && !PARTS.iter().any(|part| name.contains(part))
}

/// The canonical form of a command, without its surroundings.
pub fn normal_form(line: &str) -> String {
    let read = read(line);
    match read.checks.is_empty() {
        false => read.checks.join(" && "),
        true => read.helpers.join(" && "),
    }
}

fn check_of(program: &str, words: &[String]) -> String {
    match program {
        // The message and the branch differ each time.
        "git" => words.iter().take(2).cloned().collect::<Vec<_>>().join(" "),
        _ => clip(&words.join(" ")),
    }
}

fn clip(command: &str) -> String {
    command.chars().take(LONGEST).collect()
}

fn is_check(program: &str, words: &[String]) -> bool {
    if program == "git" {
        // Hooks check commits and pushes.
        return matches!(words.get(1).map(String::as_str), Some("commit" | "push"));
    }
    if READERS.contains(&program) || words.iter().any(|word| matches!(word.as_str(), "-c" | "-e" | "--help" | "-h")) {
        return false;
    }
    if has_task(words, &FORMATTERS) {
        return words.iter().any(|word| word.starts_with("--check") || word == "-l" || word == "--diff");
    }
    test_runner(&words.join(" ")).is_some() || has_task(words, &CHECKS) || runs_something(program, words)
}

fn has_task(words: &[String], list: &[&str]) -> bool {
    words.iter().take(4).any(|word| {
        let task = base_name(word).split(':').next().unwrap_or_default();
        list.contains(&task)
    })
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

/// The environment of a command, and the words that say what it does.
fn telling_words(command: &SimpleCommand) -> (Vec<String>, Vec<String>) {
    let mut given: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut all = command.raw_words().peekable();
    while let Some(word) = all.next() {
        let first = words.is_empty();
        let sets = word == "env" && all.peek().is_some_and(|next| is_assignment(next));
        if first && (PREFIXES.contains(&word) || is_assignment(word) || sets) {
            given.extend(tells_of_environment(word).then(|| word.to_owned()));
            continue;
        }
        if first && word == "timeout" {
            all.next();
            continue;
        }
        if !QUIET.contains(&word) {
            words.push(word.to_owned());
        }
    }
    (given, words)
}

/// `CI=1`
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
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
    fn a_command_is_known_with_its_environment_and_what_came_before() {
        for line in [
            "PYTHONPATH=src pytest -q",
            "env PYTHONPATH=src pytest",
            "export PYTHONPATH=src && pytest",
            "CI=1 PYTHONPATH=src pytest",
        ] {
            let line = read(line);
            assert_eq!(
                (line.checks, line.forms),
                (vec!["pytest".to_owned()], vec!["PYTHONPATH=src pytest".to_owned()])
            );
        }
        assert_eq!(
            read("ls; cp .env.example .env && npm install && npm test").before,
            ["cp .env.example .env", "npm install"]
        );
        assert_eq!(read("docker ps; go version; git status; git pull").before, ["git pull"]);
        assert!(may_cure("make db-up") && may_cure("./scripts/seed.sh") && may_cure("make build"));
        assert!(!may_cure("make test") && !may_cure("npm run lint") && !may_cure("git commit"));
    }

    #[test]
    fn what_makes_a_program_found_is_not_the_program() {
        for command in ["pytest -x", "uv run pytest -x", "poetry run python -m pytest -x", ".venv/bin/pytest -x"] {
            assert_eq!(core(command), "pytest -x", "{command}");
        }
        for command in ["npx vitest run", "./node_modules/.bin/vitest run", "pnpm exec vitest run"] {
            assert_eq!(core(command), "vitest run", "{command}");
        }
        assert_eq!(core("make test"), "make test");
        assert_eq!(core("./bin/check"), "./bin/check", "a script of the project");
    }

    #[test]
    fn what_brings_something_elsewhere_proves_nothing() {
        for check in ["make test", "npm run build", "./scripts/lint.sh", "cargo clippy", "tsc --noEmit", "pytest -x"] {
            assert!(proves(check), "{check}");
        }
        for other in [
            "make deploy",
            "./scripts/build-and-upload.sh",
            "npm run start",
            "terraform plan",
            "npm run dev",
            "git push",
            "make publish",
            "python3 tool.py",
            "./run.sh",
            "npm run build:deploy",
        ] {
            assert!(!proves(other), "{other}");
        }
        assert_eq!(read("make test &").checks, Vec::<String>::new());
        assert_eq!(read("git stash && make test && git stash pop").before, Vec::<String>::new());
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
