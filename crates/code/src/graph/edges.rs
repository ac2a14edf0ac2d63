//! Turns references into edges.

use crate::lang::Family;
use crate::model::*;

use super::index::{Global, Symbol};
use super::types::{Meaning, Resolver};
use super::{CodeEdge, CodeEdgeKind, EdgeRule};
use crate::hash::FastMap;

/// A reference with more candidates says nothing about any of them.
const MOST_CANDIDATES: usize = 12;
/// Shorter names in documents are not matched by name alone.
const SHORTEST_MENTION: usize = 3;
const BY_NAME: f32 = 0.6;
const OVERRIDE: f32 = 0.3;

#[derive(Clone, Copy)]
struct Weight {
    strength: f32,
    ambiguous: bool,
    rule: EdgeRule,
    line: u32,
}

/// The edges so far, one for each start, end and kind.
struct Edges {
    found: FastMap<(Global, Global, CodeEdgeKind), Weight>,
}

impl Edges {
    /// The better rule wins, then the stronger; the first line is kept.
    fn add(&mut self, from: Global, to: Global, kind: CodeEdgeKind, weight: Weight) {
        let known = self.found.entry((from, to, kind)).or_insert(weight);
        let line = known.line.min(weight.line);
        if weight.rule < known.rule || (weight.rule == known.rule && weight.strength > known.strength) {
            *known = weight;
        }
        known.line = line;
    }

    fn sure(&mut self, from: Global, to: Global, kind: CodeEdgeKind, line: u32) {
        self.add(from, to, kind, Weight { strength: 1.0, ambiguous: false, rule: EdgeRule::Resolved, line });
    }

    fn several(&mut self, from: Global, to: &[Global], kind: CodeEdgeKind, rule: EdgeRule, line: u32) {
        let whole = if rule == EdgeRule::ByName { BY_NAME } else { 1.0 };
        let strength = whole / to.len() as f32;
        for target in to {
            self.add(from, *target, kind, Weight { strength, ambiguous: to.len() > 1, rule, line });
        }
    }
}

pub fn edges(resolver: &mut Resolver<'_>) -> Vec<CodeEdge> {
    let mut edges = Edges { found: FastMap::default() };
    for (class, interface) in resolver.fitting.clone() {
        let line = resolver.index.entity(class).first_line;
        edges.several(class, &[interface], CodeEdgeKind::Implements, EdgeRule::ByName, line);
    }
    for file in 0..resolver.index.files.len() as u32 {
        contained(resolver, file, &mut edges);
        imported(resolver, file, &mut edges);
        for reference in &resolver.index.files[file as usize].references {
            refer(resolver, file, reference, &mut edges);
        }
    }
    configured(resolver, &mut edges);
    tested(resolver, &mut edges);
    let mut list: Vec<CodeEdge> = edges
        .found
        .into_iter()
        .map(|((from, to, kind), weight)| CodeEdge {
            from: resolver.index.entity_ref(from),
            to: resolver.index.entity_ref(to),
            kind,
            strength: weight.strength,
            ambiguous: weight.ambiguous,
            rule: weight.rule,
            line: weight.line,
        })
        .collect();
    list.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
    list
}

fn contained(resolver: &Resolver<'_>, file: u32, edges: &mut Edges) {
    for (number, entity) in resolver.index.files[file as usize].entities.iter().enumerate().skip(1) {
        let global = resolver.index.global(file, EntityId(number as u32));
        let parent = resolver.owner_of(global).or_else(|| resolver.index.parent(global));
        let Some(parent) = parent else { continue };
        let kind = match resolver.index.entity(parent).kind {
            EntityKind::File => CodeEdgeKind::Defines,
            _ => CodeEdgeKind::Contains,
        };
        edges.sure(parent, global, kind, entity.first_line);
    }
}

fn imported(resolver: &mut Resolver<'_>, file: u32, edges: &mut Edges) {
    let from = resolver.index.file_entity(file);
    for (number, import) in resolver.index.files[file as usize].imports.iter().enumerate() {
        let meaning = resolver.import_meaning(file, number as u32, 0);
        let to = match meaning {
            Meaning::Module(to) | Meaning::Type(to) | Meaning::Function(to) | Meaning::Variable(to) => to,
            Meaning::Package(first) => resolver.index.file_entity(first),
            _ => continue,
        };
        if to != from && (resolver.index.file_of[to as usize] != file) {
            edges.sure(from, to, CodeEdgeKind::Imports, import.line);
        }
    }
}

fn refer(resolver: &mut Resolver<'_>, file: u32, reference: &Reference, edges: &mut Edges) {
    let from = resolver.index.global(file, reference.from);
    let symbol = resolver.index.symbol_in(file, reference.name);
    match reference.kind {
        ReferenceKind::Call | ReferenceKind::Construct => {
            let (targets, rule) = resolver.call_targets(file, from, reference);
            let (called, read): (Vec<Global>, Vec<Global>) =
                targets.into_iter().partition(|target| is_called(resolver.index.entity(*target).kind));
            edges.several(from, &called, CodeEdgeKind::Calls, rule, reference.line);
            for class in std::mem::take(&mut resolver.also_run) {
                edges.sure(from, class, CodeEdgeKind::Calls, reference.line);
            }
            edges.several(from, &read, CodeEdgeKind::Reads, rule, reference.line);
            if rule == EdgeRule::Resolved && reference.receiver.is_some() {
                overriding(resolver, from, &called, reference, edges);
            }
        }
        ReferenceKind::Inherit | ReferenceKind::Implement => {
            let class = match reference.argument_types.first() {
                Some(owner) => match resolver.meaning(file, *owner) {
                    Meaning::Type(class) => class,
                    _ => return,
                },
                None => from,
            };
            let kind = match reference.kind {
                ReferenceKind::Inherit => CodeEdgeKind::Inherits,
                _ => CodeEdgeKind::Implements,
            };
            if let Some(base) = resolver.base_of(file, class, reference).filter(|base| *base != class) {
                edges.sure(class, base, kind, reference.line);
            }
        }
        ReferenceKind::ReadState | ReferenceKind::WriteState | ReferenceKind::TypeUse | ReferenceKind::Decorate => {
            state(resolver, file, from, symbol, reference, edges);
        }
        ReferenceKind::Mention => mentioned(resolver, from, symbol, reference, edges),
    }
}

fn is_called(kind: EntityKind) -> bool {
    kind.is_callable() || kind == EntityKind::Type
}

fn state(
    resolver: &mut Resolver<'_>,
    file: u32,
    from: Global,
    symbol: Symbol,
    reference: &Reference,
    edges: &mut Edges,
) {
    let meaning = match reference.receiver {
        Some(receiver) => {
            let of = resolver.meaning(file, receiver);
            resolver.entity_member(of, symbol, file)
        }
        None => resolver.lookup(file, from, symbol),
    };
    let (to, kind) = match (meaning, reference.kind) {
        (Meaning::Type(to) | Meaning::Function(to), ReferenceKind::Decorate) => (to, CodeEdgeKind::Decorates),
        (Meaning::Type(to), _) => (to, CodeEdgeKind::Uses),
        (Meaning::Variable(to) | Meaning::Function(to), ReferenceKind::WriteState) => (to, CodeEdgeKind::Writes),
        (Meaning::Variable(to) | Meaning::Function(to), _) => (to, CodeEdgeKind::Reads),
        _ => return,
    };
    // A definition that refers to itself, or a type that names itself, is not an edge.
    if to != from && resolver.index.parent(from) != Some(to) {
        edges.sure(from, to, kind, reference.line);
    }
}

/// An override of a called method may run instead.
fn overriding(resolver: &Resolver<'_>, from: Global, called: &[Global], reference: &Reference, edges: &mut Edges) {
    for target in called {
        let entity = resolver.index.entity(*target);
        if entity.is_constructor || entity.is_static || entity.kind == EntityKind::Type {
            continue;
        }
        let Some(class) = resolver.type_around(*target) else { continue };
        let symbol = resolver.index.symbol_of[*target as usize];
        let mut open = resolver.derived.get(&class).cloned().unwrap_or_default();
        let mut seen = Vec::new();
        let mut found: Vec<Global> = Vec::new();
        while let Some(class) = open.pop() {
            if seen.contains(&class) || seen.len() > 200 {
                continue;
            }
            seen.push(class);
            found.extend(resolver.index.children(class, symbol).iter().filter(|one| {
                let other = resolver.index.entity(**one);
                other.kind.is_callable() && other.params.len() == entity.params.len()
            }));
            open.extend(resolver.derived.get(&class).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        if found.len() <= MOST_CANDIDATES * 2 {
            for one in &found {
                let strength = OVERRIDE / (found.len() as f32).sqrt();
                let ambiguous = found.len() > 1;
                let weight = Weight { strength, ambiguous, rule: EdgeRule::Override, line: reference.line };
                edges.add(from, *one, CodeEdgeKind::Calls, weight);
            }
        }
    }
}

fn mentioned(resolver: &Resolver<'_>, from: Global, symbol: Symbol, reference: &Reference, edges: &mut Edges) {
    let text = resolver.index.text(symbol);
    let name = text.rsplit(['.', ':', '#', '/']).next().unwrap_or(text);
    if name.len() < SHORTEST_MENTION {
        return;
    }
    let Some(symbol) = resolver.index.symbol(name) else { return };
    let all = resolver.index.by_name.get(&symbol).map_or(&[][..], Vec::as_slice);
    let qualified = text.replace("::", ".").replace('#', ".");
    let code = |one: &&Global| {
        !matches!(resolver.index.entity(**one).kind, EntityKind::DocSection | EntityKind::Test | EntityKind::Route)
    };
    let named: Vec<Global> = all.iter().filter(code).copied().collect();
    let exact: Vec<Global> = named
        .iter()
        .copied()
        .filter(|one| {
            let own = &resolver.index.entity(*one).qualified;
            qualified.ends_with(own.as_str()) || own.ends_with(&qualified)
        })
        .collect();
    // A qualified name must match completely.
    let found = if qualified.contains('.') || !exact.is_empty() { exact } else { named };
    if !found.is_empty() && found.len() <= MOST_CANDIDATES / 2 {
        edges.several(from, &found, CodeEdgeKind::Documents, EdgeRule::ByName, reference.line);
    }
}

/// Code that reads a constant or setting with the name of a config key.
fn configured(resolver: &Resolver<'_>, edges: &mut Edges) {
    let mut keys: Vec<Global> = Vec::new();
    for file in 0..resolver.index.files.len() as u32 {
        if resolver.index.family(file) != Some(Family::Config) {
            continue;
        }
        for number in 1..resolver.index.files[file as usize].entities.len() {
            keys.push(resolver.index.global(file, EntityId(number as u32)));
        }
    }
    for key in keys {
        let name = &resolver.index.entity(key).name;
        // Short and plain words occur everywhere.
        if name.len() < 6 || !name.contains(['_', '.']) {
            continue;
        }
        let Some(symbol) = resolver.index.symbol(name) else { continue };
        let all = resolver.index.by_name.get(&symbol).map_or(&[][..], Vec::as_slice);
        let data: Vec<Global> = all
            .iter()
            .copied()
            .filter(|one| matches!(resolver.index.entity(*one).kind, EntityKind::Constant | EntityKind::Field))
            .collect();
        if data.len() <= 4 {
            edges.several(
                key,
                &data,
                CodeEdgeKind::Configures,
                EdgeRule::ByName,
                resolver.index.entity(key).first_line,
            );
        }
    }
}

/// A test tests what it calls.
fn tested(resolver: &Resolver<'_>, edges: &mut Edges) {
    let called: Vec<(Global, Global, Weight)> = edges
        .found
        .iter()
        .filter(|((from, to, kind), weight)| {
            *kind == CodeEdgeKind::Calls
                && weight.rule != EdgeRule::Override
                && resolver.index.entity(*from).kind == EntityKind::Test
                && resolver.index.entity(*to).kind != EntityKind::Test
        })
        .map(|((from, to, _), weight)| (*from, *to, *weight))
        .collect();
    for (from, to, weight) in called {
        edges.add(from, to, CodeEdgeKind::Tests, weight);
    }
}
