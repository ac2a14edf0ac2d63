//! Which words only start another program?

use super::argv::base_name;

/// A program that starts another one, and which of its own words come before that.
struct Starter {
    name: &'static str,
    /// Options that have their value in the next word.
    with_value: &'static [&'static str],
    /// So many words stand between the options and the program.
    before: usize,
}

const fn starter(name: &'static str, with_value: &'static [&'static str], before: usize) -> Starter {
    Starter { name, with_value, before }
}

const STARTERS: [Starter; 31] = [
    starter("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group"], 0),
    starter("doas", &["-u", "-C"], 0),
    starter("time", &["-f", "-o", "--format", "--output"], 0),
    starter("nice", &["-n", "--adjustment"], 0),
    starter("ionice", &["-c", "-n", "-p", "--class", "--classdata"], 0),
    starter("nohup", &[], 0),
    starter("command", &[], 0),
    starter("builtin", &[], 0),
    starter("exec", &["-a"], 0),
    starter("env", &["-u", "-C", "--unset", "--chdir"], 0),
    starter("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    starter("gtimeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    starter("xargs", &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--delimiter"], 0),
    starter("parallel", &["-j", "--jobs", "-a", "--arg-file", "--colsep"], 0),
    starter("stdbuf", &["-i", "-o", "-e"], 0),
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
    starter("unshare", &[], 0),
    starter("noglob", &[], 0),
    starter("nocorrect", &[], 0),
    starter("winpty", &[], 0),
    starter("proxychains", &["-f"], 0),
    starter("busybox", &[], 0),
];

/// Options of `ssh` that have a value.
const SSH_WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";

/// How many words stand before the program that does the work?
pub fn count(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(starter) = words.get(at).and_then(|word| of_program(word)) {
        // `command -v git` only asks where it is.
        let only_asks = starter.name == "command" && words.get(at + 1).is_some_and(|word| matches!(*word, "-v" | "-V"));
        let next = at + 1 + own_words(starter, &words[at + 1..]);
        if only_asks || next >= words.len() {
            break;
        }
        at = next;
    }
    at
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
        let is_option = word.starts_with('-') && word.len() > 1;
        let sets = matches!(starter.name, "env" | "sudo" | "doas") && is_setting(word);
        if !is_option && !sets {
            break;
        }
        at += if starter.with_value.contains(word) { 2 } else { 1 };
    }
    at + starter.before
}

fn is_setting(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Where the command begins that `ssh` runs on the host.
pub fn ssh_command(words: &[&str]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
        let has_value = word.len() == 2 && word.ends_with(|c| SSH_WITH_VALUE.contains(c));
        at += if has_value { 2 } else { 1 };
    }
    (at + 1 < words.len()).then_some(at + 1)
}

/// The commands that `find` runs on what it finds.
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
