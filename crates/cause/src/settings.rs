//! Which code reads a setting? Code that contains the name of its key; nothing else links the two.

use std::path::Path;

use backstory_code::{CodeEdgeKind, EdgeRule, EntityKind};
use backstory_files as files;

use crate::terms::Term;
use crate::tree::{EntityNum, TreeEdge, TreeEntity, TreeIndex};
use backstory_language::text::{identifier_parts, identifiers};

/// A name that occurs in more files is a plain word.
const MOST_FILES: usize = 40;
const LARGEST_SEARCHED_SOURCE: u64 = 2_000_000;
/// Only the name links the code to this key.
pub const BY_NAME: f32 = 0.7;

/// Can the name of this key identify it? A plain word occurs everywhere.
pub fn is_telling(name: &str) -> bool {
    identifier_parts(name).len() > 1
}

/// The places in the code that contain the key's name, as unsure reads.
pub fn readers(tree: &TreeIndex, root: &Path, key: &TreeEntity<'_>) -> Vec<TreeEdge> {
    let name = Term::of_identifier(key.name);
    let files = tree.fields().list(name);
    if key.kind != EntityKind::ConfigKey || !is_telling(key.name) || files.len() > MOST_FILES {
        return Vec::new();
    }
    let mut found = Vec::new();
    for file in files.iter().map(|posting| posting.document) {
        let bytes = files::read_within(root, tree.path(file), LARGEST_SEARCHED_SOURCE).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines = (1u32..)
            .zip(text.lines())
            .filter(|(_, line)| identifiers(line).any(|word| Term::of_identifier(word) == name));
        found.extend(lines.filter_map(|(line, _)| Some(reading(tree.entity_at(file, line)?.number, key.number, line))));
    }
    found.dedup_by_key(|edge| edge.from);
    found
}

fn reading(from: EntityNum, to: EntityNum, line: u32) -> TreeEdge {
    TreeEdge { from, to, kind: CodeEdgeKind::Reads, strength: BY_NAME, ambiguous: false, rule: EdgeRule::ByName, line }
}
