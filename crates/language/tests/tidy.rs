//! The crate is pure: no I/O, no environment, no clock, no other crates.

use std::fs;
use std::path::Path;

#[test]
fn nothing_but_text_is_read() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            for word in ["std::fs", "std::io", "std::net", "std::process", "std::env", "std::time", "println!"] {
                assert!(!text.contains(word), "{}: {word}", entry.path().display());
            }
        }
    }
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap_or_default();
    let dependencies = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split('[').next());
    assert_eq!(dependencies.map(str::trim), Some(""));
}
