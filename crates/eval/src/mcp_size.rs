//! How much context do the tools and their answers take?
//!
//! Hosts give the model the list of tools in every session, and of an answer the text, or else its JSON (which the
//! server sends only to a client that asks).

use std::error::Error;

use serde_json::{Value, json};

use crate::mcp_server::McpServer;
use crate::stats::{percentile, verdict};

/// The maximum size of the list, in characters / 4.
const MOST_TOKENS: f64 = 2_000.0;
/// The maximum ratio of bytes sent to bytes of text, over all answers: the protocol adds about 100 bytes to each, which
/// is much for "nothing found".
const MOST_SENT: f64 = 1.5;

pub fn report(server: &mut McpServer, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let list = result(&server.request("tools/list", json!({}))?)?;
    verdict("tools/list, characters / 4", list.to_string().chars().count() as f64 / 4.0, MOST_TOKENS, "");
    for verb in ["search", "recall", "predict"] {
        answers(server, verb, questions)?;
    }
    Ok(())
}

fn answers(server: &mut McpServer, verb: &str, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let (mut shown, mut sent, mut as_json) = (0, 0, Vec::new());
    for question in questions {
        let arguments = json!({"query": question, "all_projects": true});
        let mut call = json!({"name": verb, "arguments": arguments});
        let line = server.request("tools/call", call.clone())?;
        let text = text(&result(&line)?).len();
        call["_meta"] = json!({"backstory/json": true});
        let both = result(&server.request("tools/call", call)?)?;
        shown += text;
        sent += line.len();
        as_json.push(both["structuredContent"].to_string().len() as f64 / text as f64);
    }
    println!(
        "  {verb}: {shown} bytes of text; the JSON, if asked for, median {:.2} times that, at most {:.2}",
        percentile(&as_json, 50),
        percentile(&as_json, 100)
    );
    verdict("  all that is sent / text", sent as f64 / shown as f64, MOST_SENT, "");
    Ok(())
}

fn result(line: &str) -> Result<Value, Box<dyn Error>> {
    let mut answer: Value = serde_json::from_str(line)?;
    match answer["result"].take() {
        result if result.is_object() && result["isError"] != true => Ok(result),
        _ => Err(format!("the server refused: {line}").into()),
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
