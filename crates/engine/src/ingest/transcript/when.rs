//! Parses points in time as people write them.

use crate::model::{MONTHS, Timestamp, WEEKDAYS};

/// Words that mean nothing in a date.
const FILLERS: [&str; 7] = ["on", "at", "of", "the", "utc", "gmt", "z"];
/// Smaller numbers are seconds of a recording, not since 1970.
const SMALLEST_EPOCH: f64 = 1e8;

/// Parses a moment with a date; a clock time alone is not one.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>()
        && let Some(moment) = from_number(number)
    {
        return Some(moment);
    }
    // Bare numbers of other sizes may mean anything.
    if text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() != "20240303".len() {
        return None;
    }
    Timestamp::parse(text).or_else(|| from_words(text))
}

pub fn from_number(number: f64) -> Option<Timestamp> {
    if number >= SMALLEST_EPOCH { Timestamp::from_number(number) } else { None }
}

/// `12:34`, `1:02:03.5`, `9:15 pm`.
pub fn is_clock(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let clock = words.next().and_then(Clock::parse);
    let rest: Vec<&str> = words.collect();
    match (clock, rest.as_slice()) {
        (Some(_), []) => true,
        (Some(clock), [half]) => half_day(half).is_some() && clock.half.is_none(),
        _ => false,
    }
}

/// Is this a time stamp in front of a line? Numeric dates count even if day and month cannot be
/// distinguished.
pub fn is_stamp(text: &str) -> bool {
    let text = text.trim();
    if is_clock(text) {
        return true;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let mut words = text.split([' ', ',', '\u{202f}']).filter(|word| !word.is_empty());
    digits >= 4
        && text.len() <= 40
        && words.all(|word| is_numeric_date(word) || is_clock(word) || half_day(word).is_some() || is_iso(word))
}

fn is_iso(word: &str) -> bool {
    word.contains('T') && Timestamp::parse(word).is_some()
}

fn is_numeric_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['/', '.', '-']).collect();
    parts.len() == 3 && parts.iter().all(|part| (1..=4).contains(&part.len()) && is_number(part))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1:56 pm on 8 May, 2023`, `March-03-2024`, `Mon, 3 Mar 2024 10:00`.
fn from_words(text: &str) -> Option<Timestamp> {
    let mut date = Date::default();
    let mut clock: Option<Clock> = None;
    for word in text.split(|character: char| character.is_whitespace() || character == ',') {
        if let Some(found) = Clock::parse(word) {
            clock = Some(found);
        } else if let Some(half) = half_day(word) {
            clock.as_mut()?.half = Some(half);
        } else if is_numeric_date(word) {
            date = Date::from_numbers(word)?;
        } else {
            word.split('-').filter(|part| !part.is_empty()).try_for_each(|part| date.take(part))?;
        }
    }
    let (hour, minute, second) = clock.map_or(Some((0, 0, 0)), |clock| clock.time())?;
    let (year, month, day) = (date.year?, date.month?, date.day?);
    Timestamp::parse(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

#[derive(Default)]
struct Date {
    year: Option<u32>,
    month: Option<usize>,
    day: Option<u32>,
}

impl Date {
    /// `None`: the word does not belong in a date.
    fn take(&mut self, word: &str) -> Option<()> {
        let lower = word.trim_end_matches('.').to_ascii_lowercase();
        if FILLERS.contains(&lower.as_str()) || is_name_of(&lower, &WEEKDAYS).is_some() {
            return Some(());
        }
        if let Some(month) = is_name_of(&lower, &MONTHS) {
            return self.month.replace(month + 1).is_none().then_some(());
        }
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
        let number: u32 = digits.parse().ok()?;
        match digits.len() {
            4 => self.year.replace(number).is_none().then_some(()),
            1 | 2 => self.day.replace(number).is_none().then_some(()),
            _ => None,
        }
    }

    /// Countries order day and month differently: only unambiguous dates are parsed.
    fn from_numbers(word: &str) -> Option<Date> {
        let parts: Vec<&str> = word.split(['/', '.', '-']).collect();
        let numbers: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
        let [first, second, third] = numbers[..] else { return None };
        let (year, month, day) = match (parts[0].len(), parts[2].len()) {
            (4, _) => (first, second, third),
            (_, 4) if first > 12 => (third, second, first),
            (_, 4) if second > 12 || first == second => (third, first, second),
            _ => return None,
        };
        Some(Date { year: Some(year), month: usize::try_from(month).ok(), day: Some(day) })
    }
}

/// The full name or at least its first three letters.
fn is_name_of(word: &str, names: &[&str]) -> Option<usize> {
    if word.len() < 3 {
        return None;
    }
    names.iter().position(|name| name.starts_with(word) || (word == "sept" && *name == "september"))
}

#[derive(Clone, Copy, PartialEq)]
enum Half {
    Am,
    Pm,
}

fn half_day(word: &str) -> Option<Half> {
    match word.to_ascii_lowercase().as_str() {
        "am" | "a.m." => Some(Half::Am),
        "pm" | "p.m." => Some(Half::Pm),
        _ => None,
    }
}

struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
    half: Option<Half>,
}

impl Clock {
    fn parse(word: &str) -> Option<Clock> {
        let lower = word.to_ascii_lowercase();
        let (digits, half) = match lower.strip_suffix("am").map(|rest| (rest, Half::Am)) {
            Some((rest, half)) => (rest, Some(half)),
            None => lower.strip_suffix("pm").map_or((lower.as_str(), None), |rest| (rest, Some(Half::Pm))),
        };
        let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let mut parts = whole.split(':');
        let mut number = |largest: u32| {
            let part = parts.next()?;
            let fits = is_number(part) && part.len() <= 3;
            part.parse::<u32>().ok().filter(|number| fits && *number <= largest)
        };
        // Recordings run past a day.
        let (hour, minute) = (number(999)?, number(59)?);
        let second = number(59);
        let complete = whole.split(':').count() == if second.is_some() { 3 } else { 2 };
        (complete && is_number(fraction)).then_some(Clock { hour, minute, second: second.unwrap_or(0), half })
    }

    fn time(&self) -> Option<(u32, u32, u32)> {
        let hour = match (self.half, self.hour) {
            (Some(_), 0 | 13..) => return None,
            (Some(Half::Am), 12) => 0,
            (Some(Half::Pm), hour @ 1..=11) => hour + 12,
            (_, hour) => hour,
        };
        (hour < 24).then_some((hour, self.minute, self.second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse(text), expected.and_then(Timestamp::parse), "{text}");
    }

    #[test]
    fn dates_as_people_write_them() {
        check("1:56 pm on 8 May, 2023", Some("2023-05-08T13:56:00"));
        check("12:09 am on 13 September, 2023", Some("2023-09-13T00:09:00"));
        check("March-03-2024", Some("2024-03-03"));
        check("Mon, 3rd Mar 2024 at 10:00", Some("2024-03-03T10:00:00"));
        check("2026-01-03 10:00", Some("2026-01-03T10:00:00"));
        check("2026-01-03T10:00:00Z", Some("2026-01-03T10:00:00Z"));
        check("2026/1/3 9:15 PM", Some("2026-01-03T21:15:00"));
        check("31.12.2023, 21:15:07", Some("2023-12-31T21:15:07"));
        check("1700000000.0001", Some("2023-11-14T22:13:20"));
        check("1700000000000", Some("2023-11-14T22:13:20"));
    }

    #[test]
    fn what_is_no_moment() {
        for text in
            ["12:18", "9:15 pm", "00:01:02", "12/11/2023", "12/31/23", "May 2023", "42", "12.5", "yesterday", ""]
        {
            check(text, None);
        }
        check("32 May 2023", None);
        check("8 May 2023 25:00", None);
        check("8 May 2023 13:00 pm", None);
    }

    #[test]
    fn stamps() {
        for text in [
            "12:34", "12:34:56", "00:01:02.500", "9:15 PM", "9:15pm", "2026-01-03 10:00", "12/31/23, 9:15 PM",
            "31.12.23, 21:15:07", "2026-01-03T10:00:00Z",
        ] {
            assert!(is_stamp(text), "{text}");
        }
        for text in ["", "12", "1.2.3", "see 12:30", "12:30 sharp", "10:99", "v1.2.3 2024", "::"] {
            assert!(!is_stamp(text), "{text}");
        }
    }
}
