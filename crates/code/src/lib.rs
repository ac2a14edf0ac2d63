//! Source text -> entities, references and a resolved graph.
//!
//! - [`parse`]: one file's bytes into a [`ParsedFile`]: its definitions and references.
//! - [`resolve`]: all files into a [`Graph`]: which entity each reference means.
//!
//! Both are pure: no storage, no terminal, no clock. A parsed file can be stored and reused while its bytes stay the
//! same; only resolving needs all files.

pub mod graph;
mod hash;
pub mod lang;
pub mod model;
mod parse;

pub use graph::{CodeEdge, CodeEdgeKind, EdgeRule, EntityRef, Graph, resolve};
pub use lang::{Family, Language};
pub use model::*;
pub use parse::{LARGEST_SOURCE_FILE, parse, parse_tree_only};
