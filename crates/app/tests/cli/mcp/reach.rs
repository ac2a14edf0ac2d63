//! An agent's questions about files are limited to its working tree.

use std::fs;

use serde_json::json;

use super::client::{Client, text};
use crate::answers::commit;
use crate::env::{TestEnv, TestResult};

const SECRET: &str = "hunter2-outside";

#[test]
fn only_files_of_the_working_tree_are_read() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let outside = env.write("outside/secret.txt", format!("{SECRET}\n"))?;
    env.write("work/src/cart.js", "function total() {\n  return 1;\n}\n")?;
    env.write("work/notes two.txt", "a line of notes\n")?;
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, env.path("work/link.txt"))?;
        std::os::unix::fs::symlink(env.path("outside"), env.path("work/linked"))?;
        std::os::unix::fs::symlink("src/cart.js", env.path("work/inside.js"))?;
    }
    commit(&env, "Begin", "2026-01-02T10:00:00Z")?;
    fs::write(env.path("work/.git/secret"), format!("{SECRET}\n"))?;
    let client = Client::of(&env)?;
    let absolute = format!("{}:1", outside.display());
    for place in [
        absolute.as_str(),
        "../outside/secret.txt:1",
        "src/../../outside/secret.txt:1",
        "link.txt:1",
        "linked/secret.txt:1",
        ".git/secret:1",
        "./.git/../.git/secret:1",
        "secret.txt:1",
        "/etc/hostname:1",
        "/proc/self/environ:1",
        "src/./../../outside/secret.txt:1-1",
        "..:1",
    ] {
        let told = client.refused("why", json!({"query": place}))?;
        assert!(!told.contains(SECRET), "{place}: {told}");
        assert!(told.contains("no such file") || told.contains("no ordinary file"), "{place}: {told}");
    }
    // The answer does not reveal whether a file exists.
    let there = client.refused("why", json!({"query": absolute}))?;
    let not = client.refused("why", json!({"query": absolute.replace("secret", "nothing")}))?;
    assert_eq!(there.replace("secret", "nothing"), not);
    for place in ["src/cart.js:2", "cart.js:2", "notes two.txt:1", "inside.js:2"] {
        let told = client.call("why", json!({"query": place}))?;
        assert_ne!(told["isError"], true, "{place}: {}", text(&told));
    }
    // A person may ask about any file.
    assert!(env.run(&["why", &absolute]).stdout.contains(SECRET));
    Ok(())
}

/// A repository cannot claim that the whole machine is its tree.
#[test]
fn a_repository_says_nothing_about_its_tree() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let outside = env.write("outside/secret.txt", format!("{SECRET}\n"))?;
    env.write("work/cart.js", "function total() {\n  return 1;\n}\n")?;
    commit(&env, "Begin", "2026-01-02T10:00:00Z")?;
    let config = env.path("work/.git/config");
    let before = fs::read_to_string(&config)?;
    for root in ["/".to_owned(), env.path("outside").display().to_string(), env.path("").display().to_string()] {
        fs::write(&config, format!("{before}\n[core]\n\tworktree = {root}\n"))?;
        let told = Client::of(&env)?.refused("why", json!({"query": format!("{}:1", outside.display())}))?;
        assert!(!told.contains(SECRET), "{root}: {told}");
    }
    Ok(())
}

/// Even if the named folder is a repository, or contains this one.
#[test]
fn another_repository_is_not_the_tree() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let outside = env.write("outside/secret.txt", format!("{SECRET}\n"))?;
    git2::Repository::init(env.path("outside"))?;
    env.write("work/cart.js", "function total() {\n  return 1;\n}\n")?;
    commit(&env, "Begin", "2026-01-02T10:00:00Z")?;
    let config = env.path("work/.git/config");
    let before = fs::read_to_string(&config)?;
    fs::write(&config, format!("{before}\n[core]\n\tworktree = {}\n", env.path("outside").display()))?;
    let asked = json!({"query": format!("{}:1", outside.display())});
    let told = Client::of(&env)?.refused("why", asked.clone())?;
    assert!(!told.contains(SECRET), "{told}");
    let own = Client::of(&env)?.call("why", json!({"query": "cart.js:2"}))?;
    assert_ne!(own["isError"], true, "{}", text(&own));
    // A version-controlled home folder is not the tree of the folders in it.
    fs::remove_dir_all(env.path("work/.git"))?;
    git2::Repository::init(env.path(""))?;
    let root = env.path("").display().to_string();
    let told = Client::with(&env, &[("HOME", root.as_str())])?.refused("why", asked)?;
    assert!(!told.contains(SECRET), "{told}");
    Ok(())
}

/// A `.git` file that names another repository does not give access to its history.
#[test]
fn history_is_of_the_own_repository() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/cart.js", "function total() {\n  return 1;\n}\n")?;
    let id = commit(&env, SECRET, "2026-01-02T10:00:00Z")?;
    let private = env.path("private");
    fs::rename(env.path("work"), &private)?;
    env.write("work/cart.js", "function total() {\n  return 1;\n}\n")?;
    env.write("work/.git", format!("gitdir: {}\n", private.join(".git").display()))?;
    let client = Client::of(&env)?;
    for asked in ["HEAD", id.as_str(), "cart.js:2"] {
        let told = client.call("why", json!({"query": asked}))?;
        assert!(!text(&told).contains(SECRET), "{asked}: {}", text(&told));
    }
    Ok(())
}
