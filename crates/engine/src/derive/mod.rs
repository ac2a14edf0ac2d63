//! Turns events into views. A fold over the log: catching up after n appends gives the same rows as
//! starting from zero.
//!
//! Each stage is a folder with a NAME, a VERSION and pure functions from events
//! and earlier views to rows. [`refresh`] is the driver: it takes the new events slice by slice and
//! writes each stage's rows together with its cursor in one transaction.
//!
//! - [`chunk`]: which units does a turn have?
//! - [`graph`]: what came before what, within and between runs?
//! - [`links`]: which intent had which consequence?
//! - [`cards`]: what is worth remembering?
//! - [`edits`]: which files did an edit write?
//! - [`cases`]: which pieces of work are there, and what was the result of each?
//! - [`index`]: by which words and which vector is a passage found?
//!
//! [`clusters`] are not a stage: they are derived occasionally from the rows of the stages.

pub mod cards;
mod cases;
pub mod chunk;
pub mod clusters;
mod edits;
pub mod graph;
pub mod index;
pub mod links;
mod originals;
mod refresh;
mod slices;
mod stages;
mod touched;

pub use clusters::ClustersMade;
pub use index::{Indexer, Vectors};
pub use refresh::{CaughtUp, Refreshed, refresh, refresh_while};
pub use slices::SliceLimit;
pub use stages::{STAGES, Stage, cursor, first_incomplete, follow_log, knows_aliases, reset};
pub use touched::{NewTurns, Touched};

use slices::events_of;
