//! Which file of the tree does a path refer to?

use rustc_hash::FxHashMap;

use super::FileNum;
use crate::path_names::{file_name, stem};

/// The files, indexed by the ends of their paths.
pub struct Paths {
    all: Vec<String>,
    exact: FxHashMap<String, FileNum>,
    /// By the last component.
    by_name: FxHashMap<String, Vec<FileNum>>,
    /// By the last component of the module.
    by_module: FxHashMap<String, Vec<FileNum>>,
}

impl Paths {
    pub fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Vec::new();
        let mut exact = FxHashMap::default();
        let mut by_name: FxHashMap<String, Vec<FileNum>> = FxHashMap::default();
        let mut by_module: FxHashMap<String, Vec<FileNum>> = FxHashMap::default();
        for (id, path) in (0u32..).zip(paths) {
            by_module.entry(file_name(module_path(path)).to_owned()).or_default().push(id);
            all.push(path.to_owned());
            exact.insert(path.to_owned(), id);
            by_name.entry(file_name(path).to_owned()).or_default().push(id);
        }
        Self { all, exact, by_name, by_module }
    }

    pub fn exact(&self, path: &str) -> Option<FileNum> {
        self.exact.get(path).copied()
    }

    /// The current file for a path of the past: the same path, or the only file with its name.
    pub fn now(&self, path: &str) -> Option<FileNum> {
        self.exact(path).or_else(|| match self.by_name.get(file_name(path)).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        })
    }

    /// The files whose path ends like `path`, or is a suffix of it, with the number of agreeing components.
    pub fn ending_like(&self, path: &str) -> Vec<(FileNum, usize)> {
        let Some(candidates) = self.by_name.get(file_name(path)) else { return Vec::new() };
        let agree = |other: &str| other.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b).count();
        candidates.iter().map(|&id| (id, agree(&self.all[id as usize]))).collect()
    }

    /// The files whose path without extension ends in all of `module`; a folder's own file (`mod.rs`, `__init__.py`,
    /// `index.js`) represents the folder.
    pub fn modules_ending_like(&self, module: &str) -> Vec<(FileNum, usize)> {
        let components = module.split('/').count();
        let Some(candidates) = self.by_module.get(file_name(module)) else { return Vec::new() };
        let ends = |id: &&u32| {
            let path = module_path(&self.all[**id as usize]);
            path.strip_suffix(module).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        candidates.iter().filter(ends).map(|&id| (id, components)).collect()
    }
}

/// The path without extension, and without the name of a folder's own file.
fn module_path(path: &str) -> &str {
    let path = &path[..path.len() - file_name(path).len() + stem(path).len()];
    ["/mod", "/__init__", "/index", "/lib"].iter().find_map(|own| path.strip_suffix(own)).unwrap_or(path)
}
