//! Which runner does a command line use for tests or checks?

use crate::shell::simple_commands;

const TEST_WORDS: [&str; 16] = [
    "test", "tests", "pytest", "unittest", "jest", "vitest", "mocha", "rspec", "phpunit", "tox", "nox", "ctest",
    "nextest", "check", "lint", "verify",
];
/// These count if the line runs no tests.
const CHECKERS: [&str; 9] = ["clippy", "ruff", "eslint", "mypy", "pyright", "flake8", "pylint", "tsc", "golangci-lint"];
/// Common words, which say nothing without a runner before them.
const COMMON: [&str; 6] = ["test", "tests", "check", "lint", "verify", "clippy"];
/// A command with one of these reads tests or installs them.
const READERS: [&str; 13] =
    ["grep", "rg", "cat", "ls", "find", "git", "sed", "head", "tail", "cd", "echo", "which", "install"];
const RUNNERS: [&str; 16] = [
    "cargo", "go", "npm", "pnpm", "yarn", "make", "mise", "just", "bun", "mix", "gradle", "mvn", "dotnet", "python",
    "python3", "bazel",
];
/// These take several targets: a word before `test` is one too.
const BUILDERS: [&str; 4] = ["make", "just", "gradle", "mvn"];
/// Words between a runner and its test word that name the run.
const RUN: [&str; 2] = ["run", "-m"];

/// `go test -tags=slow`, `npm run test:ci`. Paths with such names do not count.
pub fn test_runner(command: &str) -> Option<String> {
    let commands = simple_commands(command);
    let with = |wanted: &[&str]| commands.iter().find_map(|words| of_command(words, wanted));
    with(&TEST_WORDS).or_else(|| with(&CHECKERS))
}

/// Does a later run include the checks that failed, under another name? Arguments are results of [`test_runner`]. A
/// script with a name of its own is another check, but a run of only the tests may stand for `npm test`.
pub fn same_tests(failed: &str, later: &str) -> bool {
    if failed == later {
        return true;
    }
    match (script(failed), script(later)) {
        (Some("test"), Some(later)) => later.split(':').next() == Some("test"),
        (Some(failed), Some(later)) => failed == later,
        _ => module(failed) == module(later),
    }
}

/// The package script that a runner names.
fn script(runner: &str) -> Option<&str> {
    match runner.split(' ').collect::<Vec<_>>().as_slice() {
        ["npm" | "pnpm" | "yarn" | "bun", script] | ["npm" | "pnpm" | "yarn" | "bun", "run", script] => Some(script),
        ["jest" | "vitest" | "mocha"] => Some("test"),
        _ => None,
    }
}

/// `python -m pytest` is `pytest`.
fn module(runner: &str) -> &str {
    runner.strip_prefix("python -m ").or_else(|| runner.strip_prefix("python3 -m ")).unwrap_or(runner)
}

fn of_command(words: &[String], wanted: &[&str]) -> Option<String> {
    let mut runner: Vec<&str> = Vec::new();
    let words: Vec<&str> = words.iter().map(|word| wrapped(word)).collect();
    for (at, word) in words.iter().enumerate() {
        if READERS.contains(word) {
            return None;
        } else if RUNNERS.contains(word) {
            runner = vec![word];
        } else if is_one_of(wanted, word, &runner) {
            runner.push(word);
            // Tests built with tags are different tests.
            runner.extend(words[at..].iter().find(|word| word.starts_with("-tags")));
            return Some(runner.join(" "));
        } else if RUN.contains(word) && !runner.is_empty() {
            runner.push(word);
        } else if !goes_on(&runner, &words[..at], word) {
            runner.clear();
        }
    }
    None
}

/// The command that a script of the repository wraps.
fn wrapped(word: &str) -> &str {
    match word.strip_prefix("./").unwrap_or(word) {
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        _ => word,
    }
}

fn is_one_of(wanted: &[&str], word: &str, runner: &[&str]) -> bool {
    let task = word.split(':').next().unwrap_or_default();
    wanted.contains(&task) && (!runner.is_empty() || !COMMON.contains(&task))
}

/// Can the test word still follow this word? Yes after flags and their values, and after the name of a workspace.
fn goes_on(runner: &[&str], before: &[&str], word: &str) -> bool {
    let is_flag = |word: &str| word.starts_with(['-', '+']) && word != "--" || word.starts_with("workspace");
    let Some(first) = runner.first() else { return false };
    // Words after a script belong to the script, except for scripts with a command `test`.
    let is_python = first.starts_with("python");
    let is_value = !is_python && before.last().is_some_and(|last| is_flag(last));
    is_flag(word) || is_value || BUILDERS.contains(first) || is_python && word == "manage.py"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_what_runs_them() {
        for (command, runner) in [
            ("cargo test", "cargo test"),
            ("cargo +nightly test --all", "cargo test"),
            ("timeout 60 cargo test", "cargo test"),
            ("RUST_LOG=1 cargo test 2>&1 | tail", "cargo test"),
            ("cargo build && cargo test", "cargo test"),
            ("cd app && npm run test:ci", "npm run test:ci"),
            ("npm --prefix app run test", "npm run test"),
            ("yarn workspace web test", "yarn test"),
            ("pnpm exec vitest", "vitest"),
            ("cd x && go test ./...", "go test"),
            ("go test ./... -tags=slow -v", "go test -tags=slow"),
            ("go test ./... && go vet -tags=slow ./...", "go test"),
            ("go vet ./... && go test ./...", "go test"),
            ("python -m pytest -x", "python -m pytest"),
            ("python3 -m unittest tests", "python3 -m unittest"),
            ("python manage.py test", "python test"),
            ("uv run pytest", "pytest"),
            ("uv run python -m pytest", "python -m pytest"),
            ("bundle exec rspec", "rspec"),
            ("make lint", "make lint"),
            ("make -C app test", "make test"),
            ("mvn clean test", "mvn test"),
            ("./mvnw -q verify", "mvn verify"),
            ("./gradlew :app:assemble test", "gradle test"),
            ("bazel test //...", "bazel test"),
            ("cargo clippy --all-targets", "cargo clippy"),
            ("ruff check src", "ruff"),
            ("npx tsc --noEmit && npm test", "npm test"),
            ("npx eslint src", "eslint"),
            ("npx tsc --noEmit", "tsc"),
            ("mise run lint", "mise run lint"),
            ("mise exec -- cargo test", "cargo test"),
            ("bash -lc 'cd app && npm test'", "npm test"),
            ("(cd app; npm test)", "npm test"),
        ] {
            assert_eq!(test_runner(command).as_deref(), Some(runner), "{command}");
        }
    }

    #[test]
    fn the_same_tests_have_several_names() {
        for (failed, later) in [
            ("npm test", "pnpm test"),
            ("npm test", "npm run test"),
            ("npm test", "npm run test:unit"),
            ("npm test", "vitest"),
            ("vitest", "yarn test"),
            ("pytest", "python3 -m pytest"),
            ("npm run test:e2e", "yarn run test:e2e"),
        ] {
            assert!(same_tests(failed, later), "{failed} / {later}");
        }
        for (failed, later) in [
            ("npm run test:e2e", "npm test"),
            ("npm run test:e2e", "npm run test:unit"),
            ("npm test", "npm run lint"),
            ("npm test", "go test"),
            ("make test", "npm test"),
            ("pytest", "python -m unittest"),
            ("go test", "go test -tags=slow"),
        ] {
            assert!(!same_tests(failed, later), "{failed} / {later}");
        }
    }

    #[test]
    fn tests_are_told_from_things_with_such_names() {
        for command in [
            "ls test",
            "grep -r test src",
            "git log -- tests",
            "cat check",
            "mkdir tests",
            "grep -rn jest package.json",
            "npm install --save-dev jest",
            "cargo build && mkdir test",
            "cargo build; test -f x",
            "python3 gen.py tests",
            "python3 -u gen.py tests",
            "git commit -m \"add test for x\"",
            "git commit -m 'x; go test passes'",
            "cargo run -- check",
            "npm run build test",
            "cat > x <<EOF\ncargo test\nEOF",
            "# cargo test\nls",
            "-m test",
            "run tests",
        ] {
            assert_eq!(test_runner(command), None, "{command}");
        }
    }
}
