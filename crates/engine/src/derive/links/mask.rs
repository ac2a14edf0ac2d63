//! Which lines count?

/// One flag for each line, and why those that do not count do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EligibilityMask {
    pub session: String,
    pub eligible: Vec<bool>,
    pub excluded: Vec<ExcludedRange>,
}

/// Lines, by their places, that do not count. Both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ExcludedRange {
    pub start: u32,
    pub end: u32,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    OocHard,
    OocSoft,
    Combat,
    Transition,
    Noise,
}
