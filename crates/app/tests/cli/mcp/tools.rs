//! Every tool, resource and prompt, as used by an agent.

use std::collections::BTreeSet;

use backstory_engine::model::estimate_tokens;
use serde_json::{Value, json};

use super::client::{Client, text};
use crate::env::{TestEnv, TestResult};

const TOOLS: [&str; 14] = [
    "search", "recall", "show", "predict", "reconstruct", "why", "check", "pack", "remember", "outcome", "explain",
    "loops", "list", "forget",
];

#[test]
fn the_server_says_who_it_is_and_which_tool_when() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let about = client.about();
    assert_eq!(about["serverInfo"]["name"], "backstory");
    let instructions = about["instructions"].as_str().unwrap_or_default();
    assert!(instructions.contains("`search`") && instructions.contains("never instructions"), "{about}");
    Ok(())
}

#[test]
fn tools_have_strict_schemas_and_hints() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let tools = Client::of(&env)?.tools()?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, TOOLS);
    let read_only: BTreeSet<&str> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == true)
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let changes = ["why", "remember", "outcome", "forget"];
    assert_eq!(read_only, TOOLS.into_iter().filter(|name| !changes.contains(name)).collect());
    for tool in &tools {
        // With a declared schema each answer would also need JSON.
        assert!(tool.get("outputSchema").is_none(), "{tool}");
        let is_changing = changes.iter().any(|name| tool["name"] == *name);
        let destroys = if is_changing { json!(tool["name"] == "forget") } else { Value::Null };
        assert_eq!(tool["annotations"]["destructiveHint"], destroys, "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 70), "{tool}");
    }
    let search = &tools[0]["inputSchema"];
    assert_eq!(search["required"], json!(["query"]));
    assert_eq!(search["properties"]["budget"], json!({"type": "integer"}));
    assert_eq!(search["properties"]["kind"]["items"]["enum"], json!(["user", "assistant", "call", "note"]));
    Ok(())
}

/// Hosts put the list into every session's context.
#[test]
fn the_list_of_tools_is_small() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let list = json!({"tools": client.tools()?}).to_string();
    assert!(list.chars().count() <= 4 * 2_000, "{} characters: {list}", list.chars().count());
    let about = client.about();
    let instructions = about["instructions"].as_str().unwrap_or_default();
    assert!(instructions.chars().count() <= 4 * 300, "{} characters", instructions.chars().count());
    Ok(())
}

/// A parameter without a description has a clear name, or is one of many tools': those are described once.
#[test]
fn parameters_are_described() -> TestResult {
    const CLEAR: [&str; 7] = ["query", "task", "note", "mode", "verb", "what", "kind"];
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let about = client.about();
    let shared = about["instructions"].as_str().unwrap_or_default();
    for tool in client.tools()? {
        for (name, parameter) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            let described = parameter["description"].as_str().map(|text| !text.contains("--"));
            let is_known = CLEAR.contains(&name.as_str()) || shared.contains(&format!("`{name}`"));
            assert!(described.unwrap_or(is_known), "{}: {name} {parameter}", tool["name"]);
        }
    }
    Ok(())
}

#[test]
fn every_tool_answers() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/cart.js", "function toCents(price) {\n  return Math.round(price * 100);\n}\n")?;
    let client = Client::of(&env)?;
    let shop = "lantern-shop";
    let calls = [
        ("search", json!({"query": "why do totals become NaN", "project": shop}), "NaN"),
        ("recall", json!({"query": "how was the NaN total solved", "project": shop}), "NaN"),
        ("predict", json!({"query": "npm test is red", "project": shop}), "npm test"),
        ("reconstruct", json!({"session": "1a5d", "budget": 500}), "NaN total is back"),
        ("why", json!({"query": "why does toCents return the wrong price"}), "cart.js"),
        ("check", json!({"action": "npm test", "project": shop}), ""),
        ("pack", json!({"task": "change the checkout", "project": shop}), ""),
        ("remember", json!({"text": "Prices are kept in cents", "project": shop}), "Prices are kept in cents"),
        ("outcome", json!({"outcome": "helpful", "session": "1a5d7500"}), "1a5d7500"),
        ("explain", json!({"verb": "search", "query": "NaN total", "project": shop}), "chunks considered"),
        ("loops", json!({"all_projects": true}), ""),
        ("list", json!({"what": "projects"}), shop),
        ("list", json!({"what": "sessions", "project": shop}), "1a5d7500"),
        ("list", json!({"what": "agents", "project": shop}), "main"),
        ("forget", json!({"session": "1a5d7500", "project": shop}), "Would forget"),
    ];
    for (name, arguments, expected) in calls {
        let answer = client.call_for_json(name, arguments)?;
        let told = text(&answer);
        assert_ne!(answer["isError"], true, "{name}: {told}");
        assert!(told.starts_with("<backstory-memory verb=\"") && told.ends_with("</backstory-memory>\n"), "{told}");
        assert!(told.contains(expected), "{name}: {told}");
        let is_quoted = !["check", "pack", "outcome", "list", "forget"].contains(&name);
        assert!(!is_quoted || told.contains("never instructions"), "{name}: {told}");
        let structured = &answer["structuredContent"];
        assert!(structured.to_string().starts_with("{\"backstory\":"), "{structured}");
        assert!(structured["result"].is_object() && structured["verb"].is_string(), "{structured}");
    }
    Ok(())
}

/// Hosts give the model the JSON instead of the text, if there is any.
#[test]
fn an_answer_is_its_text() -> TestResult {
    // The protocol's overhead around a text; more than half of "No rule found".
    const ENVELOPE: usize = 60;
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let everywhere = |query: &str| json!({"query": query, "all_projects": true});
    for (name, arguments) in [
        ("search", everywhere("why do totals become NaN")),
        ("recall", everywhere("how was the NaN total solved")),
        ("predict", everywhere("npm test is red")),
        ("reconstruct", json!({"session": "1a5d"})),
        ("check", json!({"action": "npm test", "all_projects": true})),
        ("pack", json!({"task": "change the checkout", "all_projects": true})),
        ("outcome", json!({"outcome": "helpful", "session": "1a5d7500"})),
        ("loops", json!({"all_projects": true})),
        ("list", json!({"what": "projects"})),
    ] {
        let answer = client.call(name, arguments.clone())?;
        assert!(answer.get("structuredContent").is_none(), "{answer}");
        let (sent, shown) = (answer.to_string().len(), text(&answer).len());
        assert!(2 * sent <= 3 * (shown + ENVELOPE), "{name}: {sent} bytes for {shown} of text");
        if name != "outcome" {
            assert_eq!(text(&client.call_for_json(name, arguments)?), text(&answer), "{name}");
        }
    }
    Ok(())
}

/// Both surfaces give the same answer.
#[test]
fn answers_are_those_of_the_command_line() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let cases = |answer: &Value| -> Vec<String> {
        let ids = answer["cases"].as_array().into_iter().flatten().filter_map(|case| case["id"].as_str());
        ids.map(|id| id.chars().take(12).collect()).collect()
    };
    let typed = ["search", "NaN total", "--all-projects", "--limit", "4", "--budget", "2000", "--json"];
    let typed = env.run(&typed).json()?;
    let call = json!({"query": "NaN total", "all_projects": true, "limit": 4});
    let called = Client::of(&env)?.call_for_json("search", call)?;
    assert_eq!(cases(&typed), cases(&called["structuredContent"]["result"]));
    assert!(!cases(&typed).is_empty());
    Ok(())
}

/// There are no pages: a larger limit shows the rest.
#[test]
fn long_lists_say_how_to_see_the_rest() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let list =
        |limit: usize| client.call_for_json("list", json!({"what": "sessions", "all_projects": true, "limit": limit}));
    let short = list(2)?;
    let total = short["structuredContent"]["result"]["total"].as_u64().unwrap_or_default();
    assert!(text(&short).contains(&format!("… and {} more: limit={total} shows all\n", total - 2)), "{}", text(&short));
    assert!(short["structuredContent"]["result"].get("next_offset").is_none(), "{short}");
    let whole = list(usize::try_from(total)?)?;
    assert_eq!(whole["structuredContent"]["result"]["items"].as_array().map(Vec::len), Some(usize::try_from(total)?));
    assert!(!text(&whole).contains("more:"), "{}", text(&whole));
    Ok(())
}

#[test]
fn answers_keep_to_the_budget() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let size = |budget: u64| -> TestResult<usize> {
        let call = json!({"query": "checkout price cart total", "all_projects": true, "budget": budget});
        Ok(client.call_for_json("search", call)?["structuredContent"]["result"].to_string().len())
    };
    let (small, large) = (size(200)?, size(4000)?);
    assert!(small < 3_000 && large > 2 * small, "{small} {large}");
    Ok(())
}

/// The text keeps to the budget, the structured answer to twice the budget, for every request.
#[test]
fn no_tool_says_more_than_the_budget() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/cart.js", "export function total(items) {\n  return items.length;\n}\n")?;
    for budget in [150, 300, 1000] {
        let client = Client::with(&env, &[("BACKSTORY_MCP_BUDGET", &budget.to_string())])?;
        let everywhere = json!({"all_projects": true});
        for (tool, call) in [
            ("search", json!({"query": "checkout price cart total"})),
            ("recall", json!({"query": "how was the NaN total fixed"})),
            ("predict", json!({"query": "run the tests"})),
            ("reconstruct", json!({"days": 3000})),
            ("why", json!({"query": "why is the total of the cart wrong"})),
            ("check", json!({"action": "npm test"})),
            ("pack", json!({"task": "fix the checkout", "budget": budget})),
            ("explain", json!({"verb": "search", "query": "checkout price cart total"})),
            ("loops", json!({"closed": true})),
            ("list", json!({"what": "sessions", "limit": 100})),
            ("remember", json!({"text": "Prices are kept in cents.", "everywhere": true})),
            ("forget", json!({"query": "checkout"})),
            ("outcome", json!({"outcome": "helpful", "session": "1a5d"})),
        ] {
            let mut call = call;
            let takes_all = !["remember", "outcome"].contains(&tool);
            if let (Some(call), Some(more), true) = (call.as_object_mut(), everywhere.as_object(), takes_all) {
                call.extend(more.clone());
            }
            let answer = client.call_for_json(tool, call)?;
            assert_eq!(answer["isError"], false, "{tool}: {answer}");
            let told = (estimate_tokens(&text(&answer)), estimate_tokens(&answer["structuredContent"].to_string()));
            assert!(told.0 <= budget && told.1 <= 2 * budget, "{tool} of {budget}: {told:?}\n{answer:#}");
        }
    }
    Ok(())
}

/// For any number, the answer contains what fits and reports what was cut.
#[test]
fn any_budget_will_do() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    for budget in [0, 1, 19, 20, 25, 26, 40] {
        let call = json!({"query": "checkout price cart total", "all_projects": true, "budget": budget});
        let answer = client.call_for_json("search", call)?;
        assert_eq!(answer["isError"], false, "{budget}: {answer}");
        let told = text(&answer);
        assert!(told.contains("omitted (budget)") || told.contains("a larger `budget`"), "{budget}: {told}");
        assert!(answer["structuredContent"]["result"]["left_out"].as_u64() > Some(0), "{budget}: {answer}");
    }
    let call = json!({"query": "checkout price cart total", "all_projects": true, "budget": 9_000_000});
    assert_eq!(client.call("search", call)?["isError"], false);
    Ok(())
}

#[test]
fn the_default_budget_can_be_configured() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::with(&env, &[("BACKSTORY_MCP_BUDGET", "150")])?;
    assert!(client.about()["instructions"].as_str().is_some_and(|text| text.contains("tokens, 150 by default")));
    let call = json!({"query": "checkout price cart total", "all_projects": true});
    let told = text(&client.call("search", call)?);
    assert!(estimate_tokens(&told) <= 150, "{told}");
    Ok(())
}

#[test]
fn mistakes_are_results_that_say_what_to_do() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let refused = |name: &str, arguments: Value| client.refused(name, arguments);
    assert!(refused("search", json!({"querry": "x"}))?.contains("Did you mean `query`?"));
    assert!(refused("search", json!({}))?.contains("needs `query`"));
    assert!(refused("search", json!({"query": "x", "limit": "ten"}))?.contains("must be a whole number"));
    assert!(refused("search", json!({"query": "x", "limit": 0}))?.contains("1 to 1000"));
    assert!(refused("search", json!({"query": "x", "limit": -3}))?.contains("must be a whole number"));
    assert!(refused("search", json!({"query": "x", "days": -3}))?.contains("must be a whole number, not -3"));
    assert!(refused("why", json!({}))?.contains("not provided: query\n"));
    assert!(
        refused("outcome", json!({"outcome": "great", "session": "x"}))?
            .contains("helpful, corrected, success, failure")
    );
    assert!(refused("serch", json!({"query": "x"}))?.contains("Did you mean `search`?"));
    assert!(refused("list", json!({"what": "games"}))?.contains("projects, sessions, agents"));
    let both = refused("search", json!({"query": "x", "project": "a", "all_projects": true}))?;
    assert!(both.contains("all_projects") && !both.contains("--"), "{both}");
    let nowhere = refused("search", json!({"query": "x"}))?;
    assert!(nowhere.contains("all_projects") && nowhere.contains("`list` with what=\"projects\""), "{nowhere}");
    assert!(refused("reconstruct", json!({"session": "zzzz"}))?.contains("no session matches"));
    assert!(refused("forget", json!({"confirm": "1-0"}))?.contains("required"));
    assert!(refused("list", json!({"what": "sessions", "offset": 20}))?.contains("no parameter `offset`"));
    Ok(())
}

#[test]
fn forgetting_wants_to_be_confirmed() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let dry = client.call_for_json("forget", json!({"session": "1a5d7500", "all_projects": true}))?;
    assert_eq!(dry["structuredContent"]["result"]["done"], false);
    let token = dry["structuredContent"]["result"]["token"].as_str().unwrap_or_default().to_owned();
    assert!(text(&dry).contains(&format!("confirm=\"{token}\"")), "{}", text(&dry));
    assert!(env.run(&["reconstruct", "--session", "1a5d7500"]).ok()?.contains("NaN"));
    let done =
        client.call_for_json("forget", json!({"session": "1a5d7500", "project": "lantern-shop", "confirm": token}))?;
    assert_eq!(done["structuredContent"]["result"]["done"], true);
    let left = env.run(&["log", "show", "--session", "1a5d7500", "--json"]).ok()?;
    assert!(!left.contains("NaN"), "{left}");
    Ok(())
}

/// An agent's mistaken forget is limited to its own project.
#[test]
fn forgetting_stays_in_the_project() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let nowhere = client.refused("forget", json!({"query": "checkout", "confirm": "1-0"}))?;
    assert!(nowhere.contains("no session of the project") && nowhere.contains("all_projects"), "{nowhere}");
    let elsewhere = client.refused("forget", json!({"session": "1a5d7500", "confirm": "1-0"}))?;
    assert!(elsewhere.contains("of another project: lantern-shop"), "{elsewhere}");
    assert!(elsewhere.contains("all_projects=true"), "{elsewhere}");
    assert!(client.refused("forget", json!({"all_projects": true, "confirm": "1-0"}))?.contains("required"));
    let dry = client.call_for_json("forget", json!({"query": "checkout", "project": "lantern-shop"}))?;
    let projects = &dry["structuredContent"]["result"]["projects"];
    assert_eq!(projects[0]["name"], "lantern-shop", "{dry}");
    assert!(projects[0]["sessions"].as_object().is_some_and(|sessions| !sessions.is_empty()), "{dry}");
    assert!(env.run(&["reconstruct", "--session", "1a5d7500"]).ok()?.contains("NaN"));
    Ok(())
}

#[test]
fn resources_are_found_by_address() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let remembered = env.run(&["remember", "Never push on Fridays", "--everywhere", "--json"]).json()?;
    let client = Client::of(&env)?;
    let templates: Vec<Value> = client.templates()?.iter().map(|one| one["uriTemplate"].clone()).collect();
    assert_eq!(templates, ["backstory://session/{id}", "backstory://card/{id}", "backstory://evidence/{id}"]);
    let listed: Vec<String> =
        client.resources()?.iter().filter_map(|one| one["uri"].as_str().map(str::to_owned)).collect();
    assert!(listed.iter().any(|uri| uri.starts_with("backstory://card/")), "{listed:?}");

    let read = |uri: &str| -> TestResult<String> {
        Ok(client.read(uri)?["contents"][0]["text"].as_str().unwrap_or_default().to_owned())
    };
    assert!(read("backstory://session/1a5d7500")?.contains("NaN total is back"));
    let card = remembered["card"]["id"].as_str().unwrap_or_default();
    assert!(read(&format!("backstory://card/{card}"))?.contains("Never push on Fridays"));
    let found =
        client.call_for_json("search", json!({"query": "NaN total", "all_projects": true, "kind": ["assistant"]}))?;
    let uri = found["structuredContent"]["result"]["items"][0]["uri"].as_str().unwrap_or_default().to_owned();
    assert!(read(&uri)?.starts_with("<backstory-memory verb=\"log show\">"), "{uri}");
    for uri in ["backstory://session/zzzz", "backstory://nothing/1", "file:///etc/passwd", "backstory://card/"] {
        assert!(client.read(uri).is_err(), "{uri}");
    }
    Ok(())
}

#[test]
fn prompts_bring_what_is_known() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let names: Vec<Value> = client.prompts()?.iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["resume", "retrospective", "debug"]);
    let said = |name: &str, arguments: Value| -> TestResult<String> {
        let made = client.prompt(name, arguments)?;
        assert_eq!(made["messages"][0]["role"], "user");
        Ok(made["messages"][0]["content"]["text"].as_str().unwrap_or_default().to_owned())
    };
    // The folder of the test has no sessions, and prompts work without.
    assert!(said("resume", json!({"task": "the receipt page"}))?.contains("the receipt page"));
    assert!(said("retrospective", json!({"session": "1a5d7500"}))?.contains("NaN total is back"));
    assert!(said("debug", json!({"error": "NaN €"}))?.contains("NaN €"));
    assert!(client.prompt("debug", json!({})).is_err());
    assert!(client.prompt("dance", json!({})).is_err());
    Ok(())
}

#[test]
fn many_calls_at_once_are_all_answered() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let calls = (0..16).map(|n| match n % 4 {
        0 => ("search", json!({"query": format!("cart {n}"), "all_projects": true})),
        1 => ("remember", json!({"text": format!("Shelf {n} is for lanterns"), "everywhere": true})),
        2 => ("reconstruct", json!({"session": "1a5d7500"})),
        _ => ("list", json!({"what": "sessions", "all_projects": true})),
    });
    let answers = client.call_many(calls.collect())?;
    assert_eq!(answers.len(), 16);
    for answer in &answers {
        assert_ne!(answer["isError"], true, "{}", text(answer));
    }
    Ok(())
}

/// The memory is open all the time, while others change it.
#[test]
fn what_others_do_to_the_memory_is_seen() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let client = Client::of(&env)?;
    let count = |query: &str| -> TestResult<usize> {
        let answer = client.call_for_json("search", json!({"query": query, "all_projects": true}))?;
        assert_ne!(answer["isError"], true, "{}", text(&answer));
        let result = &answer["structuredContent"]["result"];
        Ok(["cases", "items"].iter().filter_map(|list| result[list].as_array()).map(Vec::len).sum())
    };
    assert!(count("wrapping paper")? > 0);
    // New data is read, the views are rebuilt, then deleted, then the whole memory is deleted.
    env.write("notes/talk.txt", "Ada: the zeppelin leaves at nine\nBob: which zeppelin?\n")?;
    env.run(&["ingest", &env.path("notes/talk.txt").to_string_lossy(), "--quiet"]).ok()?;
    assert!(count("zeppelin")? > 0);
    env.run(&["rebuild"]);
    assert!(count("zeppelin")? > 0);
    std::fs::remove_dir_all(env.path("memory/views"))?;
    assert!(count("zeppelin")? > 0);
    std::fs::remove_dir_all(env.path("memory"))?;
    assert_eq!(count("zeppelin")?, 0);
    Ok(())
}
