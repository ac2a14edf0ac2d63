//! Which lines are eligible?
//!
//! Lines outside the story or the conversation (out of character, combat, scene cuts, noise) are excluded, and no link
//! crosses them. Ranges come from detectors ([`detect`]) or from a person ([`GivenMask`]).

mod combat;
mod detect;
mod eligibility;
mod given;
mod noise;
mod ooc_hard;
mod ooc_soft;
mod transition;

pub use detect::{Detectors, detect};
pub use eligibility::{EligibilityMask, ExcludedRange, MaskReason};
pub use given::{GivenMask, MaskError};
