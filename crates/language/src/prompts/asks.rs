//! What does a prompt ask for, and in how many parts?
//!
//! Tuned to how people speak to a machine. [`intent`](crate::talk::intent) reads talk among people, where "the door is
//! open" may announce a move.

use std::ops::Range;

use crate::talk::IntentType;

use super::{first_words, foreign_spans};

/// A part of a prompt that requests something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Byte range in the prompt.
    pub start: usize,
    pub end: usize,
    pub kind: IntentType,
}

/// A prompt with more parts is a document, not a list of requests.
pub const MOST_ASKS: usize = 12;
/// A longer prompt is a document too.
const LONGEST: usize = 3_000;
/// A prompt with more lines and no list was pasted.
const LINES: usize = 6;
/// The maximum number of words of a go-ahead.
const GO_AHEAD: usize = 4;

/// At least one: a prompt that cannot be split is one ask. None if Backstory printed all of it; if it printed a part,
/// the ask is the text before it, or else the text after it.
pub fn of_prompt(text: &str) -> Vec<Ask> {
    let Some(words) = first_words(text) else { return Vec::new() };
    let words = if words.len() == text.len() { words } else { trimmed(text, words) };
    let whole = Ask { start: words.start, end: words.end, kind: kind_of_prompt(text) };
    if foreign_spans(text).iter().map(Range::len).sum::<usize>() > LONGEST {
        return vec![whole];
    }
    let pasted = prose(text).len() > LINES;
    for ranges in [items(text), if pasted { Vec::new() } else { sentences(text) }] {
        let asks: Vec<Ask> = ranges.into_iter().filter_map(|range| ask(text, range)).collect();
        if (2..=MOST_ASKS).contains(&asks.len()) {
            return asks;
        }
    }
    vec![whole]
}

fn ask(text: &str, range: Range<usize>) -> Option<Ask> {
    let part = &text[range.clone()];
    let kind = kind_of(part);
    // "can you?" requests nothing by itself.
    let says_what = part.split_whitespace().count() >= 4;
    (kind != IntentType::Declare && says_what).then_some(Ask { start: range.start, end: range.end, kind })
}

/// The strongest kind in the prompt.
fn kind_of_prompt(text: &str) -> IntentType {
    let kinds: Vec<IntentType> = sentences(text).into_iter().map(|range| kind_of(&text[range])).collect();
    let by_weight = [IntentType::Request, IntentType::Propose, IntentType::Question];
    by_weight.into_iter().find(|kind| kinds.contains(kind)).unwrap_or(IntentType::Declare)
}

/// A bare yes, a number, an "ok": it means go on, not that something helped.
pub fn is_go_ahead(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    let yes = |word: &String| GO_AHEAD_WORDS.contains(&word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit());
    !words.is_empty()
        && words.len() <= GO_AHEAD
        && words.iter().all(|word| yes(word) || word == "please" || word == "do")
        && words.iter().any(yes)
}

const GO_AHEAD_WORDS: [&str; 16] = [
    "yes", "yep", "yeah", "y", "ok", "okay", "k", "sure", "go", "ahead", "continue", "proceed", "lgtm", "both", "all",
    "it",
];

const OPENERS: [&str; 24] = [
    "ok", "okay", "and", "now", "also", "so", "then", "hmm", "hm", "hi", "hey", "yes", "yeah", "no", "but", "well",
    "great", "cool", "nice", "thanks", "alright", "next", "just", "actually",
];

pub fn is_opener(word: &str) -> bool {
    OPENERS.contains(&word)
}

const REQUESTS: [&str; 16] = [
    "can you", "could you", "would you", "will you", "can we", "could we", "can i", "please", "i want", "i'd like",
    "i would like", "i need", "we need", "we should", "you should", "make sure",
];

const PROPOSALS: [&str; 12] = [
    "let's", "lets", "let us", "maybe we", "what about", "how about", "we could", "should we", "shall we",
    "i think we", "i'd go", "what if",
];

const QUESTION_WORDS: [&str; 24] = [
    "what", "what's", "why", "how", "where", "when", "which", "who", "whose", "is", "are", "was", "were", "do", "does",
    "did", "has", "have", "should", "would", "will", "isn't", "doesn't", "aren't",
];

/// Verbs with which prompts begin.
const IMPERATIVES: [&str; 108] = [
    "add", "adjust", "allow", "analyze", "apply", "ask", "bring", "build", "bump", "call", "change", "check", "clean",
    "clear", "close", "commit", "compare", "consider", "continue", "convert", "copy", "create", "cut", "debug",
    "delete", "describe", "disable", "do", "document", "don't", "double", "drop", "edit", "enable", "ensure",
    "explain", "extend", "extract", "fetch", "find", "fix", "format", "generate", "get", "give", "go", "handle",
    "ignore", "implement", "improve", "include", "inline", "install", "investigate", "keep", "leave", "list", "look",
    "make", "merge", "move", "open", "optimize", "pick", "print", "propose", "pull", "push", "put", "read", "rebase",
    "reduce", "refactor", "reformat", "remove", "rename", "render", "replace", "report", "rerun", "resolve", "restore",
    "revert", "review", "rewrite", "run", "search", "set", "show", "simplify", "split", "start", "stop", "summarize",
    "tell", "test", "translate", "try", "turn", "undo", "update", "upgrade", "use", "verify", "wait", "work", "wrap",
    "write",
];

/// What one sentence requests.
pub fn kind_of(sentence: &str) -> IntentType {
    let said: Vec<String> = words(sentence).collect();
    let skipped = said.iter().take_while(|word| OPENERS.contains(&word.as_str())).count();
    // The whole sentence is small talk.
    let said = if skipped == said.len() { &said[..0] } else { &said[skipped..] };
    let begins = |phrases: &[&str]| phrases.iter().any(|phrase| begins_with(said, phrase));
    let Some(first) = said.first().map(String::as_str) else { return IntentType::Declare };
    if begins(&PROPOSALS) {
        return IntentType::Propose;
    }
    // "can you" and "please" may follow the subject: "in x, can you …".
    let asks_inside = |words: &[String]| {
        (1..words.len().min(12)).any(|at| {
            ["can you", "could you", "please", "can we", "could we"].iter().any(|p| begins_with(&words[at..], p))
        })
    };
    if begins(&REQUESTS) || IMPERATIVES.contains(&first) || asks_inside(said) {
        return IntentType::Request;
    }
    if sentence.trim_end().ends_with('?') || QUESTION_WORDS.contains(&first) {
        return IntentType::Question;
    }
    IntentType::Declare
}

fn begins_with(words: &[String], phrase: &str) -> bool {
    let mut at = 0;
    phrase.split(' ').all(|part| {
        let same = words.get(at).is_some_and(|word| word == part);
        at += 1;
        same
    })
}

/// Lower-case words without surrounding punctuation.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let inner = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'").to_lowercase();
    text.split_whitespace().map(inner).filter(|word| !word.is_empty())
}

/// Lines of prose; fenced code and Backstory's own output request nothing.
fn prose(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for span in foreign_spans(text) {
        let mut at = span.start;
        for line in text[span].split_inclusive('\n') {
            let start = at;
            at += line.len();
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            } else if !fenced && !line.trim().is_empty() {
                lines.push(trimmed(text, start..at));
            }
        }
    }
    lines
}

/// The items of a list, without their marks: a line each, or numbered in one line.
fn items(text: &str) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    for line in prose(text) {
        let words = &text[line.clone()];
        let starts = numbered(words);
        if starts.len() > 1 {
            let ends = starts[1..].iter().map(|next| next.start).chain([words.len()]);
            items.extend(
                starts.iter().zip(ends).map(|(mark, end)| trimmed(text, line.start + mark.end..line.start + end)),
            );
        } else if let Some(mark) = words.find(' ')
            && (matches!(&words[..mark], "-" | "*" | "•") || number_mark(&words[..mark]).is_some())
        {
            items.push(trimmed(text, line.start + mark..line.end));
        }
    }
    items
}

/// The marks 1, 2, 3 … of a line that starts with the first.
fn numbered(line: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for word in line.split_inclusive(char::is_whitespace) {
        let place = at..at + word.len();
        at = place.end;
        if number_mark(word.trim_end()) == Some(marks.len() + 1) && (place.start == 0) == marks.is_empty() {
            marks.push(place);
        }
    }
    marks
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let lead = part.len() - part.trim_start().len();
    range.start + lead..range.start + lead + part.trim().len()
}

/// The number of a mark like `2.` or `2)`.
fn number_mark(mark: &str) -> Option<usize> {
    let digits = mark.trim_end_matches(['.', ')']);
    (digits.len() < mark.len() && digits.len() <= 2).then(|| digits.parse().ok())?
}

pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for line in prose(text) {
        let words = &text[line.clone()];
        let mut start = 0;
        let ends = words.match_indices(['.', '?', '!', ';']).map(|(at, mark)| at + mark.len());
        let ends = ends.filter(|end| words[*end..].starts_with(char::is_whitespace)).chain([words.len()]);
        for end in ends.collect::<Vec<_>>() {
            let sentence = trimmed(text, line.start + start..line.start + end);
            if !sentence.is_empty() {
                out.push(sentence);
            }
            start = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, IntentType)> {
        of_prompt(text).into_iter().map(|ask| (&text[ask.start..ask.end], ask.kind)).collect()
    }

    #[test]
    fn a_request_in_question_form_is_a_request() {
        assert_eq!(kind_of("Can you rename the flag?"), IntentType::Request);
        assert_eq!(kind_of("ok, now add a test"), IntentType::Request);
        assert_eq!(kind_of("why does the build take so long"), IntentType::Question);
        assert_eq!(kind_of("should we keep both?"), IntentType::Propose);
        assert_eq!(kind_of("the build is slow"), IntentType::Declare);
        assert_eq!(kind_of("in the parser, can you use a table"), IntentType::Request);
        assert_eq!(kind_of("ok thanks"), IntentType::Declare);
        assert_eq!(kind_of(""), IntentType::Declare);
    }

    #[test]
    fn a_prompt_of_several_requests_is_cut() {
        assert_eq!(
            parts("- drop the old flag now\n- rename the menu entry too"),
            [("drop the old flag now", IntentType::Request), ("rename the menu entry too", IntentType::Request)]
        );
        assert_eq!(
            parts("Fix the login test. How long does it take?"),
            [("Fix the login test.", IntentType::Request), ("How long does it take?", IntentType::Question)]
        );
        assert_eq!(
            parts("1. drop the old flag now 2. rename the menu entry too"),
            [("drop the old flag now", IntentType::Request), ("rename the menu entry too", IntentType::Request)]
        );
        assert_eq!(parts("fix it. ok?"), [("fix it. ok?", IntentType::Request)], "too short to be told apart");
        assert_eq!(parts("```\n- run the old tool\n- run the new tool\n```").len(), 1, "code asks for nothing");
    }

    #[test]
    fn what_backstory_printed_asks_for_nothing() {
        let own = "<backstory-memory verb=\"search\">\n- drop the old flag now\n- rename the menu entry too\n```\n</backstory-memory>";
        assert_eq!(parts(own), []);
        assert_eq!(parts(&format!("is this right?\n{own}")), [("is this right?", IntentType::Question)]);
        assert_eq!(parts(&format!("{own}\nis this right?")), [("is this right?", IntentType::Question)]);
        assert_eq!(
            parts(&format!("Fix the login test. {own} How long does it take?")),
            [("Fix the login test.", IntentType::Request), ("How long does it take?", IntentType::Question)]
        );
        let long = own.replace("flag", &"flag ".repeat(2 * LONGEST));
        assert_eq!(parts(&format!("fix the old menu now. why is it red today? {long}")).len(), 2, "that is not long");
    }

    #[test]
    fn a_bare_yes_goes_ahead() {
        for yes in ["yes", "ok", "Yes please", "2", "go ahead", "1 and 2"] {
            assert_eq!(is_go_ahead(yes), yes != "1 and 2", "{yes}");
        }
        assert!(!is_go_ahead("yes, but rename it first"));
        assert!(!is_go_ahead("please"));
        assert!(!is_go_ahead(""));
    }
}
