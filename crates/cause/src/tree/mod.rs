//! The code of a working tree, ready to be asked.
//!
//! Files stand in the order of what they can be to a question: sources first, then tests, then
//! documents, then what no person wrote. So a number below [`TreeIndex::sources`] is a source.

mod build;
mod index;
mod paths;

pub use build::{TreeSource, build};
pub use index::{EntityNum, FileNum, TreeEdge, TreeEntity, TreeFile, TreeIndex, TreeRaise, VERSION, counts};
pub use paths::Paths;

use index::{CodeEdgeRow, EDGE_KINDS, ENTITY_KINDS, EntityRow, FileRow, NONE, RULES, RaiseRow, number};
