//! The index of the code of a working tree.
//!
//! Files are ordered by role: sources, tests, documents, generated files. So a number below [`TreeIndex::sources`] is a
//! source.

mod build;
mod index;
mod paths;

pub use build::{TreeSource, build};
pub use index::{EntityNum, FileNum, TreeEdge, TreeEntity, TreeFile, TreeIndex, TreeRaise, VERSION, counts};
pub use paths::Paths;

use index::{CodeEdgeRow, EDGE_KINDS, ENTITY_KINDS, EntityRow, FileRow, NONE, RULES, RaiseRow, number};
