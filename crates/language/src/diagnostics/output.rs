//! Which diagnostics does an output contain?
//!
//! Recognises lines in common forms: a place in a file with a message, a rule's name after it, an error with its kind
//! before it, the name of a test. Everything else is ignored.

use crate::digest::span_hash;

use super::fingerprint;
use super::{Diagnostic, DiagnosticKind};

/// How much of an output is read, from its start and from its end.
const HALF: usize = 48 << 10;
/// At most this many diagnostics of an output are kept.
const MOST: usize = 16;
const LONGEST: usize = 200;
/// The output of a short failure has at most this many lines.
const MOST_SHORT: usize = 4;
const MOST_WORDS: usize = 25;

pub fn read(output: &str) -> Vec<Diagnostic> {
    let lines = lines(output);
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut heading: Option<&str> = None;
    for at in 0..lines.len() {
        let line = &lines[at];
        if is_path(line.text.trim()) {
            heading = Some(line.text.trim());
        }
        let Some(diagnostic) = of_line(&lines, at, heading) else { continue };
        match found
            .iter()
            .position(|known| known.fingerprint == diagnostic.fingerprint && known.file == diagnostic.file)
        {
            Some(known) => found[known].count += 1,
            None if found.len() < MOST => found.push(diagnostic),
            None => break,
        }
    }
    found
}

/// The same for the output of a failing command. If it is short and has no known form,
/// its last line is the diagnostic: `DEPLOY_TOKEN is not set`.
pub fn of_failure(output: &str) -> Vec<Diagnostic> {
    let found = read(output);
    if found.is_empty() { last_words(output).into_iter().collect() } else { found }
}

/// The same for a diagnostic that somebody quotes, perhaps without its place: `result of
/// open is not checked (errcheck)`.
pub fn read_quoted(text: &str) -> Vec<Diagnostic> {
    let mut found = read(text);
    if found.is_empty() {
        found.extend(lines(text).iter().filter_map(without_place).take(MOST));
        found.extend(last_words(text));
    }
    found
}

fn without_place(line: &Line<'_>) -> Option<Diagnostic> {
    let (message, rule) = Some(line.text.trim()).filter(|text| !is_noise(text)).map(split_rule)?;
    diagnostic(line, Read { sort: DiagnosticKind::Lint, rule: Some(rule?), text: message, file: None, code: None })
}

/// For a failure without a known form: the last line that looks like its reason, for people to read.
pub fn gist(output: &str) -> Option<String> {
    const WORDS: [&str; 12] = [
        "error", "fail", "cannot", "can't", "could not", "unable", "denied", "refused", "already", "missing",
        "not found", "invalid",
    ];
    let lines = lines(output);
    let with_words =
        || lines.iter().map(|line| line.text.trim()).filter(|text| !is_noise(text) && text.len() <= 2 * LONGEST);
    let sounds = |text: &&str| {
        let lower = text.to_ascii_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
    };
    with_words().rfind(sounds).or_else(|| with_words().next_back()).map(str::to_owned)
}

fn last_words(output: &str) -> Option<Diagnostic> {
    let lines = lines(output);
    let with_words: Vec<&Line<'_>> = lines.iter().filter(|line| !is_noise(line.text.trim())).collect();
    let last = with_words.last().filter(|_| with_words.len() <= MOST_SHORT)?;
    let text = last.text.trim();
    let words = text.split_whitespace().count();
    let fits = text.len() <= LONGEST && (2..=MOST_WORDS).contains(&words);
    let read = Read { sort: DiagnosticKind::Tool, rule: None, text, file: None, code: None };
    fits.then(|| diagnostic(last, read)).flatten()
}

/// Does the output report a problem, whatever the exit status?
pub fn says_it_failed(output: &str) -> bool {
    lines(output).iter().any(|line| {
        let text = line.text.trim();
        counts_failures(text)
            || text.ends_with("ERROR task failed")
            || text.starts_with("error: could not compile")
            || text.ends_with("[build failed]")
    })
}

/// `3 failed, 10 passed`, `2 issues:`, `1 test, 1 failure`.
fn counts_failures(line: &str) -> bool {
    const WORDS: [&str; 8] = ["failed", "failure", "failures", "error", "errors", "issues", "problems", "issue"];
    // A sentence that happens to hold such words is longer.
    if line.len() > 120 {
        return false;
    }
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '(' | ')' | ';')).collect();
    words.windows(2).any(|pair| WORDS.contains(&pair[1]) && pair[0].parse::<u32>().is_ok_and(|count| count > 0))
}

struct Line<'a> {
    start: usize,
    text: &'a str,
    /// The indentation.
    indent: usize,
}

/// The lines to read; colours are removed unless they are inside a line.
fn lines(output: &str) -> Vec<Line<'_>> {
    let head = output.floor_char_boundary(HALF);
    let tail = output.ceil_char_boundary(output.len().saturating_sub(HALF)).max(head);
    let mut out = Vec::new();
    for (base, part) in [(0, &output[..head]), (tail, &output[tail..])] {
        let mut at = base;
        for whole in part.split_inclusive('\n') {
            let text = strip_marks(whole.trim_end());
            let indent = text.len() - text.trim_start().len();
            if !text.trim().is_empty() {
                let offset = text.as_ptr() as usize - whole.as_ptr() as usize;
                out.push(Line { start: at + offset, text, indent });
            }
            at += whole.len();
        }
    }
    out
}

/// Removes rulers and colours around a line.
fn strip_marks(mut line: &str) -> &str {
    loop {
        let before = line.len();
        if let Some(rest) = line.strip_prefix("\u{1b}[") {
            line = rest.split_once('m').map_or(rest, |(_, rest)| rest);
        }
        if let Some((rest, code)) = line.rsplit_once("\u{1b}[")
            && code.ends_with('m')
            && code.len() <= 8
        {
            line = rest;
        }
        line = line.trim_start_matches(['┃', '│']);
        if line.len() == before {
            return line;
        }
    }
}

fn of_line(lines: &[Line<'_>], at: usize, heading: Option<&str>) -> Option<Diagnostic> {
    let line = &lines[at];
    let text = line.text.trim();
    if text.len() < 8 || is_noise(text) {
        return None;
    }
    let read = compiler(lines, at)
        .or_else(|| table_row(text, heading))
        .or_else(|| located(lines, at))
        .or_else(|| flagged(lines, at))
        .or_else(|| failed_test(text))
        .or_else(|| thrown(text))
        .or_else(|| tool_error(text))?;
    diagnostic(line, read)
}

fn diagnostic(line: &Line<'_>, read: Read<'_>) -> Option<Diagnostic> {
    let text = line.text.trim();
    let Read { sort, rule, text: message, file, code } = read;
    let letters = message.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 6 {
        return None;
    }
    let start = line.start + (line.text.len() - line.text.trim_start().len());
    let cited = &text[..text.floor_char_boundary(LONGEST)];
    let fingerprint = fingerprint::of_text(sort, rule.as_deref(), message);
    // Hosts escape line breaks in hook messages.
    let shown = message.replace("\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Diagnostic {
        fingerprint,
        sort,
        rule,
        text: shown.chars().take(LONGEST).collect(),
        file: file.map(str::to_owned),
        code: code.map(fingerprint::of_code),
        start: start as u32,
        end: (start + cited.len()) as u32,
        hash: span_hash(cited),
        count: 1,
    })
}

/// A recognised line.
struct Read<'a> {
    sort: DiagnosticKind,
    rule: Option<String>,
    text: &'a str,
    file: Option<&'a str>,
    code: Option<&'a str>,
}

/// Lines that only say that something failed above.
fn is_noise(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.starts_with("exit code")
        || lower.starts_with("exit status")
        || lower.ends_with("task failed")
        || lower.starts_with("make: ***")
        || lower.starts_with("make[")
        || lower.starts_with("npm err!")
        || lower.starts_with("error: aborting due to")
        || lower.starts_with("error: could not compile")
        || lower.starts_with("ok ")
        || lower.starts_with("ok\t")
        || lower.starts_with("--- pass")
        || lower.starts_with("=== ")
        || lower.starts_with("hint:")
        || lower.contains("sibling tool call errored")
        || lower.starts_with("fail\t")
        || lower.starts_with("build failed")
        || lower.starts_with("failure: build failed")
        // A runner announcing its command.
        || lower.starts_with("> ")
        || lower.starts_with("$ ")
        || lower.ends_with("too many errors")
}

/// `src/a.rs:12:5: message`, `src/a.ts(12,5): message`.
fn located<'a>(lines: &[Line<'a>], at: usize) -> Option<Read<'a>> {
    let line = &lines[at];
    let (file, message) = place(line.text.trim())?;
    let message = message.trim_start_matches([':', '-', ' ']).trim();
    if message.is_empty() || message.starts_with('#') {
        return None;
    }
    // Tests report failures with the bare file name, but log in that form too.
    if line.indent > 0 && !file.contains('/') {
        let read = Read { sort: DiagnosticKind::Assertion, rule: None, text: message, file: Some(file), code: None };
        return Some(read).filter(|_| is_of_tests(file) && expects_something(message));
    }
    let (message, mut rule) = split_rule(message);
    let mut sort = match &rule {
        Some(rule) if rule == "typecheck" => DiagnosticKind::Compile,
        Some(_) => DiagnosticKind::Lint,
        None => DiagnosticKind::Compile,
    };
    if let Some(code) = leading_code(message) {
        let is_compiler = code.starts_with("TS") || code.starts_with("CS");
        sort = if is_compiler || sort == DiagnosticKind::Compile && rule.is_some() {
            DiagnosticKind::Compile
        } else {
            DiagnosticKind::Lint
        };
        // `gosec` has many rules; the code says which.
        rule = Some(code.to_owned());
    } else if let (Some(whole), Some(part)) = (&rule, leading_name(message)) {
        rule = Some(format!("{whole}/{part}"));
    }
    let rule = rule.filter(|_| sort == DiagnosticKind::Lint);
    Some(Read { sort, rule, text: message, file: Some(file), code: code_after(lines, at) })
}

/// A file and a line number at the start of a text, and what follows them.
fn place(text: &str) -> Option<(&str, &str)> {
    if let Some((file, rest)) = text.split_once('(')
        && is_path(file)
        && let Some((numbers, rest)) = rest.split_once(')')
        && numbers.chars().all(|c| c.is_ascii_digit() || c == ',')
    {
        return Some((file, rest));
    }
    let (file, rest) = text.split_once(':')?;
    if !is_path(file) {
        return None;
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 {
        return None;
    }
    let rest = &rest[digits..];
    let column = rest.strip_prefix(':').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    column.map(|rest| (file, rest))
}

/// A file path with an extension, and nothing else.
fn is_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.');
    text.len() < 200
        && !text.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '`' | '='))
        && ending.is_some_and(|(stem, ending)| {
            !stem.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_alphanumeric())
                && ending.chars().any(|c| c.is_ascii_alphabetic())
        })
}

/// `message (rule)`, `message [rule]`.
fn split_rule(message: &str) -> (&str, Option<String>) {
    let close = match message.chars().last() {
        Some(')') => '(',
        Some(']') => '[',
        _ => return (message, None),
    };
    let Some(open) = message.rfind(close) else { return (message, None) };
    let rule = &message[open + 1..message.len() - 1];
    let fits = (2..=48).contains(&rule.len())
        && rule.starts_with(|c: char| c.is_ascii_lowercase() || c == '@' || c.is_ascii_uppercase())
        && rule.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '@' | ':'));
    if !fits || message[..open].trim().is_empty() {
        return (message, None);
    }
    (message[..open].trim_end(), Some(rule.to_owned()))
}

/// `G306:`, `E501 `, `error TS2345:`.
fn leading_code(message: &str) -> Option<&str> {
    let message = message.trim_start_matches("error ").trim_start_matches("warning ");
    let word = message.split([' ', ':']).next()?;
    let letters = word.len() - word.trim_start_matches(|c: char| c.is_ascii_uppercase()).len();
    let digits = &word[letters..];
    ((1..=4).contains(&letters) && (3..=5).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit()))
        .then_some(word)
}

/// `ifElseChain: message`: one part of a rule with many parts.
fn leading_name(message: &str) -> Option<&str> {
    let (name, _) = message.split_once(": ")?;
    let fits = (4..=32).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (fits && name.starts_with(|c: char| c.is_ascii_lowercase())).then_some(name)
}

fn is_of_tests(file: &str) -> bool {
    file.contains("test") || file.contains("spec")
}

/// A failed expectation, rather than a line that a test logs.
fn expects_something(message: &str) -> bool {
    const WORDS: [&str; 12] = [
        "expect", "want", "got", "should", "assert", "fail", "error", "mismatch", "unexpected", "must", "missing",
        "timed out",
    ];
    let lower = message.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// The line of code that is shown below a place, marked by a caret under it.
fn code_after<'a>(lines: &[Line<'a>], at: usize) -> Option<&'a str> {
    let next = lines.get(at + 1)?.text;
    let is_code = place(next.trim()).is_none() && !next.trim().is_empty();
    let marked = lines[at + 1..].iter().take(30).take_while(|line| place(line.text.trim()).is_none());
    let has_caret = marked.into_iter().any(|line| line.text.trim().trim_matches(['^', '~', '-']).is_empty());
    (is_code && has_caret).then(|| next.trim())
}

/// `error[E0308]: message`, then `--> file:line:column`.
fn compiler<'a>(lines: &[Line<'a>], at: usize) -> Option<Read<'a>> {
    let text = lines[at].text.trim();
    let (head, message) = text.split_once(": ")?;
    let arrow = lines.get(at + 1).and_then(|next| next.text.trim().strip_prefix("--> "))?;
    let has_code = head.starts_with("error[") || head.starts_with("warning[");
    if !has_code && head != "error" && head != "warning" {
        return None;
    }
    let below = &lines[at + 1..lines.len().min(at + 30)];
    let below = || below.iter().map(|line| line.text.trim()).take_while(|line| !line.starts_with("error"));
    let rule = below().find_map(named_lint);
    let code = below().find_map(|line| {
        let (number, code) = line.split_once('|')?;
        (!number.trim().is_empty() && number.trim().chars().all(|c| c.is_ascii_digit())).then(|| code.trim())
    });
    let sort = if rule.is_some() && !has_code { DiagnosticKind::Lint } else { DiagnosticKind::Compile };
    let file = arrow.split(':').next();
    Some(Read { sort, rule: rule.filter(|_| sort == DiagnosticKind::Lint), text: message, file, code })
}

/// `#[deny(clippy::needless_return)]`, `-D clippy::all`, `#[warn(unused)]`.
fn named_lint(line: &str) -> Option<String> {
    let note = line.strip_prefix("= note: ").or_else(|| line.strip_prefix("= help: "))?;
    let from =
        note.find("clippy::").or_else(|| note.find("#[").map(|at| at + note[at..].find('(').unwrap_or(0) + 1))?;
    let rule: String =
        note[from..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-')).collect();
    (rule.len() > 3).then_some(rule)
}

/// `  12:5  error  message  rule`, under the name of a file.
fn table_row<'a>(text: &'a str, heading: Option<&'a str>) -> Option<Read<'a>> {
    let (numbers, rest) = text.split_once(char::is_whitespace)?;
    let (line, column) = numbers.split_once(':')?;
    if line.parse::<u32>().is_err() || column.parse::<u32>().is_err() {
        return None;
    }
    let rest = rest.trim_start();
    let message = rest.strip_prefix("error").or_else(|| rest.strip_prefix("warning"))?.trim();
    let (message, rule) = message.rsplit_once("  ").unwrap_or((message, ""));
    let rule = Some(rule.trim().to_owned()).filter(|rule| !rule.is_empty() && !rule.contains(' '));
    Some(Read { sort: DiagnosticKind::Lint, rule, text: message.trim(), file: heading, code: None })
}

/// `[R] ↘ message`, then the place.
fn flagged<'a>(lines: &[Line<'a>], at: usize) -> Option<Read<'a>> {
    let text = lines[at].text.trim();
    let rest = text.strip_prefix('[')?;
    let (letter, rest) = rest.split_once("] ")?;
    let message = rest.strip_prefix(['↘', '→', '↗', '↑', '↓'])?.trim();
    let file = lines.get(at + 1).and_then(|next| next.text.trim().split(':').next()).filter(|file| is_path(file));
    (letter.len() == 1).then_some(Read { sort: DiagnosticKind::Lint, rule: None, text: message, file, code: None })
}

/// `--- FAIL: TestName`, `FAILED tests/a.py::name`, `test name ... FAILED`, `1) test name`.
fn failed_test(text: &str) -> Option<Read<'_>> {
    let numbered = || {
        let (number, rest) = text.split_once(") test ")?;
        number.parse::<u32>().is_ok().then_some(rest)
    };
    let name = text
        .strip_prefix("--- FAIL: ")
        .or_else(|| text.strip_prefix("FAILED "))
        .or_else(|| text.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")))
        .or_else(|| text.strip_prefix("✗ "))
        .or_else(|| text.strip_prefix("● "))
        .or_else(numbered)?;
    let name = name.split(" (").next().unwrap_or(name);
    Some(Read { sort: DiagnosticKind::Assertion, rule: None, text: name, file: None, code: None })
}

/// `ValueError: message`, `** (RuntimeError) message`, `panic: message`.
fn thrown(text: &str) -> Option<Read<'_>> {
    let bare = text.strip_prefix("E  ").map_or(text, str::trim_start);
    let kind = match bare.strip_prefix("** (") {
        Some(rest) => rest.split_once(')').map(|(kind, _)| kind),
        None => bare.split_once(": ").map(|(kind, _)| kind),
    }?;
    let is_kind = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    let named = kind.ends_with("Error") || kind.ends_with("Exception");
    if !is_kind || !(named && kind.len() > 5 || kind == "panic") {
        return None;
    }
    let sort = if kind.contains("Compile") || kind.contains("Syntax") || kind.contains("Type") {
        DiagnosticKind::Compile
    } else if kind.contains("Assert") || kind == "panic" {
        DiagnosticKind::Assertion
    } else {
        DiagnosticKind::Tool
    };
    Some(Read { sort, rule: None, text: bare, file: None, code: None })
}

/// Words of a program that failed to work.
const TOOL_WORDS: [&str; 36] = [
    "command not found",
    "no such file or directory",
    "permission denied",
    "unknown flag",
    "unknown option",
    "unknown shorthand flag",
    "unrecognized argument",
    "unrecognized option",
    "is not recognized",
    "missing script",
    "cannot find module",
    "no module named",
    "not installed",
    "address already in use",
    "connection refused",
    "build constraints exclude",
    "no required module provides",
    "not a git repository",
    "is not formatted",
    "paths are ignored by",
    "did not match any file",
    "is not a command",
    "no such task",
    "unknown command",
    "invalid option",
    "flag provided but not defined",
    "could not find a version",
    "not defined in the workspace",
    "please add to your",
    "no such subcommand",
    "no such command",
    "unexpected argument",
    "is not set",
    "must be set",
    "unbound variable",
    ": not found",
];

fn tool_error(text: &str) -> Option<Read<'_>> {
    // Long lines are logs and data.
    if text.len() > 400 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let is_tool = TOOL_WORDS.iter().any(|words| lower.contains(words));
    let is_error = ["error: ", "fatal: ", "error "].iter().any(|head| lower.starts_with(head));
    let sort = if is_tool {
        DiagnosticKind::Tool
    } else if is_error {
        DiagnosticKind::Other
    } else {
        return None;
    };
    Some(Read { sort, rule: None, text, file: None, code: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> Vec<(DiagnosticKind, Option<String>, String, Option<String>)> {
        read(output).into_iter().map(|found| (found.sort, found.rule, found.text, found.file)).collect()
    }

    fn one(output: &str) -> (DiagnosticKind, Option<String>, String, Option<String>) {
        let mut told = told(output);
        assert_eq!(told.len(), 1, "{told:?}");
        told.remove(0)
    }

    #[test]
    fn places_with_messages() {
        let (sort, rule, text, file) =
            one("src/door.go:12:3: result of open is not checked (errcheck)\n\topen(door)\n\t^\n1 issues:");
        assert_eq!((sort, rule.as_deref()), (DiagnosticKind::Lint, Some("errcheck")));
        assert_eq!((text.as_str(), file.as_deref()), ("result of open is not checked", Some("src/door.go")));
        assert_eq!(one("src/door.go:12:3: undefined: hinge").0, DiagnosticKind::Compile);
        assert_eq!(
            one("src/door.go:9:1: ifElseChain: rewrite it (gocritic)").1.as_deref(),
            Some("gocritic/ifElseChain")
        );
        assert_eq!(one("    door_test.go:12: want open, got closed").0, DiagnosticKind::Assertion);
        assert_eq!(told("    door_test.go:12: the door is blue [paint]"), []);
        assert_eq!(one("src/door.ts(3,9): error TS2304: Cannot find name 'hinge'.").0, DiagnosticKind::Compile);
        assert_eq!(one("door.py:1:80: E501 line too long").1.as_deref(), Some("E501"));
    }

    #[test]
    fn errors_with_an_arrow_below() {
        let output = "error: unneeded `return`\n --> src/door.rs:3:5\n  |\n3 |     return open;\n  |     ^^^\n  |\n  = note: `-D clippy::needless-return` implied by `-D warnings`\n\nerror: could not compile `door`";
        let (sort, rule, text, file) = one(output);
        assert_eq!((sort, rule.as_deref()), (DiagnosticKind::Lint, Some("clippy::needless-return")));
        assert_eq!((text.as_str(), file.as_deref()), ("unneeded `return`", Some("src/door.rs")));
        assert_eq!(read(output)[0].code, Some(fingerprint::of_code("return open;")));
        assert_eq!(one("error[E0425]: cannot find value `x`\n --> a.rs:1:1").0, DiagnosticKind::Compile);
    }

    #[test]
    fn tables_flags_tests_and_tools() {
        let (sort, rule, _, file) = one("src/door.js\n  3:5  error  'hinge' is never used  no-unused-vars\n");
        assert_eq!(
            (sort, rule.as_deref(), file.as_deref()),
            (DiagnosticKind::Lint, Some("no-unused-vars"), Some("src/door.js"))
        );
        let flagged = one("┃ [R] ↘ Modules should have a @moduledoc tag.\n┃       lib/door.ex:1:11 #(Door)");
        assert_eq!((flagged.0, flagged.3.as_deref()), (DiagnosticKind::Lint, Some("lib/door.ex")));
        assert_eq!(one("--- FAIL: TestOpen (0.01s)").0, DiagnosticKind::Assertion);
        assert_eq!(one("bash: gulp: command not found").0, DiagnosticKind::Tool);
        assert_eq!(one("ModuleNotFoundError: No module named 'door'").0, DiagnosticKind::Tool);
    }

    #[test]
    fn short_errors_are_errors() {
        for error in [
            "DEPLOY_TOKEN is not set",
            "./deploy.sh: line 3: DEPLOY_TOKEN: unbound variable",
            "command not found: foo",
            "sh: 1: foo: not found",
            "ModuleNotFoundError: No module named 'x'",
            "error: no such subcommand: `lnt`",
            "error: unexpected argument '--lockd' found",
        ] {
            assert_eq!(one(error).0, DiagnosticKind::Tool, "{error}");
        }
        assert_eq!(one("src/a.go:3:5: unused variable x").0, DiagnosticKind::Compile);
        assert_eq!(one("a.go:3: unused x").0, DiagnosticKind::Compile);
    }

    #[test]
    fn the_last_words_of_a_short_failure_are_its_diagnostic() {
        let words = |output: &str| of_failure(output).into_iter().map(|found| found.text).collect::<Vec<_>>();
        assert_eq!(words("Exit code 1\n> ./deploy.sh\n\nThe deploy key has expired"), ["The deploy key has expired"]);
        assert_eq!(words("src/a.go:3:5: undefined: x\nsee above"), ["undefined: x"], "a known form says more");
        assert_eq!(words("one\ntwo\nthree\nfour\nfive went wrong"), [""; 0], "what is long has its own form");
        assert_eq!(words("Exit code 2"), [""; 0]);
        assert_eq!(read("The deploy key has expired"), []);
    }

    #[test]
    fn what_is_retold_may_lack_its_place() {
        let fingerprint = |found: Vec<Diagnostic>| found.first().map(|found| found.fingerprint);
        let printed = fingerprint(read("src/door.go:12:6: result of open is not checked (errcheck)"));
        assert_eq!(fingerprint(read_quoted("result of open is not checked (errcheck)")), printed);
        let printed = fingerprint(read("src/door.go:12:3: undefined: hinge"));
        assert_eq!(fingerprint(read_quoted("undefined: hinge")), printed);
        assert_eq!(read_quoted(""), []);
    }

    #[test]
    fn the_gist_of_a_failure_is_the_last_line_that_sounds_like_it() {
        let output = "step 1\nstep 2\nstep 3\nstep 4\nBind for 0.0.0.0:5432: port is already allocated\ncleaning up\nBUILD FAILED in 12s";
        assert_eq!(gist(output).as_deref(), Some("Bind for 0.0.0.0:5432: port is already allocated"));
        assert_eq!(gist("a\nb\nc\nd\nthe end").as_deref(), Some("the end"));
        assert_eq!(gist("Exit code 1"), None);
    }

    #[test]
    fn the_same_diagnostic_in_one_file_counts_up() {
        let found = read(
            "a.go:1:1: do not repeat 3 (dupl)\na.go:9:1: do not repeat 7 (dupl)\nb.go:2:1: do not repeat 1 (dupl)",
        );
        assert_eq!(found.iter().map(|found| found.count).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(found[0].fingerprint, found[1].fingerprint);
    }

    #[test]
    fn an_output_may_hide_how_it_ended() {
        assert!(says_it_failed("12 tests, 1 failure"));
        assert!(says_it_failed("2 issues:"));
        assert!(!says_it_failed("12 tests, 0 failures"));
        assert!(!says_it_failed("all 12 tests passed"));
    }
}
