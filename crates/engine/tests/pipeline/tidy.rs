//! House rules that the compiler does not check.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../language/tests/house/mod.rs"]
mod house;

use house::rust_files;

/// A folder or file may use those before it, and itself.
const ORDER: &[&[&str]] =
    &[&["model"], &["store"], &["log"], &["ingest", "derive"], &["retrieve"], &["memory"], &["fixture"], &["lib"]];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn folders_only_look_down() {
    house::check("a folder looks down only", &house::wrong_directions(&src(), ORDER));
}

/// Code that verbs and stages share belongs below both: in `model`, `store` or the crate
/// `language`. The exceptions: the list of stages, links with other options, and the judgements of
/// cards.
const VERBS_THAT_LOOK_INTO_STAGES: usize = 3;

#[test]
fn verbs_hardly_look_into_stages() {
    let files = rust_files(&src().join("retrieve"));
    let uses: Vec<String> = files
        .iter()
        .flat_map(|file| vec![file.display().to_string(); house::code(file).matches("crate::derive").count()])
        .collect();
    assert!(uses.len() <= VERBS_THAT_LOOK_INTO_STAGES, "{} uses:\n{}", uses.len(), uses.join("\n"));
}

#[test]
fn only_the_store_speaks_sql() {
    for file in rust_files(&src()) {
        if file.starts_with(src().join("store")) {
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
    for file in rust_files(&src()).into_iter().filter(|file| !is_test_data(file)) {
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
