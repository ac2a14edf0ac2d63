//! The code of a working tree: its files read and resolved, and what is asked of it.

use std::path::{Path, PathBuf};

use crate::graph::{EdgeKind, EntityRef, Graph, Rule, resolve};
use crate::lang::Language;
use crate::model::{Entity, EntityId, EntityKind, ParsedFile};
use crate::parse::parse;

/// Files of a tree, and what refers to what in them.
pub struct CodeTree {
    /// In the order of [`Graph::paths`].
    files: Vec<ParsedFile>,
    graph: Graph,
}

/// A call from one entity to another.
pub struct Call<'a> {
    pub other: Place<'a>,
    /// The line of the call, in the caller's file.
    pub line: u32,
    /// Only the name says so, or another could be meant too.
    pub unsure: bool,
    pub strength: f32,
}

/// An entity and where it stands.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub path: &'a str,
    pub entity: &'a Entity,
}

impl CodeTree {
    /// Reads what git would not ignore.
    pub fn read(root: &Path) -> Self {
        let paths = sources(root);
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
        let parts: Vec<&[PathBuf]> = paths.chunks(paths.len().div_ceil(threads).max(1)).collect();
        let mut files: Vec<ParsedFile> = std::thread::scope(|scope| {
            let running: Vec<_> = parts.iter().map(|part| scope.spawn(|| read_files(root, part))).collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        });
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let graph = resolve(&files);
        CodeTree { files, graph }
    }

    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The entities that a name means: whole (`Cart.add`), its end (`add`), or with
    /// a part of its file before it (`cart.ts:Cart.add`).
    pub fn named(&self, asked: &str) -> Vec<EntityRef> {
        let (file, name) = match asked.rsplit_once(':') {
            Some((file, name)) if !file.ends_with(':') => (file, name),
            _ => ("", asked),
        };
        let name = name.replace("::", ".").replace('#', ".");
        let is_meant = |entity: &Entity| {
            let before = entity.qualified.strip_suffix(name.as_str());
            let can_be_called = entity.kind.is_callable() || entity.kind == EntityKind::Type;
            can_be_called && before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let mut found = Vec::new();
        for (at, parsed) in self.files.iter().enumerate().filter(|(_, parsed)| parsed.path.contains(file)) {
            let meant = parsed.entities.iter().enumerate().filter(|(_, entity)| is_meant(entity));
            found.extend(meant.map(|(number, _)| EntityRef { file: at as u32, entity: EntityId(number as u32) }));
        }
        found
    }

    pub fn place(&self, entity: EntityRef) -> Place<'_> {
        let file = &self.files[entity.file as usize];
        Place { path: &file.path, entity: file.entity(entity.entity) }
    }

    pub fn callers(&self, of: EntityRef) -> Vec<Call<'_>> {
        self.calls(|from, to| (to == of).then_some(from))
    }

    pub fn callees(&self, of: EntityRef) -> Vec<Call<'_>> {
        self.calls(|from, to| (from == of).then_some(to))
    }

    /// The surest first.
    fn calls(&self, other: impl Fn(EntityRef, EntityRef) -> Option<EntityRef>) -> Vec<Call<'_>> {
        let mut calls: Vec<Call<'_>> = Vec::new();
        for edge in self.graph.edges.iter().filter(|edge| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Tests)) {
            let Some(other) = other(edge.from, edge.to) else { continue };
            let unsure = edge.ambiguous || edge.rule != Rule::Resolved;
            calls.push(Call { other: self.place(other), line: edge.line, unsure, strength: edge.strength });
        }
        calls.sort_by(|a, b| {
            let key = |call: &Call<'_>| (call.unsure, call.other.path.to_owned(), call.line);
            key(a).cmp(&key(b)).then(b.strength.total_cmp(&a.strength))
        });
        // A test's call is kept as a call and as a test of what it calls.
        calls.dedup_by(|a, b| {
            (a.other.path, a.line, &a.other.entity.qualified) == (b.other.path, b.line, &b.other.entity.qualified)
        });
        calls
    }
}

fn sources(root: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(root).hidden(true).require_git(false).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files.map(ignore::DirEntry::into_path).collect();
    paths.retain(|path| Language::of_path(&path.to_string_lossy()).is_some());
    paths.sort();
    paths
}

fn read_files(root: &Path, paths: &[PathBuf]) -> Vec<ParsedFile> {
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    paths.iter().filter_map(|path| Some(parse(&name(path), &std::fs::read(path).ok()?))).collect()
}
