//! What is an action about to do?
//!
//! A command line does several things, which are matched separately: a rule must not match words from two of them.
//! Commit messages and here-documents are not actions. Unreadable parts ([`Unread`]) are kept: they may do what is
//! forbidden.

use std::collections::BTreeSet;

use crate::shell::{self, CURRENT_BRANCH, ProgramRun, RunReach, ScriptExtent, base_name};

use super::branches::Branches;
use super::subcommands::WITH_COMMANDS;
use super::{ClauseReader, run_time_words};

/// A planned action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// The words by which cards are found.
    pub words: BTreeSet<String>,
    pub(super) deeds: Vec<Deed>,
    /// Everything that the text mentions, if a part of it cannot be read.
    pub(super) mentioned: Option<Deed>,
    /// A part may run a command made of the mentioned words.
    pub(super) is_unread: bool,
    /// A part may run anything.
    pub(super) is_hidden: bool,
}

/// The key of all cards that forbid something.
pub const ANYTHING: &str = "*";

/// One command, one edit, or a plan in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deed {
    pub words: BTreeSet<String>,
    /// Its words, without quotes.
    pub parts: Vec<String>,
    /// The programs that it starts, with their sub-commands, as words.
    pub programs: BTreeSet<String>,
    pub manner: Manner,
    /// One of its arguments is known only at run time.
    pub is_open: bool,
    /// The words of a branch that it may act on.
    pub perhaps: BTreeSet<String>,
    /// What it does; if unknown, everything that it may do.
    pub verbs: BTreeSet<String>,
    /// Its sub-command is known only at run time.
    pub is_task_open: bool,
    /// Patterns for arguments that are known only at run time.
    pub patterns: Vec<String>,
}

/// The words of a command that are known only at run time.
#[derive(Default)]
pub(super) struct Unknowns {
    pub open: BTreeSet<String>,
    /// Words that expand to file names.
    globs: BTreeSet<String>,
}

/// What happens to the files that it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Manner {
    /// They are read.
    Reads,
    /// They are committed or pushed.
    Versions,
    /// They are changed.
    Changes,
    #[default]
    Unknown,
}

/// They only read and print.
const READERS: [&str; 26] = [
    "cat", "less", "more", "head", "tail", "grep", "egrep", "rg", "ag", "ls", "tree", "wc", "echo", "printf", "diff",
    "file", "stat", "which", "type", "cd", "jq", "awk", "sort", "man", "tldr", "backstory",
];
const CHANGERS: [&str; 15] = [
    "rm", "rmdir", "mv", "cp", "tee", "touch", "truncate", "chmod", "chown", "ln", "dd", "unlink", "patch", "shred",
    "install",
];
/// The flags whose value is a message, not an action.
const MESSAGES: [&str; 3] = ["-m", "-am", "--message"];
const MESSAGES_OF_GH: [&str; 6] = ["-b", "--body", "-t", "--title", "-n", "--notes"];

impl ClauseReader {
    /// `branch`: the one that is checked out, if known.
    pub fn action(&mut self, text: &str, branch: Option<&str>, extent: ScriptExtent) -> Action {
        let reading = shell::runs(text);
        let mut branches = Branches::new(branch);
        let (mut deeds, mut settings) = (Vec::new(), Vec::new());
        for run in &reading.runs {
            self.deeds(run, &mut branches, &mut settings, &mut deeds);
        }
        let is_hidden =
            extent == ScriptExtent::Cut || reading.unread.iter().any(|unread| unread.reach == RunReach::Anything);
        let is_unread = is_hidden || !reading.unread.is_empty();
        let is_open = is_unread || deeds.iter().any(|deed| deed.is_open);
        let mentioned = is_open.then(|| self.mentioned(text, &deeds));
        let mut words: BTreeSet<String> = BTreeSet::new();
        for deed in deeds.iter().chain(&mentioned) {
            words.extend(deed.words.iter().chain(&deed.perhaps).chain(&deed.verbs).cloned());
            words.extend(self.words(&deed.parts.join(" ")));
            words.extend(deed.parts.iter().flat_map(|part| self.plain_names(part)));
        }
        words.extend(is_hidden.then(|| ANYTHING.to_owned()));
        Action { words, deeds, mentioned, is_unread, is_hidden }
    }

    /// All words of a text, as if they were one deed.
    fn mentioned(&mut self, text: &str, deeds: &[Deed]) -> Deed {
        let mut words = self.words(text);
        words.extend(deeds.iter().flat_map(|deed| deed.words.iter().cloned()));
        let written = text.split(|c: char| c.is_whitespace() || "\"'`;&|<>()$".contains(c));
        let mut parts: Vec<String> = written.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        parts.extend(deeds.iter().flat_map(|deed| deed.parts.iter().cloned()));
        parts.extend(long_flags("git", "push", &parts));
        words.extend(self.words(&parts.join(" ")));
        let perhaps = deeds.iter().flat_map(|deed| deed.perhaps.iter().cloned()).collect();
        Deed { programs: words.clone(), words, parts, is_open: true, perhaps, ..Deed::default() }
    }

    /// `settings`: aliases of git that the line has configured.
    fn deeds(&mut self, run: &ProgramRun, branches: &mut Branches, settings: &mut Vec<String>, out: &mut Vec<Deed>) {
        // In a plan, words end with punctuation.
        let plain = |text: &str| text.trim_matches([',', ';', '(', ')']).to_owned();
        let texts = |words: &[shell::Argument]| -> Vec<String> {
            words.iter().map(|word| plain(&word.text)).filter(|word| !word.is_empty()).collect()
        };
        let open = run.words.iter().filter(|word| word.is_open()).map(|word| plain(&word.text)).collect();
        let globs = run.words.iter().filter(|word| word.is_pattern()).map(|word| plain(&word.text)).collect();
        let unknowns = Unknowns { open, globs };
        let mut words = texts(&run.words);
        for alias in aliases(&with_settings(&words, settings)) {
            for run in &shell::runs(&alias).runs {
                let words = texts(&run.words);
                let open = run.words.iter().filter(|word| word.is_open()).map(|word| plain(&word.text)).collect();
                out.extend(self.deed(&words, &words, &Unknowns { open, ..Unknowns::default() }, branches));
            }
        }
        if settings.len() < MOST_ALIASES {
            settings.extend(configured_alias(&words));
        }
        let is_elsewhere = drop_global_options(&mut words);
        name_push(&mut words);
        let parts: Vec<String> = run.starters.iter().cloned().chain(words.iter().cloned()).collect();
        branches.follow(&words);
        let folder = run.words.iter().skip_while(|word| word.text != "-C").nth(1).map_or("", |word| &word.text);
        let elsewhere = branches.elsewhere(folder);
        let branches = if is_elsewhere { &elsewhere } else { &*branches };
        out.extend(self.deed(&parts, &words, &unknowns, branches));
        out.extend(self.writing(texts(&run.writes)));
    }

    /// Output of a command is written to files; the files in its arguments may only be read.
    fn writing(&mut self, mut files: Vec<String>) -> Option<Deed> {
        files.retain(|file| !file.starts_with("/dev/"));
        let words = self.words(&files.join(" "));
        let is_open = files.iter().any(|file| file.contains('$'));
        let is_some = !files.is_empty();
        is_some.then_some(Deed { words, parts: files, manner: Manner::Changes, is_open, ..Deed::default() })
    }

    fn deed(&mut self, parts: &[String], plain: &[String], unknowns: &Unknowns, branches: &Branches) -> Option<Deed> {
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
        let is_open = parts.iter().any(|part| unknowns.open.contains(part));
        let mut patterns = patterns_of(plain, &parts, unknowns);
        parts.extend(long_flags(program, second, &parts));
        let mut words = match program {
            "git" => self.words_of_git(&parts),
            _ => self.words(&parts.join(" ").replace('=', " ")),
        };
        let (manner, mut perhaps) = (manner(plain), BTreeSet::new());
        // `echo git push` only prints it.
        if manner != Manner::Reads && is_of_branch(plain) {
            words.extend(branches.here().into_iter().flat_map(|branch| self.words_of_branch(branch)));
            perhaps.extend(branches.perhaps().iter().flat_map(|branch| self.words_of_branch(branch)));
            patterns.extend(branches.is_unknown().then(|| "*".to_owned()));
            if plain.iter().any(|word| destination(word) == CURRENT_BRANCH) {
                perhaps.extend(branches.seen().iter().flat_map(|branch| self.words_of_branch(branch)));
            }
        }
        // `$GIT push` may be git.
        if unknowns.open.contains(&plain[0]) && git_acts_on_branch(plain) {
            let named = branches.here().into_iter().chain(branches.perhaps().iter().map(String::as_str));
            perhaps.extend(named.flat_map(|branch| self.words_of_branch(branch)));
        }
        let task = self.task(plain, unknowns, if manner == Manner::Reads { 1 } else { MOST_STARTS });
        let (verbs, is_task_open) = (task.verbs, task.is_open);
        Some(Deed { words, programs, manner, parts, is_open, perhaps, verbs, is_task_open, patterns })
    }

    fn words_of_branch(&mut self, branch: &str) -> BTreeSet<String> {
        let mut words = BTreeSet::from([branch.to_lowercase()]);
        words.extend(branch.split('/').flat_map(|part| self.words_of_name(part)));
        words
    }

    /// `main-menu` is one name; a branch with that name is not `main`.
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

    /// The parts of a path that are names, not words.
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

/// Patterns for arguments that are known only at run time: variables, globs, and references that git finds by patterns.
fn patterns_of(plain: &[String], parts: &[String], unknowns: &Unknowns) -> Vec<String> {
    const ALL: [&str; 5] = ["--all", "--branches", "--mirror", ":", "+:"];
    let starts_git = plain.iter().any(|word| is_git(word));
    let pushes_all = starts_git && plain.iter().any(|word| word == "push");
    let pattern = |part: &String| match part {
        part if Some(part) == plain.first() => None,
        part if unknowns.open.contains(part) => Some(run_time_words::of_open(part)),
        part if unknowns.globs.contains(part) || starts_git && part.contains(['*', '?', '[']) => Some(part.clone()),
        part if pushes_all && ALL.contains(&part.as_str()) => Some("*".to_owned()),
        _ => None,
    };
    parts.iter().filter_map(pattern).collect()
}

pub(super) fn is_git(word: &str) -> bool {
    // `hub` is git with more commands.
    matches!(base_name(word), "git" | "git.exe" | "hub")
}

/// Removes the options between `git` and its sub-command. Returns whether they select another folder.
pub(super) fn drop_global_options(words: &mut Vec<String>) -> bool {
    const ELSEWHERE: [&str; 3] = ["-C", "--git-dir", "--work-tree"];
    const WITH_VALUES: [&str; 7] =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"];
    if words.first().is_none_or(|program| !is_git(program)) {
        return false;
    }
    let mut is_elsewhere = false;
    while let Some(option) = words.get(1).filter(|word| word.starts_with('-')) {
        let next = words.get(2).map(String::as_str).unwrap_or_default();
        let (name, value) = option.split_once('=').unwrap_or((option.as_str(), next));
        let is_here = matches!(value.trim_start_matches("./").trim_end_matches('/'), "" | "." | ".git");
        is_elsewhere |= ELSEWHERE.contains(&name) && !is_here;
        let values = usize::from(WITH_VALUES.contains(&option.as_str()));
        let last = (2 + values).min(words.len());
        words.drain(1..last);
    }
    is_elsewhere
}

/// `git send-pack origin main` is the sending part of `git push`. Both exist as separate programs too.
fn name_push(words: &mut Vec<String>) {
    let own_name = words.first().and_then(|program| base_name(program).strip_prefix("git-").map(str::to_owned));
    if let Some(task) = own_name.filter(|task| matches!(task.as_str(), "send-pack" | "http-push" | "push")) {
        words.splice(..1, ["git".to_owned(), task]);
    }
    if let [program, task, ..] = words.as_mut_slice()
        && is_git(program)
        && matches!(task.as_str(), "send-pack" | "http-push")
    {
        "push".clone_into(task);
    }
}

/// `git -c alias.x='push origin' x main` defines a command. Git ignores the case of the names.
fn aliases(words: &[String]) -> Vec<String> {
    if !words.iter().any(|word| is_git(word)) {
        return Vec::new();
    }
    let line = |word: &String| {
        let (name, value) = word.split_once('=')?;
        let (_, name) = name.split_once('.').filter(|(section, _)| section.eq_ignore_ascii_case("alias"))?;
        let used = words.iter().position(|word| word.eq_ignore_ascii_case(name));
        let rest: Vec<&str> = used.map_or(&[][..], |at| &words[at + 1..]).iter().map(String::as_str).collect();
        let command = value.strip_prefix('!').map_or_else(|| format!("git {value}"), str::to_owned);
        Some(format!("{command} {}", shell::line_of(&rest)))
    };
    words.iter().filter_map(line).take(MOST_ALIASES).collect()
}

const MOST_ALIASES: usize = 8;

/// `git config alias.p push`, in the form of `git -c`.
fn configured_alias(words: &[String]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let is_name = |word: &String| word.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."));
    let at = arguments.iter().position(is_name)?;
    let is_config = is_git(program) && arguments[..at].iter().any(|word| word == "config");
    let value = arguments.get(at + 1).filter(|_| is_config)?;
    Some(format!("{}={value}", arguments[at]))
}

/// The settings in the line that define the sub-command.
fn with_settings(words: &[String], settings: &[String]) -> Vec<String> {
    let is_used = |setting: &&String| {
        let name = setting.split_once('=').map_or("", |(name, _)| name).get(6..).unwrap_or_default();
        words.iter().skip(1).any(|word| word.eq_ignore_ascii_case(name))
    };
    let Some((program, rest)) = words.split_first().filter(|(program, _)| is_git(program)) else {
        return words.to_vec();
    };
    let used = settings.iter().filter(is_used).cloned();
    std::iter::once(program.clone()).chain(used).chain(rest.iter().cloned()).collect()
}

/// The limit on the places of a command in which git is searched.
const MOST_STARTS: usize = 4;

/// Does it act on the checked-out branch? Another program may start git: `uv run git push`.
fn is_of_branch(plain: &[String]) -> bool {
    let starts = plain.iter().enumerate().filter(|(_, word)| is_git(word)).take(MOST_STARTS);
    starts.map(|(at, _)| plain[at..].to_vec()).any(|mut words| {
        // If git comes first, they were removed already.
        let is_elsewhere = drop_global_options(&mut words);
        !is_elsewhere && git_acts_on_branch(&words)
    })
}

fn git_acts_on_branch(words: &[String]) -> bool {
    match words.get(1).map(String::as_str) {
        Some("commit" | "merge" | "cherry-pick" | "revert" | "am") => true,
        Some("push") => pushes_branch(&words[2..]),
        _ => false,
    }
}

/// The words after the remote name what is pushed; without any it is the checked-out branch.
fn pushes_branch(arguments: &[String]) -> bool {
    const WITH_VALUES: [&str; 5] = ["-o", "--push-option", "--receive-pack", "--exec", "--repo"];
    let is_value = |at: usize| at > 0 && WITH_VALUES.contains(&arguments[at - 1].as_str());
    let named = arguments.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !is_value(*at)).count();
    named < 2 || arguments.iter().any(|word| matches!(destination(word), "HEAD" | "@" | CURRENT_BRANCH))
}

/// The target of a `git push` argument.
fn destination(word: &str) -> &str {
    let last = word.trim_start_matches('+').rsplit(':').next().unwrap_or_default();
    last.strip_prefix("refs/heads/").unwrap_or(last)
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
        _ if runs_commands(program, &plain[1..]) => Manner::Unknown,
        ("git", _) if git_looks(&plain[1..]) => Manner::Reads,
        ("git", "add" | "stage" | "commit" | "push" | "merge" | "rebase" | "cherry-pick" | "tag") => Manner::Versions,
        ("git", "checkout" | "restore" | "rm" | "mv" | "reset" | "clean" | "apply" | "stash") => Manner::Changes,
        ("sed", _) => Manner::Reads,
        (program, _) if READERS.contains(&program) => Manner::Reads,
        _ => Manner::Unknown,
    }
}

/// Text tools that can start other programs.
fn runs_commands(program: &str, arguments: &[String]) -> bool {
    let runs = |script: &String| match program {
        "awk" => script.contains("system") || script.contains('|'),
        // `1e command`, `s/a/b/e`
        "sed" => {
            let command = script.trim_start_matches(|c: char| c.is_ascii_digit() || "$, ".contains(c));
            command.starts_with("e ") || script.ends_with("/e") || script.ends_with("/ge")
        }
        _ => false,
    };
    arguments.iter().any(runs)
}

/// Some commands of git only read, others only if they are asked to list.
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

/// Drops commit and pull-request messages.
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

/// The words for short flags.
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
        let action = ClauseReader::new().action(line, Some("main"), ScriptExtent::Whole);
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
        assert_eq!(told, ["git commit -m", "cat", "rm -rf gen"]);
        assert_eq!(deeds("sh -c 'rm x.txt'")[1], ("rm x.txt".to_owned(), Manner::Changes));
        assert_eq!(
            deeds("cat a.txt > b.txt 2>/dev/null"),
            [("cat a.txt".to_owned(), Manner::Reads), ("b.txt".to_owned(), Manner::Changes)]
        );
        assert_eq!(deeds("make x 2>&1 &>all.log >b.txt")[1].0, "all.log b.txt");
        for line in ["grep 'a > b' c.txt", "grep \">\" c.txt", "ls 2>/dev/null >&2"] {
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
        let words = |line: &str| {
            ClauseReader::new().action(line, Some("main"), ScriptExtent::Whole).deeds.pop().map(|deed| deed.words)
        };
        let is_on_main = |line: &str| words(line).is_some_and(|words| words.contains("main"));
        for line in [
            "git commit -am x",
            "git push",
            "git push -u origin HEAD",
            "git push origin @",
            "git push -o ci.skip origin",
            "git merge hours",
            "git -C . push",
            "git --git-dir=.git push",
            "GIT_DIR=.git git push",
            "hub push",
            "op run -- git push",
            "op run -- git -c a=b push",
            "uv run git --no-pager push",
            "mise exec -- /usr/bin/git push",
            "sudo -iu bob git push",
        ] {
            assert!(is_on_main(line), "{line}");
        }
        for line in [
            "git push origin hours",
            "git checkout -b x && git commit -am x",
            "cd a && git push",
            "git status",
            "git -C a push",
            "op run -- git push origin hours",
            "uv run git -C a push",
            "uv run git status",
            "echo git push",
        ] {
            assert!(!is_on_main(line), "{line}");
        }
    }

    #[test]
    fn an_alias_takes_the_words_behind_it() {
        let told = |line: &str| deeds(line).into_iter().map(|(parts, _)| parts).collect::<Vec<_>>();
        assert_eq!(told("git -c alias.x=push x origin 'a b'")[0], "git push origin a b");
        assert_eq!(told("git -c Alias.X='!git push' x origin main")[0], "git push origin main");
        assert_eq!(told("git -c alias.x=push status")[0], "git push");
    }
}
