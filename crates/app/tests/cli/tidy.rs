//! House rules that a compiler does not check.

use std::path::Path;

#[path = "../../../language/tests/house/mod.rs"]
mod house;

/// A module may use those before it. Surfaces come last and do not know each other; only `main` knows them all.
const ORDER: &str = "environment disk_space error permissions atomic_file config terminal untrusted unconfirmed host \
    hook_events process_limits home last_read actor_registry managed_block own_file project_suggestions damage \
    hook_runs exposure working_tree session_watch root_commits endpoint progress embedding scope code_index \
    ask_context setup json reply commands cli|hooks|mcp main";

#[test]
fn modules_look_down_only() {
    let levels: Vec<Vec<&str>> = ORDER.split_whitespace().map(|level| level.split('|').collect()).collect();
    let order: Vec<&[&str]> = levels.iter().map(Vec::as_slice).collect();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    house::check("a module looks down only", &house::wrong_directions(&src, &order));
}
