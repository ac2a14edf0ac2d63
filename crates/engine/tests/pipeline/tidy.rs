//! House rules that the compiler does not check.

use std::fs;
use std::path::Path;

#[path = "../../../language/tests/house/mod.rs"]
mod house;

use house::rust_files;

/// A folder may use itself and those before it.
const ORDER: [&[&str]; 5] = [&["model"], &["store"], &["log"], &["ingest", "derive"], &["retrieve"]];
/// These are above the folders and may use all of them.
const TOP: [&str; 3] = ["memory", "fixture", "lib"];

#[test]
fn a_mod_file_holds_one_entry() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    house::check("a `mod.rs` holds doc, modules, re-exports and one entry", &house::crowded_mods(&src), &[]);
}

#[test]
fn no_visible_function_takes_a_bool() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    house::check("an enum says what a `bool` argument means", &house::bool_parameters(&src), &[]);
}

#[test]
fn folders_only_look_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in rust_files(&src) {
        let inside = file.strip_prefix(&src).unwrap_or(&file);
        let folder = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let folder = folder.unwrap_or_default().trim_end_matches(".rs").to_owned();
        if TOP.contains(&folder.as_str()) {
            continue;
        }
        let Some(rank) = rank(&folder) else {
            wrong.push(format!("{}: a folder without a place in the order", inside.display()));
            continue;
        };
        // Tests may build a world.
        if file.ends_with("tests.rs") || inside.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        // They are at the end of a file.
        let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        if text.contains(&"super::".repeat(depth(inside))) {
            wrong.push(format!("{}: `super` leaves its folder", inside.display()));
        }
        for used in names_after(&text, "crate::") {
            let allowed = used == folder || rank_of(&used).is_some_and(|other| other < rank);
            if !allowed {
                wrong.push(format!("{}: uses crate::{used}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "direction broken:\n{}", wrong.join("\n"));
}

/// Code that verbs and stages share belongs below both: in `model`, `store` or the crate
/// `language`. The exceptions: the list of stages, links with other options, and the judgements of
/// cards.
const VERBS_THAT_LOOK_INTO_STAGES: usize = 3;

#[test]
fn verbs_hardly_look_into_stages() {
    let verbs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join("retrieve");
    let mut uses = Vec::new();
    for file in rust_files(&verbs) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let named = names_after(&text, "crate::").into_iter().filter(|name| name == "derive");
        uses.extend(named.map(|_| file.display().to_string()));
    }
    assert!(uses.len() <= VERBS_THAT_LOOK_INTO_STAGES, "{} uses:\n{}", uses.len(), uses.join("\n"));
}

#[test]
fn only_the_store_speaks_sql() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        if file.starts_with(src.join("store")) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        for word in ["rusqlite", "SELECT ", "INSERT INTO", "DELETE FROM", "UPDATE ", "PRAGMA "] {
            assert!(!text.contains(word), "{}: speaks SQL ({word})", file.display());
        }
    }
}

#[test]
fn the_engine_knows_no_environment_clock_or_terminal() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src).into_iter().filter(|file| !is_test_data(file)) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let words = [
            "std::env::var", "home_dir(", "SystemTime::now", "Timestamp::now", "println!", "eprintln!", "std::net",
            "process::Command",
        ];
        for word in words {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
}

/// Tests may name things that the engine must not use.
fn is_test_data(file: &Path) -> bool {
    file.ends_with("tests.rs")
}

/// The number of modules that contain a file, its own included.
fn depth(inside: &Path) -> usize {
    inside.components().count() - usize::from(inside.ends_with("mod.rs"))
}

fn rank(folder: &str) -> Option<usize> {
    ORDER.iter().position(|level| level.contains(&folder))
}

/// The name may also be a re-export of the crate root: those have no rank.
fn rank_of(name: &str) -> Option<usize> {
    rank(name)
}

fn names_after(text: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for piece in line.split(prefix).skip(1) {
            names.push(piece.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    names
}
