//! What the kernels read.

/// One line of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the transcript. Numbers grow, but may have gaps.
    pub index: u32,
    /// Empty for lines that nobody says.
    pub speaker: &'a str,
    pub text: &'a str,
}

/// What a speaker does in a transcript. Where everybody talks with everybody,
/// all do both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub asks: bool,
    pub answers: bool,
}
