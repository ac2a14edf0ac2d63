//! What is somebody about to do?
//!
//! A command line does several things; each is looked at by itself, since a word of
//! one and a word of another forbid nothing together. What a commit says and what a
//! here-document holds is not done.

use std::collections::BTreeSet;

use super::super::troubles::command::{self, PREFIXES, base_name, is_assignment};
use super::Reader;

/// What somebody is about to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// By which cards are found.
    pub words: BTreeSet<String>,
    pub(super) deeds: Vec<Deed>,
}

/// One command, one edit, or a plan in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    pub words: BTreeSet<String>,
    /// What it consists of, without quotes.
    pub parts: Vec<String>,
    /// The programs that it starts, with their sub-commands, as words.
    pub programs: BTreeSet<String>,
    pub manner: Manner,
}

/// What becomes of the files that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// It looks at them.
    Reads,
    /// They go into the history or from there to others.
    Versions,
    /// They are other ones afterwards.
    Changes,
    Unknown,
}

/// They look, and print.
const READERS: [&str; 24] = [
    "cat", "less", "more", "head", "tail", "grep", "egrep", "rg", "ag", "ls", "tree", "wc", "echo", "printf", "diff",
    "file", "stat", "which", "type", "cd", "jq", "awk", "sort", "backstory",
];
const CHANGERS: [&str; 15] = [
    "rm", "rmdir", "mv", "cp", "tee", "touch", "truncate", "chmod", "chown", "ln", "dd", "unlink", "patch", "shred",
    "install",
];
/// They start another program, as those do that change nothing.
const WRAPPERS: [&str; 3] = ["env", "xargs", "timeout"];
/// Their first word says what they do.
const WITH_COMMANDS: [&str; 32] = [
    "apt", "apt-get", "aws", "brew", "bun", "bundle", "cargo", "composer", "deno", "docker", "dotnet", "gcloud", "gh",
    "git", "go", "helm", "just", "kubectl", "make", "mise", "mix", "npm", "npx", "pip", "pnpm", "poetry", "rails",
    "rake", "systemctl", "terraform", "uv", "yarn",
];
/// Behind these stands what is said of it, not what is done.
const MESSAGES: [&str; 3] = ["-m", "-am", "--message"];
const MESSAGES_OF_GH: [&str; 6] = ["-b", "--body", "-t", "--title", "-n", "--notes"];
/// A line within a line is no deeper than this.
const DEEPEST: usize = 3;

impl Reader {
    /// `branch`: the one that is checked out, where that is known.
    pub fn action(&mut self, text: &str, branch: Option<&str>) -> Action {
        let mut action = Action { words: self.words(text), deeds: Vec::new() };
        self.deeds(text, branch, 0, &mut action.deeds);
        for deed in &action.deeds {
            action.words.extend(deed.words.iter().cloned());
            action.words.extend(deed.parts.iter().flat_map(|part| self.plain_names(part)));
        }
        action
    }

    fn deeds(&mut self, line: &str, branch: Option<&str>, depth: usize, out: &mut Vec<Deed>) {
        let mut branch = branch;
        for piece in command::pieces_of(&without_documents(line)) {
            let (mut parts, written) = parts_of(&piece);
            let is_elsewhere = drop_global_options(&mut parts);
            let plain = command_of(&parts);
            if let Some(inner) = inner_line(plain).filter(|_| depth < DEEPEST) {
                let inner = inner.to_owned();
                self.deeds(&inner, branch, depth + 1, out);
            }
            if moves(plain) {
                branch = None;
            }
            out.extend(self.deed(&parts, plain, branch.filter(|_| !is_elsewhere)));
            out.extend(self.writing(written));
        }
    }

    /// What a command prints goes into files; those that it names itself it may
    /// only look at.
    fn writing(&mut self, mut files: Vec<String>) -> Option<Deed> {
        files.retain(|file| !file.starts_with("/dev/"));
        let words = self.words(&files.join(" "));
        let (programs, manner) = (BTreeSet::new(), Manner::Changes);
        (!files.is_empty()).then_some(Deed { words, parts: files, programs, manner })
    }

    fn deed(&mut self, parts: &[String], plain: &[String], branch: Option<&str>) -> Option<Deed> {
        let program = base_name(plain.first()?);
        let second = plain.get(1).map(String::as_str).unwrap_or_default();
        let mut named: Vec<&str> = parts[..parts.len() - plain.len()].iter().map(|part| base_name(part)).collect();
        named.push(program);
        if WITH_COMMANDS.contains(&program) {
            named.push(second);
            named.extend((second == "run").then(|| plain.get(2).map(String::as_str)).flatten());
        }
        let programs = self.words(&named.join(" "));
        let mut parts: Vec<String> = match program {
            "git" => without_messages(parts, &MESSAGES),
            "gh" => without_messages(parts, &MESSAGES_OF_GH),
            _ => parts.to_vec(),
        };
        parts.extend(long_flags(program, second, &parts));
        let mut words = match program {
            "git" => self.words_of_git(&parts),
            _ => self.words(&parts.join(" ").replace('=', " ")),
        };
        if let Some(branch) = branch.filter(|_| program == "git" && is_of_branch(plain)) {
            words.insert(branch.to_lowercase());
            words.extend(branch.split('/').flat_map(|part| self.words_of_name(part)));
        }
        Some(Deed { words, programs, manner: manner(plain), parts })
    }

    /// `main-menu` is a name; a branch of that name is not `main`.
    fn words_of_git(&mut self, parts: &[String]) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        for part in parts {
            match part.starts_with('-') {
                true => words.extend(self.words(part)),
                false => words.extend(part.split([':', '/', '=']).flat_map(|name| self.words_of_name(name))),
            }
        }
        words
    }

    /// The names on the way to a file that are no words.
    pub(super) fn plain_names(&mut self, path: &str) -> BTreeSet<String> {
        let names = path.split(['/', '=']).map(str::to_lowercase);
        names.filter(|name| !name.is_empty() && self.words(name).is_empty()).collect()
    }

    fn words_of_name(&mut self, name: &str) -> BTreeSet<String> {
        match name.contains(['-', '_']) {
            true => BTreeSet::from([name.to_lowercase()]),
            false => self.words(name),
        }
    }
}

/// The text without what stands in its here-documents.
fn without_documents(line: &str) -> String {
    let mut out = String::new();
    let mut lines = line.lines();
    while let Some(text) = lines.next() {
        out.push_str(text);
        out.push('\n');
        // What nothing ends is none: `1 << n`.
        let end = mark_of_document(text).and_then(|mark| lines.clone().position(|text| text.trim() == mark));
        if let Some(end) = end {
            lines.nth(end);
        }
    }
    out
}

/// `<<EOF`, `<<-'EOF'`; not `<<<`, not `1<<20`.
fn mark_of_document(line: &str) -> Option<String> {
    line.match_indices("<<").find_map(|(at, _)| {
        let rest = line[at + 2..].trim_start_matches('-').trim_start();
        let mark: String = rest
            .trim_start_matches(['\'', '"', '\\'])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        (!mark.is_empty() && !mark.starts_with(is_digit)).then_some(mark)
    })
}

/// The words of a command, each without its quotes, and the files that it is
/// redirected to.
fn parts_of(piece: &str) -> (Vec<String>, Vec<String>) {
    let (mut parts, mut written): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut part = String::new();
    let mut quote: Option<char> = None;
    // Does a file's name come next?
    let mut redirects = false;
    // Of a plan, words end with marks.
    let plain = |part: String| part.trim_matches([',', ';', '(', ')']).to_owned();
    let mut end = |part: &mut String, redirects: &mut bool| {
        let word = plain(std::mem::take(part));
        if !word.is_empty() {
            if std::mem::take(redirects) { &mut written } else { &mut parts }.push(word);
        }
    };
    for c in piece.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => part.push(c),
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if c.is_whitespace() => end(&mut part, &mut redirects),
            // `2>&1` names no file.
            None if c == '&' && redirects && part.is_empty() => part.push_str("/dev/fd/"),
            // An arrow is none.
            None if c == '>' && !part.ends_with(['-', '=']) => {
                if part.chars().all(|c| is_digit(c) || c == '&') {
                    part.clear();
                }
                end(&mut part, &mut redirects);
                redirects = true;
            }
            None => part.push(c),
        }
    }
    end(&mut part, &mut redirects);
    (parts, written)
}

/// What stands between `git` and what it is to do. Does it send it elsewhere?
fn drop_global_options(parts: &mut Vec<String>) -> bool {
    const ELSEWHERE: [&str; 3] = ["-C", "--git-dir", "--work-tree"];
    const WITH_VALUES: [&str; 7] =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"];
    let start = parts.len() - command_of(parts).len();
    if parts.get(start).is_none_or(|program| base_name(program) != "git") {
        return false;
    }
    let first = start + 1;
    let mut is_elsewhere = false;
    while let Some(option) = parts.get(first).filter(|part| part.starts_with('-')) {
        let name = option.split_once('=').map_or(option.as_str(), |(name, _)| name);
        is_elsewhere |= ELSEWHERE.contains(&name);
        let values = usize::from(WITH_VALUES.contains(&option.as_str()));
        let last = (first + 1 + values).min(parts.len());
        parts.drain(first..last);
    }
    is_elsewhere
}

/// The parts from the program on: without what only starts it.
fn command_of(parts: &[String]) -> &[String] {
    let mut rest = parts;
    while let [first, tail @ ..] = rest {
        let starts_another = PREFIXES.contains(&first.as_str()) || WRAPPERS.contains(&first.as_str());
        if tail.is_empty() || !starts_another && !is_assignment(first) {
            break;
        }
        rest = tail;
        while rest.len() > 1 && (rest[0].starts_with('-') || first == "timeout" && rest[0].starts_with(is_digit)) {
            rest = &rest[1..];
        }
    }
    rest
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// What a shell is given to run.
fn inner_line(plain: &[String]) -> Option<&str> {
    let shell = matches!(base_name(plain.first()?), "bash" | "sh" | "zsh" | "dash" | "eval" | "ssh");
    let line = plain[1..].iter().find(|part| part.contains(' '))?;
    shell.then_some(line.as_str())
}

/// Another folder or another branch.
fn moves(plain: &[String]) -> bool {
    let get = |at: usize| plain.get(at).map(String::as_str).unwrap_or_default();
    get(0) == "cd" || get(0) == "git" && matches!(get(1), "checkout" | "switch" | "worktree")
}

/// Does it act on the branch that is checked out?
fn is_of_branch(plain: &[String]) -> bool {
    let named = plain.iter().skip(2).filter(|part| !part.starts_with('-')).count();
    match plain.get(1).map(String::as_str) {
        Some("commit" | "merge" | "cherry-pick" | "revert" | "am") => true,
        Some("push") => named < 2 || plain.iter().any(|part| part == "HEAD"),
        _ => false,
    }
}

fn manner(plain: &[String]) -> Manner {
    let get = |at: usize| plain.get(at).map(String::as_str).unwrap_or_default();
    let program = base_name(get(0));
    let in_place = matches!(program, "sed" | "perl") && plain.iter().any(|part| part.starts_with("-i"));
    let is_path = plain.len() == 1 && !get(0).starts_with("./") && super::clause::path_of(get(0)).is_some();
    if in_place || is_path || CHANGERS.contains(&program) {
        return Manner::Changes;
    }
    match (program, get(1)) {
        ("git", _) if git_looks(&plain[1..]) => Manner::Reads,
        ("git", "add" | "stage" | "commit" | "push" | "merge" | "rebase" | "cherry-pick" | "tag") => Manner::Versions,
        ("git", "checkout" | "restore" | "rm" | "mv" | "reset" | "clean" | "apply" | "stash") => Manner::Changes,
        ("sed", _) => Manner::Reads,
        (program, _) if READERS.contains(&program) => Manner::Reads,
        _ => Manner::Unknown,
    }
}

/// Some commands of git only look, others where they are asked to list.
fn git_looks(asked: &[String]) -> bool {
    const LOOKS: [&str; 20] = [
        "log", "diff", "show", "status", "blame", "annotate", "grep", "shortlog", "reflog", "describe", "rev-parse",
        "rev-list", "ls-files", "ls-tree", "ls-remote", "cat-file", "merge-base", "show-ref", "for-each-ref", "help",
    ];
    const LISTS: [&str; 8] = ["-a", "-r", "-v", "-vv", "--all", "--remotes", "--verbose", "--show-current"];
    const FILTERS: [&str; 6] = ["-l", "--list", "--contains", "--merged", "--no-merged", "--points-at"];
    let [command, rest @ ..] = asked else { return false };
    let first = rest.first().map(String::as_str).unwrap_or_default();
    match command.as_str() {
        "branch" | "tag" | "remote" => {
            FILTERS.contains(&first) || rest.iter().all(|part| LISTS.contains(&part.as_str()))
        }
        "stash" | "worktree" => matches!(first, "list" | "show"),
        command => LOOKS.contains(&command),
    }
}

/// Without what is said of a commit or a request.
fn without_messages(parts: &[String], flags: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_message = false;
    for part in parts {
        let flag = part.split_once('=').map_or(part.as_str(), |(flag, _)| flag);
        let of_message = flags.contains(&flag);
        if !is_message {
            out.push(if of_message { flag.to_owned() } else { part.clone() });
        }
        is_message = of_message && flag.len() == part.len();
    }
    out
}

/// What short flags say in words.
fn long_flags(program: &str, second: &str, parts: &[String]) -> Vec<String> {
    let has = |flag: &str| parts.iter().any(|part| part == flag);
    let said: &[&str] = match (program, second) {
        ("git", "push") if has("-f") => &["--force"],
        ("git", "commit" | "push") if has("--no-verify") || second == "commit" && has("-n") => {
            &["--no-verify", "skip", "hooks"]
        }
        ("npm" | "pnpm" | "yarn", _) if has("-g") => &["--global"],
        _ => &[],
    };
    said.iter().map(|flag| (*flag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeds(line: &str) -> Vec<(String, Manner)> {
        let action = Reader::new().action(line, Some("main"));
        action.deeds.into_iter().map(|deed| (deed.parts.join(" "), deed.manner)).collect()
    }

    #[test]
    fn a_line_does_several_things() {
        assert_eq!(
            deeds("cd web && git commit -m \"never push to main\" | cat"),
            [
                ("cd web".to_owned(), Manner::Reads),
                ("git commit -m".to_owned(), Manner::Versions),
                ("cat".to_owned(), Manner::Reads)
            ]
        );
        let document = "git commit -m \"$(cat <<'EOF'\npush to main\nEOF\n)\" && rm -rf gen";
        let told: Vec<String> = deeds(document).into_iter().map(|(parts, _)| parts).collect();
        assert_eq!(told, ["git commit -m", "rm -rf gen"]);
        assert_eq!(deeds("sh -c 'rm x.txt'")[0], ("rm x.txt".to_owned(), Manner::Changes));
        assert_eq!(
            deeds("cat a.txt > b.txt 2>/dev/null"),
            [("cat a.txt".to_owned(), Manner::Reads), ("b.txt".to_owned(), Manner::Changes)]
        );
        assert_eq!(deeds("make x 2>&1 &>all.log >b.txt")[1].0, "all.log b.txt");
        for line in ["grep 'a > b' c.txt", "grep \">\" c.txt", "ls 2>/dev/null >&2", "a -> b"] {
            assert_eq!(deeds(line).len(), 1, "{line}");
        }
        let shifted = "echo $((1<<20))\npython3 -c 'print(1 << n)'\nrm -rf gen";
        assert_eq!(deeds(shifted).pop(), Some(("rm -rf gen".to_owned(), Manner::Changes)));
        assert_eq!(deeds("src/gen/api.ts")[0].1, Manner::Changes);
    }

    #[test]
    fn what_git_is_told_first_says_nothing_of_what_it_does() {
        for line in ["git -C web push", "git -c user.name=x push", "sudo git --no-pager --git-dir=a push", "git -C"] {
            let told = deeds(line).pop().map(|(parts, _)| parts).unwrap_or_default();
            assert!(told.ends_with("git push") || told == "git", "{line}: {told}");
        }
        for (line, manner) in [
            ("git --no-pager log main", Manner::Reads),
            ("git branch -a", Manner::Reads),
            ("git branch -D main", Manner::Unknown),
            ("git branch --list 'x*'", Manner::Reads),
            ("git stash list", Manner::Reads),
            ("git stash", Manner::Changes),
            ("git tag v1", Manner::Versions),
            ("git fetch", Manner::Unknown),
        ] {
            assert_eq!(deeds(line)[0].1, manner, "{line}");
        }
    }

    #[test]
    fn the_branch_counts_where_it_is_acted_on() {
        let words = |line: &str| Reader::new().action(line, Some("main")).deeds.pop().map(|deed| deed.words);
        let is_on_main = |line: &str| words(line).is_some_and(|words| words.contains("main"));
        for line in ["git commit -am x", "git push", "git push -u origin HEAD", "git merge hours"] {
            assert!(is_on_main(line), "{line}");
        }
        for line in [
            "git push origin hours",
            "git checkout -b x && git commit -am x",
            "cd a && git push",
            "git status",
            "git -C a push",
        ] {
            assert!(!is_on_main(line), "{line}");
        }
    }
}
