//! A mask from a person.
//!
//! ```json
//! {"excluded_ranges": [{"start_index": 10, "end_index": 25, "reason": "combat"}]}
//! ```
//!
//! The numbers are line numbers of the transcript; both ends are included. The seed's other fields (`session_id`,
//! `eligible_mask`, `compiled_at_ms`) are allowed, so that a written mask can be read back.

use serde::Deserialize;

use crate::talk::lines::TalkLine;

use super::{EligibilityMask, ExcludedRange, MaskReason};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenMask {
    ranges: Vec<GivenRange>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct GivenRange {
    start: u32,
    end: u32,
    reason: MaskReason,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    #[error("line {line}: {problem}")]
    Json { line: usize, problem: String },
    #[error("excluded_ranges, number {number}: {problem}")]
    Range { number: usize, problem: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    excluded_ranges: Vec<WrittenRange>,
    #[serde(rename = "session_id", default)]
    _session: Option<serde::de::IgnoredAny>,
    #[serde(rename = "eligible_mask", default)]
    _flags: Option<serde::de::IgnoredAny>,
    #[serde(rename = "compiled_at_ms", default)]
    _time: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRange {
    start_index: u32,
    end_index: u32,
    reason: String,
}

impl GivenMask {
    pub fn parse(text: &str) -> Result<Self, MaskError> {
        if text.trim_start().starts_with('[') {
            let problem = r#"an object is wanted: {"excluded_ranges": [...]}"#.to_owned();
            return Err(MaskError::Json { line: 1, problem });
        }
        let written: Written = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let problem = message.split(" at line ").next().unwrap_or(&message).to_owned();
            MaskError::Json { line: error.line(), problem }
        })?;
        let ranges = written.excluded_ranges.iter().enumerate().map(|(at, range)| range.check(at + 1));
        Ok(GivenMask { ranges: ranges.collect::<Result<_, _>>()? })
    }

    /// The mask for these lines. A range without any of their numbers is an error.
    pub fn compile(&self, session: &str, lines: &[TalkLine<'_>]) -> Result<EligibilityMask, MaskError> {
        let mut excluded = Vec::with_capacity(self.ranges.len());
        for (at, range) in self.ranges.iter().enumerate() {
            let start = lines.partition_point(|line| line.index < range.start);
            let until = lines.partition_point(|line| line.index <= range.end);
            if start >= until {
                return Err(MaskError::Range { number: at + 1, problem: outside(range, lines) });
            }
            excluded.push(ExcludedRange { start: start as u32, end: until as u32 - 1, reason: range.reason });
        }
        Ok(EligibilityMask::new(session, lines.len(), excluded))
    }
}

impl WrittenRange {
    fn check(&self, number: usize) -> Result<GivenRange, MaskError> {
        let wrong = |problem| MaskError::Range { number, problem };
        if self.end_index < self.start_index {
            return Err(wrong(format!("end_index {} is before start_index {}", self.end_index, self.start_index)));
        }
        let reason = MaskReason::parse(&self.reason).ok_or_else(|| {
            let names: Vec<&str> = MaskReason::ALL.iter().map(|reason| reason.name()).collect();
            wrong(format!("reason {:?} is none of {}", self.reason, names.join(", ")))
        })?;
        Ok(GivenRange { start: self.start_index, end: self.end_index, reason })
    }
}

fn outside(range: &GivenRange, lines: &[TalkLine<'_>]) -> String {
    let asked = format!("no line has a number from {} to {}", range.start, range.end);
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => format!("{asked}; the transcript's go from {} to {}", first.index, last.index),
        _ => format!("{asked}; the transcript is empty"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<TalkLine<'static>> {
        [10, 11, 15, 20].iter().map(|index| TalkLine { index: *index, speaker: "", text: "" }).collect()
    }

    #[test]
    fn numbers_become_places() {
        let text =
            r#"{"session_id": "s", "excluded_ranges": [{"start_index": 11, "end_index": 16, "reason": "combat"}]}"#;
        let mask = GivenMask::parse(text).and_then(|given| given.compile("s", &lines())).expect("a good mask");
        assert_eq!(mask.excluded, [ExcludedRange { start: 1, end: 2, reason: MaskReason::Combat }]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let wrong = |text: &str| {
            let compiled = GivenMask::parse(text).and_then(|given| given.compile("s", &lines()));
            compiled.expect_err("a bad mask").to_string()
        };
        let one = |range: &str| format!("{{\"excluded_ranges\": [\n{range}]}}");
        assert_eq!(wrong("{"), "line 1: EOF while parsing an object");
        assert_eq!(wrong("[]"), r#"line 1: an object is wanted: {"excluded_ranges": [...]}"#);
        assert_eq!(wrong("{}"), "line 1: missing field `excluded_ranges`");
        assert_eq!(
            wrong(&one(r#"{"start_index": -1, "end_index": 2, "reason": "noise"}"#)),
            "line 2: invalid value: integer `-1`, expected u32"
        );
        assert_eq!(
            wrong(&one(r#"{"start_index": 11, "end_index": 10, "reason": "noise"}"#)),
            "excluded_ranges, number 1: end_index 10 is before start_index 11"
        );
        assert_eq!(
            wrong(&one(r#"{"start_index": 10, "end_index": 11, "reason": "boring"}"#)),
            "excluded_ranges, number 1: reason \"boring\" is none of ooc_hard, ooc_soft, combat, transition, noise"
        );
        assert_eq!(
            wrong(&one(r#"{"start_index": 21, "end_index": 30, "reason": "noise"}"#)),
            "excluded_ranges, number 1: no line has a number from 21 to 30; the transcript's go from 10 to 20"
        );
    }
}
