//! House rules that a compiler does not check.

use std::path::Path;

#[path = "../../language/tests/house/mod.rs"]
mod house;

/// A folder or file may use those before it, and itself.
const ORDER: &[&[&str]] = &[&["hash", "lang"], &["model"], &["parse", "graph"], &["lib"]];

fn src() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn folders_only_look_down() {
    house::check("a folder looks down only", &house::wrong_directions(&src(), ORDER));
}

/// Parsing and resolving are pure: no storage, no terminal, no clock.
#[test]
fn nothing_but_source_text_is_read() {
    let outside = [
        "std::fs", "std::env", "std::net", "std::process", "SystemTime", "Instant::now", "println!", "git2",
        "rusqlite", "std::thread",
    ];
    house::check("the parser is pure", &house::uses_of(&src(), &outside));
}
