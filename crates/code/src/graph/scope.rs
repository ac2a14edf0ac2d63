//! What does a plain name mean at a place? Checks enclosing scopes first, then imports, then what the language shares
//! without imports.

use crate::lang::{Family, Language};
use crate::model::*;

use super::index::{Global, Symbol};
use super::modules::Module;
use super::types::{Meaning, Resolver};

/// Re-exports are followed this far.
const LONGEST_CHAIN: u32 = 12;

impl<'a> Resolver<'a> {
    /// The entities or module that a name refers to, seen from an entity.
    pub fn lookup(&mut self, file: u32, scope: Global, symbol: Symbol) -> Meaning {
        let language = self.index.language(file);
        let members_in_scope = language.is_some_and(Language::members_are_in_scope);
        let mut at = Some(scope);
        while let Some(here) = at {
            let is_type = self.index.entity(here).kind == EntityKind::Type;
            if is_type && members_in_scope {
                // A constructor has its type's name, but the name means the type.
                let (mut found, _) = self.members(here, symbol);
                found.retain(|one| !self.index.entity(*one).is_constructor);
                if !found.is_empty() {
                    return self.of(&found);
                }
            } else if !is_type || here == scope {
                let found = self.index.children(here, symbol);
                let found: Vec<Global> = found.iter().copied().filter(|one| self.is_nameable(*one)).collect();
                if !found.is_empty() {
                    return self.of(&found);
                }
            }
            if let Some(meaning) = self.imported(file, here, symbol, 0) {
                return meaning;
            }
            at = self.index.parent(here);
            // The owner's block is not an entity: in languages that allow it, its members are found by bare name.
            if members_in_scope && let Some(owner) = self.owner_of(here) {
                let (mut found, _) = self.members(owner, symbol);
                found.retain(|one| !self.index.entity(*one).is_constructor);
                if !found.is_empty() {
                    return self.of(&found);
                }
            }
        }
        self.shared(file, symbol)
    }

    fn is_nameable(&self, entity: Global) -> bool {
        !matches!(self.index.entity(entity).kind, EntityKind::Route | EntityKind::ConfigKey | EntityKind::DocSection)
    }

    /// The meaning of a name that was imported in that scope.
    fn imported(&mut self, file: u32, scope: Global, symbol: Symbol, depth: u32) -> Option<Meaning> {
        if let Some(imports) = self.imports_by_alias.get(&(scope, symbol)) {
            for import in imports.clone() {
                let meaning = self.import_meaning(file, import, depth);
                if meaning != Meaning::Unknown {
                    return Some(meaning);
                }
            }
        }
        let wildcards = self.wildcards.get(&scope).cloned().unwrap_or_default();
        for import in wildcards {
            if let Some(meaning) = self.wildcard_meaning(file, import, symbol, depth) {
                return Some(meaning);
            }
        }
        None
    }

    fn wildcard_meaning(&mut self, file: u32, import: u32, symbol: Symbol, depth: u32) -> Option<Meaning> {
        if depth > LONGEST_CHAIN {
            return None;
        }
        let found = match self.import_module(file, import) {
            Meaning::Unknown | Meaning::External(_) => return None,
            module => self.module_member(module, symbol, depth + 1),
        };
        (!matches!(found, Meaning::Unknown | Meaning::External(_))).then_some(found)
    }

    /// The module part of an import.
    fn import_module(&mut self, file: u32, number: u32) -> Meaning {
        if let Some(known) = self.module_memo.get(&(file, number)) {
            return *known;
        }
        // Prevents endless recursion between modules that import all of each other.
        self.module_memo.insert((file, number), Meaning::Unknown);
        let module = self.import_module_new(file, number);
        self.module_memo.insert((file, number), module);
        module
    }

    fn import_module_new(&mut self, file: u32, number: u32) -> Meaning {
        let index = &self.index;
        let import: &'a Import = &index.files[file as usize].imports[number as usize];
        match index.family(file) {
            Some(Family::Rust) => self.rust_path(file, import),
            Some(family) => match self.modules.find(index, file, import) {
                Some(Module::File(target)) => Meaning::Module(index.file_entity(target)),
                Some(Module::Package(package)) => match index.package_names.get(&(family, package)) {
                    Some(first) => Meaning::Package(*first),
                    None => Meaning::External(None),
                },
                None => self.type_path(family, &import.module),
            },
            None => Meaning::Unknown,
        }
    }

    /// `com.shop.Cart` as the module of an import: a type whose members are meant.
    fn type_path(&mut self, family: Family, path: &'a str) -> Meaning {
        let split = if family == Family::Php { '\\' } else { '.' };
        let outside = Meaning::External(None);
        if !matches!(family, Family::Jvm | Family::CSharp | Family::Php) {
            return outside;
        }
        let Some((package, name)) = path.rsplit_once(split) else { return outside };
        let Some(symbol) = self.index.symbol(name) else { return outside };
        if let Some(found) = self.index.packages.get(&(family, package, symbol)) {
            return self.of(found);
        }
        match self.type_path(family, package) {
            Meaning::Type(outer) => {
                let found = self.index.children(outer, symbol).to_vec();
                if found.is_empty() { outside } else { self.of(&found) }
            }
            _ => outside,
        }
    }

    /// The meaning of an import.
    pub fn import_meaning(&mut self, file: u32, number: u32, depth: u32) -> Meaning {
        if depth > LONGEST_CHAIN {
            return Meaning::Unknown;
        }
        if let Some(known) = self.import_memo.get(&(file, number)) {
            return *known;
        }
        self.import_memo.insert((file, number), Meaning::Unknown);
        let meaning = self.import_meaning_new(file, number, depth);
        self.import_memo.insert((file, number), meaning);
        meaning
    }

    fn import_meaning_new(&mut self, file: u32, number: u32, depth: u32) -> Meaning {
        let import: &'a Import = &self.index.files[file as usize].imports[number as usize];
        let local_export = import.module.is_empty() && self.index.family(file) == Some(Family::Script);
        let module =
            if local_export { Meaning::Module(self.index.file_entity(file)) } else { self.import_module(file, number) };
        let Some(name) = import.name.as_deref() else { return module };
        // A name that no entity has can only be a module's.
        let symbol = self.index.symbol(name);
        let found = match (module, symbol) {
            (Meaning::External(_), _) => return self.import_of_package(file, import),
            (module, Some(symbol)) => self.module_member(module, symbol, depth + 1),
            _ => Meaning::Unknown,
        };
        match found {
            Meaning::Unknown => match (module, self.index.family(file)) {
                (Meaning::Module(module), Some(Family::Python)) => self.python_submodule(module, name),
                (Meaning::Module(module), Some(Family::Rust)) => self.rust_submodule(module, name),
                // A default export that is an object: its members are the file's.
                (Meaning::Module(module), Some(Family::Script)) if name == "default" => Meaning::Module(module),
                _ => Meaning::Unknown,
            },
            found => found,
        }
    }

    /// `use App\Cart` and `import com.shop` name something inside a package.
    fn import_of_package(&mut self, file: u32, import: &'a Import) -> Meaning {
        let (Some(family), Some(name)) = (self.index.family(file), import.name.as_deref()) else {
            return Meaning::External(None);
        };
        let symbol = self.index.symbol(name);
        let found = symbol.and_then(|symbol| self.index.packages.get(&(family, import.module.as_str(), symbol)));
        found.map_or(Meaning::External(None), |found| self.of(found))
    }

    fn python_submodule(&self, module: Global, name: &str) -> Meaning {
        let path = &self.index.file(module).path;
        match self.modules.submodule(path, name) {
            Some(file) => Meaning::Module(self.index.file_entity(file)),
            None => Meaning::Unknown,
        }
    }

    fn rust_submodule(&self, module: Global, name: &str) -> Meaning {
        let file = self.index.file_of[module as usize];
        let inside = match self.index.entity(module).kind {
            EntityKind::Module => format!("::{}", self.index.entity(module).qualified.replace('.', "::")),
            _ => String::new(),
        };
        let child = self.modules.rust_name(file).map(|own| format!("{own}{inside}::{name}"));
        match child.and_then(|child| self.modules.rust_file(&child)) {
            Some(file) => Meaning::Module(self.index.file_entity(file)),
            None => Meaning::Unknown,
        }
    }

    /// The module named by a `use` path without its last part.
    fn rust_path(&mut self, file: u32, import: &'a Import) -> Meaning {
        let scope = self.index.global(file, import.scope);
        let mut parts = import.module.split("::").filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return self.rust_root(file, scope, import.name.as_deref().unwrap_or("")).map_or(
                Meaning::External(None),
                |_| {
                    // `use name;` brings in a crate or a module beside this one.
                    Meaning::Module(self.module_around(scope))
                },
            );
        };
        let mut at = match self.rust_root(file, scope, first) {
            Some(meaning) => meaning,
            None => return Meaning::External(None),
        };
        for part in parts {
            at = self.rust_step(at, part);
        }
        at
    }

    pub fn rust_step(&mut self, at: Meaning, part: &str) -> Meaning {
        if part == "super"
            && let Meaning::Module(module) = at
        {
            return self.rust_parent(module).map_or(Meaning::Unknown, Meaning::Module);
        }
        let found = match self.index.symbol(part) {
            Some(symbol) => self.module_member(at, symbol, 1),
            None => Meaning::Unknown,
        };
        match (found, at) {
            (Meaning::Unknown, Meaning::Module(module)) => self.rust_submodule(module, part),
            (found, _) => found,
        }
    }

    /// What the first part of a Rust path means.
    pub fn rust_root(&mut self, file: u32, scope: Global, first: &str) -> Option<Meaning> {
        let own = self.modules.rust_name(file)?;
        let crate_name = own.split("::").next().unwrap_or(own);
        let here = self.module_around(scope);
        let as_module = |target: Option<u32>, index: &super::index::EntityIndex<'a>| {
            target.map(|file| Meaning::Module(index.file_entity(file)))
        };
        match first {
            "crate" | "$crate" => as_module(self.modules.rust_file(crate_name), &self.index),
            "self" => Some(Meaning::Module(here)),
            "super" => self.rust_parent(here).map(Meaning::Module),
            name => {
                if let Some(symbol) = self.index.symbol(name) {
                    let found = self.index.children(here, symbol);
                    if let Some(found) = found
                        .iter()
                        .find(|one| matches!(self.index.entity(**one).kind, EntityKind::Module | EntityKind::Type))
                    {
                        return Some(self.of(&[*found]));
                    }
                }
                match self.rust_submodule(here, name) {
                    Meaning::Unknown => as_module(self.modules.rust_file(name), &self.index),
                    found => Some(found),
                }
            }
        }
    }

    fn module_around(&self, scope: Global) -> Global {
        let mut at = scope;
        while !matches!(self.index.entity(at).kind, EntityKind::Module | EntityKind::File) {
            match self.index.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    fn rust_parent(&self, module: Global) -> Option<Global> {
        if self.index.entity(module).kind == EntityKind::Module {
            return self.index.parent(module).map(|parent| self.module_around(parent));
        }
        let name = self.modules.rust_name(self.index.file_of[module as usize])?;
        let parent = self.modules.rust_file(name.rsplit_once("::")?.0)?;
        Some(self.index.file_entity(parent))
    }

    /// A name inside a module: defined there, or imported there and re-exported.
    pub fn module_member(&mut self, module: Meaning, symbol: Symbol, depth: u32) -> Meaning {
        if depth > LONGEST_CHAIN {
            return Meaning::Unknown;
        }
        match module {
            Meaning::Module(entity) => {
                let found: Vec<Global> =
                    self.index.children(entity, symbol).iter().copied().filter(|one| self.is_nameable(*one)).collect();
                if !found.is_empty() {
                    return self.of(&found);
                }
                let file = self.index.file_of[entity as usize];
                self.imported(file, entity, symbol, depth).unwrap_or(Meaning::Unknown)
            }
            Meaning::Package(first) => {
                let file = self.index.files[first as usize];
                let family = self.index.family(first).unwrap_or(Family::Document);
                let package = super::index::package_of(file, family).unwrap_or("");
                match self.index.packages.get(&(family, package, symbol)) {
                    Some(found) => self.of(found),
                    None => Meaning::Unknown,
                }
            }
            Meaning::Type(class) => {
                let (found, _) = self.members(class, symbol);
                self.of(&found)
            }
            _ => Meaning::Unknown,
        }
    }

    /// Entities that files share without imports.
    fn shared(&mut self, file: u32, symbol: Symbol) -> Meaning {
        let Some(family) = self.index.family(file) else { return Meaning::Unknown };
        let parsed = self.index.files[file as usize];
        if let Some(package) = super::index::package_of(parsed, family)
            && let Some(found) = self.index.packages.get(&(family, package, symbol))
        {
            return self.of(found);
        }
        match family {
            Family::C | Family::Ruby | Family::Swift | Family::CSharp | Family::Php => {
                let all = self.index.by_name.get(&symbol).map_or(&[][..], Vec::as_slice);
                let found: Vec<Global> = all
                    .iter()
                    .copied()
                    .filter(|one| {
                        self.index.family(self.index.file_of[*one as usize]) == Some(family) && self.is_global(*one)
                    })
                    .collect();
                if found.is_empty() { Meaning::External(None) } else { self.of(&found) }
            }
            _ => Meaning::External(None),
        }
    }

    /// Is it at the top of its file, or nested in modules only?
    fn is_global(&self, entity: Global) -> bool {
        let mut at = self.index.parent(entity);
        while let Some(here) = at {
            match self.index.entity(here).kind {
                EntityKind::File => return self.index.entity(entity).owner.is_none(),
                EntityKind::Module => at = self.index.parent(here),
                _ => return false,
            }
        }
        false
    }
}
