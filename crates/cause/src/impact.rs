//! What would be affected if this were changed?

use std::path::Path;

use backstory_code::{CodeEdgeKind, EntityKind};
use rustc_hash::FxHashMap;

use crate::locate::Codebase;
use crate::past::PastCommit;
use crate::role::FileRole;
use crate::settings::readers;
use crate::tree::{EntityNum, FileNum, TreeEdge, TreeEntity};

/// An entity that a change would affect.
#[derive(Clone, Debug)]
pub struct Affected {
    pub entity: EntityNum,
    /// 1: a direct user.
    pub depth: u32,
    pub edge: TreeEdge,
    /// The product of the strengths along the path.
    pub strength: f32,
    pub unsure: bool,
}

/// A file that changed in the same commits.
#[derive(Clone, Debug, PartialEq)]
pub struct CoChanged {
    pub file: FileNum,
    /// Commits that changed both.
    pub together: u32,
    /// The share of the commits to this file that also changed the other.
    pub share: f32,
}

/// What would be affected.
pub struct Impact<'a> {
    pub of: Vec<TreeEntity<'a>>,
    pub users: Vec<Affected>,
    pub tests: Vec<Affected>,
    pub co_changed: Vec<CoChanged>,
    /// The commits that changed its file: their number, and the fixes among them, newest first.
    pub commits: u32,
    pub breakages: Vec<PastCommit<'a>>,
}

const MOST_USERS: usize = 200;
const MOST_CO_CHANGED: usize = 10;
const MOST_BREAKAGES: usize = 8;
/// Files that changed together only once prove nothing.
const LEAST_TOGETHER: u32 = 2;

/// `depth`: the number of steps from user to user. `root`: the files' folder; their text shows who reads a setting.
pub fn impact<'a>(codebase: &Codebase<'a>, entities: &[EntityNum], depth: u32, root: Option<&Path>) -> Impact<'a> {
    let of: Vec<TreeEntity<'a>> = entities.iter().filter_map(|number| codebase.tree.entity(*number)).collect();
    let (mut users, mut tests): (Vec<Affected>, Vec<Affected>) =
        users(codebase, &of, depth, root).into_iter().partition(|user| !is_test(codebase, user.entity));
    let order = |a: &Affected, b: &Affected| {
        a.depth.cmp(&b.depth).then(b.strength.total_cmp(&a.strength)).then(a.entity.cmp(&b.entity))
    };
    users.sort_by(order);
    tests.sort_by(order);
    users.truncate(MOST_USERS);
    tests.truncate(MOST_USERS);
    let files: Vec<FileNum> = of.iter().map(|entity| entity.file).collect();
    let (co_changed, commits, breakages) = history(codebase, &files);
    Impact { of, users, tests, co_changed, commits, breakages }
}

/// A use of a type's member is a use of the type.
fn with_members(codebase: &Codebase<'_>, entity: &TreeEntity<'_>) -> Vec<EntityNum> {
    if !matches!(entity.kind, EntityKind::Type | EntityKind::Module | EntityKind::File) {
        return vec![entity.number];
    }
    let inside = |other: &TreeEntity<'_>| {
        let mut at = other.parent;
        while let Some(parent) = at {
            if parent == entity.number {
                return true;
            }
            at = codebase.tree.entity(parent).and_then(|parent| parent.parent);
        }
        entity.kind == EntityKind::File && other.number != entity.number
    };
    let members =
        codebase.tree.entities_of(entity.file).filter_map(|number| codebase.tree.entity(number)).filter(inside);
    std::iter::once(entity.number).chain(members.map(|member| member.number)).collect()
}

fn users(codebase: &Codebase<'_>, of: &[TreeEntity<'_>], depth: u32, root: Option<&Path>) -> Vec<Affected> {
    let own: Vec<EntityNum> = of.iter().flat_map(|entity| with_members(codebase, entity)).collect();
    let of_settings = root.into_iter().flat_map(|root| of.iter().flat_map(|key| readers(codebase.tree, root, key)));
    let of_settings: Vec<TreeEdge> = of_settings.collect();
    let mut found: FxHashMap<EntityNum, Affected> = FxHashMap::default();
    let mut front: Vec<(EntityNum, f32, bool)> = own.iter().map(|entity| (*entity, 1.0, false)).collect();
    for step in 1..=depth {
        let mut next = Vec::new();
        for (entity, strength, unsure) in front {
            let reading = of_settings.iter().copied().filter(|edge| edge.to == entity);
            for edge in codebase.tree.edges_to(entity).filter(|edge| is_use(edge.kind)).chain(reading) {
                if own.contains(&edge.from) || is_own_line(codebase, of, &edge) {
                    continue;
                }
                let strength = strength * edge.strength;
                let unsure = unsure || edge.is_unsure();
                let better = found.get(&edge.from).is_none_or(|known| known.depth == step && known.strength < strength);
                if better {
                    let is_new = !found.contains_key(&edge.from);
                    found.insert(edge.from, Affected { entity: edge.from, depth: step, edge, strength, unsure });
                    if is_new {
                        next.push((edge.from, strength, unsure));
                    }
                }
            }
        }
        front = next;
        if found.len() > 20 * MOST_USERS {
            break;
        }
    }
    found.into_values().collect()
}

/// A definition is not a use: `x = 1` at the top of a file writes x.
fn is_own_line(codebase: &Codebase<'_>, of: &[TreeEntity<'_>], edge: &TreeEdge) -> bool {
    let file = codebase.tree.entity(edge.from).map(|from| from.file);
    of.iter().any(|entity| Some(entity.file) == file && (entity.first_line..=entity.last_line).contains(&edge.line))
}

fn is_use(kind: CodeEdgeKind) -> bool {
    !matches!(kind, CodeEdgeKind::Defines | CodeEdgeKind::Contains | CodeEdgeKind::Imports | CodeEdgeKind::Documents)
}

/// A fixed typo was not a defect in behaviour.
fn mends_behaviour(subject: &str) -> bool {
    const WORDS: [&str; 14] = [
        "typo", "typos", "spelling", "misspelling", "doc", "docs", "documentation", "docstring", "comment", "comments",
        "ci", "lint", "clippy", "changelog",
    ];
    let subject = subject.to_lowercase();
    !subject.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn is_test(codebase: &Codebase<'_>, entity: EntityNum) -> bool {
    codebase
        .tree
        .entity(entity)
        .is_some_and(|entity| entity.kind == EntityKind::Test || codebase.tree.role(entity.file) == FileRole::Test)
}

fn history<'a>(codebase: &Codebase<'a>, files: &[FileNum]) -> (Vec<CoChanged>, u32, Vec<PastCommit<'a>>) {
    let mut together: FxHashMap<FileNum, u32> = FxHashMap::default();
    let mut commits = 0;
    let mut breakages = Vec::new();
    for number in 0..codebase.past.commit_count() as u32 {
        if !codebase.files_of_commit(number).any(|file| files.contains(&file)) {
            continue;
        }
        commits += 1;
        for file in codebase.files_of_commit(number).filter(|file| !files.contains(file)) {
            *together.entry(file).or_default() += 1;
        }
        if let Some(commit) =
            codebase.past.commit(number).filter(|commit| commit.is_fix && mends_behaviour(commit.subject))
        {
            breakages.push(commit);
        }
    }
    breakages.truncate(MOST_BREAKAGES);
    let mut co_changed: Vec<CoChanged> = together
        .into_iter()
        .filter(|(_, together)| *together >= LEAST_TOGETHER)
        .map(|(file, together)| CoChanged { file, together, share: together as f32 / commits as f32 })
        .collect();
    co_changed.sort_by(|a, b| b.together.cmp(&a.together).then(a.file.cmp(&b.file)));
    co_changed.truncate(MOST_CO_CHANGED);
    (co_changed, commits, breakages)
}
