//! Which days does a question name?
//!
//! "on May 3, 2023", "in March", "2026-03-14", "yesterday", "last Tuesday", "two weeks ago". Passages of those days get
//! a bonus.

use std::ops::RangeInclusive;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan, tz::TimeZone};

use crate::model::{MONTHS, Timestamp, WEEKDAYS};
use crate::store::Index;

use super::{Now, Ranking, Scored, fuse};

/// A month or year on its own counts only after such a word.
const LEADS: [&str; 12] =
    ["in", "during", "of", "since", "until", "by", "last", "this", "early", "late", "before", "after"];
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// A day, a month or a year; without a year it matches any year.
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
    pub fn has(self, date: Date) -> bool {
        match self {
            Period::Day { year, month, day } => {
                let Ok(start) = Date::new(year.unwrap_or(date.year()), month, day) else { return false };
                // People write about a day that evening or the day after, and in other time zones.
                (0..=1).contains(&start.until(date).map_or(-1, |span| span.get_days()))
            }
            Period::Month { year, month } => date.month() == month && year.is_none_or(|year| date.year() == year),
            Period::Year(year) => date.year() == year,
            Period::Days(from, to) => from <= date && date < to,
        }
    }
}

/// The days that a question names, and the words that name them.
#[derive(Debug, Default)]
pub struct Days {
    pub(super) periods: Vec<Period>,
    pub(super) words: Vec<String>,
    zone: Option<TimeZone>,
}

impl Days {
    /// Without `now`, relative days are ignored, and days are in UTC.
    pub fn of(question: &str, now: Option<&Now>) -> Self {
        let words: Vec<String> = question
            .split(|c: char| c.is_whitespace() || c == ',')
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
            .filter(|word| !word.is_empty())
            .collect();
        let mut days = Days { zone: now.map(|now| now.zone.clone()), ..Days::default() };
        let today = now.and_then(|now| days.date_of(now.time));
        for at in 0..words.len() {
            let Some((period, span)) = named(&words, at).or_else(|| counted(&words, at, today?)) else { continue };
            if !days.periods.contains(&period) {
                days.periods.push(period);
            }
            days.words.extend(words[span].iter().cloned());
        }
        days
    }

    pub fn have(&self, time: Timestamp) -> bool {
        self.date_of(time).is_some_and(|date| self.periods.iter().any(|period| period.has(date)))
    }

    fn date_of(&self, time: Timestamp) -> Option<Date> {
        let time = jiff::Timestamp::from_millisecond(time.0).ok()?;
        Some(time.to_zoned(self.zone.clone().unwrap_or(TimeZone::UTC)).date())
    }
}

/// Gives passages of those days a bonus.
pub(super) fn boost(index: &Index, list: &mut [Scored], days: &Days, ranking: &Ranking) {
    if days.periods.is_empty() || ranking.date == 0.0 {
        return;
    }
    for scored in list.iter_mut() {
        let time = index.docs.get(scored.doc).and_then(|record| record.time);
        if time.is_some_and(|time| days.have(time)) {
            scored.date = ranking.date;
            scored.score += scored.date;
        }
    }
    fuse::sort(list);
}

/// A period with the words that name it.
type DatedTokens = (Period, RangeInclusive<usize>);

/// An absolute date, a month or a year.
fn named(words: &[String], at: usize) -> Option<DatedTokens> {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let after = |steps: usize| words.get(at + steps).map(String::as_str);
    if let Ok(date) = word.parse::<Date>() {
        return Some((Period::Day { year: Some(date.year()), month: date.month(), day: date.day() }, at..=at));
    }
    let led = before.is_some_and(|before| LEADS.contains(&before));
    if let Some(year) = year(word) {
        let dated = before.is_some_and(|before| month(before).is_some() || day(before).is_some());
        return (led && !dated).then_some((Period::Year(year), at..=at));
    }
    let month = month(word)?;
    if let Some(day) = after(1).and_then(day) {
        let year = after(2).and_then(year);
        return Some((Period::Day { year, month, day }, at..=at + 1 + usize::from(year.is_some())));
    }
    let year = after(1).and_then(year);
    let end = at + usize::from(year.is_some());
    if let Some(day) = before.and_then(day) {
        return Some((Period::Day { year, month, day }, at - 1..=end));
    }
    // An abbreviation alone too often means something else.
    (year.is_some() || led && MONTHS.contains(&word)).then_some((Period::Month { year, month }, at..=end))
}

/// A period relative to today.
fn counted(words: &[String], at: usize, today: Date) -> Option<DatedTokens> {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let last = before == Some("last");
    let this = before == Some("this");
    let days = |from: Span, length: Span| {
        let from = today.checked_sub(from).ok()?;
        Some(Period::Days(from, from.checked_add(length).ok()?))
    };
    let since_monday = i64::from(today.weekday().to_monday_zero_offset());
    let two_words = at.saturating_sub(1)..=at;
    Some(match word {
        "today" => (days(0.days(), 1.days())?, at..=at),
        "yesterday" => (days(1.days(), 1.days())?, at..=at),
        "night" if last => (days(1.days(), 2.days())?, two_words),
        "week" if last => (days((since_monday + 7).days(), 7.days())?, two_words),
        "week" if this => (days(since_monday.days(), 7.days())?, two_words),
        "month" if last => {
            let from = today.first_of_month().checked_sub(1.month()).ok()?;
            (Period::Month { year: Some(from.year()), month: from.month() }, two_words)
        }
        "month" if this => (Period::Month { year: Some(today.year()), month: today.month() }, two_words),
        "ago" => {
            let from = at.checked_sub(2)?;
            let count = count(&words[from])?;
            let period = match before?.trim_end_matches('s') {
                "day" => days(count.days(), 1.days())?,
                "week" => days((7 * count + 3).days(), 7.days())?,
                _ => return None,
            };
            (period, from..=at)
        }
        _ => {
            let weekday = WEEKDAYS.iter().position(|name| *name == word)?;
            let weekday = Weekday::from_monday_zero_offset(weekday as i8).ok()?;
            let back = i64::from(today.weekday().since(weekday));
            (days(if back == 0 { 7.days() } else { back.days() }, 1.days())?, at..=at)
        }
    })
}

/// By its name or an abbreviation.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn thursday() -> Option<Now> {
        Timestamp::parse("2026-03-12T15:00:00Z").map(Now::from)
    }

    fn names(text: &str, day: &str) -> bool {
        let day = Timestamp::parse(day);
        day.is_some_and(|day| Days::of(text, thursday().as_ref()).have(day))
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
    fn days_begin_where_whoever_asks_lives() {
        let zone = TimeZone::fixed(jiff::tz::offset(-8));
        // The afternoon of the 11th there.
        let now = Timestamp::parse("2026-03-12T01:00:00Z").map(|time| Now { time, zone });
        let today =
            |time| Timestamp::parse(time).is_some_and(|time| Days::of("what broke today?", now.as_ref()).have(time));
        assert!(today("2026-03-11T20:00:00Z") && today("2026-03-12T00:30:00Z"));
        assert!(!today("2026-03-11T07:00:00Z"));
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
    fn the_words_of_a_day_are_known() {
        let words = |text: &str| Days::of(text, thursday().as_ref()).words.join(" ");
        assert_eq!(words("who came on 3 May, 2023?"), "3 may 2023");
        assert_eq!(words("what broke two weeks ago in the shop"), "two weeks ago");
        assert_eq!(words("plans of January"), "january");
    }

    #[test]
    fn other_words_are_no_dates() {
        for text in ["it may fail 3 times", "how did we fix it last time", "march through the list", "port 2023", "mar"]
        {
            assert_eq!(Days::of(text, thursday().as_ref()).periods, Vec::new(), "{text}");
        }
    }
}
