//! Which file or package does an import name? Each language writes paths differently.

use crate::lang::Family;
use crate::model::*;

use super::index::{EntityIndex, folder};
use crate::hash::FastMap;

/// What the module text of an import refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module<'a> {
    File(u32),
    /// A Go folder, a Java package, a C# or PHP namespace.
    Package(&'a str),
}

pub struct Modules<'a> {
    paths: Vec<&'a str>,
    by_path: FastMap<&'a str, u32>,
    by_file_name: FastMap<&'a str, Vec<u32>>,
    /// Python modules by their dotted names, Rust modules by crate and path.
    by_name: FastMap<String, Vec<u32>>,
    /// The module of each Rust file.
    rust_names: FastMap<u32, String>,
    /// Go modules: the import prefix, and its folder.
    go_roots: Vec<(&'a str, &'a str)>,
}

const SCRIPT_ENDINGS: &[&str] = &[".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"];

impl<'a> Modules<'a> {
    pub fn new(index: &EntityIndex<'a>) -> Modules<'a> {
        let mut modules = Modules {
            paths: index.files.iter().map(|file| file.path.as_str()).collect(),
            by_path: FastMap::default(),
            by_file_name: FastMap::default(),
            by_name: FastMap::default(),
            rust_names: FastMap::default(),
            go_roots: Vec::new(),
        };
        for (number, file) in index.files.iter().enumerate() {
            modules.by_path.insert(file.path.as_str(), number as u32);
            let name = file.path.rsplit('/').next().unwrap_or("");
            modules.by_file_name.entry(name).or_default().push(number as u32);
        }
        let crates = rust_crates(&index.files);
        for (number, file) in index.files.iter().enumerate() {
            let number = number as u32;
            match index.family(number) {
                Some(Family::Python) => {
                    for name in modules.python_names(&file.path) {
                        modules.by_name.entry(name).or_default().push(number);
                    }
                }
                Some(Family::Rust) => {
                    let name = rust_name(&file.path, &crates);
                    modules.by_name.entry(name.clone()).or_default().push(number);
                    modules.rust_names.insert(number, name);
                }
                _ => {}
            }
            if file.path.rsplit('/').next() == Some("go.mod")
                && let Some(package) = &file.package
            {
                modules.go_roots.push((package, folder(&file.path)));
            }
        }
        modules
    }

    /// The module that an import in a file names, if it is in the repository.
    pub fn find(&self, index: &EntityIndex<'a>, file: u32, import: &'a Import) -> Option<Module<'a>> {
        let path = index.files[file as usize].path.as_str();
        match index.family(file)? {
            Family::Python => self.python(path, &import.module).map(Module::File),
            Family::Script => self.script(path, &import.module).map(Module::File),
            Family::Go => self.go(index, &import.module).map(Module::Package),
            Family::C | Family::Ruby => self.include(path, &import.module).map(Module::File),
            family => {
                let key = (family, import.module.as_str());
                index.package_names.contains_key(&key).then_some(Module::Package(&import.module))
            }
        }
    }

    /// A file beside or below a Python package's file.
    pub fn submodule(&self, path: &str, name: &str) -> Option<u32> {
        let folder = path.strip_suffix("__init__.py")?;
        let beside = |tail: &str| self.by_path.get(format!("{folder}{name}{tail}").as_str()).copied();
        beside(".py").or_else(|| beside("/__init__.py")).or_else(|| beside(".pyi"))
    }

    /// The dotted names under which a Python file can be imported: relative to the outermost package, and to the top of
    /// the repository.
    fn python_names(&self, path: &str) -> Vec<String> {
        let module = path.trim_end_matches(".pyi").trim_end_matches(".py");
        let module = module.strip_suffix("/__init__").unwrap_or(module);
        let mut root = folder(module);
        while self.by_path.contains_key(format!("{root}/__init__.py").as_str()) {
            root = folder(root);
        }
        let inner = if root.is_empty() { module } else { &module[root.len() + 1..] };
        let mut names = vec![inner.replace('/', ".")];
        if inner.len() < module.len() {
            names.push(module.replace('/', "."));
        }
        names
    }

    pub fn python(&self, from: &str, module: &str) -> Option<u32> {
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        if dots == 0 {
            let found = self.by_name.get(module)?;
            return found.iter().copied().max_by_key(|file| (self.shared_prefix(from, *file), u32::MAX - file));
        }
        let mut base = folder(from);
        for _ in 1..dots {
            base = folder(base);
        }
        let tail = module[dots..].replace('.', "/");
        let joined = match (base.is_empty(), tail.is_empty()) {
            (true, _) => tail,
            (false, true) => base.to_owned(),
            (false, false) => format!("{base}/{tail}"),
        };
        let as_file = |tail: &str| self.by_path.get(format!("{joined}{tail}").as_str()).copied();
        as_file(".py").or_else(|| as_file("/__init__.py")).or_else(|| as_file(".pyi"))
    }

    fn shared_prefix(&self, from: &str, file: u32) -> usize {
        let path = self.paths[file as usize];
        from.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count()
    }

    fn script(&self, from: &str, module: &str) -> Option<u32> {
        let joined = if module.starts_with('.') {
            join(folder(from), module)
        } else {
            // Path aliases usually stand for the source folder.
            let tail = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/"))?;
            format!("src/{tail}")
        };
        let bare = SCRIPT_ENDINGS.iter().find_map(|ending| joined.strip_suffix(ending));
        let stems = [Some(joined.as_str()), bare];
        if let Some(file) = self.by_path.get(joined.as_str()) {
            return Some(*file);
        }
        for stem in stems.into_iter().flatten() {
            for middle in ["", "/index"] {
                for ending in SCRIPT_ENDINGS {
                    if let Some(file) = self.by_path.get(format!("{stem}{middle}{ending}").as_str()) {
                        return Some(*file);
                    }
                }
            }
        }
        None
    }

    fn go(&self, index: &EntityIndex<'a>, module: &'a str) -> Option<&'a str> {
        let known = |at: &str| -> Option<&'a str> {
            let first = *index.package_names.get(&(Family::Go, at))?;
            let file: &'a ParsedFile = index.files[first as usize];
            Some(folder(&file.path))
        };
        for (root, at) in &self.go_roots {
            let Some(tail) = module.strip_prefix(root) else { continue };
            let tail = tail.trim_start_matches('/');
            let folder = match (at.is_empty(), tail.is_empty()) {
                (true, _) => tail.to_owned(),
                (false, true) => (*at).to_owned(),
                _ => format!("{at}/{tail}"),
            };
            if let Some(folder) = known(&folder) {
                return Some(folder);
            }
        }
        if !self.go_roots.is_empty() || !module.split('/').next()?.contains('.') {
            return None;
        }
        // Without a go.mod: the longest suffix of the path that is a folder here.
        let mut tail = module;
        while let Some((_, rest)) = tail.split_once('/') {
            tail = rest;
            if let Some(folder) = known(tail) {
                return Some(folder);
            }
        }
        known("")
    }

    fn include(&self, from: &str, module: &str) -> Option<u32> {
        for ending in ["", ".rb"] {
            let near = format!("{}{ending}", join(folder(from), module));
            if let Some(file) = self.by_path.get(near.as_str()) {
                return Some(*file);
            }
        }
        let last = module.rsplit('/').next().unwrap_or(module);
        let with_ending = format!("{last}.rb");
        let tails = [format!("/{module}"), format!("/{module}.rb")];
        // Files are ordered by path, so the first is always the same.
        let named = |name: &str| self.by_file_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut candidates = named(last).iter().chain(named(&with_ending));
        candidates
            .find(|file| {
                let path = self.paths[**file as usize];
                path == module || tails.iter().any(|tail| path.ends_with(tail.as_str()))
            })
            .copied()
    }

    /// The Rust module of a file, as a path from its crate's name.
    pub fn rust_name(&self, file: u32) -> Option<&str> {
        self.rust_names.get(&file).map(String::as_str)
    }

    /// The file of a Rust module.
    pub fn rust_file(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).and_then(|files| files.first().copied())
    }
}

/// `a/b` and `../c` make `a/c`.
fn join(base: &str, tail: &str) -> String {
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in tail.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Folders that hold a crate, with the crate's name; the longest first.
fn rust_crates<'a>(files: &[&'a ParsedFile]) -> Vec<(&'a str, String)> {
    let mut crates = Vec::new();
    for file in files {
        if file.path.rsplit('/').next() == Some("Cargo.toml") {
            let at = folder(&file.path);
            let name = file.package.clone().unwrap_or_else(|| at.rsplit('/').next().unwrap_or("").to_owned());
            crates.push((at, name.replace('-', "_")));
        }
    }
    if crates.is_empty() {
        crates.push(("", "crate".to_owned()));
    }
    crates.sort_by_key(|(at, _)| std::cmp::Reverse(at.len()));
    crates
}

fn rust_name(path: &str, crates: &[(&str, String)]) -> String {
    let inside = |at: &str| at.is_empty() || path.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'));
    let (at, name) = crates.iter().find(|(at, _)| inside(at)).map_or(("", "crate"), |(at, name)| (*at, name.as_str()));
    let inner = path[at.len()..].trim_start_matches('/');
    let (name, inner) = match inner.strip_prefix("src/") {
        Some(rest) => (name.to_owned(), rest.to_owned()),
        // Tests and examples are crates of their own.
        None => (format!("{name}/{}", folder(inner)), inner.rsplit('/').next().unwrap_or("").to_owned()),
    };
    let module = inner.trim_end_matches(".rs");
    let module = module.strip_suffix("/mod").unwrap_or(module);
    match module {
        "lib" | "main" | "mod" => name,
        module => format!("{name}::{}", module.replace('/', "::")),
    }
}
