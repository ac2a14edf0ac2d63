//! Which parts of a text are a person's own words?
//!
//! Excludes Backstory's own output, code, quotes, and pasted text.

use std::ops::Range;

use backstory_language::prompts::own_spans;

/// Longer messages are documents, whoever typed them.
const LONGEST: usize = 1_500;
/// Messages with more lines are documents too.
const MOST_LINES: usize = 12;
/// People who write to an agent use shorter paragraphs.
const LONGEST_PARAGRAPH: usize = 700;

/// The sentences of a message that are the person's own, each as a range of bytes.
pub fn own_sentences(text: &str) -> Vec<Range<usize>> {
    if looks_pasted(text) {
        return Vec::new();
    }
    let own = own_spans(text);
    let is_ours = |range: &Range<usize>| own.iter().any(|own| own.start < range.end && range.start < own.end);
    let lines = prose_lines(text).into_iter().filter(|line| !is_ours(line));
    lines.flat_map(|line| sentences(text, line)).collect()
}

/// Long messages, and those that look like a review or a report, were written elsewhere: their
/// wishes are somebody else's.
fn looks_pasted(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let listed = lines.iter().filter(|line| is_list_item(line)).count();
    text.len() > LONGEST
        || lines.len() - listed > MOST_LINES
        || lines.iter().any(|line| line.len() > LONGEST_PARAGRAPH)
        || lines.iter().any(|line| line.to_lowercase().ends_with("severity"))
        || names_code_more_than_it_speaks(text)
}

/// Comments on code contain many names, wishes only a few.
fn names_code_more_than_it_speaks(text: &str) -> bool {
    let (mut names, mut words) = (0, 0);
    for word in text.split_whitespace() {
        words += 1;
        names += usize::from(is_code_name(word));
    }
    words >= 25 && names * 6 > words
}

fn is_code_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let inner_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    inner_capital || word.contains('_') || word.contains("::") || word.contains("()") || word.contains("=>")
}

fn is_list_item(line: &str) -> bool {
    let mark = line.split_whitespace().next().unwrap_or_default();
    matches!(mark, "-" | "*" | "•")
        || mark.len() <= 3 && mark.ends_with(['.', ')']) && mark.starts_with(|c: char| c.is_ascii_digit())
}

/// Lines that are neither fenced nor quoted nor output.
fn prose_lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && is_prose(line) {
            lines.push(trim(text, start..at));
        }
    }
    lines
}

fn is_prose(line: &str) -> bool {
    let trimmed = line.trim();
    let indented = line.starts_with("    ") || line.starts_with('\t');
    let quoted = trimmed.starts_with(['>', '|', '<', '{', '}', '[', '"', '$', '+', '@', '=']);
    let letters = trimmed.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    !trimmed.is_empty() && !indented && !quoted && letters * 10 >= trimmed.chars().count() * 7
}

/// The trimmed sentences within a range.
pub fn sentences(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = within.start;
    let mut code = false;
    let mut depth = 0_usize;
    for (at, c) in text[within.clone()].char_indices().map(|(at, c)| (within.start + at, c)) {
        match c {
            '`' => code = !code,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' | '?' | '!' | '…' if !code && depth == 0 && ends_here(text, at + c.len_utf8(), within.end) => {
                let end = at + c.len_utf8();
                if c != '.' || !is_abbreviation(&text[start..at]) {
                    push(text, start..end, &mut out);
                    start = end;
                }
            }
            _ => {}
        }
    }
    push(text, start..within.end, &mut out);
    out
}

/// The parts of a sentence between commas and dashes.
pub fn clauses(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    const PAUSES: [&str; 3] = [", ", " - ", " – "];
    let mut out = Vec::new();
    let mut start = sentence.start;
    loop {
        let rest = &text[start..sentence.end];
        let next = PAUSES.iter().filter_map(|pause| rest.find(pause).map(|at| (at, pause.len()))).min();
        let (end, pause) = next.unwrap_or((rest.len(), 0));
        push(text, start..start + end, &mut out);
        if pause == 0 {
            return out;
        }
        start += end + pause;
    }
}

fn ends_here(text: &str, at: usize, end: usize) -> bool {
    at >= end || text[at..].starts_with(|c: char| c.is_whitespace() || matches!(c, '*' | '"' | '”' | '_'))
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    matches!(word.as_str(), "e.g" | "i.e" | "etc" | "vs" | "cf" | "mr" | "mrs" | "ms" | "dr" | "st" | "approx")
        || is_list_mark(before.trim())
}

fn is_list_mark(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn push(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let range = trim(text, range);
    if !range.is_empty() {
        out.push(range);
    }
}

pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let lead = part.len() - part.trim_start().len();
    range.start + lead..range.start + lead + part.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> Vec<&str> {
        own_sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        assert_eq!(
            own("Use tabs, e.g. in Go. Never `rm -rf. x`! why (see a. b) not?"),
            ["Use tabs, e.g. in Go.", "Never `rm -rf. x`!", "why (see a. b) not?"]
        );
        assert_eq!(own("read 8.04 and x.rs"), ["read 8.04 and x.rs"]);
        assert_eq!(own("2. be there on May 3. Is it late?"), ["2. be there on May 3.", "Is it late?"]);
        let text = "one, two - three";
        assert_eq!(clauses(text, 0..text.len()), [0..3, 5..8, 11..16]);
    }

    #[test]
    fn what_is_not_a_persons_own_is_left_out() {
        assert_eq!(own("mind this:\n```\nnever do x\n```\n> always do y\n    always z\ndone"), ["mind this:", "done"]);
        assert_eq!(own("<backstory-memory verb=\"pack\">\nnever push\n</backstory-memory>\nthanks"), ["thanks"]);
        assert!(own(&"never push to main. ".repeat(100)).is_empty(), "a document");
        assert!(own("Missing check\n\nHigh Severity\n\nAlways check the result.").is_empty(), "a review");
    }
}
