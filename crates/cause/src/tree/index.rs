//! The rows of a tree, and access to them.

use backstory_code::{CodeEdgeKind, EdgeRule, EntityKind};
use bytemuck::{Pod, Zeroable};

use super::paths::Paths;
use crate::flat::{Flat, FlatText};
use crate::postings::TermPostings;
use crate::role::{FileRole, configures};
use crate::terms::Term;

/// Raise it on every change to the contents of the file.
pub const VERSION: u32 = 4;

/// Marks a missing parent or function.
pub(super) const NONE: u32 = u32::MAX;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct FileRow {
    pub path: FlatText,
    pub role: u32,
    pub first_entity: u32,
    pub entities: u32,
    pub first_function: u32,
    pub functions: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct EntityRow {
    pub name: FlatText,
    pub qualified: FlatText,
    pub signature: FlatText,
    pub file: u32,
    pub parent: u32,
    pub function: u32,
    pub kind: u32,
    pub first_line: u32,
    pub last_line: u32,
    pub name_line: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct CodeEdgeRow {
    pub from: u32,
    pub to: u32,
    pub line: u32,
    pub strength: f32,
    pub kind: u8,
    pub rule: u8,
    pub ambiguous: u8,
    pub unused: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct RaiseRow {
    pub what: FlatText,
    pub message: FlatText,
    pub entity: u32,
    pub line: u32,
}

/// An entity's number among those of all files.
pub type EntityNum = u32;
/// A file's number.
pub type FileNum = u32;

/// A file of the tree.
#[derive(Clone, Copy, Debug)]
pub struct TreeFile<'a> {
    pub number: FileNum,
    pub path: &'a str,
    pub role: FileRole,
}

/// A named entity of the tree.
#[derive(Clone, Copy, Debug)]
pub struct TreeEntity<'a> {
    pub number: EntityNum,
    pub file: FileNum,
    pub path: &'a str,
    pub name: &'a str,
    pub qualified: &'a str,
    pub signature: &'a str,
    pub kind: EntityKind,
    pub parent: Option<EntityNum>,
    /// Its index among the functions and types that can be causes.
    pub function: Option<u32>,
    pub first_line: u32,
    pub last_line: u32,
    pub name_line: u32,
}

/// The relation of one entity to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeEdge {
    pub from: EntityNum,
    pub to: EntityNum,
    pub kind: CodeEdgeKind,
    pub strength: f32,
    pub ambiguous: bool,
    pub rule: EdgeRule,
    /// In the file of `from`.
    pub line: u32,
}

impl TreeEdge {
    /// Based on a name alone, or ambiguous.
    pub fn is_unsure(&self) -> bool {
        self.ambiguous || self.rule != EdgeRule::Resolved
    }
}

/// A place where an error is raised.
#[derive(Clone, Copy, Debug)]
pub struct TreeRaise<'a> {
    pub what: &'a str,
    pub message: &'a str,
    pub entity: EntityNum,
    pub line: u32,
}

pub(super) const ENTITY_KINDS: [EntityKind; 11] = [
    EntityKind::File,
    EntityKind::Module,
    EntityKind::Type,
    EntityKind::Function,
    EntityKind::Method,
    EntityKind::Field,
    EntityKind::Constant,
    EntityKind::Route,
    EntityKind::ConfigKey,
    EntityKind::Test,
    EntityKind::DocSection,
];
pub(super) const EDGE_KINDS: [CodeEdgeKind; 13] = [
    CodeEdgeKind::Defines,
    CodeEdgeKind::Contains,
    CodeEdgeKind::Imports,
    CodeEdgeKind::Calls,
    CodeEdgeKind::Reads,
    CodeEdgeKind::Writes,
    CodeEdgeKind::Inherits,
    CodeEdgeKind::Implements,
    CodeEdgeKind::Tests,
    CodeEdgeKind::Documents,
    CodeEdgeKind::Configures,
    CodeEdgeKind::Uses,
    CodeEdgeKind::Decorates,
];
pub(super) const RULES: [EdgeRule; 3] = [EdgeRule::Resolved, EdgeRule::ByName, EdgeRule::Override];

/// The number that stands for a value in a row.
pub(super) fn number<T: PartialEq>(all: &[T], value: T) -> usize {
    all.iter().position(|known| *known == value).unwrap_or(0)
}

/// How many entities and edges an index has.
pub fn counts(flat: &Flat) -> (usize, usize) {
    (flat.rows::<EntityRow>("entities").len(), flat.rows::<CodeEdgeRow>("edges").len())
}

/// The index of a tree.
pub struct TreeIndex {
    flat: Flat,
    sources: usize,
    paths: Paths,
}

impl TreeIndex {
    pub fn new(flat: Flat) -> Self {
        let rows: &[FileRow] = flat.rows("files");
        let sources = rows.partition_point(|row| row.role == FileRole::Source as u32);
        let paths = Paths::new(rows.iter().map(|row| flat.text(row.path)));
        Self { sources, paths, flat }
    }

    pub fn flat(&self) -> &Flat {
        &self.flat
    }

    /// The number of source files; they come first.
    pub fn sources(&self) -> usize {
        self.sources
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    pub fn file_count(&self) -> usize {
        self.files().len()
    }

    pub fn file(&self, number: FileNum) -> Option<TreeFile<'_>> {
        let row = self.files().get(number as usize)?;
        Some(TreeFile { number, path: self.flat.text(row.path), role: FileRole::from_number(row.role) })
    }

    pub fn path(&self, number: FileNum) -> &str {
        self.files().get(number as usize).map_or("", |row| self.flat.text(row.path))
    }

    pub fn role(&self, number: FileNum) -> FileRole {
        self.files().get(number as usize).map_or(FileRole::Document, |row| FileRole::from_number(row.role))
    }

    /// The numbers of the files with a role.
    pub fn with_role(&self, role: FileRole) -> std::ops::Range<usize> {
        let rows = self.files();
        rows.partition_point(|row| row.role < role as u32)..rows.partition_point(|row| row.role <= role as u32)
    }

    pub fn entity(&self, number: EntityNum) -> Option<TreeEntity<'_>> {
        let row = self.entities().get(number as usize)?;
        Some(TreeEntity {
            number,
            file: row.file,
            path: self.path(row.file),
            name: self.flat.text(row.name),
            qualified: self.flat.text(row.qualified),
            signature: self.flat.text(row.signature),
            kind: ENTITY_KINDS.get(row.kind as usize).copied().unwrap_or(EntityKind::File),
            parent: (row.parent != NONE).then_some(row.parent),
            function: (row.function != NONE).then_some(row.function),
            first_line: row.first_line,
            last_line: row.last_line,
            name_line: row.name_line,
        })
    }

    /// The entities of a file; the file itself comes first.
    pub fn entities_of(&self, file: FileNum) -> std::ops::Range<EntityNum> {
        self.files().get(file as usize).map_or(0..0, |row| row.first_entity..row.first_entity + row.entities)
    }

    /// The keys of configuration files that have this name.
    pub fn settings_named(&self, name: Term) -> impl Iterator<Item = TreeEntity<'_>> {
        let entities = self.named(name).filter_map(|number| self.entity(number));
        entities.filter(|entity| entity.kind == EntityKind::ConfigKey && configures(entity.path))
    }

    /// The innermost entity on a line.
    pub fn entity_at(&self, file: FileNum, line: u32) -> Option<TreeEntity<'_>> {
        let on_line = self
            .entities_of(file)
            .filter_map(|number| self.entity(number))
            .filter(|entity| entity.first_line <= line && line <= entity.last_line);
        on_line.min_by_key(|entity| (entity.last_line - entity.first_line, std::cmp::Reverse(entity.number)))
    }

    /// The functions and types that can be causes, as entities, in the order of the files.
    pub fn functions(&self) -> &[EntityNum] {
        self.flat.rows("funcs")
    }

    /// The functions of a file.
    pub fn functions_of(&self, file: FileNum) -> std::ops::Range<usize> {
        self.files()
            .get(file as usize)
            .map_or(0..0, |row| row.first_function as usize..(row.first_function + row.functions) as usize)
    }

    pub fn function(&self, at: usize) -> Option<TreeEntity<'_>> {
        self.functions().get(at).and_then(|entity| self.entity(*entity))
    }

    /// The vectors of all functions, concatenated.
    pub fn vectors(&self) -> &[i8] {
        self.flat.rows("vectors")
    }

    /// The edges that start at an entity.
    pub fn edges_from(&self, entity: EntityNum) -> impl Iterator<Item = TreeEdge> {
        let rows: &[CodeEdgeRow] = self.flat.rows("edges");
        let start = rows.partition_point(|row| row.from < entity);
        rows[start..].iter().take_while(move |row| row.from == entity).map(edge)
    }

    /// The edges that end at an entity.
    pub fn edges_to(&self, entity: EntityNum) -> impl Iterator<Item = TreeEdge> {
        let rows: &[CodeEdgeRow] = self.flat.rows("edges");
        let order: &[u32] = self.flat.rows("edges_to");
        let to = |at: &u32| rows.get(*at as usize).map_or(NONE, |row| row.to);
        let start = order.partition_point(|at| to(at) < entity);
        order[start..].iter().take_while(move |at| to(at) == entity).map(|at| edge(&rows[*at as usize]))
    }

    pub fn raises(&self) -> impl Iterator<Item = TreeRaise<'_>> {
        let rows: &[RaiseRow] = self.flat.rows("raises");
        rows.iter().map(|row| TreeRaise {
            what: self.flat.text(row.what),
            message: self.flat.text(row.message),
            entity: row.entity,
            line: row.line,
        })
    }

    /// Sources by their path, names, comments and code.
    pub fn fields(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "src")
    }

    /// Sources by the words of their path.
    pub fn path_words(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "path")
    }

    /// Tests; the first has number 0 here.
    pub fn tests(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "tests")
    }

    /// Documents; the first has number 0 here.
    pub fn documents(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "docs")
    }

    pub fn function_words(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "func")
    }

    /// The entities with exactly this name, in all files.
    pub fn named(&self, name: Term) -> impl ExactSizeIterator<Item = EntityNum> {
        TermPostings::read(&self.flat, "name").list(name).iter().map(|posting| posting.document)
    }

    fn files(&self) -> &[FileRow] {
        self.flat.rows("files")
    }

    fn entities(&self) -> &[EntityRow] {
        self.flat.rows("entities")
    }
}

fn edge(row: &CodeEdgeRow) -> TreeEdge {
    TreeEdge {
        from: row.from,
        to: row.to,
        kind: EDGE_KINDS.get(usize::from(row.kind)).copied().unwrap_or(CodeEdgeKind::Uses),
        strength: row.strength,
        ambiguous: row.ambiguous != 0,
        rule: RULES.get(usize::from(row.rule)).copied().unwrap_or(EdgeRule::ByName),
        line: row.line,
    }
}
