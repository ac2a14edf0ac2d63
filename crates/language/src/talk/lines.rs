//! The input lines of kernels.

use super::error::LinksError;

/// One line of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TalkLine<'a> {
    /// Its number in the transcript. Numbers grow, but may have gaps.
    pub index: u32,
    /// Empty for lines without a speaker.
    pub speaker: &'a str,
    pub text: &'a str,
}

/// A speaker's role in a transcript. If everybody talks with everybody, all have both roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeakerPart {
    pub asks: bool,
    pub answers: bool,
}

impl SpeakerPart {
    pub const ASKS: SpeakerPart = SpeakerPart { asks: true, answers: false };
    pub const ANSWERS: SpeakerPart = SpeakerPart { asks: false, answers: true };
    pub const BOTH: SpeakerPart = SpeakerPart { asks: true, answers: true };
}

/// The kind of conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// Players ask, a game master answers.
    Tabletop,
    /// Many talk with many.
    #[default]
    Chat,
    /// Two, or a few, have one conversation.
    TwoParty,
}

impl Setting {
    pub const ALL: [Setting; 3] = [Setting::Tabletop, Setting::Chat, Setting::TwoParty];

    pub fn name(self) -> &'static str {
        match self {
            Setting::Tabletop => "tabletop",
            Setting::Chat => "chat",
            Setting::TwoParty => "two_party",
        }
    }
}

/// Numbers must increase: an anchor must identify one line.
pub fn check_order(lines: &[TalkLine<'_>]) -> Result<(), LinksError> {
    if lines.len() > u32::MAX as usize {
        return Err(LinksError::TooLong { lines: lines.len() });
    }
    let wrong = lines.windows(2).position(|pair| pair[1].index <= pair[0].index);
    let Some(before) = wrong else { return Ok(()) };
    let (first, second) = (lines[before].index, lines[before + 1].index);
    Err(LinksError::Order { place: before + 1, index: second, place_before: before, index_before: first })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(numbers: &[u32]) -> Result<(), String> {
        let lines: Vec<TalkLine> =
            numbers.iter().map(|index| TalkLine { index: *index, speaker: "Ann", text: "." }).collect();
        check_order(&lines).map_err(|error| error.to_string())
    }

    #[test]
    fn gaps_are_fine() {
        assert_eq!(numbered(&[3, 4, 9, 1000]), Ok(()));
        assert_eq!(numbered(&[]), Ok(()));
    }

    #[test]
    fn both_places_are_named() {
        assert_eq!(
            numbered(&[0, 1, 1]).expect_err("a wrong order"),
            "line number 1 stands at place 3 of the transcript and already at place 2: numbers must grow from line to line"
        );
        assert_eq!(
            numbered(&[5, 2]).expect_err("a wrong order"),
            "line number 2 at place 2 of the transcript comes after number 5 at place 1: numbers must grow from line to line"
        );
    }
}
