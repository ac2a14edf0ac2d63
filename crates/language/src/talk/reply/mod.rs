//! Which earlier line does a line answer?
//!
//! Lines are read from first to last. Each spreads probability over the lines
//! before it and "none" by a linear scorer: the line (who speaks to whom, in what
//! form, with which words) and what was said so far -> features -> weights of a
//! [`Profile`] -> [`Spread`].
//! Nothing looks ahead, and a line costs the same however long the transcript is.

mod features;
mod form;
mod names;
mod past;
mod profile;
mod spread;
mod words;

pub use features::{FEATURES, Feature, FeatureGroup};
pub use profile::{Profile, WEIGHTS};
pub use spread::{NONE, ReplyReader, Spread, WINDOW, spread};

#[cfg(test)]
mod tests;
