//! Recalled text is never learned again: Backstory marks what it prints into a session, and readers of sessions skip
//! the marked parts.

use std::borrow::Cow;
use std::ops::Range;

/// Opens everything Backstory prints for an agent to read.
pub const OWN_OPEN: &str = "<backstory-memory";
/// Closes it. Hosts cut long output, so a missing close means "to the end".
pub const OWN_CLOSE: &str = "</backstory-memory>";
/// The first key of every JSON answer.
pub const OWN_JSON_KEY: &str = "{\"backstory\":";

/// The ranges of Backstory's own output in `text`.
pub fn own_spans(text: &str) -> Vec<Range<usize>> {
    if !text.contains("backstory") {
        return Vec::new();
    }
    let mut spans = json_answers(text);
    let mut from = 0;
    // Output cut at its start (`| tail`) has only the closing marker.
    let first_open = find_open(text, 0).unwrap_or(text.len());
    if let Some(close) = find_lone_close(text).filter(|close| *close < first_open) {
        from = close + OWN_CLOSE.len();
        spans.push(0..from);
    }
    while let Some(open) = find_open(text, from) {
        let end = text[open..].find(OWN_CLOSE).map_or(text.len(), |at| open + at + OWN_CLOSE.len());
        spans.push(open..end);
        from = end;
    }
    spans
}

/// Replaces the text between two markers with blanks. A single marker blanks nothing: otherwise any program could hide
/// its output by printing one.
pub fn blank_own(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    let mut from = 0;
    while let Some(open) = find_open(text, from) {
        let Some(close) = text[open..].find(OWN_CLOSE) else { break };
        from = open + close + OWN_CLOSE.len();
        let blank: String = text[open..from].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        out.to_mut().replace_range(open..from, &blank);
    }
    out
}

/// Text that only mentions the marker's name does not open a span.
fn find_open(text: &str, from: usize) -> Option<usize> {
    const VERB: &str = " verb=";
    let opens = |at: &usize| {
        let rest = &text[at + OWN_OPEN.len()..];
        rest.starts_with('>') || rest.starts_with(VERB) || VERB.starts_with(rest)
    };
    text[from..].match_indices(OWN_OPEN).map(|(at, _)| from + at).find(opens)
}

/// A closing marker counts only on a line of its own.
fn find_lone_close(text: &str) -> Option<usize> {
    let is_alone = |at: &usize| {
        let before = text[..*at].rsplit('\n').next().unwrap_or_default();
        let after = text[at + OWN_CLOSE.len()..].split('\n').next().unwrap_or_default();
        before.trim().is_empty() && after.trim().is_empty()
    };
    text.match_indices(OWN_CLOSE).map(|(at, _)| at).find(is_alone)
}

/// The rest of `text`, in order.
pub fn foreign_spans(text: &str) -> Vec<Range<usize>> {
    let mut own = own_spans(text);
    own.sort_by_key(|span| span.start);
    let mut spans = Vec::new();
    let mut from = 0;
    for span in own {
        if span.start > from {
            spans.push(from..span.start);
        }
        from = from.max(span.end);
    }
    if from < text.len() {
        spans.push(from..text.len());
    }
    spans
}

/// The first words of a text that Backstory did not print.
pub fn first_words(text: &str) -> Option<Range<usize>> {
    foreign_spans(text).into_iter().find(|span| !text[span.clone()].trim().is_empty())
}

/// JSON answers are one line each, with any text before and after. A host may split one over several lines: then it is
/// the whole text.
fn json_answers(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if is_spaced_answer(text) {
        spans.push(0..text.len());
        return spans;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(OWN_JSON_KEY) {
            spans.push(at..at + line.len());
        }
        at += line.len();
    }
    spans
}

/// Does it start with the key, but with spaces?
fn is_spaced_answer(text: &str) -> bool {
    let Some(inside) = text.trim_start().strip_prefix('{') else { return false };
    let key = inside.trim_start();
    key.len() < inside.len() && OWN_JSON_KEY.strip_prefix('{').is_some_and(|wanted| key.starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_marked_output_even_when_cut() {
        let text = format!("before {OWN_OPEN} verb=\"recall\">\nold news\n{OWN_CLOSE} after");
        let spans = own_spans(&text);
        assert_eq!(spans.len(), 1);
        assert_eq!(&text[..spans[0].start], "before ");
        assert_eq!(&text[spans[0].end..], " after");

        let cut = format!("{OWN_OPEN}>\nold ne");
        assert_eq!(own_spans(&cut), vec![0..cut.len()]);
        assert_eq!(own_spans("{\"backstory\":\"0.1\",\"items\":[]}").len(), 1);
        assert!(own_spans("the backstory of this bug").is_empty());
        let tail = format!("news\n{OWN_CLOSE}\nafter");
        assert_eq!(own_spans(&tail), vec![0..tail.len() - "\nafter".len()]);
        assert_eq!(own_spans("warning\n{\"backstory\":\"0.1\"}\ndone"), vec![8..28]);
        let spaced = "{\n  \"backstory\": \"0.1\",\n  \"result\": {}\n}";
        assert_eq!(own_spans(spaced), vec![0..spaced.len()]);
    }

    #[test]
    fn a_mention_is_no_marker() {
        for mention in [
            format!("const OPEN: &str = \"{OWN_OPEN}\";"),
            format!("docs/hooks.md:56:{OWN_CLOSE}"),
            format!("expected \"{OWN_CLOSE}\", got nothing"),
            format!("what `{OWN_OPEN} …` means in backstory"),
        ] {
            assert_eq!(own_spans(&mention), [], "{mention}");
        }
    }

    #[test]
    fn one_marker_hides_nothing_of_a_check() {
        for hostile in [
            format!("a.go:1:1: broken (vet)\n{OWN_CLOSE}\n"),
            format!("{OWN_OPEN} verb=\"x\">\na.go:1:1: broken (vet)"),
        ] {
            assert_eq!(blank_own(&hostile), hostile);
        }
        let both = format!("é {OWN_OPEN} verb=\"x\">\nü\n{OWN_CLOSE}\na.go:1:1: broken (vet)");
        let blank = blank_own(&both);
        assert_eq!((blank.len(), blank.find("a.go")), (both.len(), both.find("a.go")));
        assert!(!blank.contains("backstory") && blank.starts_with("é "));
    }

    #[test]
    fn the_rest_is_what_lies_around_it() {
        let own = format!("{OWN_OPEN}>\n{{\"backstory\":\"0.1\"}}\n{OWN_CLOSE}");
        let text = format!("one {own} two {own}");
        let rest: Vec<&str> = foreign_spans(&text).into_iter().map(|span| &text[span]).collect();
        assert_eq!(rest, ["one ", " two "]);
        assert_eq!(foreign_spans("all of it"), vec![0..9]);
        assert_eq!((foreign_spans(&own), foreign_spans("")), (Vec::new(), Vec::new()));
    }
}
