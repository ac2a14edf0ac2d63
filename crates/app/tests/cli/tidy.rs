//! House rules that a compiler does not check.

use std::fs;
use std::path::{Path, PathBuf};

use crate::env::TestResult;

#[path = "../../../language/tests/house/mod.rs"]
mod house;

#[test]
fn a_mod_file_holds_one_entry() {
    house::check("a `mod.rs` holds doc, modules, re-exports and one entry", &house::crowded_mods(&src()), &[]);
}

#[test]
fn no_visible_function_takes_a_bool() {
    house::check("an enum says what a `bool` argument means", &house::bool_parameters(&src()), &[]);
}

/// A module may use those of earlier lines, and earlier ones in its own line. Surfaces come last and do not know each
/// other; only `main` knows them all.
const ORDER: [&str; 6] = [
    "environment disk_space error permissions atomic_file config terminal untrusted unconfirmed hook_events process_limits",
    "home last_read actor_registry managed_block own_file project_suggestions damage hook_runs exposure working_tree session_watch root_commits endpoint progress",
    "embedding scope code_index ask_context",
    "setup json reply",
    "commands",
    "cli | hooks | mcp",
];

#[test]
fn modules_look_down_only() -> TestResult {
    let src = src();
    let mut wrong = Vec::new();
    for file in house::rust_files(&src) {
        let inside = file.strip_prefix(&src)?;
        let module = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let module = module.unwrap_or_default().trim_end_matches(".rs").to_owned();
        if module == "main" {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        // Tests may use anything; they are at the end of a file.
        let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        match below(&module) {
            None => wrong.push(format!("{}: a module without a place in the order", inside.display())),
            Some(below) => wrong.extend(
                used(text)
                    .into_iter()
                    .filter(|used| *used != module && below_or_in(used).is_some() && !below.contains(used))
                    .map(|used| format!("{}: uses crate::{used}", inside.display())),
            ),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The modules that this one may use.
fn below(module: &str) -> Option<Vec<String>> {
    let level = below_or_in(module)?;
    let line = |line: &str| line.split_whitespace().filter(|name| *name != "|").map(str::to_owned).collect::<Vec<_>>();
    let mut below: Vec<String> = ORDER[..level].iter().flat_map(|names| line(names)).collect();
    if !ORDER[level].contains('|') {
        below.extend(line(ORDER[level]).into_iter().take_while(|name| name != module));
    }
    Some(below)
}

fn below_or_in(module: &str) -> Option<usize> {
    ORDER.iter().position(|names| names.split_whitespace().any(|name| name == module))
}

/// The first names of all paths that start with `crate::`.
fn used(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in text.split("crate::").skip(1) {
        let inside = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        names.extend(inside.split(',').map(|name| name.split("::").next().unwrap_or_default().trim().to_owned()));
    }
    names
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
