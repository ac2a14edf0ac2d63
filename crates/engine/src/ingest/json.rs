//! Parses one line of JSON, even if it is damaged.
//!
//! Real session files hold glued records, raw control characters, bytes that are not UTF-8 and
//! comment lines. Repairable parts are kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The fields of an object whose format varies.
pub type Fields = serde_json::Map<String, serde_json::Value>;

/// How reading a line went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    Read,
    /// Damaged, but read completely.
    Repaired(String),
    /// Nothing, or only a part, could be read.
    Skipped(String),
}

/// Calls `parse` with the line, and if that fails, with its repaired pieces.
pub fn read_json_values(line: &[u8], parse: impl FnMut(&[u8]) -> Result<(), serde_json::Error>) -> LineOutcome {
    match has_too_many_values(line) {
        true => LineOutcome::Skipped(format!("a record of more than {MOST_VALUES} values")),
        false => read_json_line(line, parse),
    }
}

/// The same for a `parse` that keeps most of the line as raw text, so that the number of values
/// does not matter.
pub fn read_json_line(line: &[u8], mut parse: impl FnMut(&[u8]) -> Result<(), serde_json::Error>) -> LineOutcome {
    let Err(first_error) = parse(line) else {
        return LineOutcome::Read;
    };
    if let Some(reason) = hopeless(line) {
        return LineOutcome::Skipped(reason);
    }
    let mut repairs = Vec::new();
    let text = String::from_utf8_lossy(line);
    if matches!(text, Cow::Owned(_)) {
        repairs.push("bytes that are not UTF-8");
    }
    let text = escape_control_characters(&text);
    if matches!(text, Cow::Owned(_)) && text.len() != line.len() {
        repairs.push("raw control characters");
    }
    let pieces = glued_values(text.as_bytes());
    if pieces.len() > 1 {
        repairs.push("several records glued together");
    }
    let rest_is_damaged = pieces.last().is_some_and(|last| !text[last.end..].trim().is_empty());
    if pieces.is_empty() || (repairs.is_empty() && !rest_is_damaged) {
        return LineOutcome::Skipped(describe(&first_error));
    }
    if rest_is_damaged && pieces.len() == 1 {
        repairs.push("a broken record glued to a whole one");
    }
    let unread = pieces.iter().filter(|piece| parse(&text.as_bytes()[(*piece).clone()]).is_err()).count();
    let repairs = repairs.join(", ");
    match (unread, rest_is_damaged) {
        (0, false) => LineOutcome::Repaired(repairs),
        (n, false) if n == pieces.len() => LineOutcome::Skipped(describe(&first_error)),
        _ => LineOutcome::Skipped(format!("{repairs}; a part of the line cannot be read")),
    }
}

/// The reason without the input's own words, which serde's messages may quote.
pub fn describe(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        serde_json::error::Category::Syntax => "not JSON",
        serde_json::error::Category::Eof => "the record ends too early",
        serde_json::error::Category::Data => "not a record",
        serde_json::error::Category::Io => "unreadable",
    };
    format!("{what} (column {})", error.column())
}

/// A value in memory takes many times the bytes of a short one in a line.
const MOST_VALUES: usize = 200_000;
/// A shorter line cannot hold too many.
const SHORT: usize = 1 << 20;

/// Would reading this line into values take far more memory than the line?
pub fn has_too_many_values(line: &[u8]) -> bool {
    if line.len() <= SHORT {
        return false;
    }
    let mut count = 0;
    // Invalid JSON is left to the parser.
    let _ = Counted(&mut count).deserialize(&mut serde_json::Deserializer::from_slice(line));
    count > MOST_VALUES
}

/// Parses JSON inside a text. None if it is invalid or would take too much memory.
pub fn inner_json<T: DeserializeOwned>(text: &str) -> Option<T> {
    if has_too_many_values(text.as_bytes()) { None } else { serde_json::from_str(text).ok() }
}

/// Counts values, and fails once there are too many.
struct Counted<'c>(&'c mut usize);

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        *self.0 += 1;
        if *self.0 > MOST_VALUES {
            return Err(de::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Counted(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Counted(self.0))?;
        }
        Ok(())
    }
}

fn hopeless(line: &[u8]) -> Option<String> {
    let start = line.trim_ascii_start();
    if start.starts_with(b"//") || start.starts_with(b"#") {
        return Some("a comment, not a record".to_owned());
    }
    if line.iter().all(|byte| *byte == 0) {
        return Some("only NUL bytes".to_owned());
    }
    None
}

/// JSON forbids raw control characters inside strings; between values, tabs
/// are fine. Escaping all of them inside strings keeps what was written.
fn escape_control_characters(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte < 0x20) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut escaped = false;
    for character in text.chars() {
        if in_string && (character as u32) < 0x20 {
            out.push_str(&format!("\\u{:04x}", character as u32));
            escaped = false;
            continue;
        }
        match character {
            '"' if !escaped => in_string = !in_string,
            character if !in_string && (character as u32) < 0x20 && !character.is_ascii_whitespace() => continue,
            _ => {}
        }
        escaped = in_string && character == '\\' && !escaped;
        out.push(character);
    }
    Cow::Owned(out)
}

/// The byte ranges of a line's JSON values.
fn glued_values(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut stream = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
    let mut values = Vec::new();
    let mut start = 0;
    while let Some(Ok(_)) = stream.next() {
        let end = stream.byte_offset();
        values.push(start..end);
        start = end;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> (LineOutcome, Vec<serde_json::Value>) {
        let mut values = Vec::new();
        let outcome = read_json_line(line, |bytes| {
            let value: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes)?;
            values.push(value.into());
            Ok(())
        });
        (outcome, values)
    }

    #[test]
    fn keeps_what_can_be_mended() {
        assert_eq!(read(br#"{"a":1}"#).0, LineOutcome::Read);
        let (outcome, values) = read(br#"{"a":1}{"b":2}"#);
        assert_eq!(outcome, LineOutcome::Repaired("several records glued together".to_owned()));
        assert_eq!(values.len(), 2);
        let (outcome, values) = read(b"{\"a\":\"x\x01y\tz\"}");
        assert_eq!(outcome, LineOutcome::Repaired("raw control characters".to_owned()));
        assert_eq!(values[0]["a"], "x\u{1}y\tz");
        let (outcome, values) = read(b"{\"a\":\"caf\xe9\"}");
        assert_eq!(outcome, LineOutcome::Repaired("bytes that are not UTF-8".to_owned()));
        assert_eq!(values[0]["a"], "caf\u{fffd}");
    }

    #[test]
    fn says_what_is_beyond_mending_without_quoting_it() {
        for (line, expected) in [
            (&b"// a note"[..], "a comment, not a record"),
            (b"\0\0\0", "only NUL bytes"),
            (b"{\"a\":1", "the record ends too early (column 6)"),
            (b"42", "not a record (column 2)"),
            (b"secret words", "not JSON (column 1)"),
        ] {
            assert_eq!(read(line).0, LineOutcome::Skipped(expected.to_owned()));
        }
        let (outcome, values) = read(br#"{"a":1}{"b":"#);
        assert!(matches!(outcome, LineOutcome::Skipped(_)), "{outcome:?}");
        assert_eq!(values.len(), 1, "the whole one is kept");
    }
}
