//! What does a card name that a working tree must have? A fact that names a missing file is not stated as true.

use std::collections::BTreeSet;

use backstory_language::shell::{self, SimpleCommand, Word};

/// Something that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedInTree {
    /// A file or folder, by a path from the project's root.
    Path(String),
    /// A task of a build tool: `npm run build`, `make lint`.
    Task { tool: String, task: String },
    /// A version of a language or a package: `react@18.2`, Node 20.
    Version { name: String, version: String },
}

/// Only names written as code count: words of prose too often mean something else.
pub fn named_in_tree(statement: &str) -> Vec<NamedInTree> {
    let mut named = Vec::new();
    for code in statement.split('`').skip(1).step_by(2) {
        for command in shell::read(code).commands {
            named.extend(named_by(&command));
        }
    }
    named.extend(versions(statement));
    named.dedup();
    named
}

/// The names of code, files and settings in a text, in lower case; of a path also its last part. Words of prose are
/// none.
pub(super) fn names_in(text: &str) -> BTreeSet<String> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']'));
    let mut names = BTreeSet::new();
    for word in words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')) {
        if !is_name(word) {
            continue;
        }
        let name = word.to_lowercase();
        names.extend(name.rsplit('/').next().filter(|last| last.len() > 3).map(str::to_owned));
        names.insert(name);
    }
    names
}

/// `snake_case`, `camelCase`, `a::b`, `a.b`, `a/b`, but not "and/or", "e.g.", "iPhone" or a number.
fn is_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 4 || word.len() > 100 {
        return false;
    }
    let humps = word.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_joined = word.contains(['_', '.', '/', ':']) && word.len() > 6;
    is_joined || humps.count() > 0 && word.len() > 6
}

fn named_by(command: &SimpleCommand) -> Vec<NamedInTree> {
    let words: Vec<String> = command.words.iter().map(Word::text).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let task = |tool: &str, task: &str| vec![NamedInTree::Task { tool: tool.to_owned(), task: task.to_owned() }];
    match words.as_slice() {
        [tool @ ("npm" | "pnpm" | "yarn" | "bun" | "mise"), "run", name, ..] => task(tool, name),
        [tool @ ("make" | "just"), name, ..] if is_task(name) => task(tool, name),
        // A path, or a script that is run.
        _ => {
            let redirected = command.redirections.iter().map(|redirection| redirection.target.text());
            let all = words.iter().map(|word| (*word).to_owned()).chain(redirected);
            all.filter(|word| is_path(word)).map(NamedInTree::Path).collect()
        }
    }
}

/// A name with a dotted number, or a language with a number.
fn versions(statement: &str) -> Vec<NamedInTree> {
    const LANGUAGES: [&str; 10] = ["bun", "deno", "go", "java", "node", "php", "python", "ruby", "rust", "typescript"];
    let words: Vec<&str> = statement
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | ',' | ';' | '(' | ')' | '"'))
        .map(|word| word.trim_end_matches(['.', ':', '+']))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (name, version) = match word.rsplit_once('@') {
            Some((name, version)) if !name.is_empty() => (name, version),
            _ => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        let name = name.to_lowercase();
        let name = name.strip_suffix(".js").unwrap_or(&name);
        let version = version.strip_prefix('v').unwrap_or(version);
        let numbers = version.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@');
        if numbers && is_name && (version.contains('.') || LANGUAGES.contains(&name)) {
            found.push(NamedInTree::Version { name: name.to_owned(), version: version.to_owned() });
        }
    }
    found
}

fn is_task(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic()) && !word.contains('=')
}

/// A path from the root: with a folder or an extension, and without shell or pattern characters.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@'));
    let ending = word.rsplit('/').next().and_then(|name| name.rsplit_once('.')).is_some_and(|(stem, ending)| {
        !stem.is_empty() && (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let version = word.starts_with(|c: char| c.is_ascii_digit());
    plain && !version && !word.starts_with(['/', '-', '@']) && !word.contains("..") && (word.contains('/') && ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_prose() {
        let names: Vec<String> =
            names_in("fix `mergeSettings()` in src/config/merge.go, and/or the iPhone app e.g. now")
                .into_iter()
                .collect();
        assert_eq!(names, ["merge.go", "mergesettings", "src/config/merge.go"]);
    }

    #[test]
    fn only_code_names_things() {
        let path = |path: &str| NamedInTree::Path(path.to_owned());
        let task = |tool: &str, task: &str| NamedInTree::Task { tool: tool.to_owned(), task: task.to_owned() };
        assert_eq!(named_in_tree("the routes are in `src/app/routes.ts`, not src/old.ts"), [path("src/app/routes.ts")]);
        assert_eq!(
            named_in_tree("run `npm run lint -- --fix` and `make check`"),
            [task("npm", "lint"), task("make", "check")]
        );
        assert_eq!(named_in_tree("Check of this project: `bash scripts/check.sh`"), [path("scripts/check.sh")]);
        let version =
            |name: &str, version: &str| NamedInTree::Version { name: name.to_owned(), version: version.to_owned() };
        assert_eq!(
            named_in_tree("Built with Node.js 20 and `react@18.2`, on serde 1.0; 3 tries"),
            [version("node", "20"), version("react", "18.2"), version("serde", "1.0")]
        );
        for nothing in ["use `serde`", "go on 3 times", "`../x/y.rs`", "`/etc/hosts.txt`", "`a/*.rs`", "and/or"] {
            assert_eq!(named_in_tree(nothing), [], "{nothing}");
        }
    }
}
