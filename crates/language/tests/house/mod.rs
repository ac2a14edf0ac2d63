//! House rules that every crate checks in its tests. Other crates include this file by its path.

#![allow(dead_code, reason = "a crate uses only some of the rules")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Fails on every finding. There are no exceptions.
pub fn check(rule: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{rule}:\n{}", findings.join("\n"));
}

/// The `mod.rs` files that contain more than their doc, modules, re-exports, constants and one public entry: a
/// function, or a type with its `impl` blocks. Each finding is the path inside `src`.
pub fn crowded_mods(src: &Path) -> Vec<String> {
    let files = rust_files(src).into_iter().filter(|file| file.ends_with("mod.rs") && !is_test(file));
    files.filter(|file| is_crowded(&code(file))).map(|file| inside(src, &file)).collect()
}

/// The visible functions that take a `bool` by value. Each finding is `path: function`.
pub fn bool_parameters(src: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    for file in rust_files(src).into_iter().filter(|file| !is_test(file)) {
        let path = inside(src, &file);
        findings.extend(functions_with_bool(&code(&file)).into_iter().map(|name| format!("{path}: {name}")));
    }
    findings
}

/// The names that more than one visible type of a crate has. A file `without_…` stands in for a feature that is off,
/// so its types are those of the feature.
pub fn repeated_types(src: &Path) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let stands_in = |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("without_"));
    for file in rust_files(src).into_iter().filter(|file| !is_test(file) && !stands_in(file)) {
        let text = code(&file);
        let types = text.lines().filter_map(item).filter(|item| item.is_public && item.keyword != "fn");
        for item in types {
            places.entry(item.name.to_owned()).or_default().push(inside(src, &file));
        }
    }
    let repeated = places.into_iter().filter(|(_, files)| files.len() > 1);
    repeated.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
}

/// The uses of folders and files that do not come before their user in `order`, and each `super` that leaves its
/// folder. Each finding is `path: use`.
pub fn wrong_directions(src: &Path, order: &[&[&str]]) -> Vec<String> {
    let rank = |name: &str| order.iter().position(|level| level.contains(&name));
    let mut findings = Vec::new();
    for file in rust_files(src).into_iter().filter(|file| !is_test(file)) {
        let (path, text) = (inside(src, &file), code(&file));
        let folder = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(own) = rank(folder) else {
            findings.push(format!("{path}: no place in the order"));
            continue;
        };
        let depth = path.split('/').count() - usize::from(path.ends_with("mod.rs"));
        if folder != "lib" && text.contains(&"super::".repeat(depth)) {
            findings.push(format!("{path}: `super` leaves its folder"));
        }
        let used = used_modules(&text).into_iter();
        let wrong = used.filter(|used| used != folder && rank(used).is_none_or(|other| other >= own));
        findings.extend(wrong.map(|used| format!("{path}: uses crate::{used}")));
    }
    findings
}

/// The modules at the top of a crate that use each other in a circle, with those that use them.
pub fn modules_in_cycles(src: &Path) -> Vec<String> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in rust_files(src).into_iter().filter(|file| !is_test(file)) {
        let path = inside(src, &file);
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let used = used_modules(&code(&file)).into_iter().filter(|used| *used != module);
        uses.entry(module.clone()).or_default().extend(used);
    }
    uses.retain(|module, _| module != "main" && module != "lib");
    // Removes modules that use none of the others, until only cycles are left.
    loop {
        let known: BTreeSet<String> = uses.keys().cloned().collect();
        uses.retain(|_, used| used.iter().any(|used| known.contains(used)));
        if uses.len() == known.len() {
            return uses.into_keys().collect();
        }
    }
}

/// The first names of all paths that start with `crate::`.
fn used_modules(code: &str) -> Vec<String> {
    let first_name = |text: &str| text.trim_start().split(|c| !is_name(c)).next().unwrap_or_default().to_owned();
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(_) => names.extend(split_outside_brackets(bracketed(rest, '{', '}')).map(first_name)),
            None => names.push(first_name(rest)),
        }
    }
    names
}

/// The uses of these words in the code of a crate. Each finding is `path: word`.
pub fn uses_of(src: &Path, words: &[&str]) -> Vec<String> {
    uses_outside(src, words, &[])
}

/// The same, except in files whose path starts with one of `places`.
pub fn uses_outside(src: &Path, words: &[&str], places: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in rust_files(src).into_iter().filter(|file| !is_test(file)) {
        let (path, text) = (inside(src, &file), code(&file));
        if !places.iter().any(|place| path.starts_with(place)) {
            let used = words.iter().filter(|word| text.contains(**word));
            findings.extend(used.map(|word| format!("{path}: {word}")));
        }
    }
    findings
}

/// All Rust files below a folder, in order.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A file without comment lines and without the tests at its end.
pub fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

fn is_test(file: &Path) -> bool {
    file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests")
}

fn inside(src: &Path, file: &Path) -> String {
    file.strip_prefix(src).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

fn is_crowded(code: &str) -> bool {
    let items = || code.lines().filter_map(item);
    let entries: Vec<Item<'_>> = items().filter(|item| item.is_public).collect();
    let entry = entries.first().map(|item| item.name);
    let has_foreign_impl = code
        .lines()
        .filter(|line| line.starts_with("impl"))
        .any(|line| entry.is_none_or(|name| !line.split(|c: char| !is_name(c)).any(|word| word == name)));
    entries.len() > 1 || items().any(|item| !item.is_public) || has_foreign_impl
}

struct Item<'a> {
    keyword: &'a str,
    name: &'a str,
    is_public: bool,
}

/// The function or type declared by an unindented line.
fn item(line: &str) -> Option<Item<'_>> {
    let (is_public, mut rest) = match visible(line) {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).filter(|rest| rest.starts_with("fn ")).unwrap_or(rest);
    }
    let (keyword, rest) = rest.split_once(' ')?;
    let is_item = ["fn", "struct", "enum", "trait", "type"].contains(&keyword);
    is_item.then(|| Item { keyword, name: rest.split(|c| !is_name(c)).next().unwrap_or_default(), is_public })
}

/// The text after `pub`, `pub(crate)` or `pub(super)`.
fn visible(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub")?;
    match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(") ").map(|(_, rest)| rest),
        None => rest.strip_prefix(' '),
    }
}

fn functions_with_bool(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut offset = 0;
    for line in code.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let Some(function) = visible(line.trim_start()).and_then(item_of_function) else {
            continue;
        };
        if parameters(&code[start..], function).contains(&"bool") {
            names.push(function);
        }
    }
    names
}

fn item_of_function(rest: &str) -> Option<&str> {
    let rest = ["const ", "async "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let rest = rest.strip_prefix("fn ")?;
    rest.split(|c| !is_name(c)).next()
}

/// The parameter types of the function declared at the start of a text.
fn parameters<'a>(text: &'a str, function: &str) -> Vec<&'a str> {
    let declared = text.find("fn ").map_or(0, |at| at + "fn ".len());
    let after_name = declared + function.len();
    let after_generics = after_name + generics(&text[after_name..]);
    let list = bracketed(&text[after_generics..], '(', ')');
    split_outside_brackets(list)
        .filter_map(|parameter| parameter.split_once(": "))
        .map(|(_, kind)| kind.trim())
        .collect()
}

/// The length of the `<…>` after a function's name.
fn generics(text: &str) -> usize {
    if text.starts_with('<') { text.find(">(").map_or(0, |at| at + 1) } else { 0 }
}

/// The text between the first opening bracket and its closing one.
fn bracketed(text: &str, open: char, close: char) -> &str {
    let mut depth = 0;
    let start = text.find(open).map_or(text.len(), |at| at + 1);
    for (at, c) in text[start..].char_indices() {
        match c {
            _ if c == open => depth += 1,
            _ if c == close && depth == 0 => return &text[start..start + at],
            _ if c == close => depth -= 1,
            _ => {}
        }
    }
    &text[start..]
}

fn split_outside_brackets(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c| {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn bool_parameters_are_found_and_predicates_are_not() {
    let code = "pub fn a(x: bool) {}\n\
                fn private(x: bool) {}\n\
                pub(super) const fn b<T: Into<u8>>(\n    t: T,\n    x: bool,\n) -> bool {}\n\
                pub fn c(f: impl Fn(u8, bool) -> bool, p: &[bool]) -> bool {}\n";
    assert_eq!(functions_with_bool(code), ["a", "b"]);
}

#[test]
fn a_crowded_mod_is_recognised() {
    assert!(!is_crowded("mod a;\npub use a::A;\npub const N: u8 = 1;\npub struct B;\nimpl B {}\nimpl Drop for B {}\n"));
    assert!(!is_crowded("mod a;\npub fn run() {\n    fn inner() {}\n}\n"));
    assert!(is_crowded("pub fn run() {}\nfn helper() {}\n"));
    assert!(is_crowded("pub struct A;\npub struct B;\n"));
    assert!(is_crowded("pub struct A;\nimpl Other {}\n"));
}
