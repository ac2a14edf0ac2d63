//! Which lines count?
//!
//! Lines of another regime than the story's or the talk's (out of character,
//! combat, scene cuts, noise) do not count, and no link reaches across them.
//! Ranges come from detectors ([`detect`]) or from a person ([`GivenMask`]).

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
