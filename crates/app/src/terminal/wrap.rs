//! Wraps text to a width, measured in columns without our styles.

use unicode_width::UnicodeWidthChar;

const RESET: &str = "\x1b[0m";
/// A narrower terminal gets unwrapped lines.
const NARROWEST: usize = 20;

/// Breaks wider lines, between words if possible. Continuation lines keep the indentation.
pub fn wrapped(text: &str, width: usize) -> String {
    if width < NARROWEST {
        return text.to_owned();
    }
    let lines = text.split_inclusive('\n');
    lines.map(|line| if columns(line) <= width { line.to_owned() } else { broken(line, width) }).collect()
}

/// The width of a text in columns.
pub fn columns(text: &str) -> usize {
    pieces(text).map(|piece| piece.columns).sum()
}

/// The start of one line that fits, with an ellipsis if it is truncated.
pub fn cut(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let (mut out, mut taken) = (String::new(), 0);
    for piece in pieces(line) {
        taken += piece.columns;
        if taken >= width.max(1) {
            break;
        }
        out.push_str(piece.text);
    }
    out.push('…');
    out
}

/// One character, or one style, which has no width.
struct Piece<'a> {
    text: &'a str,
    columns: usize,
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let style = if first == '\x1b' { rest.find('m').map(|end| end + 1) } else { None };
        let (piece, left) = rest.split_at(style.unwrap_or(first.len_utf8()));
        rest = left;
        let columns = match (style, first) {
            (Some(_), _) => 0,
            // Close enough for quoted code.
            (None, '\t') => 4,
            (None, c) => c.width().unwrap_or(0),
        };
        Some(Piece { text: piece, columns })
    })
}

/// A line that is being filled.
struct Filling<'a> {
    out: String,
    indent: String,
    width: usize,
    /// Columns of the line so far.
    filled: usize,
    /// Styles in force.
    styles: Vec<&'a str>,
}

fn broken(line: &str, width: usize) -> String {
    let indent = indentation(line, width);
    let mut filling = Filling { out: String::new(), indent, width, filled: 0, styles: Vec::new() };
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    for word in text.split_inclusive(' ') {
        filling.add(word);
    }
    filling.out.push_str(end);
    filling.out
}

/// The indentation of continuation lines: that of the line, and of the text after an item's mark.
fn indentation(line: &str, width: usize) -> String {
    let plain: String = pieces(line).filter(|piece| piece.columns > 0).map(|piece| piece.text).collect();
    let mut columns = plain.len() - plain.trim_start_matches(' ').len();
    if ["- ", "→ ", "! ", "✓ ", "✗ "].iter().any(|mark| plain[columns..].starts_with(mark)) {
        columns += 2;
    }
    " ".repeat(columns.min(width / 2))
}

impl<'a> Filling<'a> {
    fn add(&mut self, word: &'a str) {
        let needed = columns(word.trim_end_matches(' '));
        if self.filled > self.indent.len() && self.filled + needed > self.width {
            self.start_line();
        }
        for piece in pieces(word) {
            if piece.columns > 0 && piece.text != " " && self.filled + piece.columns > self.width {
                self.start_line();
            }
            self.note_style(piece.text);
            self.out.push_str(piece.text);
            self.filled += piece.columns;
        }
    }

    /// Pagers reset styles at the end of a line.
    fn start_line(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if !self.styles.is_empty() {
            self.out.push_str(RESET);
        }
        self.out.push('\n');
        self.out.push_str(&self.indent);
        self.out.extend(self.styles.iter().copied());
        self.filled = self.indent.len();
    }

    fn note_style(&mut self, piece: &'a str) {
        match piece {
            RESET => self.styles.clear(),
            style if style.starts_with('\x1b') => self.styles.push(style),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "one two three four five six seven\n  - eight nine ten eleven twelve\nshort\n";
        let expected = "one two three four\nfive six seven\n  - eight nine ten\n    eleven twelve\nshort\n";
        assert_eq!(wrapped(text, 20), expected);
        assert_eq!(wrapped(expected, 20), expected, "what fits stays as it is");
    }

    #[test]
    fn long_words_are_broken_anywhere() {
        let word = "x".repeat(45);
        assert_eq!(wrapped(&word, 20), format!("{}\n{}\nxxxxx", "x".repeat(20), "x".repeat(20)));
    }

    #[test]
    fn columns_are_counted_not_characters() {
        assert_eq!((columns("日本"), columns("e\u{301}"), columns("\x1b[1mab\x1b[0m")), (4, 1, 2));
        assert_eq!(wrapped("日本語日本語日本語日本語", 20), "日本語日本語日本語日\n本語");
        assert_eq!(
            (cut("日本語日本語", 6), cut("abcdef", 4), cut("abcd", 4)),
            ("日本…".into(), "abc…".into(), "abcd".into())
        );
    }

    #[test]
    fn a_style_goes_on_in_the_next_line() {
        let text = "\x1b[1mone two three four five six\x1b[0m";
        assert_eq!(wrapped(text, 20), "\x1b[1mone two three four\x1b[0m\n\x1b[1mfive six\x1b[0m");
    }

    #[test]
    fn nothing_is_lost() {
        let text = "a  line with   several blanks, 日本語 and a_rather_long_identifier_that_does_not_fit in it";
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        for width in 20..90 {
            let wrapped = wrapped(text, width);
            assert_eq!(squeezed(&wrapped), squeezed(text));
            assert!(wrapped.lines().all(|line| columns(line) <= width), "{width}: {wrapped}");
        }
    }
}
