//! What is an edge between two entities, and how sure is it?

use serde::{Deserialize, Serialize};

use crate::model::EntityId;

/// An entity of the graph: the file's place in [`Graph::paths`], and the entity's in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityRef {
    pub file: u32,
    pub entity: EntityId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CodeEdgeKind {
    /// A file contains a top-level entity.
    Defines,
    /// A type, function or section holds an entity.
    Contains,
    Imports,
    Calls,
    Reads,
    Writes,
    Inherits,
    Implements,
    /// A test calls it.
    Tests,
    /// A document names it.
    Documents,
    /// Code reads a key of a config file.
    Configures,
    /// Names an entity as a type.
    Uses,
    Decorates,
}

impl CodeEdgeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            CodeEdgeKind::Defines => "defines",
            CodeEdgeKind::Contains => "contains",
            CodeEdgeKind::Imports => "imports",
            CodeEdgeKind::Calls => "calls",
            CodeEdgeKind::Reads => "reads",
            CodeEdgeKind::Writes => "writes",
            CodeEdgeKind::Inherits => "inherits",
            CodeEdgeKind::Implements => "implements",
            CodeEdgeKind::Tests => "tests",
            CodeEdgeKind::Documents => "documents",
            CodeEdgeKind::Configures => "configures",
            CodeEdgeKind::Uses => "uses",
            CodeEdgeKind::Decorates => "decorates",
        }
    }
}

/// The rule by which an edge was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeRule {
    /// Resolved by scope, imports or the receiver's type.
    Resolved,
    /// The receiver is unknown; the candidates are all entities with that name.
    ByName,
    /// Overrides the resolved method, and may run instead.
    Override,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeEdge {
    pub from: EntityRef,
    pub to: EntityRef,
    pub kind: CodeEdgeKind,
    /// From 0 to 1.
    pub strength: f32,
    /// One of several candidates.
    pub ambiguous: bool,
    pub rule: EdgeRule,
    /// The first line of `from` with this reference.
    pub line: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Sorted.
    pub paths: Vec<String>,
    /// Sorted by where they start, then where they end, then by kind.
    pub edges: Vec<CodeEdge>,
}

impl Graph {
    /// Edges that start at an entity.
    pub fn edges_from(&self, from: EntityRef) -> &[CodeEdge] {
        let start = self.edges.partition_point(|edge| edge.from < from);
        let end = self.edges.partition_point(|edge| edge.from <= from);
        &self.edges[start..end]
    }

    pub fn file(&self, path: &str) -> Option<u32> {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).ok().map(|at| at as u32)
    }
}
