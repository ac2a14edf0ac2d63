//! Formats numbers, times and styled text for people.

use anstyle::{AnsiColor, Style};
use backstory_engine::model::Timestamp;
use backstory_language::text::one_line;

use crate::environment;

use super::unstyled;

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const HEAD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
pub const USER: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub const TOOL: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Blue)));
pub const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
pub const WARN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// Tool output, written by others.
pub const FOREIGN: Style = Style::new().dimmed().italic();

pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Text that is neither a person's nor an agent's. A terminal shows it in another style, and for agents it is marked as
/// untrusted.
pub fn foreign(text: &str) -> String {
    // A nested style would end this one.
    let text = unstyled(text).into_owned();
    let (said, spaces) = text.split_at(text.trim_end().len());
    if said.is_empty() { text } else { format!("{}{spaces}", paint(FOREIGN, said)) }
}

/// Local time, to the minute.
pub fn time(at: Option<Timestamp>) -> String {
    let zoned = at.and_then(|at| jiff::Timestamp::from_millisecond(at.0).ok());
    match zoned {
        Some(at) => at.to_zoned(environment::time_zone()).strftime("%Y-%m-%d %H:%M").to_string(),
        None => "no time".to_owned(),
    }
}

/// The local day.
pub fn day(at: Option<Timestamp>) -> String {
    match at {
        Some(_) => time(at).split(' ').next().unwrap_or_default().to_owned(),
        None => time(at),
    }
}

/// A date or time as people type it: `2026-01-03`, `2026-01-03 10:00`, RFC 3339,
/// `today`, `yesterday`. Without a zone it is local time.
pub fn parse_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(at.as_millisecond()));
    }
    let zone = environment::time_zone();
    let today = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.clone()).date();
    let civil = match text {
        "today" => today.at(0, 0, 0, 0),
        "yesterday" => today.yesterday().ok()?.at(0, 0, 0, 0),
        _ => text
            .parse::<jiff::civil::DateTime>()
            .or_else(|_| text.parse::<jiff::civil::Date>().map(|date| date.at(0, 0, 0, 0)))
            .ok()?,
    };
    Some(Timestamp(civil.to_zoned(zone).ok()?.timestamp().as_millisecond()))
}

pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// `12345` -> `12,345`.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Quotes a word for a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// `1 file`, `2 files`.
pub fn count(many: u64, noun: &str) -> String {
    if many == 1 { format!("1 {noun}") } else { format!("{} {noun}s", number(many)) }
}

/// One line that fits the terminal after an indentation; without a terminal, at most `otherwise` columns.
pub fn clip_to_width(text: &str, indent: usize, otherwise: usize) -> String {
    let line = one_line(&unstyled(text));
    let room = super::display::width().map_or(otherwise, |width| width.saturating_sub(indent).max(20));
    super::wrap::cut(&line, room)
}

/// One line of at most `width` characters.
pub fn clip(text: &str, width: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(width) {
        Some(_) => {
            let end = line.char_indices().nth(width.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
            format!("{}…", &line[..end])
        }
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        assert_eq!((number(7), number(1_234), number(1_234_567)), ("7".into(), "1,234".into(), "1,234,567".into()));
        assert_eq!((count(1, "file"), count(0, "file")), ("1 file".into(), "0 files".into()));
        assert_eq!((bytes(12), bytes(1_500), bytes(2_000_000)), ("12 B".into(), "1.5 KB".into(), "2.0 MB".into()));
        assert_eq!(clip("one  two\nthree", 8), "one two…");
    }
}
