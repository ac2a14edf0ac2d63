//! Produces each exit code listed in docs/cli.md.

use std::fs;

use crate::env::{TestEnv, TestResult};

fn code(env: &TestEnv, args: &[&str]) -> Option<i32> {
    env.run(args).code
}

#[test]
fn answered_is_0() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["search", "NaN total", "--all-projects"][..],
        &["recall", "NaN total", "--all-projects"],
        &["sessions", "--all-projects"],
        &["digest", "--all-projects"],
        &["links", "--all-projects"],
        &["cards", "--all-projects"],
        &["show", "1a5d"],
        &["status"],
        // The absence of a prohibition is an answer.
        &["check", "--all-projects", "make tea"],
    ] {
        assert_eq!(code(&env, args), Some(0), "{args:?}: {}", env.run(args).text());
    }
    Ok(())
}

#[test]
fn nothing_found_is_1() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["search", "xylophone quasar", "--all-projects"][..],
        &["recall", "xylophone quasar", "--all-projects"],
        &["sessions", "--all-projects", "--from", "2030-01-01"],
        &["digest", "--all-projects", "--from", "2030-01-01"],
        &["digest", "--all-projects", "--branch", "none-such"],
        &["fix", "no error at all", "--all-projects"],
        &["loops", "--all-projects", "--from", "2030-01-01"],
        &["cards", "--all-projects", "--kind", "tactic", "--status", "archived"],
        &["show", "ffffffff"],
        &["reconstruct", "ffffffff"],
        &["sessions", "--all-projects", "--offset", "99"],
        &["agents", "--all-projects", "--offset", "99"],
        &["projects", "--offset", "99"],
        &["loops", "--all-projects", "--offset", "99"],
        &["loops", "--session", "e537", "--from", "2030-01-01"],
        &["why", "--all-projects", "zzyzx quux"],
        // The memory knows nothing about the current folder's project.
        &["sessions"],
    ] {
        let screen = env.run(args);
        assert_eq!(screen.code, Some(1), "{args:?}: {}", screen.text());
        assert!(!screen.text().trim().is_empty(), "{args:?} says what to try");
    }
    let json = env.run(&["search", "xylophone quasar", "--all-projects", "--json"]);
    assert!(json.code == Some(1) && json.stdout.contains("\"cases\":[]"), "{}", json.text());
    Ok(())
}

#[test]
fn a_wrong_call_is_2() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [&["serch"][..], &["search"], &["search", "x", "--limit", "0"], &["show"], &["help", "nothing"]] {
        assert_eq!(code(&env, args), Some(2), "{args:?}: {}", env.run(args).text());
    }
    Ok(())
}

/// Blank text is not a question, an action or an id.
#[test]
fn empty_words_are_2() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for before in [
        &["search"][..],
        &["recall"],
        &["predict"],
        &["explain", "search"],
        &["explain", "why"],
        &["why"],
        &["check"],
        &["fix"],
        &["pack"],
        &["remember"],
        &["show"],
        &["reconstruct"],
        &["links"],
        &["callers"],
        &["callees"],
        &["log", "show"],
        &["log", "forget", "--query"],
        &["cards", "show"],
        &["cards", "explain"],
        &["outcome", "success"],
        &["loops", "done"],
        &["projects", "rename", "main"],
        &["why", "--impact"],
        &["search", "x", "--session"],
        &["links", "--session"],
        &["cards", "--session"],
        &["loops", "--session"],
        &["sessions", "--project"],
    ] {
        for blank in ["", " "] {
            let screen = env.run(&[before, &[blank]].concat());
            let is_named_project = before.ends_with(&["--project"]) && blank == " ";
            assert!(screen.code == Some(2) || is_named_project, "{before:?} {blank:?}: {}", screen.text());
            assert!(!screen.stderr.is_empty(), "{before:?} {blank:?}");
        }
    }
    Ok(())
}

#[test]
fn help_lists_the_codes() -> TestResult {
    let env = TestEnv::new()?;
    for args in [&["--help"][..], &["help"], &["help", "--all"]] {
        let help = env.run(args).ok()?;
        assert!(help.contains("Exit codes: 0 answered, 1 nothing found, 2 usage"), "{args:?}: {help}");
    }
    Ok(())
}

#[test]
fn no_memory_is_3() -> TestResult {
    let env = TestEnv::new()?;
    for args in
        [&["search", "x", "--all-projects"][..], &["sessions", "--all-projects"], &["show", "1a5d"], &["log", "verify"]]
    {
        let screen = env.run(args);
        assert!(screen.code == Some(3) && screen.stderr.contains("no memory yet"), "{args:?}: {}", screen.text());
    }
    env.write("work/cart.js", "function total() {\n  return 0;\n}\n")?;
    for args in [&["why", "why is the total 0"][..], &["why", "cart.js:2"], &["explain", "why", "why is the total 0"]] {
        let screen = env.run(args);
        assert!(screen.code == Some(3) && !env.path("memory").exists(), "{args:?}: {}", screen.text());
    }
    Ok(())
}

#[test]
fn a_damaged_memory_is_4() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    fs::write(env.path("memory/log.sqlite"), "this is no database, and it is long enough to be looked at".repeat(99))?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(env.path(&format!("memory/log.sqlite{suffix}")));
    }
    assert_eq!(code(&env, &["search", "x", "--all-projects"]), Some(4), "{}", env.run(&["search", "x"]).text());
    Ok(())
}

#[test]
fn what_cannot_be_done_is_5() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let file = env.write("there.jsonl", "x")?;
    let screen = env.run(&["log", "export", &file.to_string_lossy()]);
    assert_eq!(screen.code, Some(5), "{}", screen.text());
    Ok(())
}

/// A host may treat any other code as a veto.
#[test]
fn a_hook_is_always_0() -> TestResult {
    let env = TestEnv::new()?;
    for args in
        [&["hook", "session-start"][..], &["hook", "nonsense"], &["hook", "--what"], &["--color", "never", "hook"]]
    {
        assert_eq!(code(&env, args), Some(0), "{args:?}: {}", env.run(args).text());
    }
    Ok(())
}
