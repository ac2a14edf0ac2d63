//! Points in time, in milliseconds since 1970 (UTC).

use std::fmt;

/// As people write them.
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];
pub const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Parses the forms in session files: RFC 3339, with or without a zone (UTC is assumed), a
    /// space instead of the `T`, or a bare date.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Some(Timestamp(at.as_millisecond()));
        }
        let at = text
            .parse::<jiff::civil::DateTime>()
            .or_else(|_| text.parse::<jiff::civil::Date>().map(|date| date.at(0, 0, 0, 0)))
            .ok()?;
        let utc = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Timestamp(utc.timestamp().as_millisecond()))
    }

    /// Seconds or milliseconds since 1970, distinguished by size: no agent ran before 1973 in
    /// milliseconds or after the year 5000 in seconds.
    pub fn from_number(number: f64) -> Option<Self> {
        if !number.is_finite() || number < 0.0 {
            return None;
        }
        let millis = if number >= 1e11 { number } else { number * 1000.0 };
        (millis < 1e14).then_some(Timestamp(millis as i64))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_forms_session_files_use() {
        let expected = Some(Timestamp(1_767_434_400_000));
        assert_eq!(Timestamp::parse("2026-01-03T10:00:00.000Z"), expected);
        assert_eq!(Timestamp::parse("2026-01-03 10:00:00"), expected);
        assert_eq!(Timestamp::parse("2026-01-03T11:00:00+01:00"), expected);
        assert_eq!(Timestamp::from_number(1_767_434_400.0), expected);
        assert_eq!(Timestamp::from_number(1_767_434_400_000.0), expected);
        assert_eq!(Timestamp::parse("2026-01-03"), Some(Timestamp(1_767_398_400_000)));
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(expected.map(|at| at.to_string()).as_deref(), Some("2026-01-03T10:00:00.000Z"));
    }
}
