//! Which chunks are about the same topic?
//!
//! 1. [`reduce`]: many dimensions -> the few in which vectors differ most.
//! 2. [`group`]: vectors -> groups of those that lie close together (HDBSCAN).
//! 3. [`label`]: the words that set a group apart.
//!
//! No stage: clusters are made now and then ([`run`]), when there is time,
//! and new chunks join the nearest one until then ([`join`]). The same chunks
//! give the same clusters, in whatever order they came.

mod group;
mod label;
mod make;
mod reduce;

pub use group::{Centre, groups};
pub use make::{ClusteringStep, ClustersMade, FEWEST, join, run};
