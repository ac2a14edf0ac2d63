//! Which ranges do the detectors exclude?

use crate::talk::lines::{Setting, SpeakerPart, TalkLine};
use crate::talk::words::LineWords;

use super::combat::Combat;
use super::noise::Noise;
use super::ooc_hard::OocHard;
use super::ooc_soft::OocSoft;
use super::transition::{GameMaster, Transition};
use super::{ExcludedRange, MaskReason};

/// Selects the detectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detectors {
    pub ooc_hard: bool,
    pub ooc_soft: bool,
    pub combat: bool,
    pub transition: bool,
    pub noise: bool,
}

impl Detectors {
    pub const ALL: Detectors =
        Detectors { ooc_hard: true, ooc_soft: true, combat: true, transition: true, noise: true };
    pub const NONE: Detectors =
        Detectors { ooc_hard: false, ooc_soft: false, combat: false, transition: false, noise: false };

    /// The default selection. Games have all regimes. Elsewhere a smiley or three dots are something with meaning: in
    /// the IRC train and dev files, noise alone would cut 2.6 % of the human links within eight lines (1,126 of
    /// 43,844), and 43 % of those begin or end at noise.
    pub fn of(setting: Setting) -> Self {
        match setting {
            Setting::Tabletop => Detectors::ALL,
            Setting::Chat | Setting::TwoParty => Detectors::NONE,
        }
    }

    pub fn turn_off(&mut self, reason: MaskReason) {
        let detector = match reason {
            MaskReason::OocHard => &mut self.ooc_hard,
            MaskReason::OocSoft => &mut self.ooc_soft,
            MaskReason::Combat => &mut self.combat,
            MaskReason::Transition => &mut self.transition,
            MaskReason::Noise => &mut self.noise,
        };
        *detector = false;
    }
}

/// The input of a detector for one line.
pub struct SeenLine<'a> {
    pub place: u32,
    pub text: &'a str,
    pub words: &'a LineWords,
    /// Is the speaker one who only answers?
    pub leads: bool,
}

/// Finds the ranges of one regime in one pass.
pub trait RegimeDetector {
    fn see(&mut self, seen: &SeenLine<'_>);
    fn end(self: Box<Self>) -> Vec<ExcludedRange>;
}

/// All ranges that the detectors find. `parts` says what each line's speaker does.
pub fn detect(lines: &[TalkLine<'_>], parts: &[SpeakerPart], detectors: Detectors) -> Vec<ExcludedRange> {
    let leads = |place: usize| parts.get(place) == Some(&SpeakerPart::ANSWERS);
    let led = (0..lines.len()).any(leads);
    let mut on: Vec<Box<dyn RegimeDetector>> = Vec::new();
    if detectors.ooc_hard {
        on.push(Box::new(OocHard::default()));
    }
    // Banter is talk without the game master: without a game master there is none.
    if detectors.ooc_soft && led {
        on.push(Box::new(OocSoft::new()));
    }
    if detectors.combat {
        on.push(Box::new(Combat::new()));
    }
    if detectors.transition {
        on.push(Box::new(Transition::new(if led { GameMaster::Present } else { GameMaster::Absent })));
    }
    if detectors.noise {
        on.push(Box::new(Noise::default()));
    }
    if on.is_empty() {
        return Vec::new();
    }
    let mut words = LineWords::default();
    for (place, line) in lines.iter().enumerate() {
        words.read(line.text);
        let seen = SeenLine { place: place as u32, text: line.text, words: &words, leads: leads(place) };
        on.iter_mut().for_each(|detector| detector.see(&seen));
    }
    on.into_iter().flat_map(RegimeDetector::end).collect()
}

/// The ranges that a detector finds in a test transcript: `Speaker: text` lines, GM answers.
#[cfg(test)]
pub fn ranges_in(transcript: &str, detectors: Detectors) -> Vec<(u32, u32)> {
    let lines: Vec<TalkLine> = transcript
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let (speaker, text) = line.trim().split_once(':').unwrap_or(("", line.trim()));
            TalkLine { index: at as u32, speaker, text: text.trim() }
        })
        .collect();
    let parts: Vec<SpeakerPart> =
        lines.iter().map(|line| if line.speaker == "GM" { SpeakerPart::ANSWERS } else { SpeakerPart::ASKS }).collect();
    let mut ranges: Vec<_> = detect(&lines, &parts, detectors).iter().map(|range| (range.start, range.end)).collect();
    ranges.sort();
    ranges
}
