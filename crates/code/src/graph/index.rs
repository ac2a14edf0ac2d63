//! Indexes what is defined where. Entities and names are numbered across all files.

use crate::hash::FastMap;
use crate::lang::{Family, Language};
use crate::model::*;

use super::EntityRef;

/// A name; its number is the same in all files.
pub type Symbol = u32;
/// An entity's number across all files.
pub type Global = u32;

pub struct EntityIndex<'a> {
    pub files: Vec<&'a ParsedFile>,
    /// The first entity of each file.
    starts: Vec<Global>,
    pub file_of: Vec<u32>,
    symbols: FastMap<&'a str, Symbol>,
    texts: Vec<&'a str>,
    /// Maps each file's name numbers to those of all files.
    local_symbols: Vec<Vec<Symbol>>,
    pub symbol_of: Vec<Symbol>,
    /// Entities by parent and name.
    pub children: FastMap<(Global, Symbol), Vec<Global>>,
    pub by_name: FastMap<Symbol, Vec<Global>>,
    /// Top-level entities of a package, by package and name.
    pub packages: FastMap<(Family, &'a str, Symbol), Vec<Global>>,
    pub package_names: FastMap<(Family, &'a str), u32>,
}

impl<'a> EntityIndex<'a> {
    pub fn new(files: Vec<&'a ParsedFile>) -> EntityIndex<'a> {
        let mut index = EntityIndex {
            files,
            starts: Vec::new(),
            file_of: Vec::new(),
            symbols: FastMap::default(),
            texts: Vec::new(),
            local_symbols: Vec::new(),
            symbol_of: Vec::new(),
            children: FastMap::default(),
            by_name: FastMap::default(),
            packages: FastMap::default(),
            package_names: FastMap::default(),
        };
        for number in 0..index.files.len() {
            index.add_file(number as u32);
        }
        index
    }

    fn add_file(&mut self, number: u32) {
        let file = self.files[number as usize];
        let start = self.file_of.len() as Global;
        self.starts.push(start);
        let local = file.names.iter().map(|name| self.intern(name)).collect();
        self.local_symbols.push(local);
        for import in &file.imports {
            for name in [&import.name, &import.alias].into_iter().flatten() {
                self.intern(name);
            }
        }
        let family = file.language.map(Language::family);
        let package = family.and_then(|family| package_of(file, family).map(|package| (family, package)));
        if let Some(key) = package {
            self.package_names.entry(key).or_insert(number);
        }
        for (at, entity) in file.entities.iter().enumerate() {
            let global = start + at as Global;
            let symbol = self.intern(&entity.name);
            self.file_of.push(number);
            self.symbol_of.push(symbol);
            if let Some(parent) = entity.parent
                && entity.owner.is_none()
            {
                self.children.entry((start + parent.0, symbol)).or_default().push(global);
                if let Some((family, package)) = package
                    && parent == EntityId::FILE
                {
                    self.packages.entry((family, package, symbol)).or_default().push(global);
                }
            }
            if entity.kind != EntityKind::File {
                self.by_name.entry(symbol).or_default().push(global);
            }
        }
    }

    fn intern(&mut self, name: &'a str) -> Symbol {
        let next = self.symbols.len() as Symbol;
        let symbol = *self.symbols.entry(name).or_insert(next);
        if symbol == next {
            self.texts.push(name);
        }
        symbol
    }

    pub fn text(&self, symbol: Symbol) -> &'a str {
        self.texts[symbol as usize]
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    pub fn symbol_in(&self, file: u32, name: NameId) -> Symbol {
        self.local_symbols[file as usize][name.0 as usize]
    }

    pub fn global(&self, file: u32, entity: EntityId) -> Global {
        self.starts[file as usize] + entity.0
    }

    pub fn file_entity(&self, file: u32) -> Global {
        self.starts[file as usize]
    }

    pub fn entity_ref(&self, global: Global) -> EntityRef {
        let file = self.file_of[global as usize];
        EntityRef { file, entity: EntityId(global - self.starts[file as usize]) }
    }

    pub fn entity(&self, global: Global) -> &'a Entity {
        let at = self.entity_ref(global);
        &self.files[at.file as usize].entities[at.entity.index()]
    }

    pub fn file(&self, global: Global) -> &'a ParsedFile {
        self.files[self.file_of[global as usize] as usize]
    }

    pub fn language(&self, file: u32) -> Option<Language> {
        self.files[file as usize].language
    }

    pub fn family(&self, file: u32) -> Option<Family> {
        self.language(file).map(Language::family)
    }

    pub fn parent(&self, global: Global) -> Option<Global> {
        let at = self.entity_ref(global);
        self.entity(global).parent.map(|parent| self.global(at.file, parent))
    }

    /// The innermost type that encloses the entity, or is it.
    pub fn enclosing_type(&self, global: Global) -> Option<Global> {
        let mut at = Some(global);
        while let Some(here) = at {
            if self.entity(here).kind == EntityKind::Type {
                return Some(here);
            }
            at = self.parent(here);
        }
        None
    }

    pub fn children(&self, of: Global, symbol: Symbol) -> &[Global] {
        self.children.get(&(of, symbol)).map_or(&[], Vec::as_slice)
    }
}

/// The package that files share without imports: a declared one, or in Go a folder.
pub fn package_of(file: &ParsedFile, family: Family) -> Option<&str> {
    match family {
        Family::Go => Some(folder(&file.path)),
        Family::Jvm | Family::CSharp | Family::Php => Some(file.package.as_deref().unwrap_or("")),
        _ => None,
    }
}

pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
