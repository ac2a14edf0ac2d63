//! Text for an agent is quoted; an agent's words are not a person's.

use serde_json::{Value, json};

use super::client::{Client, text};
use crate::env::{TestEnv, TestResult};

#[test]
fn what_tools_printed_is_marked() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let answer = client.call_for_json("reconstruct", json!({"session": "1a5d7500", "budget": 2000}))?;
    let told = text(&answer);
    let printed = told.find("Test Files").ok_or("no output in the story")?;
    let opened = told[..printed].rfind("<untrusted>").ok_or("not marked")?;
    assert!(!told[opened..printed].contains("</untrusted>"), "{told}");
    let json = answer["structuredContent"].to_string();
    let printed = json.find("Test Files").ok_or("no output in the JSON")?;
    let opened = json[..printed].rfind("<untrusted>").ok_or("not marked")?;
    assert!(!json[opened..printed].contains("</untrusted>"), "{json}");
    // The person's words are not marked.
    let asked = told.find("didn't we have exactly that once?").ok_or("no prompt")?;
    let (opened, closed) = (told[..asked].rfind("<untrusted>"), told[..asked].rfind("</untrusted>"));
    assert!(opened.is_none() || closed > opened, "{told}");
    Ok(())
}

/// A session in Claude Code's format with calls of our tools: with the JSON of the answer if there is any, else with
/// its text.
fn session_that_called(name: &str, tool: &str, output: &str) -> String {
    let record = |kind: &str, uuid: String, content: Value| {
        json!({
            "type": kind, "uuid": uuid, "sessionId": name, "cwd": "/nowhere/shop",
            "timestamp": "2026-02-28T10:00:00.000Z", "message": {"role": kind, "content": content},
        })
    };
    let id = format!("toolu_{name}");
    let call =
        json!({"type": "tool_use", "id": id, "name": format!("mcp__backstory__{tool}"), "input": {"query": "gifts"}});
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": output}]});
    let records = [
        record("user", format!("{name}-0"), json!(format!("{name}: what did we do about gifts?"))),
        record("assistant", format!("{name}-1"), json!([call])),
        record("user", format!("{name}-2"), json!([result])),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

#[test]
fn nothing_is_learned_from_our_own_answers() -> TestResult {
    const TOLD: &str = "wrapping paper";
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let calls = [
        ("search", json!({"query": TOLD, "all_projects": true})),
        ("recall", json!({"query": TOLD, "all_projects": true})),
        ("reconstruct", json!({"session": "19562422", "budget": 8000})),
    ];
    let mut outputs: Vec<(&str, String)> = Vec::new();
    for (tool, arguments) in calls {
        let answer = client.call_for_json(tool, arguments)?;
        outputs.push((tool, text(&answer)));
        outputs.push((tool, answer["structuredContent"].to_string()));
        outputs.push((tool, serde_json::to_string_pretty(&answer["structuredContent"])?));
    }
    let resource = client.read("backstory://session/19562422")?;
    outputs.push(("read", resource["contents"][0]["text"].as_str().unwrap_or_default().to_owned()));
    for (n, (tool, output)) in outputs.iter().enumerate() {
        assert!(output.contains(TOLD), "{tool} {n} would prove nothing: {output}");
        let name = format!("caller-{n}");
        let session = session_that_called(&name, tool, output);
        env.write(&format!("claude/projects/-nowhere-shop/{name}.jsonl"), session)?;
        env.run(&["ingest", "--quiet"]).ok()?;
        let told = env.run(&["reconstruct", "--session", &name, "--json"]).ok()?;
        assert!(told.contains("gifts"), "the session itself is there");
        assert!(!told.contains(TOLD), "{tool} {n} was learned again: {told}");
    }
    Ok(())
}

#[test]
fn an_agents_statement_is_proposed_and_a_person_confirms_it() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let statement = "Never deploy the shop on a Friday";
    let remember = || client.call_for_json("remember", json!({"text": statement, "everywhere": true}));
    let card = remember()?["structuredContent"]["result"]["card"].clone();
    assert_eq!((&card["status"], &card["source"]), (&json!("proposed"), &json!("agent")), "{card}");
    // Repeating it does not make it a person's word.
    assert_eq!(remember()?["structuredContent"]["result"]["card"]["status"], "proposed");
    let pack = client.call("pack", json!({"task": "deploy the shop", "all_projects": true}))?;
    assert!(!text(&pack).contains(statement), "{}", text(&pack));
    let id = card["id"].as_str().unwrap_or_default();
    let shown = env.run(&["cards", "show", id, "--json"]).json()?;
    assert_eq!(shown["card"]["evidence"][0]["kind"], "agent_span", "{shown}");
    env.run(&["cards", "confirm", id]).ok()?;
    let pack = client.call("pack", json!({"task": "deploy the shop", "all_projects": true}))?;
    assert!(text(&pack).contains(statement), "{}", text(&pack));
    env.run(&["log", "verify"]).ok()?;
    Ok(())
}

#[test]
fn what_was_shown_says_by_which_door() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["remember", "Lanterns are packed in blue paper", "--everywhere"]).ok()?;
    let client = Client::of(&env)?;
    client.call("search", json!({"query": "lanterns blue paper", "all_projects": true, "session": "s-1"}))?;
    client.call("pack", json!({"task": "pack lanterns", "session": "s-1"}))?;
    env.run(&["search", "lanterns blue paper", "--all-projects"]).ok()?;
    // It is recorded after the answer.
    for _ in 0..200 {
        let seen = exposures(&env)?;
        if seen.len() == 3 {
            assert_eq!(seen, ["auto_pack mcp", "search", "search mcp"]);
            return Ok(());
        }
    }
    Err("what was shown was never noted".into())
}

/// Channel and surface of each, sorted.
fn exposures(env: &TestEnv) -> TestResult<Vec<String>> {
    let mut seen = Vec::new();
    for line in env.export("memory")?.lines() {
        let event: Value = serde_json::from_str(line)?;
        if event["kind"] == "exposure" {
            let input = &event["meta"]["input"];
            let told = [&input["channel"], &input["door"]].map(|field| field.as_str().unwrap_or_default());
            seen.push(told.join(" ").trim().to_owned());
        }
    }
    seen.sort();
    Ok(seen)
}

#[test]
fn other_projects_cards_are_not_told_of_what_was_not_taken_in() -> TestResult {
    let env = TestEnv::new()?;
    for name in ["one", "two"] {
        std::fs::create_dir_all(env.path(name))?;
    }
    let (here, elsewhere) = (env.path("one").display().to_string(), env.path("two").display().to_string());
    let client = Client::of(&env)?;
    let remember = |text: &str, project: &str| client.call("remember", json!({"text": text, "project": project}));
    remember("The cellar lamps are switched by hand", &elsewhere)?;
    remember("The cellar lamps are switched by hand every night", &here)?;
    let told = remember("The cellar lamps are switched by hand", &here)?;
    let text = text(&told);
    assert!(text.contains("every night") && !text.contains("scope is full"), "{text}");
    Ok(())
}
