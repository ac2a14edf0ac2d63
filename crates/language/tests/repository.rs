//! House rules for the whole repository: its documents, its dependencies and its words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod house;

/// Tables of a `Cargo.toml` that name dependencies end with one of these.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

#[test]
fn every_dependency_has_a_reason() {
    let reasons = read(&root().join("docs/decisions/0010-dependencies.md"));
    let cells = reasons.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let explained: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut missing = BTreeSet::new();
    for manifest in manifests() {
        let names = dependencies(&read(&manifest));
        let foreign = names.into_iter().filter(|name| !name.starts_with("backstory"));
        missing.extend(foreign.filter(|name| !explained.contains(name.as_str())));
    }
    assert!(missing.is_empty(), "no row in docs/decisions/0010-dependencies.md: {missing:?}");
}

#[test]
fn every_link_resolves() {
    let texts: BTreeMap<PathBuf, String> = documents().into_iter().map(|path| (path.clone(), read(&path))).collect();
    let mut broken = Vec::new();
    for (path, text) in &texts {
        for link in links(text).into_iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            if !resolves(path, link, &texts) {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_word_of_the_glossary_is_used() {
    let glossary = root().join("docs/glossary.md");
    let documents = documents().into_iter().filter(|path| *path != glossary);
    let code = house::rust_files(&root().join("crates"));
    let used: String = documents.chain(code).map(|path| plain(&read(&path))).collect();
    let text = read(&glossary);
    let words = text.lines().filter_map(|line| line.strip_prefix("| **")?.split("**").next());
    let unused: Vec<&str> = words.filter(|word| !used.contains(&plain(word))).collect();
    assert!(unused.is_empty(), "words that only the glossary uses: {unused:?}");
}

#[test]
fn no_crate_has_a_cycle_of_modules() {
    check(&crates(), "modules of a crate look down only", house::modules_in_cycles);
}

#[test]
fn a_mod_file_holds_one_entry() {
    check(&shipped(), "a `mod.rs` holds doc, modules, re-exports and one entry", house::crowded_mods);
}

#[test]
fn no_visible_function_takes_a_bool() {
    check(&shipped(), "an enum says what a `bool` argument means", house::bool_parameters);
}

/// Of types that other files can see. A private type is explained by its file.
#[test]
fn a_type_name_means_one_thing_in_its_crate() {
    check(&crates(), "a visible type's name means one thing", house::repeated_types);
}

fn check(crates: &[PathBuf], rule: &str, find: impl Fn(&Path) -> Vec<String>) {
    let findings_of = |folder: &PathBuf| {
        let found = find(&folder.join("src")).into_iter();
        found.map(|found| format!("{}: {found}", folder.display())).collect::<Vec<_>>()
    };
    house::check(rule, &crates.iter().flat_map(findings_of).collect::<Vec<_>>());
}

fn crates() -> Vec<PathBuf> {
    manifests().iter().filter_map(|manifest| Some(manifest.parent()?.to_owned())).collect()
}

/// All but what only measures.
fn shipped() -> Vec<PathBuf> {
    crates().into_iter().filter(|folder| !folder.ends_with("eval")).collect()
}

/// Words that have been replaced; see the glossary.
const BANNED: [(&str, &str); 15] = [
    ("desk", "ask context"),
    ("door", "surface"),
    ("doors", "surfaces"),
    ("wire", "json"),
    ("screen", "terminal"),
    ("gallery", "chunk renderer"),
    ("book", "card set"),
    ("stretch", "cap window"),
    ("lately", "recent"),
    ("rights", "permissions"),
    ("patience", "timeout"),
    ("anew", "rebuilt"),
    ("torn", "truncated"),
    ("complaint", "diagnostic"),
    ("retold", "quoted"),
];

#[test]
fn no_name_uses_a_banned_word() {
    let mut wrong = Vec::new();
    for file in house::rust_files(&root().join("crates")).into_iter().filter(|file| is_source(file)) {
        for name in names(&without_strings(&house::code(&file))) {
            let parts = plain(&name);
            let banned = BANNED.iter().find(|(word, _)| parts.split(' ').any(|part| part == *word));
            wrong.extend(banned.map(|(_, better)| format!("{}: {name}, better: {better}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Part of a crate, but not a test: tests may use other words.
fn is_source(file: &Path) -> bool {
    let is = |name: &str| file.components().any(|part| part.as_os_str() == name);
    is("src") && !is("tests") && !file.ends_with("tests.rs")
}

fn names(code: &str) -> BTreeSet<String> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

/// Code without the contents of its strings.
fn without_strings(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            'r' if rest.starts_with("r#\"") => rest[3..].find("\"#").map_or(rest.len(), |at| at + 5),
            '"' => end_of_string(rest),
            '\'' if rest.starts_with("'\"'") => 3,
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        out.push(' ');
        rest = &rest[end..];
    }
    out
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Does the file exist, and does it have that heading?
fn resolves(from: &Path, link: &str, texts: &BTreeMap<PathBuf, String>) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(Path::new(""));
    let target = if file.is_empty() { from.to_owned() } else { normal(&folder.join(file)) };
    let has_heading = || texts.get(&target).is_some_and(|text| anchors(text).contains(anchor));
    target.exists() && (anchor.is_empty() || has_heading())
}

/// The targets of `[text](target)` outside code.
fn links(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    for line in prose(text) {
        let outside_code: Vec<&str> = line.split('`').step_by(2).collect();
        for part in outside_code {
            links.extend(part.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
        }
    }
    links
}

/// The link anchors of headings, as GitHub generates them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter_map(|line| line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')));
    let mut anchors = BTreeSet::new();
    for heading in headings {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let again = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(again).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// The lines outside fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The names in the dependency tables of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_dependencies = false;
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            is_dependencies = DEPENDENCY_TABLES.iter().any(|name| table.rsplit('.').next() == Some(name));
        } else if is_dependencies && let Some((name, _)) = line.split_once(" = ") {
            names.push(name.trim_matches('"').to_owned());
        }
    }
    names
}

/// In lower case, with words separated by one space: `AskContext`, `ask_context` and `ask context` are equal.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            out.push(' ');
        }
        match c {
            _ if c.is_alphanumeric() => out.extend(c.to_lowercase()),
            _ if out.ends_with(' ') => {}
            _ => out.push(' '),
        }
        before = c;
    }
    out
}

fn manifests() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).into_iter().flatten().flatten();
    crates.map(|entry| entry.path().join("Cargo.toml")).filter(|path| path.exists()).collect()
}

/// All documents of the repository.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !["target", "node_modules", "demo"].contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn normal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn root() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}
