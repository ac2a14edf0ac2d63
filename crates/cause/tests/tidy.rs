//! House rules that a compiler does not check.

use std::path::Path;

#[path = "../../language/tests/house/mod.rs"]
mod house;

/// A folder or file may use those before it, and itself.
const ORDER: &[&[&str]] = &[
    &["flat", "path_names", "role", "terms"],
    &["postings"],
    &["digest"],
    &["tree"],
    &["past", "settings"],
    &["locate", "store"],
    &["impact"],
    &["relevance"],
    &["drawing"],
    &["lib"],
];

fn src() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn folders_only_look_down() {
    house::check("a folder looks down only", &house::wrong_directions(&src(), ORDER));
}

/// Only `store` holds rows; only `past/git` reads git objects.
#[test]
fn storage_and_git_have_their_places() {
    let sql = ["rusqlite", "select ", "insert ", "delete from", "pragma"];
    house::check("only `store` speaks SQL", &house::uses_outside(&src(), &sql, &["store"]));
    house::check("only `past/git` reads git objects", &house::uses_outside(&src(), &["git2"], &["past/git"]));
    let opening = ["files::git", "git::open("];
    house::check(
        "repositories are opened where named",
        &house::uses_outside(&src(), &opening, &["past/git", "store/rules.rs"]),
    );
}

#[test]
fn the_crate_knows_no_environment_network_or_terminal() {
    let words = ["std::env::", "home_dir(", "println!", "std::net", "process::Command", "backstory_engine"];
    house::check("what it needs comes in as arguments", &house::uses_of(&src(), &words));
}
