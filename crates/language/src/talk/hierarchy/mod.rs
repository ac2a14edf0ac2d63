//! Which links belong together? scene -> beats -> links and lines.
//!
//! 1. Lines that links bridge are one node; stray lines near it are absorbed
//!    ([`nodes`]).
//! 2. Neighbours merge if the bond between them is strong for their size ([`merge`]): into beats, and with a lower bar
//!    into scenes. The bond ([`bonds`]) is a property of the boundary between two nodes and does not change as they
//!    grow; mass is only size.
//! 3. Titles are words of the transcript ([`titles`]).

mod bonds;
mod merge;
mod nodes;
mod outline;
mod titles;

pub use outline::{Bars, Beat, OutlineNode, Scene, hierarchy};
