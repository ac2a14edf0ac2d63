//! All parsed files -> the entity that each reference means.
//!
//! - `edge`: what an edge and a graph are.
//! - `index`: what is defined where, by name and by owner.
//! - `modules`: which file or package an import names.
//! - `scope`: what a plain name means at a place.
//! - `types`: what an expression's value is.
//! - `members`: which members a value or type has.
//! - `overloads`: which of several functions of one name a call means.
//! - `interfaces`: which types implement an interface without declaring it.
//! - `calls`: which entities a call runs.
//! - `edges`: references into edges.
//!
//! The order of the files does not matter: they are sorted first.

mod calls;
mod edge;
mod edges;
mod index;
mod interfaces;
mod members;
mod modules;
mod overloads;
mod scope;
mod types;

use std::borrow::Borrow;

use crate::model::ParsedFile;

pub use edge::{CodeEdge, CodeEdgeKind, EdgeRule, EntityRef, Graph};

/// Resolves all references of all files.
pub fn resolve<F: Borrow<ParsedFile>>(files: &[F]) -> Graph {
    let mut sorted: Vec<&ParsedFile> = files.iter().map(Borrow::borrow).collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    sorted.dedup_by(|a, b| a.path == b.path);
    let paths = sorted.iter().map(|file| file.path.clone()).collect();
    let mut resolver = types::Resolver::new(index::EntityIndex::new(sorted));
    let edges = edges::edges(&mut resolver);
    Graph { paths, edges }
}
