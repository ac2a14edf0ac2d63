//! Which chunks are about the same topic?
//!
//! 1. [`reduce`]: reduces vectors to the few dimensions in which they differ most.
//! 2. [`group`]: groups vectors that are close together (HDBSCAN).
//! 3. [`label`]: the words that distinguish a group.
//!
//! Not a stage: clusters are created occasionally ([`run`]), when there is time, and until then new
//! chunks join the nearest one ([`join`]). The same chunks give the same clusters, in any order of
//! arrival.

mod group;
mod label;
mod make;
mod reduce;

pub use group::{Centre, groups};
pub use make::{ClusteringStep, ClustersMade, FEWEST, join, run};
