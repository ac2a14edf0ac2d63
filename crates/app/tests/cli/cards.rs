//! Cards: remembered, corrected, packed, transferred.

use std::fs;

use serde_json::Value;

use crate::env::{TestEnv, TestResult};

fn remember(env: &TestEnv, text: &str, more: &[&str]) -> TestResult<Value> {
    let answer = env.run(&[&["remember", text, "--json"], more].concat()).json()?;
    Ok(answer["card"].clone())
}

fn id(card: &Value) -> String {
    card["id"].as_str().unwrap_or_default().to_owned()
}

fn statements(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().into_iter().flatten().filter_map(|item| item["statement"].as_str()).collect()
}

#[test]
fn what_is_remembered_is_packed_and_cites_the_words() -> TestResult {
    let env = TestEnv::new()?;
    env.run(&["rebuild"]).ok()?;
    assert_eq!(env.run(&["pack", "anything"]).nothing()?, "", "silent when nothing is known");
    let rule = remember(&env, "Never push to main", &[])?;
    assert_eq!((&rule["kind"], &rule["status"]), (&"constraint".into(), &"active".into()), "{rule:#}");
    remember(&env, "The staging database is at db.staging", &[])?;

    let pack = env.run(&["pack", "deploy the shop", "--json"]).json()?;
    assert_eq!(statements(&pack), ["Never push to main"], "facts must have to do with the task");
    let pack = env.run(&["pack", "where is the staging database?"]).ok()?;
    assert!(pack.contains("Never push to main") && pack.contains("db.staging"), "{pack}");
    assert_eq!(pack, env.run(&["pack", "where is the staging database?"]).ok()?, "the same again");
    assert!(pack.starts_with("<backstory-memory verb=\"pack\">"), "{pack}");

    let shown = env.run(&["cards", "show", &id(&rule)[..8]]).ok()?;
    assert!(shown.contains("Never push to main") && shown.contains("user_span"), "{shown}");
    let again = env.run(&["cards", "show", &id(&rule), "--json"]).json()?;
    assert_eq!(again["card"]["evidence"][0]["words"], "Never push to main", "{again:#}");
    Ok(())
}

#[test]
fn a_card_of_one_project_stays_there() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    remember(&env, "Prices are in cents", &[])?;
    remember(&env, "Answer in short sentences", &["--kind", "preference", "--everywhere"])?;
    let other = env.run(&["cards", "--project", "lantern-shop", "--json"]).json()?;
    assert!(statements(&other).contains(&"Answer in short sentences"), "{other:#}");
    assert!(!statements(&other).contains(&"Prices are in cents"), "{other:#}");
    let all = env.run(&["cards", "--all-projects", "--json"]).json()?;
    assert!(statements(&all).contains(&"Prices are in cents"), "{all:#}");
    Ok(())
}

#[test]
fn cards_are_corrected_by_adding() -> TestResult {
    let env = TestEnv::new()?;
    let tabs = remember(&env, "Use tabs for indentation", &[])?;
    let spaces = remember(&env, "Use spaces for indentation", &[])?;
    assert_eq!(spaces["supersedes_id"], tabs["id"]);
    let status = |card: &Value| -> TestResult<Value> {
        Ok(env.run(&["cards", "show", &id(card), "--json"]).json()?["card"]["status"].clone())
    };
    assert_eq!(status(&tabs)?, "superseded");
    env.run(&["cards", "dispute", &id(&spaces), "only in Python files"]).ok()?;
    assert_eq!(status(&spaces)?, "needs_recheck");
    let pack = env.run(&["pack", "which indentation?", "--dry-run"]).ok()?;
    assert!(pack.contains("(needs recheck)"), "{pack}");
    env.run(&["cards", "confirm", &id(&spaces)]).ok()?;
    assert_eq!(status(&spaces)?, "active");
    env.run(&["cards", "archive", &id(&spaces)]).ok()?;
    assert_eq!(status(&spaces)?, "archived");
    env.run(&["cards", "restore", &id(&spaces)]).ok()?;
    let edited = env.run(&["cards", "edit", &id(&spaces), "Use four spaces for indentation"]).ok()?;
    assert!(edited.contains("Use four spaces"), "{edited}");
    assert_eq!(status(&spaces)?, "superseded");
    let why = env.run(&["cards", "explain", &id(&spaces)]).ok()?;
    for rule in ["admitted", "disputed_by_hand", "confirmed", "by_hand", "restored", "edited"] {
        assert!(why.contains(rule), "{rule}: {why}");
    }
    let why = env.run(&["cards", "explain", &id(&tabs)]).ok()?;
    assert!(why.contains("conflicting_value"), "{why}");
    let shown = env.run(&["cards", "show", &id(&tabs)]).ok()?;
    assert!(shown.contains("superseded by [") && shown.contains("Use spaces for indentation"), "{shown}");
    let before = env.view_rows("memory")?;
    env.run(&["rebuild"]).ok()?;
    assert_eq!(env.view_rows("memory")?, before, "the log has all of it");
    Ok(())
}

#[test]
fn promoted_cards_count_elsewhere() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let card =
        remember(&env, "Write dates as year, month, day", &["--kind", "preference", "--project", "lantern-shop"])?;
    assert_eq!(statements(&env.run(&["cards", "--json"]).json()?), Vec::<&str>::new());
    env.run(&["cards", "promote", &id(&card), "--to", "global"]).ok()?;
    assert_eq!(statements(&env.run(&["cards", "--json"]).json()?), ["Write dates as year, month, day"]);
    let screen = env.run(&["cards", "promote", &id(&card)[..6], "--to", "somewhere"]);
    assert_eq!(screen.code, Some(2), "{}", screen.text());
    Ok(())
}

#[test]
fn a_fact_about_a_file_that_is_gone_is_marked() -> TestResult {
    let env = TestEnv::new()?;
    env.write("work/src/routes.ts", "x")?;
    remember(&env, "The routes are in `src/routes.ts`", &["--kind", "fact"])?;
    let ask = || env.run(&["pack", "where are the routes?", "--dry-run"]).ok();
    assert!(!ask()?.contains("recheck"));
    fs::remove_file(env.path("work/src/routes.ts"))?;
    assert!(ask()?.contains("src/routes.ts is not in the working tree"), "{}", ask()?);
    Ok(())
}

#[test]
fn a_fact_about_another_version_is_marked() -> TestResult {
    let env = TestEnv::new()?;
    env.write("work/package.json", r#"{"dependencies": {"react": "^18.2.0"}}"#)?;
    remember(&env, "The pages are written for react 18.1", &["--kind", "fact"])?;
    let list = || env.run(&["cards"]).ok();
    assert!(!list()?.contains("recheck"), "{}", list()?);
    env.write("work/package.json", r#"{"dependencies": {"react": "^19.0.0"}}"#)?;
    assert!(list()?.contains("needs recheck: the working tree asks for another react"), "{}", list()?);
    let pack = env.run(&["pack", "for which react are the pages written?"]).ok()?;
    assert!(pack.contains("asks for another react"), "{pack}");
    Ok(())
}

#[test]
fn what_is_remembered_is_searched_too() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let card = remember(&env, "The sandbox of the payment provider sleeps on Sundays", &["--project", "lantern-shop"])?;
    let ask = |more: &[&str]| {
        let question = ["search", "when does the sandbox of the payment provider sleep", "--project", "lantern-shop"];
        env.run(&[&question[..], more].concat())
    };
    let found = ask(&["--json"]).json()?;
    assert_eq!(found["cards"][0]["id"], card["id"], "{found:#}");
    let text = ask(&[]).ok()?;
    assert!(text.contains("- The sandbox of the payment provider sleeps on Sundays [card "), "{text}");
    let narrow = ask(&["--json", "--agent", "main"]).json()?;
    assert_eq!(narrow["cards"], serde_json::json!([]), "cards are of no agent");
    let other = env.run(&["search", "how is tax rounded", "--project", "lantern-shop", "--json"]).json()?;
    assert!(!other["cards"].to_string().contains("Sundays"), "{other:#}");
    Ok(())
}

#[test]
fn what_was_shown_is_noted_by_its_door() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let card = remember(&env, "Never deploy the shop on Fridays", &["--project", "lantern-shop"])?;
    let shop = ["--project", "lantern-shop"];
    env.run(&[&["pack", "deploy the shop"][..], &shop].concat()).ok()?;
    env.run(&[&["check"][..], &shop, &["deploy the shop on Fridays"]].concat()).ok()?;
    env.run(&[&["search", "deploy the shop on Fridays"][..], &shop].concat()).ok()?;
    env.run(&["cards", "show", &id(&card)]).ok()?;
    let log = env.run(&["log", "export", "-"]).ok()?;
    for channel in ["auto_pack", "check", "search", "explicit_read"] {
        assert!(log.contains(&format!("\"channel\":\"{channel}\"")), "{channel}: {log}");
    }
    let shown = env.run(&["cards", "show", &id(&card), "--json"]).json()?;
    assert_eq!(shown["card"]["utility"]["shown"], 0, "no session went on after it");
    Ok(())
}

#[test]
fn it_is_told_why_a_card_is_packed_or_not() -> TestResult {
    let env = TestEnv::new()?;
    let rule = remember(&env, "Never push to main", &[])?;
    let fact = remember(&env, "The staging database is at db.staging", &[])?;
    let told = |card: &Value, task: &str| env.run(&["cards", "explain", &id(card), "--task", task]).ok();
    assert!(told(&rule, "paint the door")?.contains("packed     slot always"), "{}", told(&rule, "paint the door")?);
    assert!(told(&fact, "paint the door")?.contains("not packed it does not concern the task"));
    assert!(told(&fact, "where is the staging database")?.contains("packed     slot fact"));
    Ok(())
}

#[test]
fn cards_travel_in_a_file() -> TestResult {
    let env = TestEnv::new()?;
    remember(&env, "Never push to main", &[])?;
    let file = env.path("cards.toml");
    let name = file.to_string_lossy();
    env.run(&["cards", "export", &name]).ok()?;
    let text = fs::read_to_string(&file)?;
    assert!(text.contains("statement = \"Never push to main\"") && text.contains("user_span:"), "{text}");
    env.run(&["cards", "export", &name]).ok()?;
    assert_eq!(fs::read_to_string(&file)?, text, "the same again");

    let read = env.run_in("other", &["cards", "import", &name]).ok()?;
    assert!(read.contains("not in this log"), "{read}");
    let there = env.run_in("other", &["cards", "--json"]).json()?;
    assert_eq!(statements(&there), ["Never push to main"]);
    assert_eq!(there["items"][0]["tags"][0], "unverified");
    env.run_in("other", &["cards", "import", &name]).ok()?;
    assert_eq!(statements(&env.run_in("other", &["cards", "--json"]).json()?).len(), 1, "reading twice adds nothing");
    env.run_in("other", &["log", "verify"]).ok()?;

    let mine = env.write("work/notes.md", "my notes")?;
    let screen = env.run(&["cards", "export", &mine.to_string_lossy()]);
    assert_eq!(screen.code, Some(2), "{}", screen.text());
    assert_eq!(fs::read_to_string(mine)?, "my notes");
    Ok(())
}

#[test]
fn reviewing_asks_for_each_and_stops_with_the_input() -> TestResult {
    let env = TestEnv::new()?;
    env.run(&["rebuild"]).ok()?;
    let screen = env.run_with_input("memory", &["cards", "review"], "")?;
    assert!(screen.text().contains("No proposed card"), "{}", screen.text());
    Ok(())
}

#[test]
fn bad_cards_are_refused_with_a_reason() -> TestResult {
    let env = TestEnv::new()?;
    env.run(&["rebuild"]).ok()?;
    for (args, words) in [
        (vec!["remember", " "], "the statement is empty"),
        (vec!["cards", "add", "--kind", "tactic", "Try again"], "what tools printed"),
        (vec!["cards", "add", "--kind", "rule", "x"], "possible values: preference"),
        (vec!["cards", "show", "ffff"], "no card matches"),
        (vec!["cards", "import", "/no/such/file"], "/no/such/file"),
        (vec!["outcome", "great", "--session", "x"], "possible values: helpful"),
    ] {
        let screen = env.run(&args);
        assert!(matches!(screen.code, Some(1 | 2)), "{args:?}: {}", screen.text());
        assert!(screen.stderr.contains(words), "{args:?}: {}", screen.stderr);
    }
    Ok(())
}

#[test]
fn with_little_room_rules_come_first() -> TestResult {
    let env = TestEnv::new()?;
    for (kind, text) in [
        ("fact", "The lantern feed is read by tools/feed.py at night."),
        ("fact", "The lantern feed has prices with a decimal comma."),
        ("fact", "The lantern feed names articles by their wrap code."),
        ("constraint", "Never edit the lantern feed by hand."),
    ] {
        env.run(&["remember", "--everywhere", "--kind", kind, text]).ok()?;
    }
    let packed = |budget: &str| env.run(&["pack", "mend the lantern feed", "--budget", budget, "--json"]).json();
    assert_eq!(statements(&packed("80")?), ["Never edit the lantern feed by hand."]);
    let told = env.run(&["pack", "mend the lantern feed", "--budget", "30"]).nothing()?;
    assert!(told.starts_with("None of 4 cards fits into 30 tokens; the shortest needs about "), "{told}");
    assert_eq!(statements(&packed("800")?).len(), 3, "and two facts of one topic");
    Ok(())
}
