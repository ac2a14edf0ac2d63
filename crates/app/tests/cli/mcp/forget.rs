//! Only listed events are forgotten.

use serde_json::{Value, json};

use super::client::{Client, text};
use crate::env::{TestEnv, TestResult};

const SHOP: &str = "lantern-shop";

fn left(env: &TestEnv) -> TestResult<usize> {
    let forgotten = |line: &&str| line.contains("\"forgotten\":true");
    let all = env.export("memory")?;
    Ok(all.lines().filter(|line| line.contains("\"type\":\"event\"")).filter(|line| !forgotten(line)).count())
}

fn token(answer: &Value) -> String {
    answer["structuredContent"]["result"]["token"].as_str().unwrap_or_default().to_owned()
}

/// A project cannot be wiped in one call, and a token is valid for one list only.
#[test]
fn forgetting_needs_the_token_of_its_list() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let before = left(&env)?;
    let everything = json!({"from": "1970-01-01", "project": SHOP});
    let with = |confirm: Value| {
        let mut call = everything.clone();
        call["confirm"] = confirm;
        call
    };
    for guess in [json!(true), json!("true"), json!("yes"), json!(""), json!("ffffff-0123456789abcdef")] {
        let refused = client.refused("forget", with(guess.clone()))?;
        assert!(refused.contains("token") || refused.contains("must be a string"), "{guess}: {refused}");
    }
    let one = token(&client.call_for_json("forget", json!({"session": "1a5d7500", "project": SHOP}))?);
    assert!(client.refused("forget", with(json!(one)))?.contains("nothing was changed"));
    assert_eq!(left(&env)?, before);
    // The same list has the same token, also from another server.
    let listed = client.call_for_json("forget", everything.clone())?;
    assert_eq!(token(&listed), token(&Client::of(&env)?.call_for_json("forget", everything.clone())?));
    let done = client.call_for_json("forget", with(json!(token(&listed))))?;
    assert_eq!(done["structuredContent"]["result"]["done"], true, "{done}");
    assert_eq!(done["structuredContent"]["result"]["events"], listed["structuredContent"]["result"]["events"]);
    Ok(())
}

/// Events added after the list are kept, although they match the conditions.
#[test]
fn what_was_not_listed_stays() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let listed = client.call_for_json("forget", json!({"from": "1970-01-01", "all_projects": true}))?;
    let events = listed["structuredContent"]["result"]["events"].clone();
    env.write("notes/talk.txt", "Ada: the zeppelin leaves at nine\nBob: which zeppelin?\n")?;
    env.run(&["ingest", &env.path("notes/talk.txt").to_string_lossy(), "--quiet"]).ok()?;
    let call = json!({"from": "1970-01-01", "all_projects": true, "confirm": token(&listed)});
    let done = client.call_for_json("forget", call)?;
    assert_eq!(done["structuredContent"]["result"]["done"], true, "{}", text(&done));
    assert_eq!(done["structuredContent"]["result"]["events"], events);
    let found = client.call_for_json("search", json!({"query": "zeppelin", "all_projects": true}))?;
    assert!(text(&found).contains("leaves at nine"), "{}", text(&found));
    assert!(!env.export("memory")?.contains("NaN total is back"));
    Ok(())
}

/// The command line works the same for a person.
#[test]
fn the_command_line_takes_the_token_too() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let forget = |more: &[&str]| {
        env.run(&[&["log", "forget", "--session", "1a5d7500", "--project", SHOP, "--json"], more].concat())
    };
    let token = forget(&[]).json()?["token"].as_str().unwrap_or_default().to_owned();
    assert_eq!(forget(&["--confirm", "0-0"]).code, Some(2));
    assert_eq!(forget(&["--confirm", &token, "--yes"]).code, Some(2));
    assert_eq!(forget(&["--confirm", &token]).json()?["done"], true);
    Ok(())
}
