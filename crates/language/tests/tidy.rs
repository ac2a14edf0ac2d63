//! The crate only reads the text that it is given.

use std::path::{Path, PathBuf};

mod house;

#[test]
fn nothing_but_text_is_read() {
    let outside = [
        "std::fs", "std::env::", "std::net", "std::process", "std::thread", "SystemTime", "Instant::now", "println!",
        "rusqlite", "git2", "SELECT ",
    ];
    let mut wrong = Vec::new();
    for file in house::rust_files(&src()).into_iter().filter(|file| !is_test_data(file)) {
        let text = house::code(&file);
        let used = outside.iter().filter(|word| text.contains(**word));
        wrong.extend(used.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Tests and planted secrets may name forbidden things.
fn is_test_data(file: &Path) -> bool {
    file.ends_with("tests.rs")
        || file.components().any(|part| ["planted", "tests"].contains(&&*part.as_os_str().to_string_lossy()))
}
