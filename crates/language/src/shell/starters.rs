//! Which words only start another program?

use super::argv::base_name;

/// A program that starts another one, with the form of its own arguments.
struct Starter {
    name: &'static str,
    /// Options with their value in the next word.
    with_value: &'static [&'static str],
    /// The number of words between the options and the program.
    before: usize,
}

const fn starter(name: &'static str, with_value: &'static [&'static str], before: usize) -> Starter {
    Starter { name, with_value, before }
}

const STARTERS: [Starter; 31] = [
    starter("sudo", &SUDO_WITH_VALUE, 0),
    starter("doas", &["-u", "-C", "-a"], 0),
    starter("time", &["-f", "-o", "--format", "--output"], 0),
    starter("nice", &["-n", "--adjustment"], 0),
    starter("ionice", &["-c", "-n", "-p", "--class", "--classdata"], 0),
    starter("nohup", &[], 0),
    starter("command", &[], 0),
    starter("builtin", &[], 0),
    starter("exec", &["-a"], 0),
    starter("env", &["-u", "-C", "-a", "-P", "--unset", "--chdir", "--argv0"], 0),
    starter("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    starter("gtimeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    starter("xargs", &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--delimiter"], 0),
    starter("parallel", &["-j", "--jobs", "-a", "--arg-file", "--colsep"], 0),
    starter("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    starter("setsid", &[], 0),
    starter("chrt", &["-T", "-P", "-D"], 1),
    starter("taskset", &[], 1),
    starter("unbuffer", &[], 0),
    starter("watch", &["-n", "--interval"], 0),
    starter("strace", &["-e", "-o", "-p", "-s", "-u"], 0),
    starter("ltrace", &["-e", "-o", "-p", "-s", "-u"], 0),
    starter("caffeinate", &["-t", "-w"], 0),
    starter("flock", &["-w", "-E", "--timeout"], 1),
    starter("chroot", &[], 1),
    starter("unshare", &["-S", "-G", "-R", "-w", "--setuid", "--setgid", "--root", "--wd"], 0),
    starter("noglob", &[], 0),
    starter("nocorrect", &[], 0),
    starter("winpty", &[], 0),
    starter("proxychains", &["-f"], 0),
    starter("busybox", &[], 0),
];

const SUDO_WITH_VALUE: [&str; 22] = [
    "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "-a", "--user", "--group", "--host", "--prompt",
    "--chdir", "--chroot", "--command-timeout", "--other-user", "--role", "--type",
];

/// Programs that start the program after their `--`.
const WRAPPERS: [&str; 10] =
    ["op", "doppler", "aws-vault", "chamber", "dotenv", "infisical", "teller", "kubectl", "runuser", "systemd-run"];

/// Options of `ssh` that have a value.
const SSH_WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";

/// The number of words before the actual program.
pub fn count(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(own) = started_behind(&words[at..]) {
        let next = at + own;
        // `flock FILE -c SCRIPT`, `runuser ada -- -c SCRIPT`
        if words.get(next).is_none_or(|word| word.starts_with('-')) {
            break;
        }
        at = next;
    }
    at
}

/// The number of words of the first program, if it starts another one.
fn started_behind(words: &[&str]) -> Option<usize> {
    let program = base_name(words.first()?);
    if WRAPPERS.contains(&program) {
        return words.iter().position(|word| *word == "--").map(|at| at + 1);
    }
    let starter = of_program(program)?;
    // `command -v git` only queries its path.
    let asks = |word: &&str| is_bundle(word) && word.contains(['v', 'V']);
    let only_asks = starter.name == "command" && words.get(1).is_some_and(asks);
    (!only_asks).then(|| 1 + own_words(starter, &words[1..]))
}

/// The word, and the byte in it, at which the command of `env -S'git push'` or `env --split-string='git push'` starts.
pub fn split_string(words: &[&str]) -> Option<(usize, usize)> {
    let heads = words.len().min(count(words) + 1);
    let env = words[..heads].iter().position(|word| base_name(word) == "env")?;
    let options = words[env + 1..].iter().take(own_words(of_program("env")?, &words[env + 1..]));
    options.enumerate().find_map(|(at, word)| Some((env + 1 + at, attached_string(word)?)))
}

fn attached_string(word: &str) -> Option<usize> {
    if word.starts_with("--") {
        // Long options may be shortened; no other one starts with that letter.
        return word.find('=').filter(|_| word.starts_with("--s")).map(|at| at + 1);
    }
    let at = word.find('S').filter(|_| word.starts_with('-'))?;
    let is_option = word[1..at].chars().all(|c| matches!(c, 'i' | '0' | 'v'));
    (is_option && at + 1 < word.len()).then_some(at + 1)
}

fn of_program(word: &str) -> Option<&'static Starter> {
    STARTERS.iter().find(|starter| starter.name == base_name(word))
}

fn own_words(starter: &Starter, words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if *word == "--" {
            at += 1;
            break;
        }
        // `env - make`
        let is_option = word.starts_with('-') && (word.len() > 1 || starter.name == "env");
        let sets = matches!(starter.name, "env" | "sudo" | "doas") && is_setting(word);
        if !is_option && !sets {
            break;
        }
        at += if takes_next(starter, word) { 2 } else { 1 };
    }
    at + starter.before
}

/// Is the value of this option the next word? Short options may be combined: `-iu bob` is `-i -u bob`, and `-ubob`
/// includes its value.
fn takes_next(starter: &Starter, word: &str) -> bool {
    if !is_bundle(word) {
        return starter.with_value.contains(&word);
    }
    let has_value = |letter: char| {
        let mut options = starter.with_value.iter().filter_map(|option| option.strip_prefix('-'));
        options.any(|option| option.chars().eq([letter]))
    };
    let first = word.char_indices().skip(1).find(|(_, letter)| has_value(*letter));
    first.is_some_and(|(at, letter)| at + letter.len_utf8() == word.len())
}

/// One dash, and a letter for each option.
fn is_bundle(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

fn is_setting(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The start of the command that `ssh` runs on the host.
pub fn ssh_command(words: &[&str]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
        let has_value = word.len() == 2 && word.ends_with(|c| SSH_WITH_VALUE.contains(c));
        at += if has_value { 2 } else { 1 };
    }
    (at + 1 < words.len()).then_some(at + 1)
}

/// The commands that `find` runs on its results.
pub fn found_by(words: &[&str]) -> Vec<std::ops::Range<usize>> {
    const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
    let mut out = Vec::new();
    let mut at = 1;
    while at < words.len() {
        if RUNS.contains(&words[at]) {
            let start = at + 1;
            let end = words[start..]
                .iter()
                .position(|word| matches!(*word, ";" | "+"))
                .map_or(words.len(), |end| start + end);
            out.push(start..end);
            at = end;
        }
        at += 1;
    }
    out.retain(|range| !range.is_empty());
    out
}

/// Does this program run code that it reads from its input (`python3 -`, `make -f -`)?
pub fn reads_code(words: &[&str]) -> bool {
    const INTERPRETERS: [&str; 13] = [
        "python", "pypy", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "osascript", "tclsh", "expect",
    ];
    /// Short options that provide the code, or do something else.
    const OTHERWISE: &str = "cmerpnvVh";
    let Some((program, arguments)) = words.split_first() else { return false };
    let program = base_name(program);
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "make" | "gmake" => {
            arguments.windows(2).any(|pair| matches!(pair, ["-f" | "--file", "-"]))
                || arguments.iter().any(|word| matches!(*word, "-f-" | "--file=-"))
        }
        "crontab" => arguments.contains(&"-"),
        interpreter if INTERPRETERS.contains(&interpreter) => {
            let options = arguments.iter().take_while(|word| word.len() > 1 && word.starts_with('-'));
            let count = options.clone().count();
            let is_plain = |word: &&str| !word.starts_with("--") && !word.contains(|c: char| OTHERWISE.contains(c));
            options.clone().all(is_plain) && arguments.get(count).is_none_or(|word| *word == "-")
        }
        _ => false,
    }
}

/// Programs that print shell settings, with the next word; without one, for any word.
const SETTINGS: [(&str, &str); 23] = [
    ("ssh-agent", ""),
    ("dircolors", ""),
    ("lesspipe", ""),
    ("direnv", "hook"),
    ("direnv", "export"),
    ("brew", "shellenv"),
    ("pyenv", "init"),
    ("pyenv", "virtualenv-init"),
    ("rbenv", "init"),
    ("nodenv", "init"),
    ("fnm", "env"),
    ("mise", "activate"),
    ("mise", "env"),
    ("conda", "shell.bash"),
    ("conda", "shell.zsh"),
    ("opam", "env"),
    ("starship", "init"),
    ("zoxide", "init"),
    ("minikube", "docker-env"),
    ("kubectl", "completion"),
    ("helm", "completion"),
    ("gh", "completion"),
    ("docker", "completion"),
];

/// Does it print only settings, for `eval`?
pub fn prints_settings(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let (program, first) = (base_name(program), arguments.first().copied().unwrap_or_default());
    // `ssh-agent make` starts a program.
    let starts = arguments.iter().any(|word| !word.starts_with('-'));
    SETTINGS.iter().any(|(name, asked)| *name == program && if asked.is_empty() { !starts } else { first == *asked })
}
