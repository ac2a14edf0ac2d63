//! Which entities can a call run?

use crate::lang::{Family, Language};
use crate::model::*;

use super::EdgeRule;
use super::index::{Global, Symbol};
use super::types::{Meaning, Resolver};

/// A call with more candidates says nothing about any of them.
const MOST_CANDIDATES: usize = 12;

impl Resolver<'_> {
    /// Like `member_of`, but for a getter returns the getter itself.
    pub fn entity_member(&mut self, of: Meaning, symbol: Symbol, file: u32) -> Meaning {
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

    /// The entities that a call can run.
    pub fn call_targets(&mut self, file: u32, from: Global, reference: &Reference) -> (Vec<Global>, EdgeRule) {
        let symbol = self.index.symbol_in(file, reference.name);
        if reference.kind == ReferenceKind::Construct
            && let Some(receiver) = reference.receiver
        {
            return (self.construct_through(file, receiver, symbol, reference), EdgeRule::Resolved);
        }
        let meaning = match reference.receiver {
            Some(receiver) => {
                let of = self.meaning(file, receiver);
                let member = self.entity_member(of, symbol, file);
                let plain = matches!(of, Meaning::Unknown | Meaning::Variable(_));
                if member == Meaning::Unknown && (plain || self.is_dynamic(file)) && !matches!(of, Meaning::Module(_)) {
                    return (self.by_name(file, symbol, reference), EdgeRule::ByName);
                }
                member
            }
            None => {
                let found = self.lookup(file, from, symbol);
                let unknown = matches!(found, Meaning::External(_) | Meaning::Unknown);
                if unknown && self.has_loose_names(file, reference) {
                    return (self.by_name(file, symbol, reference), EdgeRule::ByName);
                }
                found
            }
        };
        (self.run_by(file, meaning, reference), EdgeRule::Resolved)
    }

    /// The functions that run when `meaning` is called.
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

    /// The constructors that can run when a value of a type is made; the type if it has none of its own.
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

    /// Languages in which a value can have more members than its type declares.
    fn is_dynamic(&self, file: u32) -> bool {
        matches!(self.index.family(file), Some(Family::Python | Family::Script | Family::Ruby | Family::Php))
    }

    /// Can a plain name come from anywhere? Yes in some languages, and in Rust macros.
    fn has_loose_names(&self, file: u32, reference: &Reference) -> bool {
        match self.index.family(file) {
            Some(Family::C | Family::Ruby | Family::Php | Family::Swift | Family::CSharp) => true,
            Some(Family::Rust) => reference.arguments == u16::MAX,
            _ => false,
        }
    }

    /// Functions with that name in the repository that fit the call.
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
        // In languages with declared types, a receiver of unknown type usually comes from elsewhere.
        let most = match family {
            Some(Family::Jvm | Family::CSharp | Family::Go) => 1,
            Some(Family::Rust | Family::C | Family::Swift) => MOST_CANDIDATES / 3,
            _ => MOST_CANDIDATES,
        };
        if found.len() > most { Vec::new() } else { found }
    }
}
