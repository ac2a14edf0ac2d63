//! Errors in questions for links.

use super::mask::MaskError;
use super::participants::RegistryError;

#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LinksError {
    #[error("{}", order(*place, *index, *place_before, *index_before))]
    Order { place: usize, index: u32, place_before: usize, index_before: u32 },
    #[error("a transcript of {lines} lines is too long: at most {} can be numbered", u32::MAX)]
    TooLong { lines: usize },
    #[error("parameter {name} is {value}: {allowed}")]
    Parameter { name: &'static str, value: String, allowed: String },
    #[error("no line is by {name:?}, who should answer; speakers are {speakers}")]
    NoSuchResponder { name: String, speakers: String },
    #[error("the mask: {0}")]
    Mask(#[from] MaskError),
    #[error("the actors: {0}")]
    Registry(#[from] RegistryError),
}

fn order(place: usize, index: u32, place_before: usize, index_before: u32) -> String {
    let (place, place_before) = (place + 1, place_before + 1);
    let rule = "numbers must grow from line to line";
    if index == index_before {
        return format!(
            "line number {index} stands at place {place} of the transcript and already at place {place_before}: {rule}"
        );
    }
    format!(
        "line number {index} at place {place} of the transcript comes after number {index_before} at place {place_before}: {rule}"
    )
}
