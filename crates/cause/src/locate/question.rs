//! What does a question say? Its words by weight, and what it names outright:
//! paths, modules, stack frames.

use std::sync::LazyLock;

use regex::Regex;

use crate::digest::{Reader, prefix, split_identifiers};
use crate::words::{Bag, Counter, Term, identifiers, parts, whole};

/// How often a word counts by where it stands.
const TITLE: f32 = 3.0;
const CODE: f32 = 0.5;
const TICKED: f32 = 2.0;
/// How much of the text is embedded; issues end in logs and versions.
const EMBEDDED_BYTES: usize = 2000;

/// A question, taken apart.
#[derive(Clone, Debug)]
pub struct Question {
    /// The weighted terms.
    pub terms: Bag,
    /// All terms counted plainly, for the baselines.
    pub plain: Bag,
    /// Whole identifiers: those of several parts, and words that are marked as code.
    pub names: Vec<Term>,
    /// Paths, file names and dotted modules, with slashes.
    pub paths: Vec<String>,
    /// Stack frames, the raise site first.
    pub frames: Vec<Frame>,
    pub vector: Vec<i8>,
    pub title_vector: Vec<i8>,
    /// How many lines it has that are not empty.
    pub lines: usize,
    /// Its telling words as they are written, with their terms.
    pub words: Vec<(String, Vec<Term>)>,
}

/// A line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Frame {
    pub path: String,
    pub line: u32,
    pub function: Option<String>,
}

impl Question {
    /// Takes a text apart: its first line is the title.
    pub fn new(text: &str, reader: &mut Reader) -> Self {
        let text = text.trim();
        let (title, body) = text.split_once('\n').unwrap_or((text, ""));
        let (prose, code) = split_code(body);
        let mut terms = Counter::default();
        reader.words.count(title, TITLE, &mut terms);
        reader.words.count(&prose, 1.0, &mut terms);
        reader.words.count(&code, CODE, &mut terms);
        let ticked: String = TICKS.captures_iter(text).map(|found| format!("{} ", &found[1])).collect();
        reader.words.count(&ticked, TICKED - 1.0, &mut terms);
        let embedded = format!("{title}. {title}. {}", prefix(&prose, EMBEDDED_BYTES));
        Self {
            lines: text.lines().filter(|line| !line.trim().is_empty()).count(),
            words: written(text, reader),
            terms: telling(terms.bag()),
            plain: reader.words.bag(text),
            names: names(text, &ticked),
            paths: paths(text),
            frames: frames(text),
            title_vector: reader.embed(&split_identifiers(title)),
            vector: reader.embed(&split_identifiers(&embedded)),
        }
    }
}

/// So many words are kept as they are written.
const MOST_WORDS: usize = 300;

fn written(text: &str, reader: &mut Reader) -> Vec<(String, Vec<Term>)> {
    let common = COMMON.map(Term::of);
    let mut words: Vec<(String, Vec<Term>)> = Vec::new();
    for word in identifiers(text) {
        let mut terms = reader.words.terms(word).to_vec();
        terms.retain(|term| !common.contains(term));
        if !terms.is_empty() && words.len() < MOST_WORDS && !words.iter().any(|known| known.0 == word) {
            words.push((word.to_owned(), terms));
        }
    }
    words
}

/// Without the words of every report and every fix, which in code mean something else.
fn telling(mut bag: Bag) -> Bag {
    let common = COMMON.map(Term::of);
    bag.terms.retain(|entry| !common.contains(&entry.0));
    bag
}

/// Stems.
const COMMON: [&str; 11] =
    ["fix", "bug", "issu", "problem", "add", "updat", "make", "test", "correct", "chang", "remov"];

static TICKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"`+([^`\n]{1,200})`+"));
static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\w.@-]*(?:[/\\][\w.@-]+)+|\b[\w-]+\.[a-z]{1,4}\b"));
static DOTTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+"));
static PYTHON_FRAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"File "([^"\n]+)", line (\d+)(?:, in ([\w<>.]+))?"#));
static OTHER_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bat (?:async )?([\w.<>$:]+) ?\()?([\w./\\@:-]*[\w-]+\.(?:go|rs|py|js|cjs|mjs|ts|tsx|jsx|java|kt|rb|php|c|cc|cpp|cs|h|hpp|swift)):(?:line )?(\d+)",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern that compiles")
}

/// The text outside and inside code blocks, fenced or indented.
fn split_code(body: &str) -> (String, String) {
    let (mut prose, mut code) = (String::new(), String::new());
    let mut fenced = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let is_code = fenced || line.starts_with("    ") || line.starts_with("\t\t");
        let target = if is_code { &mut code } else { &mut prose };
        target.push_str(line);
        target.push('\n');
    }
    (prose, code)
}

fn names(text: &str, ticked: &str) -> Vec<Term> {
    let several = identifiers(text).filter(|name| parts(name).len() > 1);
    let mut names: Vec<Term> = several.chain(identifiers(ticked).filter(|name| name.len() > 3)).map(whole).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn paths(text: &str) -> Vec<String> {
    let plain = PATH.find_iter(text).map(|found| found.as_str().replace('\\', "/"));
    let dotted = DOTTED.find_iter(text).map(|found| found.as_str().replace("::", "/").replace('.', "/"));
    let mut paths: Vec<String> = plain.chain(dotted).map(|path| path.trim_matches(['/', '.']).to_owned()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.retain(|path| path.len() > 3);
    paths
}

/// Python prints the raise site last, everybody else first.
fn frames(text: &str) -> Vec<Frame> {
    let frame = |path: &str, line: &str, function: Option<&str>| Frame {
        path: path.replace('\\', "/"),
        line: line.parse().unwrap_or(0),
        function: function.map(|name| name.rsplit(['.', ':']).next().unwrap_or(name).to_owned()),
    };
    let python = PYTHON_FRAME
        .captures_iter(text)
        .map(|found| frame(&found[1], &found[2], found.get(3).map(|function| function.as_str())));
    let mut frames: Vec<Frame> = python.collect();
    frames.reverse();
    frames.extend(
        OTHER_FRAME
            .captures_iter(text)
            .map(|found| frame(&found[2], &found[3], found.get(1).map(|name| name.as_str()))),
    );
    frames
}

#[cfg(test)]
mod tests {
    use super::{frames, paths};

    #[test]
    fn frames_begin_at_the_raise_site() {
        let python = "Traceback\n  File \"a/b.py\", line 3, in run\n  File \"c.py\", line 9, in fail\nValueError: no";
        assert_eq!(frames(python).iter().map(|frame| frame.line).collect::<Vec<_>>(), [9, 3]);
        let script = "at Axios.request (lib/core/Axios.js:12:3)\n at x (lib/b.js:4:1)";
        let found = frames(script);
        assert_eq!((found[0].path.as_str(), found[0].line), ("lib/core/Axios.js", 12));
        assert_eq!(found[0].function.as_deref(), Some("request"));
    }

    #[test]
    fn paths_and_modules_are_found() {
        let found = paths("see pkg/db/query.py or pkg.db.models.Query and tokio::sync::mpsc");
        for path in ["pkg/db/query.py", "pkg/db/models/Query", "tokio/sync/mpsc"] {
            assert!(found.contains(&path.to_owned()), "{path} in {found:?}");
        }
    }
}
