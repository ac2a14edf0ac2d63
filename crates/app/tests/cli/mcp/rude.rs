//! A client that violates the protocol: the server answers, and continues.

use serde_json::json;

use super::raw::Raw;
use crate::env::{TestEnv, TestResult};

#[test]
fn malformed_lines_do_not_end_the_session() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let mut raw = Raw::begun(&env)?;
    for line in [
        &b"not json at all\n"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\n",
        b"\xff\xfe\x00\n",
        b"[]\n",
        b"{}\n",
        b"\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":true,\"method\":7}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/dance\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/call\",\"params\":{\"name\":7}}\n",
    ] {
        raw.write(line)?;
    }
    raw.call(11, "list", &json!({"what": "projects"}))?;
    let heard = raw.until(11)?;
    let answer = heard.last().ok_or("no answer")?;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // The sender gets an error; an empty line is ignored.
    let codes = |code: i64| heard.iter().filter(|message| message["error"]["code"] == code).count();
    assert_eq!(codes(-32700), 3, "{heard:?}");
    assert!(heard.iter().filter(|message| message.get("error").is_some()).count() >= 7, "{heard:?}");
    assert_eq!(raw.end()?, Some(0));
    Ok(())
}

/// A client waits for the answer to its request: an error without its id is not an answer.
#[test]
fn a_malformed_request_is_answered_by_its_id() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let mut raw = Raw::begun(&env)?;
    for (id, line, code, told) in [
        (1, r#""method":"tools/call","params":5"#, -32600, "`params` must be an object"),
        (2, r#""method":"tools/call","params":{"name":7}"#, -32602, "`name` must be a string"),
        (3, r#""method":"tools/call","params":{}"#, -32602, "need `name`"),
        (4, r#""method":"tools/dance""#, -32601, "no method `tools/dance`"),
        (5, r#""method":"tools/call","params":{"name":"search","arguments":[1]}"#, -32602, "must be an object"),
        (6, r#""method":"resources/read","params":{}"#, -32602, "need `uri`"),
        (7, r#""method":"tools/call""#, -32602, "`tools/call` needs `params` with `name`"),
        (8, r#""method":"prompts/get""#, -32602, "`prompts/get` needs `params` with `name`"),
    ] {
        raw.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{line}}}\n").as_bytes())?;
        let error = raw.answer_to(id)?["error"].clone();
        assert_eq!(error["code"], code, "{line}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(told)), "{line}: {error}");
    }
    assert_eq!(raw.end()?, Some(0));
    Ok(())
}

/// The last message counts, even without a line break.
#[test]
fn the_last_line_needs_no_end() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let listed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let screen = env.run_with_input("memory", &["mcp"], &format!("{hello}\n{begun}\n{listed}"))?;
    assert!(screen.stdout.contains("\"id\":1"), "{}", screen.text());
    Ok(())
}

#[test]
fn words_before_the_session_are_no_end() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let raw = Raw::start(env.command(&["mcp"]))?;
    // A host that disconnects at once.
    assert!(raw.end()?.is_some());
    Ok(())
}

#[test]
fn a_cancelled_call_does_not_hold_up_the_others() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let mut raw = Raw::begun(&env)?;
    for id in 1..=8 {
        raw.call(id, "search", &json!({"query": "cart", "all_projects": true}))?;
        let params = json!({"requestId": id, "reason": "changed my mind"});
        raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))?;
    }
    raw.call(20, "search", &json!({"query": "NaN", "all_projects": true}))?;
    let answer = raw.answer_to(20)?;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(raw.end()?, Some(0));
    Ok(())
}

#[test]
fn huge_input_is_refused_with_an_answer() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let mut raw = Raw::begun(&env)?;
    let huge = "x".repeat(20 << 20);
    raw.call(1, "search", &json!({"query": huge}))?;
    let answer = raw.answer_to(1)?;
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer.to_string().len() < 2_000 && answer.to_string().contains("too large"));
    raw.call(2, &"y".repeat(1 << 20), &json!({}))?;
    assert!(raw.answer_to(2)?.to_string().len() < 2_000);
    raw.call(3, "search", &json!({"query": "NaN", "all_projects": true}))?;
    assert_eq!(raw.answer_to(3)?["result"]["isError"], false);
    Ok(())
}

#[test]
fn a_long_call_tells_how_far_it_is() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/cart.js", "export function total(items) {\n  return items.length;\n}\n")?;
    let mut raw = Raw::begun(&env)?;
    let params = json!({
        "name": "why", "arguments": {"query": "why is total wrong"}, "_meta": {"progressToken": "p1"},
    });
    raw.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))?;
    let heard = raw.until(1)?;
    let progress: Vec<_> = heard.iter().filter(|message| message["method"] == "notifications/progress").collect();
    assert!(!progress.is_empty(), "{heard:?}");
    assert_eq!(progress[0]["params"]["progressToken"], "p1");
    assert!(progress[0]["params"]["message"].is_string());
    Ok(())
}

/// The only folder of a client determines the project.
#[test]
fn the_clients_folder_is_the_project() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    std::fs::create_dir_all(env.path("other shop"))?;
    let mut raw = Raw::start(env.command(&["mcp"]))?;
    raw.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"},
    }}))?;
    raw.answer_to(0)?;
    raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let asked = raw.request()?;
    assert_eq!(asked["method"], "roots/list");
    let uri = format!("file://{}", env.path("other shop").display()).replace(' ', "%20");
    raw.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}}))?;
    // The answer is processed with a delay.
    for id in 1..100 {
        raw.call(id, "search", &json!({"query": "x"}))?;
        let answer = raw.answer_to(id)?.to_string();
        if answer.contains("other shop") {
            return Ok(());
        }
    }
    Err("the folder was never taken up".into())
}
