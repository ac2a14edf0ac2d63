//! Which days does a question speak of?
//!
//! "on May 3, 2023", "in March", "2026-03-14", "yesterday", "last Tuesday",
//! "two weeks ago". What was said on those days gets a part of its score for it.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan, tz::TimeZone};

use crate::model::Timestamp;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// A month or a year by itself is one only after such a word.
const LEADS: [&str; 12] =
    ["in", "during", "of", "since", "until", "by", "last", "this", "early", "late", "before", "after"];
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// A day, a month or a year; one without a year is meant in any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Period {
    Day {
        year: Option<i16>,
        month: i8,
        day: i8,
    },
    Month {
        year: Option<i16>,
        month: i8,
    },
    Year(i16),
    /// From a day up to another.
    Days(Date, Date),
}

impl Period {
    pub fn has(self, time: Timestamp) -> bool {
        let Some(date) = date_of(time) else { return false };
        match self {
            Period::Day { year, month, day } => {
                let Ok(start) = Date::new(year.unwrap_or(date.year()), month, day) else { return false };
                // Days are told on the evening or the day after, and in other zones.
                (0..=1).contains(&start.until(date).map_or(-1, |span| span.get_days()))
            }
            Period::Month { year, month } => date.month() == month && year.is_none_or(|year| date.year() == year),
            Period::Year(year) => date.year() == year,
            Period::Days(from, to) => from <= date && date < to,
        }
    }
}

/// The periods a text names. Without `now` those that count from it are passed over.
pub(super) fn periods(text: &str, now: Option<Timestamp>) -> Vec<Period> {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let today = now.and_then(date_of);
    let mut found: Vec<Period> = Vec::new();
    for at in 0..words.len() {
        let named = named(&words, at).or_else(|| counted(&words, at, today?));
        found.extend(named.filter(|period| !found.contains(period)));
    }
    found
}

/// A date in figures, a month, a year.
fn named(words: &[String], at: usize) -> Option<Period> {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let after = |steps: usize| words.get(at + steps).map(String::as_str);
    if let Ok(date) = word.parse::<Date>() {
        return Some(Period::Day { year: Some(date.year()), month: date.month(), day: date.day() });
    }
    let led = before.is_some_and(|before| LEADS.contains(&before));
    if let Some(year) = year(word) {
        let dated = before.is_some_and(|before| month(before).is_some() || day(before).is_some());
        return (led && !dated).then_some(Period::Year(year));
    }
    let month = month(word)?;
    if let Some(day) = after(1).and_then(day) {
        return Some(Period::Day { year: after(2).and_then(year), month, day });
    }
    if let Some(day) = before.and_then(day) {
        return Some(Period::Day { year: after(1).and_then(year), month, day });
    }
    match after(1).and_then(year) {
        Some(year) => Some(Period::Month { year: Some(year), month }),
        // An abbreviation alone is too often something else.
        None => (led && MONTHS.contains(&word)).then_some(Period::Month { year: None, month }),
    }
}

/// What is counted from today.
fn counted(words: &[String], at: usize, today: Date) -> Option<Period> {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let last = before == Some("last");
    let days = |from: Span, length: Span| {
        let from = today.checked_sub(from).ok()?;
        Some(Period::Days(from, from.checked_add(length).ok()?))
    };
    let since_monday = i64::from(today.weekday().to_monday_zero_offset());
    match word {
        "today" => days(0.days(), 1.days()),
        "yesterday" => days(1.days(), 1.days()),
        "night" if last => days(1.days(), 2.days()),
        "week" if last => days((since_monday + 7).days(), 7.days()),
        "week" if before == Some("this") => days(since_monday.days(), 7.days()),
        "month" if last => {
            let from = today.first_of_month().checked_sub(1.month()).ok()?;
            Some(Period::Month { year: Some(from.year()), month: from.month() })
        }
        "month" if before == Some("this") => Some(Period::Month { year: Some(today.year()), month: today.month() }),
        "ago" => {
            let count = at.checked_sub(2).and_then(|at| count(&words[at]))?;
            match before?.trim_end_matches('s') {
                "day" => days(count.days(), 1.days()),
                "week" => days((7 * count + 3).days(), 7.days()),
                _ => None,
            }
        }
        _ => {
            let weekday = WEEKDAYS.iter().position(|name| *name == word)?;
            let weekday = Weekday::from_monday_zero_offset(weekday as i8).ok()?;
            let back = i64::from(today.weekday().since(weekday));
            days(if back == 0 { 7.days() } else { back.days() }, 1.days())
        }
    }
}

/// By its name or the first letters of it.
fn month(word: &str) -> Option<i8> {
    let name = if word == "sept" { "sep" } else { word };
    let at = MONTHS.iter().position(|month| *month == name || (name.len() == 3 && month.starts_with(name)))?;
    Some(at as i8 + 1)
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| (1970..2100).contains(year) && word.len() == 4)
}

/// `3`, `3rd`.
fn day(word: &str) -> Option<i8> {
    let ending = ["st", "nd", "rd", "th"].into_iter().find_map(|ending| word.strip_suffix(ending));
    ending.unwrap_or(word).parse().ok().filter(|day| (1..=31).contains(day))
}

fn count(word: &str) -> Option<i64> {
    let spelled = NUMBERS.iter().position(|number| *number == word).map(|at| at as i64 + 1);
    spelled
        .or_else(|| matches!(word, "a" | "an").then_some(1))
        .or_else(|| word.parse().ok().filter(|n| (1..1000).contains(n)))
}

fn date_of(time: Timestamp) -> Option<Date> {
    let time = jiff::Timestamp::from_millisecond(time.0).ok()?;
    Some(time.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, day: &str) -> bool {
        // A Thursday.
        let now = Timestamp::parse("2026-03-12T15:00:00Z");
        let day = Timestamp::parse(day);
        day.is_some_and(|day| periods(text, now).iter().any(|period| period.has(day)))
    }

    #[test]
    fn dates_are_found_as_people_write_them() {
        for text in ["on May 3, 2023", "on 3 May, 2023", "on May 3rd 2023?", "(2023-05-03)", "Who came on May 3?"] {
            assert!(names(text, "2023-05-03T20:00:00Z"), "{text}");
            assert!(names(text, "2023-05-04"), "{text}");
            assert!(!names(text, "2023-05-05"), "{text}");
            assert!(!names(text, "2023-05-02"), "{text}");
        }
        for text in ["what happened in May 2023", "in May", "during may 2023", "in 2023"] {
            assert!(names(text, "2023-05-31"), "{text}");
        }
        assert!(!names("what happened in May 2023", "2024-05-31"));
    }

    #[test]
    fn days_are_counted_from_today() {
        assert!(names("what broke yesterday?", "2026-03-11T09:00:00Z"));
        assert!(!names("what broke yesterday?", "2026-03-12T09:00:00Z"));
        assert!(names("last Tuesday", "2026-03-10"));
        assert!(names("on thursday", "2026-03-05"));
        assert!(names("last week", "2026-03-02") && !names("last week", "2026-03-09"));
        assert!(names("three days ago", "2026-03-09"));
        assert!(names("last month", "2026-02-01") && !names("last month", "2026-03-01"));
    }

    #[test]
    fn other_words_are_no_dates() {
        for text in ["it may fail 3 times", "how did we fix it last time", "march through the list", "port 2023", "mar"]
        {
            assert_eq!(periods(text, Timestamp::parse("2026-03-12")), Vec::new(), "{text}");
        }
    }
}
