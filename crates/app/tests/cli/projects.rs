//! Projects are distinguished by evidence, and corrected by a person.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

/// A session of Claude Code in a folder.
fn session(env: &TestEnv, id: u8, folder: &Path, text: &str) -> TestResult {
    let session = format!("00000000-0000-4000-8000-0000000000{id:02}");
    let record = json!({
        "type": "user", "uuid": format!("10000000-0000-4000-8000-0000000000{id:02}"), "sessionId": session,
        "timestamp": format!("2026-01-{id:02}T10:00:00.000Z"), "cwd": folder, "version": "2.0.0",
        "message": {"role": "user", "content": text},
    });
    env.write(&format!("claude/projects/x/{session}.jsonl"), format!("{record}\n"))?;
    Ok(())
}

fn repository(path: &Path) -> TestResult<git2::Repository> {
    let repository = git2::Repository::init(path)?;
    let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_700_000_000, 0))?;
    let tree = repository.find_tree(repository.index()?.write_tree()?)?;
    repository.commit(Some("HEAD"), &who, &who, &path.to_string_lossy(), &tree, &[])?;
    drop(tree);
    Ok(repository)
}

fn run_in(env: &TestEnv, folder: &Path, args: &[&str]) -> TestResult<String> {
    let output = env.command(args).current_dir(folder).output()?;
    Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

fn items(env: &TestEnv) -> TestResult<Vec<Value>> {
    let list = env.run(&["projects", "--json"]).json()?;
    Ok(list["items"].as_array().cloned().unwrap_or_default())
}

#[test]
fn a_folder_that_points_into_another_project_sees_nothing_of_it() -> TestResult {
    let env = TestEnv::new()?;
    let (secret, evil) = (env.path("work/secret"), env.path("work/evil"));
    repository(&secret)?;
    session(&env, 1, &secret, "the launch code of the kettle is walnut")?;
    env.write("work/evil/.git", format!("gitdir: {}\n", secret.join(".git").display()))?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(run_in(&env, &secret, &["search", "launch code of the kettle"])?.contains("walnut"));
    let leaked = run_in(&env, &evil, &["search", "launch code of the kettle"])?;
    assert!(!leaked.contains("walnut"), "{leaked}");
    let plain = env.path("work/plain");
    fs::create_dir(&plain)?;
    let mut command = env.command(&["search", "launch code of the kettle"]);
    command.current_dir(&plain).env("GIT_DIR", secret.join(".git")).env("GIT_WORK_TREE", &secret);
    assert!(!String::from_utf8_lossy(&command.output()?.stdout).contains("walnut"), "the environment says nothing");
    Ok(())
}

#[test]
fn folders_below_a_home_that_is_a_repository_are_apart() -> TestResult {
    let env = TestEnv::new()?;
    repository(&env.path("home"))?;
    let (notes, letters) = (env.path("home/notes"), env.path("home/letters"));
    fs::create_dir_all(&notes)?;
    fs::create_dir_all(&letters)?;
    session(&env, 1, &notes, "the launch code of the kettle is walnut")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(run_in(&env, &notes, &["search", "launch code of the kettle"])?.contains("walnut"));
    assert!(!run_in(&env, &letters, &["search", "launch code of the kettle"])?.contains("walnut"));
    Ok(())
}

#[test]
fn two_projects_are_merged_used_and_taken_apart_again() -> TestResult {
    let env = TestEnv::new()?;
    let (shop, till) = (env.path("work/shop"), env.path("work/till"));
    for folder in [&shop, &till] {
        fs::create_dir_all(folder)?;
    }
    session(&env, 1, &shop, "Never push to the main branch without a review.")?;
    session(&env, 2, &till, "the launch code of the kettle is walnut")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(!run_in(&env, &shop, &["search", "launch code of the kettle"])?.contains("walnut"));

    let merged = env.run(&["projects", "merge", "till", "shop"]).ok()?;
    assert!(merged.starts_with("Merged till into shop. `backstory projects undo "), "{merged}");
    assert!(run_in(&env, &shop, &["search", "launch code of the kettle"])?.contains("walnut"));
    assert!(run_in(&env, &till, &["search", "launch code of the kettle"])?.contains("walnut"), "its folder is of shop");
    assert!(run_in(&env, &till, &["cards"])?.contains("main branch"));
    let list = items(&env)?;
    assert_eq!(list.len(), 1);
    assert_eq!((list[0]["name"].as_str(), list[0]["episodes"].as_u64()), (Some("shop"), Some(2)));
    assert_eq!(list[0]["merged"][0]["name"], "till");

    // A later session belongs to its folder's project.
    session(&env, 3, &till, "the kettle is polished with beeswax")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(run_in(&env, &shop, &["search", "kettle polished"])?.contains("beeswax"));
    let before = env.view_rows("memory")?;
    env.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(before, env.view_rows("memory")?);

    env.run(&["projects", "rename", "shop", "lantern"]).ok()?;
    assert!(env.run(&["sessions", "--project", "lantern"]).ok()?.contains("lantern"));
    let apart = env.run(&["projects", "split", "till"]).ok()?;
    assert!(apart.starts_with("till is a project of its own again"), "{apart}");
    assert!(!run_in(&env, &shop, &["search", "launch code of the kettle"])?.contains("walnut"));
    assert_eq!(items(&env)?.len(), 2);
    env.run(&["projects", "undo"]).ok()?;
    assert_eq!(items(&env)?.len(), 1, "undoing the split merges them again");
    let changes = env.run(&["projects", "changes"]).ok()?;
    assert!(changes.contains("renamed ") && changes.contains("merged "), "{changes}");
    env.run(&["log", "verify"]).ok()?;
    Ok(())
}

#[test]
fn a_folder_is_split_off_with_its_sessions_and_those_to_come() -> TestResult {
    let env = TestEnv::new()?;
    let (mono, cart) = (env.path("work/mono"), env.path("work/mono/cart"));
    repository(&mono)?;
    fs::create_dir_all(&cart)?;
    session(&env, 1, &mono, "the kettle stands in the hall")?;
    session(&env, 2, &cart, "the launch code of the kettle is walnut")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(run_in(&env, &mono, &["search", "launch code"])?.contains("walnut"));

    let split = env.run(&["projects", "split", "mono", "mono/cart"]).ok()?;
    assert!(split.contains("as cart with 1 run."), "{split}");
    assert!(!run_in(&env, &mono, &["search", "launch code"])?.contains("walnut"));
    assert!(run_in(&env, &cart, &["search", "launch code"])?.contains("walnut"));
    session(&env, 3, &cart, "the kettle is polished with beeswax")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(run_in(&env, &cart, &["search", "kettle polished"])?.contains("beeswax"));
    assert!(!run_in(&env, &mono, &["search", "kettle polished"])?.contains("beeswax"));

    env.run(&["projects", "undo"]).ok()?;
    session(&env, 4, &cart, "the lid of the kettle is sealed with tallow")?;
    env.run(&["ingest", "--quiet"]).ok()?;
    let list = items(&env)?;
    assert_eq!(list.len(), 1, "the part is no project any more: {list:?}");
    assert_eq!((list[0]["name"].as_str(), list[0]["episodes"].as_u64()), (Some("mono"), Some(4)));
    assert!(list[0]["merged"][0].is_null(), "{list:?}");
    for (asked, said) in [("launch code", "walnut"), ("kettle polished", "beeswax"), ("kettle sealed", "tallow")] {
        assert!(run_in(&env, &mono, &["search", asked])?.contains(said), "{asked} in the project");
        assert!(run_in(&env, &cart, &["search", asked])?.contains(said), "{asked} in the folder");
    }
    Ok(())
}

#[test]
fn what_probably_belongs_together_is_suggested_with_its_command() -> TestResult {
    let env = TestEnv::new()?;
    let url = "https://github.com/ada/shop";
    for (number, name) in [(1, "old"), (2, "new")] {
        // Another history with the same remote.
        let path = env.path(&format!("work/{name}"));
        repository(&path)?.remote("origin", url)?;
        session(&env, number, &path, "hello there")?;
    }
    env.run(&["ingest", "--quiet"]).ok()?;
    let list = env.run(&["projects", "--json"]).json()?;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "no guess is made");
    let suggested = list["suggestions"][0]["command"].as_str().unwrap_or_default().to_owned();
    assert!(suggested.starts_with("backstory projects merge "), "{list}");
    assert!(env.run(&["projects"]).ok()?.contains(&suggested));
    assert!(env.run(&["doctor"]).stdout.contains(&suggested));
    let words: Vec<&str> = suggested.split(' ').skip(1).collect();
    env.run(&words).ok()?;
    let list = env.run(&["projects", "--json"]).json()?;
    assert_eq!((list["items"].as_array().map(Vec::len), list["suggestions"].is_null()), (Some(1), true));
    Ok(())
}

#[test]
fn errors_name_the_next_step() -> TestResult {
    let env = TestEnv::new()?;
    for (number, folder) in [(1, "work/ada/shop"), (2, "work/bob/shop"), (3, "work/till")] {
        fs::create_dir_all(env.path(folder))?;
        session(&env, number, &env.path(folder), "hello there")?;
    }
    env.run(&["ingest", "--quiet"]).ok()?;
    let said = |args: &[&str]| env.run(args).stderr;
    let ambiguous = said(&["projects", "merge", "shop", "till"]);
    assert!(ambiguous.contains("2 projects are named 'shop'"), "{ambiguous}");
    assert!(ambiguous.contains("ada/shop") && ambiguous.contains("bob/shop"), "{ambiguous}");
    let unknown = said(&["projects", "merge", "shopp", "till"]);
    assert!(unknown.contains("no project matches 'shopp'") && unknown.contains("Near: shop ("), "{unknown}");
    assert!(said(&["projects", "merge", "till", "till"]).contains("one project already"));
    assert!(said(&["projects", "split", "till"]).contains("backstory projects split PROJECT FOLDER"));
    assert!(said(&["projects", "split", "till", "ada"]).contains("Name a folder of its sessions"));
    assert!(said(&["projects", "split", "till", "till"]).contains("nothing to split"));
    assert!(said(&["projects", "rename", "till", "shop"]).contains("another project is called shop already"));
    assert!(said(&["projects", "undo"]).contains("backstory projects changes"));
    for command in ["merge", "split", "rename", "changes", "undo"] {
        let help = env.run(&["projects", command, "--help"]).ok()?;
        assert_eq!(help.matches("  $ backstory projects ").count(), 2, "two worked examples: {help}");
    }
    Ok(())
}
