//! Recalled text is never learned again: what Backstory prints into a session
//! carries markers, and whoever reads a session skips what lies between them.

use std::ops::Range;

/// Opens everything Backstory prints for an agent to read.
pub const OWN_OPEN: &str = "<backstory-memory";
/// Closes it. Hosts cut long output, so a missing close means "to the end".
pub const OWN_CLOSE: &str = "</backstory-memory>";
/// The first key of every JSON answer.
pub const OWN_JSON_KEY: &str = "{\"backstory\":";

/// Where in `text` Backstory's own output lies.
pub fn own_spans(text: &str) -> Vec<Range<usize>> {
    if !text.contains("backstory") {
        return Vec::new();
    }
    if text.trim_start().starts_with(OWN_JSON_KEY) {
        return std::iter::once(0..text.len()).collect();
    }
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(OWN_OPEN).map(|at| from + at) {
        let end = text[open..].find(OWN_CLOSE).map_or(text.len(), |at| open + at + OWN_CLOSE.len());
        spans.push(open..end);
        from = end;
    }
    spans
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
    }
}
