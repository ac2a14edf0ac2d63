//! The crate only reads text: what it is given is all that it knows.

use std::path::{Path, PathBuf};

mod house;

/// `mod.rs` files that still hold more than one entry.
const CROWDED: &[&str] = &[
"clauses/mod.rs",
"diagnostics/mod.rs",
"embed/mod.rs",
"embed/sentence/mod.rs",
"redact/mod.rs",
"shell/mod.rs",
"talk/cast/mod.rs",
"talk/hierarchy/mod.rs",
"talk/intent/mod.rs",
"talk/mask/mod.rs",
];
/// Visible functions that still take a `bool`.
const WITH_BOOL: &[&str] = &[
"shell/document.rs: new",
"shell/dollar.rs: dollar",
"shell/dollar.rs: back_ticks",
"shell/script.rs: push_text",
"talk/cast/behaviour.rs: leader",
"talk/intent/forms.rs: kind",
"talk/mask/detect.rs: set",
"talk/mask/transition.rs: new",
"text/expand.rs: expand",
];

#[test]
fn a_mod_file_holds_one_entry() {
    house::check("a `mod.rs` holds doc, modules, re-exports and one entry", &house::crowded_mods(&src()), CROWDED);
}

#[test]
fn no_visible_function_takes_a_bool() {
    house::check("an enum says what a `bool` argument means", &house::bool_parameters(&src()), WITH_BOOL);
}

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

/// Tests and planted secrets may name what the crate must not use.
fn is_test_data(file: &Path) -> bool {
    file.ends_with("tests.rs")
        || file.components().any(|part| ["planted", "tests"].contains(&&*part.as_os_str().to_string_lossy()))
}
