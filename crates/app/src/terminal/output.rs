//! Filters and prints text. The only file that writes to standard output and standard error.
//!
//! Recalled text is untrusted. Only its line breaks and tabs pass; every other control character, and characters that
//! are invisible or change the text direction, are shown as visible signs. Our own styles pass.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use serde_json::Value;

use crate::error::{AppError, ErrorKind};

use super::display::{error_width, rows_before_paging, width};
use super::pager;
use super::wrap::wrapped;

/// The styles that this program uses, one sequence each.
const OWN_STYLES: [&str; 10] =
    ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[36m"];

/// On standard output.
pub fn print(text: &str) -> Result<(), AppError> {
    let mut out = anstream::stdout().lock();
    out.write_all(visible(text).as_bytes())?;
    Ok(out.flush()?)
}

/// On standard output, for people: wrapped to the terminal's width, and through a pager if it is longer than the
/// screen.
pub fn print_text(text: &str) -> Result<(), AppError> {
    let text = visible(text);
    let text = width().map_or(text.clone(), |width| Cow::Owned(wrapped(&text, width)));
    let is_long = rows_before_paging().is_some_and(|rows| text.lines().count() >= rows);
    match pager::chosen().filter(|_| is_long) {
        Some(pager) if pager::show(&pager, &as_coloured(&text))? => Ok(()),
        _ => print(&text),
    }
}

/// A pager's colour support is unknown; the terminal's is used.
fn as_coloured(text: &str) -> Cow<'_, str> {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Cow::Owned(anstream::adapter::strip_str(text).to_string()),
        _ => Cow::Borrowed(text),
    }
}

/// On standard error, unchanged. Failures are ignored.
pub fn print_error(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(visible(text).as_bytes()).and_then(|()| out.flush());
}

/// One line on standard error, with the name of the program.
pub fn warn(message: impl Display) {
    print_error(&as_wide(format!("backstory: {message}\n")));
}

/// Wrapped if standard error is a terminal.
fn as_wide(text: String) -> String {
    match error_width() {
        Some(width) => wrapped(&visible(&text), width),
        None => text,
    }
}

/// Prints an error for the person and returns the exit code.
pub fn report(error: &AppError) -> ExitCode {
    // The answer has reported it already.
    if error.kind != ErrorKind::BrokenPipe && !error.message.is_empty() {
        warn(&error.message);
        if let Some(hint) = &error.hint {
            print_error(&as_wide(format!("  {hint}\n")));
        }
    }
    ExitCode::from(error.kind.exit_code())
}

/// One line of JSON on standard output.
pub fn print_json(json: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(escaped_json(json).as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Standard output for JSON lines that are written piecewise.
pub fn json_lines() -> JsonLines<impl Write> {
    JsonLines::new(BufWriter::new(io::stdout().lock()))
}

/// A panic message may contain text of the memory.
pub fn filter_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let trace = std::backtrace::Backtrace::capture();
        let trace = match trace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("{trace}\n"),
            _ => "note: run with `RUST_BACKTRACE=1` to see where it came from\n".to_owned(),
        };
        print_error(&format!("\nthread '{}' {panic}\n{trace}", thread.name().unwrap_or("unnamed")));
    }));
}

/// Displayable text: our styles pass, and every invisible character becomes a visible sign.
pub fn visible(text: &str) -> Cow<'_, str> {
    filtered(text, OwnStyles::Keep)
}

/// The same without styles.
pub fn unstyled(text: &str) -> Cow<'_, str> {
    filtered(text, OwnStyles::Drop)
}

/// The same for every text and name in a JSON value.
pub fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = unstyled(text) {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_visible),
        Value::Object(fields) => {
            fields.values_mut().for_each(make_visible);
            if fields.keys().any(|name| matches!(unstyled(name), Cow::Owned(_))) {
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed.map(|(name, value)| (unstyled(&name).into_owned(), value)).collect();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// JSON with `\u` for every invisible character: the same value, safe for a terminal. Outside strings JSON has none.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if !json.contains(needs_escape) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if needs_escape(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn needs_escape(c: char) -> bool {
    is_hidden(c) || is_joiner(c) || is_presentation(c)
}

/// Writes lines of JSON, escaped as [`escaped_json`] does.
pub struct JsonLines<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    pub fn new(out: W) -> Self {
        JsonLines { out, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        self.out.write_all(escaped_json(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        self.line.extend_from_slice(&bytes[..taken]);
        if self.line.ends_with(b"\n") {
            self.write_line()?;
        }
        Ok(taken)
    }

    /// A line without a line break is written too: nothing follows it.
    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnStyles {
    Keep,
    Drop,
}

fn filtered(text: &str, styles: OwnStyles) -> Cow<'_, str> {
    if !text.contains(|c| c == '\r' || is_hidden(c) || is_joiner(c) || is_presentation(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = OWN_STYLES.iter().find(|style| rest.starts_with(**style));
        let taken = match style {
            Some(style) if styles == OwnStyles::Keep => {
                out.push_str(style);
                style.len()
            }
            Some(style) => style.len(),
            None => {
                push_visible(&mut out, c, before, rest);
                before = Some(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Cow::Owned(out)
}

fn push_visible(out: &mut String, c: char, before: Option<char>, rest: &str) {
    match c {
        // A Windows line break.
        '\r' if rest.starts_with("\r\n") => {}
        '\0'..='\x1f' if is_hidden(c) => out.extend(char::from_u32(0x2400 + u32::from(c))),
        '\x7f' => out.push('\u{2421}'),
        _ if is_joiner(c) && before.is_some_and(joins) => out.push(c),
        _ if is_presentation(c) && before.is_some_and(has_presentations) => out.push(c),
        _ if is_hidden(c) || is_joiner(c) || is_presentation(c) => {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        }
        _ => out.push(c),
    }
}

/// Control characters, invisible characters, and those that change the text direction.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        // Marks, embeddings, overrides and isolates of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // Separators that are not line breaks.
        '\u{2028}' | '\u{2029}' => true,
        // No width, no glyph.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fe00}'..='\u{fe0d}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Tags and further variation selectors: invisible letters.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Joins letters and emoji of some scripts.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Selects text or emoji presentation.
fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

fn joins(before: char) -> bool {
    !before.is_ascii() && !is_joiner(before) && !is_hidden(before)
}

fn has_presentations(before: char) -> bool {
    matches!(before, '0'..='9' | '#' | '*') || (joins(before) && !is_presentation(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        for (text, shown) in [
            ("a\x1b]52;c;aGk=\x07b", "a␛]52;c;aGk=␇b"),
            ("\x1b[2J\x1b[31;1mx", "␛[2J␛[31;1mx"),
            ("\u{9b}2J\u{9d}0;t\u{9c}", "<U+009B>2J<U+009D>0;t<U+009C>"),
            ("a\rb\r\nc\td\x7f\x08", "a␍b\nc\td␡␈"),
            ("x\u{202e}y\u{2066}z\u{200b}", "x<U+202E>y<U+2066>z<U+200B>"),
            ("\u{e0041}\u{fe01}\u{feff}", "<U+E0041><U+FE01><U+FEFF>"),
            // Scripts and emoji that need joiners keep them; elsewhere they are hidden characters.
            ("👩\u{200d}💻 1\u{fe0f}\u{20e3} می\u{200c}خواهم", "👩\u{200d}💻 1\u{fe0f}\u{20e3} می\u{200c}خواهم"),
            ("un\u{200d}trusted a\u{fe0f}", "un<U+200D>trusted a<U+FE0F>"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible(shown), shown, "twice is once");
        }
    }

    #[test]
    fn our_styles_pass_and_are_known() {
        let painted = terminal::paint(terminal::HEAD, "title\x1b[5m");
        assert_eq!(visible(&painted), painted.replace("\x1b[5m", "␛[5m"));
        assert_eq!(unstyled(&painted), "title␛[5m");
        let clap = clap::builder::Styles::styled();
        let of_clap = [
            clap.get_header(),
            clap.get_error(),
            clap.get_usage(),
            clap.get_literal(),
            clap.get_placeholder(),
            clap.get_valid(),
            clap.get_invalid(),
        ];
        let ours = [
            terminal::BOLD,
            terminal::DIM,
            terminal::HEAD,
            terminal::USER,
            terminal::TOOL,
            terminal::BAD,
            terminal::WARN,
            terminal::FOREIGN,
        ];
        for style in ours.iter().chain(of_clap) {
            let painted = format!("{style}x{style:#}");
            assert_eq!(unstyled(&painted), "x", "{painted:?} has a style that is not listed");
        }
    }

    #[test]
    fn json_keeps_its_value() -> serde_json::Result<()> {
        let value = serde_json::json!({"a\u{202e}": "\u{9b}\x1b\x7f\u{e0041}\u{200d}é😀\n"});
        let printed = escaped_json(&value.to_string()).into_owned();
        assert!(printed.chars().all(|c| !needs_escape(c) && c != '\n'), "{printed}");
        assert_eq!(serde_json::from_str::<Value>(&printed)?, value);
        Ok(())
    }

    #[test]
    fn lines_of_json_are_escaped_wherever_they_are_cut() -> io::Result<()> {
        let text = "{\"a\":\"\u{9b}é\"}\n{\"b\":\"\u{202e}\"}\n{\"c\":1}";
        for size in 1..text.len() {
            let mut out = Vec::new();
            let mut lines = JsonLines::new(&mut out);
            text.as_bytes().chunks(size).try_for_each(|part| lines.write_all(part))?;
            lines.flush()?;
            assert_eq!(String::from_utf8_lossy(&out), "{\"a\":\"\\u009bé\"}\n{\"b\":\"\\u202e\"}\n{\"c\":1}");
        }
        Ok(())
    }

    #[test]
    fn names_in_json_are_shown_too() {
        let mut value = serde_json::json!({"a\u{202e}": ["\x1b[2J"], "b": 1});
        make_visible(&mut value);
        assert_eq!(value, serde_json::json!({"a<U+202E>": ["␛[2J"], "b": 1}));
    }
}
