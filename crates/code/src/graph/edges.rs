//! References into edges.

use crate::lang::{Family, Language};
use crate::model::*;

use super::index::{FastMap, Global, Symbol};
use super::types::{Meaning, Resolver};
use super::{Edge, EdgeKind, Rule};

/// More candidates than this say nothing about any of them.
const MOST_CANDIDATES: usize = 12;
/// Names shorter than this are not guessed at in documents.
const SHORTEST_MENTION: usize = 3;
const BY_NAME: f32 = 0.6;
const OVERRIDE: f32 = 0.3;

struct Edges {
    /// By start, end and kind.
    found: FastMap<(Global, Global, EdgeKind), (f32, bool, Rule, u32)>,
}

impl Edges {
    fn add(&mut self, from: Global, to: Global, kind: EdgeKind, strength: f32, ambiguous: bool, rule: Rule, line: u32) {
        let entry = self.found.entry((from, to, kind)).or_insert((strength, ambiguous, rule, line));
        if rule < entry.2 || (rule == entry.2 && strength > entry.0) {
            *entry = (strength, ambiguous, rule, entry.3.min(line));
        }
    }

    fn sure(&mut self, from: Global, to: Global, kind: EdgeKind, line: u32) {
        self.add(from, to, kind, 1.0, false, Rule::Resolved, line);
    }

    fn several(&mut self, from: Global, to: &[Global], kind: EdgeKind, rule: Rule, line: u32) {
        let whole = if rule == Rule::ByName { BY_NAME } else { 1.0 };
        for target in to {
            self.add(from, *target, kind, whole / to.len() as f32, to.len() > 1, rule, line);
        }
    }
}

pub fn edges(resolver: &mut Resolver<'_>) -> Vec<Edge> {
    let mut edges = Edges { found: FastMap::default() };
    for file in 0..resolver.index.files.len() as u32 {
        contained(resolver, file, &mut edges);
        imported(resolver, file, &mut edges);
        for reference in &resolver.index.files[file as usize].references {
            refer(resolver, file, reference, &mut edges);
        }
    }
    configured(resolver, &mut edges);
    tested(resolver, &mut edges);
    let mut list: Vec<Edge> = edges
        .found
        .into_iter()
        .map(|((from, to, kind), (strength, ambiguous, rule, line))| Edge {
            from: resolver.index.entity_ref(from),
            to: resolver.index.entity_ref(to),
            kind,
            strength,
            ambiguous,
            rule,
            line,
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
            EntityKind::File => EdgeKind::Defines,
            _ => EdgeKind::Contains,
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
            edges.sure(from, to, EdgeKind::Imports, import.line);
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
            edges.several(from, &called, EdgeKind::Calls, rule, reference.line);
            for class in std::mem::take(&mut resolver.also_run) {
                edges.sure(from, class, EdgeKind::Calls, reference.line);
            }
            edges.several(from, &read, EdgeKind::Reads, rule, reference.line);
            if rule == Rule::Resolved && reference.receiver.is_some() {
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
                ReferenceKind::Inherit => EdgeKind::Inherits,
                _ => EdgeKind::Implements,
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
        (Meaning::Type(to) | Meaning::Function(to), ReferenceKind::Decorate) => (to, EdgeKind::Decorates),
        (Meaning::Type(to), _) => (to, EdgeKind::Uses),
        (Meaning::Variable(to) | Meaning::Function(to), ReferenceKind::WriteState) => (to, EdgeKind::Writes),
        (Meaning::Variable(to) | Meaning::Function(to), _) => (to, EdgeKind::Reads),
        _ => return,
    };
    // A definition that writes itself, or a type that names itself, says nothing.
    if to != from && resolver.index.parent(from) != Some(to) {
        edges.sure(from, to, kind, reference.line);
    }
}

/// What overrides a called method may run instead.
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
                edges.add(from, *one, EdgeKind::Calls, strength, found.len() > 1, Rule::Override, reference.line);
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
    // A qualified name must fit whole.
    let found = if qualified.contains('.') || !exact.is_empty() { exact } else { named };
    if !found.is_empty() && found.len() <= MOST_CANDIDATES / 2 {
        edges.several(from, &found, EdgeKind::Documents, Rule::ByName, reference.line);
    }
}

/// Code that reads a constant or setting by the name of a config key.
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
        // Short and plain words are everywhere.
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
            edges.several(key, &data, EdgeKind::Configures, Rule::ByName, resolver.index.entity(key).first_line);
        }
    }
}

/// What a test calls, it tests.
fn tested(resolver: &Resolver<'_>, edges: &mut Edges) {
    let called: Vec<(Global, Global, (f32, bool, Rule, u32))> = edges
        .found
        .iter()
        .filter(|((from, to, kind), (_, _, rule, _))| {
            *kind == EdgeKind::Calls
                && *rule != Rule::Override
                && resolver.index.entity(*from).kind == EntityKind::Test
                && resolver.index.entity(*to).kind != EntityKind::Test
        })
        .map(|((from, to, _), edge)| (*from, *to, *edge))
        .collect();
    for (from, to, (strength, ambiguous, rule, line)) in called {
        edges.add(from, to, EdgeKind::Tests, strength, ambiguous, rule, line);
    }
}

impl Resolver<'_> {
    /// As `member_of`, but of a getter the getter itself.
    fn entity_member(&mut self, of: Meaning, symbol: Symbol, file: u32) -> Meaning {
        match self.settled(of) {
            Meaning::Type(class) | Meaning::Value(class, _) => {
                let (found, _) = self.members(class, symbol);
                match found.is_empty() {
                    false => self.of(&found),
                    true => self.member_of(of, symbol, file),
                }
            }
            _ => self.member_of(of, symbol, file),
        }
    }

    /// The entities that a call may run.
    pub fn call_targets(&mut self, file: u32, from: Global, reference: &Reference) -> (Vec<Global>, Rule) {
        let symbol = self.index.symbol_in(file, reference.name);
        if reference.kind == ReferenceKind::Construct
            && let Some(receiver) = reference.receiver
        {
            return (self.construct_through(file, receiver, symbol, reference), Rule::Resolved);
        }
        let meaning = match reference.receiver {
            Some(receiver) => {
                let of = self.meaning(file, receiver);
                let member = self.entity_member(of, symbol, file);
                let plain = matches!(of, Meaning::Unknown | Meaning::Variable(_));
                if member == Meaning::Unknown && (plain || self.is_dynamic(file)) && !matches!(of, Meaning::Module(_)) {
                    return (self.by_name(file, symbol, reference), Rule::ByName);
                }
                member
            }
            None => {
                let found = self.lookup(file, from, symbol);
                let unknown = matches!(found, Meaning::External(_) | Meaning::Unknown);
                if unknown && self.has_loose_names(file, reference) {
                    return (self.by_name(file, symbol, reference), Rule::ByName);
                }
                found
            }
        };
        (self.run_by(file, meaning, reference), Rule::Resolved)
    }

    /// The functions that calling something runs.
    fn run_by(&mut self, file: u32, meaning: Meaning, reference: &Reference) -> Vec<Global> {
        match meaning {
            Meaning::Function(function) => {
                let alternatives = self.alternatives(function);
                self.choose(file, alternatives, reference)
            }
            Meaning::Type(class) => self.constructed(file, class, reference),
            Meaning::Variable(variable) => match self.settled(meaning) {
                Meaning::Function(function) => vec![function],
                Meaning::Type(class) => self.constructed(file, class, reference),
                _ => vec![variable],
            },
            _ => Vec::new(),
        }
    }

    /// All functions that share a name and a scope with one.
    fn alternatives(&mut self, function: Global) -> Vec<Global> {
        let symbol = self.index.symbol_of[function as usize];
        let file = self.index.file_of[function as usize];
        let overloads = self.index.language(file).is_some_and(Language::has_overloads);
        let all = match (self.type_around(function), overloads) {
            (Some(class), true) => self.members(class, symbol).0,
            (Some(class), false) => self.index.children(class, symbol).to_vec(),
            (None, _) => match self.index.parent(function) {
                Some(parent) => self.index.children(parent, symbol).to_vec(),
                None => Vec::new(),
            },
        };
        let callable: Vec<Global> = all.into_iter().filter(|one| self.index.entity(*one).kind.is_callable()).collect();
        if callable.contains(&function) { callable } else { vec![function] }
    }

    /// The constructors that making a value of a type may run; the type if it has none of its own.
    fn constructed(&mut self, file: u32, class: Global, reference: &Reference) -> Vec<Global> {
        let home = self.index.file_of[class as usize];
        let name = match self.index.language(home) {
            Some(Language::Python) => "__init__",
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => "constructor",
            Some(Language::Ruby) => "initialize",
            Some(Language::Php) => "__construct",
            Some(Language::Swift) => "init",
            Some(Language::Kotlin) => "constructor",
            _ => self.index.text(self.index.symbol_of[class as usize]),
        };
        let Some(symbol) = self.index.symbol(name) else { return vec![class] };
        let inherits = matches!(
            self.index.language(home),
            Some(
                Language::Python
                    | Language::Ruby
                    | Language::Php
                    | Language::JavaScript
                    | Language::TypeScript
                    | Language::Tsx
            )
        );
        let found = if inherits { self.members(class, symbol).0 } else { self.index.children(class, symbol).to_vec() };
        let constructors: Vec<Global> =
            found.into_iter().filter(|one| self.index.entity(*one).is_constructor).collect();
        if self.index.entity(class).is_interface {
            return Vec::new();
        }
        if constructors.first().is_some_and(|one| self.type_around(*one) != Some(class)) {
            self.also_run.push(class);
        }
        if constructors.is_empty() { vec![class] } else { self.choose(file, constructors, reference) }
    }

    /// `super(…)`, `this(…)`, `outer.new Inner()`, `new shop.Cart()`.
    fn construct_through(&mut self, file: u32, receiver: ExprId, symbol: Symbol, reference: &Reference) -> Vec<Global> {
        match self.meaning(file, receiver) {
            Meaning::Super(class) => {
                let bases = self.bases.get(&class).cloned().unwrap_or_default();
                match bases.first() {
                    Some(base) => self.constructed(file, *base, reference),
                    None => Vec::new(),
                }
            }
            Meaning::Value(class, _) if self.index.text(symbol) == "this" => self.constructed(file, class, reference),
            of => match self.member_of(of, symbol, file) {
                Meaning::Type(class) => self.constructed(file, class, reference),
                Meaning::Variable(variable) => vec![variable],
                Meaning::Unknown if of == Meaning::Unknown => self.by_name(file, symbol, reference),
                _ => Vec::new(),
            },
        }
    }

    /// Languages in which a value may have more members than its type shows.
    fn is_dynamic(&self, file: u32) -> bool {
        matches!(self.index.family(file), Some(Family::Python | Family::Script | Family::Ruby | Family::Php))
    }

    /// Whether a plain name may come from anywhere: in some languages, and macros in Rust.
    fn has_loose_names(&self, file: u32, reference: &Reference) -> bool {
        match self.index.family(file) {
            Some(Family::C | Family::Ruby | Family::Php | Family::Swift | Family::CSharp) => true,
            Some(Family::Rust) => reference.arguments == u16::MAX,
            _ => false,
        }
    }

    /// Functions of that name in the repository that the call would fit.
    fn by_name(&mut self, file: u32, symbol: Symbol, reference: &Reference) -> Vec<Global> {
        let family = self.index.family(file);
        let all = self.index.by_name.get(&symbol).map_or(&[][..], Vec::as_slice);
        let member = reference.receiver.is_some();
        let found: Vec<Global> = all
            .iter()
            .copied()
            .filter(|one| {
                let entity = self.index.entity(*one);
                let home = self.index.file_of[*one as usize];
                let method = self.type_around(*one).is_some();
                let kind = match member {
                    true => entity.kind == EntityKind::Method || (entity.kind == EntityKind::Function && method),
                    false => entity.kind == EntityKind::Function || entity.kind == EntityKind::Type,
                };
                kind && self.index.family(home) == family
            })
            .collect();
        let fitting: Vec<Global> = found.iter().copied().filter(|one| self.takes(*one, reference.arguments)).collect();
        let found = if fitting.is_empty() { found } else { fitting };
        // Where types are declared, a receiver of unknown type is most often from elsewhere.
        let most = match family {
            Some(Family::Jvm | Family::CSharp | Family::Go) => 1,
            Some(Family::Rust | Family::C | Family::Swift) => MOST_CANDIDATES / 3,
            _ => MOST_CANDIDATES,
        };
        if found.len() > most { Vec::new() } else { found }
    }
}
