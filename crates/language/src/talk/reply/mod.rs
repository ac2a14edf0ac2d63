//! Which earlier line does a line answer?
//!
//! Lines are read from first to last. For each, a linear scorer distributes probability over the lines before it and
//! "none": the line (who speaks to whom, in which form, with which words) and the lines so far -> features -> weights
//! of a [`Profile`] -> [`Spread`]. There is no lookahead, and the cost of a line does not depend on the transcript's
//! length.

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
