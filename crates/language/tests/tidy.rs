//! The crate only reads text: what it is given is all that it knows.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn nothing_but_text_is_read() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let outside = [
        "std::fs", "std::env::", "std::net", "std::process", "std::thread", "SystemTime", "Instant::now", "println!",
        "rusqlite", "git2", "SELECT ",
    ];
    let mut wrong = Vec::new();
    for file in rust_files(&src).into_iter().filter(|file| !is_test_data(file)) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        // Tests stand at the end of a file.
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let text: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let used = outside.iter().filter(|word| text.contains(**word));
        wrong.extend(used.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests and planted secrets may name what the crate must not use.
fn is_test_data(file: &Path) -> bool {
    file.ends_with("tests.rs")
        || file.components().any(|part| ["planted", "tests"].contains(&&*part.as_os_str().to_string_lossy()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
