//! Adds the output of `--plain` to an answer with passages: one line each, starting with the id.

use backstory_engine::model::Timestamp;
use serde_json::{Value, json};

use crate::reply::Reply;
use crate::terminal;

/// The number of digits of an id in texts.
const SHORT_ID: usize = 12;
const LONGEST_TEXT: usize = 200;

/// Cards, cases and passages, in text order.
pub fn with_lines(reply: Reply) -> Reply {
    let lines = lines(&reply.json);
    if lines.is_empty() { reply } else { reply.with_lines(lines) }
}

fn lines(answer: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let passages = list(&answer["chains"]).into_iter().flat_map(|chain| list(&chain["items"]));
    let cards = list(&answer["cards"]).into_iter().map(|card| line(&card, "id", "renewed_at", "statement"));
    let story = &answer["story"];
    let told = [&story["before"], &json!([story["case"]]), &story["after"], &answer["others"], &answer["cases"]];
    let cases = told.into_iter().flat_map(list).filter(|case| case.is_object());
    let cases = cases.map(|case| case_line(&case));
    let passages = passages.chain(list(&answer["items"])).map(|item| line(&item, "chunk", "started", "text"));
    cards.chain(cases).chain(passages).collect()
}

/// The id, the time, the session, the state and the request.
fn case_line(case: &Value) -> String {
    let fields = line(case, "id", "time", "asked");
    let state = case["state"].as_str().unwrap_or_default();
    match fields.rsplit_once('\t') {
        Some((before, asked)) => format!("{before}\t{state}\t{asked}"),
        None => fields,
    }
}

/// The id, the time, the session or the card's kind, and the text.
fn line(item: &Value, id: &str, time: &str, text: &str) -> String {
    let field = |name: &str| item[name].as_str().unwrap_or_default();
    let id: String = field(id).chars().take(SHORT_ID).collect();
    let time = Timestamp::parse(field(time));
    let place = if item["session"].is_string() { field("session") } else { field("kind") };
    format!("{id}\t{}\t{place}\t{}", terminal::time(time), terminal::clip(field(text), LONGEST_TEXT))
}
