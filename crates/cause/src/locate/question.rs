//! Parses a question: its weighted words, and the paths, modules and stack frames that it names.

use std::sync::LazyLock;

use regex::Regex;

use crate::digest::{Reader, prefix, split_identifiers};
use crate::terms::{Bag, Counter, Term};
use backstory_language::text::{identifier_parts, identifiers, pairs_without_spaces};

/// Word weights by position.
const TITLE: f32 = 3.0;
const CODE: f32 = 0.5;
const TICKED: f32 = 2.0;
/// The length of the embedded text; issues end in logs and versions.
const EMBEDDED_BYTES: usize = 2000;
/// A shorter body adds nothing to the title.
const LEAST_BODY: usize = 20;

/// A parsed question.
#[derive(Clone, Debug)]
pub struct FaultQuestion {
    /// The weighted terms.
    pub terms: Bag,
    /// The terms of the title alone; empty if there is no body.
    pub title: Bag,
    /// All terms counted plainly, for the baselines.
    pub plain: Bag,
    /// Whole identifiers: those with several parts, and words marked as code.
    pub names: Vec<Term>,
    /// Paths, file names and dotted modules, written with slashes.
    pub paths: Vec<String>,
    /// Stack frames, the raise site first.
    pub frames: Vec<StackFrame>,
    pub vector: Vec<i8>,
    pub title_vector: Vec<i8>,
    /// The number of non-empty lines.
    pub lines: usize,
    /// Its significant words as written, with their terms.
    pub words: Vec<(String, Vec<Term>)>,
}

/// A line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct StackFrame {
    pub path: String,
    pub line: u32,
    pub function: Option<String>,
    /// The scope of the function, if the frame gives it: `Cart` in `shop.Cart.add`.
    #[serde(skip)]
    pub owner: Option<String>,
}

impl FaultQuestion {
    /// Parses a text; its first line is the title.
    pub fn new(text: &str, reader: &mut Reader) -> Self {
        let text = text.trim();
        let (title, body) = text.split_once('\n').unwrap_or((text, ""));
        let (prose, code) = split_code(body);
        let mut terms = Counter::default();
        reader.vocabulary.count(title, TITLE, &mut terms);
        reader.vocabulary.count(&prose, 1.0, &mut terms);
        reader.vocabulary.count(&code, CODE, &mut terms);
        let ticked: String = TICKS.captures_iter(text).map(|found| format!("{} ", &found[1])).collect();
        reader.vocabulary.count(&ticked, TICKED - 1.0, &mut terms);
        let embedded = format!("{title}. {title}. {}", prefix(&prose, EMBEDDED_BYTES));
        let has_body = body.trim().len() >= LEAST_BODY;
        Self {
            title: if has_body { without_report_words(reader.vocabulary.bag(title)) } else { Bag::default() },
            lines: text.lines().filter(|line| !line.trim().is_empty()).count(),
            words: written(text, reader),
            terms: without_report_words(terms.bag()),
            plain: reader.vocabulary.bag(text),
            names: names(text, &ticked),
            paths: paths(text),
            frames: frames(text),
            title_vector: reader.embed(&split_identifiers(title)),
            vector: reader.embed(&split_identifiers(&embedded)),
        }
    }
}

/// At most this many words are kept as written.
const MOST_WORDS: usize = 300;

fn written(text: &str, reader: &mut Reader) -> Vec<(String, Vec<Term>)> {
    let common = COMMON.map(Term::of);
    let mut words: Vec<(String, Vec<Term>)> = Vec::new();
    let cut = |word: &str| match pairs_without_spaces(word) {
        pairs if pairs.is_empty() => vec![word.to_owned()],
        pairs => pairs,
    };
    for word in identifiers(text).flat_map(cut) {
        let mut terms = reader.vocabulary.terms(&word).to_vec();
        terms.retain(|term| !common.contains(term));
        if !terms.is_empty() && words.len() < MOST_WORDS && !words.iter().any(|known| known.0 == word) {
            words.push((word, terms));
        }
    }
    words
}

/// Removes words that appear in every report and every fix, which mean something else in code.
fn without_report_words(mut bag: Bag) -> Bag {
    let common = COMMON.map(Term::of);
    bag.terms.retain(|entry| !common.contains(&entry.0));
    bag
}

/// Already stemmed.
const COMMON: [&str; 11] =
    ["fix", "bug", "issu", "problem", "add", "updat", "make", "test", "correct", "chang", "remov"];

static TICKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"`+([^`\n]{1,200})`+"));
static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\w.@-]*(?:[/\\][\w.@-]+)+|\b[\w-]+\.[a-z]{1,4}\b"));
static DOTTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+"));
static PYTHON_FRAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"File "([^"\n]+)", line (\d+)(?:, in ([\w<>.]+))?"#));
/// Go and Rust print the function on the line before: `shop.(*Cart).Add(0x1)`, `3: shop::cart::add`.
static NAMED_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^(?:[ \t]*\d+: )?[ \t]*([A-Za-z_][\w./:<>$*()-]*?)(?:\([^()\n]*\))?[ \t]*\n[ \t]+(?:at )?([\w./\@:-]*[\w-]+\.(?:go|rs)):(\d+)",
    )
});
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
    let several = identifiers(text).filter(|name| identifier_parts(name).len() > 1);
    let mut names: Vec<Term> =
        several.chain(identifiers(ticked).filter(|name| name.len() > 3)).map(Term::of_identifier).collect();
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

/// Python prints the raise site last, other languages first. Java prints the origin of an error below it, as its cause.
fn frames(text: &str) -> Vec<StackFrame> {
    let python = PYTHON_FRAME.captures_iter(text).map(|found| frame(&found[1], &found[2], group(&found, 3)));
    let mut frames: Vec<StackFrame> = python.collect();
    frames.reverse();
    for part in text.split("Caused by: ").collect::<Vec<_>>().into_iter().rev() {
        let named: Vec<StackFrame> =
            NAMED_BEFORE.captures_iter(part).map(|found| frame(&found[2], &found[3], group(&found, 1))).collect();
        for found in OTHER_FRAME.captures_iter(part) {
            let plain = frame(&found[2], &found[3], group(&found, 1));
            let known = named.iter().find(|known| (&known.path, known.line) == (&plain.path, plain.line));
            frames.push(known.filter(|_| plain.function.is_none()).cloned().unwrap_or(plain));
        }
    }
    frames
}

fn group<'a>(found: &regex::Captures<'a>, at: usize) -> Option<&'a str> {
    found.get(at).map(|group| group.as_str())
}

fn frame(path: &str, line: &str, function: Option<&str>) -> StackFrame {
    let mut names = function.unwrap_or_default().rsplit(['.', ':', '$', '/']).filter(|name| !name.is_empty());
    let plain = |name: &str| name.trim_matches(['(', ')', '*']).to_owned();
    StackFrame {
        path: path.replace('\\', "/"),
        line: line.parse().unwrap_or(0),
        function: names.next().map(plain),
        owner: names.next().map(plain),
    }
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
    fn frames_know_their_function() {
        let rendered = |text: &str| -> Vec<String> {
            let name = |name: &Option<String>| name.clone().unwrap_or_default();
            let all = frames(text);
            all.iter().map(|it| format!("{} {} {}.{}", it.path, it.line, name(&it.owner), name(&it.function))).collect()
        };
        let go = "goroutine 1 [running]:\nexample.com/shop.(*Cart).Add(0xc000)\n\t/src/shop/cart.go:17 +0x2a\nmain.main()\n\t/src/main.go:9";
        assert_eq!(rendered(go), ["/src/shop/cart.go 17 Cart.Add", "/src/main.go 9 main.main"]);
        let rust =
            "   3: shop::cart::add\n             at ./src/cart.rs:45:9\n   4: main\n             at ./src/main.rs:3:5";
        assert_eq!(rendered(rust), ["./src/cart.rs 45 cart.add", "./src/main.rs 3 .main"]);
        let java = "A: no\n at shop.Desk.pay(Desk.java:8)\nCaused by: B: why\n at shop.Cart$Line.total(Cart.java:4)";
        assert_eq!(rendered(java), ["Cart.java 4 Line.total", "Desk.java 8 Desk.pay"]);
    }

    #[test]
    fn paths_and_modules_are_found() {
        let found = paths("see pkg/db/query.py or pkg.db.models.Query and tokio::sync::mpsc");
        for path in ["pkg/db/query.py", "pkg/db/models/Query", "tokio/sync/mpsc"] {
            assert!(found.contains(&path.to_owned()), "{path} in {found:?}");
        }
    }
}
