//! Which members does a value or type have? A type has its own and those of its bases.

use crate::lang::Language;
use crate::model::*;

use super::index::{Global, Symbol};
use super::types::{DEEPEST, Meaning, Place, Resolver};

/// Base classes are followed this far.
const MOST_BASES: usize = 64;

impl Resolver<'_> {
    /// The meaning of a member.
    pub fn member_of(&mut self, of: Meaning, symbol: Symbol, file: u32) -> Meaning {
        let direct = match of {
            Meaning::Variable(variable) => {
                // Functions assigned to a named object.
                let found = self.index.children(variable, symbol).to_vec();
                match found.is_empty() {
                    false => return self.of(&found),
                    true => self.settled(of),
                }
            }
            of => of,
        };
        match direct {
            Meaning::Module(_) | Meaning::Package(_) => match self.module_member(direct, symbol, 0) {
                Meaning::Unknown => self.submodule(direct, symbol),
                found => found,
            },
            Meaning::Type(class) | Meaning::Value(class, _) => {
                let (found, external) = self.members(class, symbol);
                if !found.is_empty() {
                    return self.member_value(&found);
                }
                if let Meaning::Value(_, Some(place)) = direct
                    && self.index.language(file) == Some(Language::Rust)
                {
                    return self.member_of_argument(place, symbol);
                }
                if external { Meaning::External(None) } else { Meaning::Unknown }
            }
            Meaning::Super(class) => {
                let found = self.inherited(class, symbol);
                if found.is_empty() { Meaning::External(None) } else { self.member_value(&found) }
            }
            Meaning::Function(function) => {
                let found = self.index.children(function, symbol).to_vec();
                self.of(&found)
            }
            Meaning::External(Some(place)) if self.index.language(file) == Some(Language::Rust) => {
                match self.member_of_argument(place, symbol) {
                    Meaning::External(_) | Meaning::Unknown => Meaning::External(Some(place)),
                    found => found,
                }
            }
            Meaning::Opened(place) => match self.member_of_argument(place, symbol) {
                Meaning::External(_) | Meaning::Unknown => Meaning::External(Some(place)),
                found => found,
            },
            Meaning::External(argument) => Meaning::External(argument),
            Meaning::Tuple(_) => Meaning::External(None),
            Meaning::Variable(_) | Meaning::Unknown => Meaning::Unknown,
        }
    }

    /// The value of a getter is its result.
    fn member_value(&mut self, found: &[Global]) -> Meaning {
        let meaning = self.of(found);
        if let Meaning::Function(function) = meaning
            && self.index.entity(function).implements.as_deref() == Some("property")
        {
            let file = self.index.file_of[function as usize];
            return match self.meaning(file, self.index.entity(function).value) {
                Meaning::Unknown => Meaning::External(None),
                value => value,
            };
        }
        meaning
    }

    fn member_of_argument(&mut self, place: Place, symbol: Symbol) -> Meaning {
        if self.depth > DEEPEST {
            return Meaning::Unknown;
        }
        self.depth += 1;
        let held = self.meaning(place.0, place.1);
        let found = match held {
            Meaning::External(Some(inner)) => self.member_of_argument(inner, symbol),
            Meaning::Value(..) => self.member_of(held, symbol, place.0),
            _ => Meaning::Unknown,
        };
        self.depth -= 1;
        found
    }

    fn submodule(&mut self, module: Meaning, symbol: Symbol) -> Meaning {
        let Meaning::Module(module) = module else { return Meaning::Unknown };
        let path = &self.index.file(module).path;
        let name = self.index.text(symbol);
        match self.modules.submodule(path, name) {
            Some(file) => Meaning::Module(self.index.file_entity(file)),
            None => Meaning::Unknown,
        }
    }

    pub fn of(&self, found: &[Global]) -> Meaning {
        let kinds: Vec<(Global, EntityKind)> =
            found.iter().map(|entity| (*entity, self.index.entity(*entity).kind)).collect();
        Meaning::of_kinds(&kinds)
    }

    /// The members of that name of a type and its bases, nearest first; and whether some base is
    /// outside the repository.
    pub fn members(&mut self, class: Global, symbol: Symbol) -> (Vec<Global>, bool) {
        let overloads = self.index.language(self.index.file_of[class as usize]).is_some_and(Language::has_overloads);
        let mut found = Vec::new();
        let mut external = false;
        for class in self.lineage(class) {
            external |= self.open_types.contains_key(&class);
            for member in self.index.children(class, symbol) {
                if !found.contains(member) {
                    found.push(*member);
                }
            }
            if !found.is_empty() && !overloads {
                break;
            }
        }
        (found, external)
    }

    pub fn inherited(&mut self, class: Global, symbol: Symbol) -> Vec<Global> {
        for base in self.lineage(class).into_iter().skip(1) {
            let found = self.index.children(base, symbol);
            if !found.is_empty() {
                return found.to_vec();
            }
        }
        Vec::new()
    }

    /// A type and its bases, depth first as written.
    pub fn lineage(&self, class: Global) -> Vec<Global> {
        let mut line = Vec::new();
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            if line.contains(&class) || line.len() > MOST_BASES {
                continue;
            }
            line.push(class);
            if let Some(bases) = self.bases.get(&class) {
                open.extend(bases.iter().rev());
            }
        }
        line
    }
}
