//! Finds command output that hosts put into a person's message, between tags. The person sent it, but did not write it.

use std::ops::Range;

const NAMES: [&str; 5] =
    ["bash-stdout", "bash-stderr", "local-command-stdout", "local-command-stderr", "command-output"];

/// The ranges of such output in a message, including tags. Without a closing tag it extends to the end of the message;
/// without an opening tag, from its start.
pub fn tool_output_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if !text.contains("-std") && !text.contains("command-output") {
        return spans;
    }
    for name in NAMES {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let mut from = 0;
        if let Some(at) = text.find(&close).filter(|at| text.find(&open).is_none_or(|opens| opens > *at)) {
            from = at + close.len();
            spans.push(0..from);
        }
        while let Some(start) = text[from..].find(&open).map(|at| from + at) {
            from = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
            spans.push(start..from);
        }
    }
    merged(spans)
}

fn merged(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_between_tags_is_found() {
        let found =
            |text: &'static str| -> Vec<&str> { tool_output_spans(text).into_iter().map(|span| &text[span]).collect() };
        assert_eq!(
            found("see <bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr> so"),
            ["<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>"]
        );
        assert_eq!(found("x <local-command-stdout>cut off"), ["<local-command-stdout>cut off"]);
        assert_eq!(found("cut off</bash-stdout> x"), ["cut off</bash-stdout>"]);
        assert_eq!(found("the tag bash-stdout is a word"), Vec::<&str>::new());
    }
}
