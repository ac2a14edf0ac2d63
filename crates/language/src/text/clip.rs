//! Shortens a text for display.

/// The first `limit` characters, with an ellipsis if there are more.
pub fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The text on one line, with single blanks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted() {
        assert_eq!((clip("äöü", 3), clip("äöüß", 3)), ("äöü".to_owned(), "äöü…".to_owned()));
        assert_eq!(one_line(" a\n\tb  c "), "a b c");
    }
}
