//! What do the records of a session file say, without the engine?

use serde_json::{Deserializer, Value};

/// What the host writes in a person's name begins so.
const HOST_NOTES: [&str; 9] = [
    "<local-command", "<command-name>", "<command-message>", "<bash-", "Caveat: The messages below",
    "<system-reminder>", "<task-notification>", "[Request interrupted", "<user-memory-input>",
];

/// The records of a line: damaged files have two on one.
pub fn records(line: &str) -> impl Iterator<Item = Value> {
    Deserializer::from_str(line).into_iter().map_while(Result::ok).filter(Value::is_object)
}

/// What was written, without calls and their results.
pub fn words(record: &Value) -> String {
    let content = &record["message"]["content"];
    if let Some(text) = content.as_str() {
        return text.trim().to_owned();
    }
    let texts = blocks(record).filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Words of a person that an agent works on.
pub fn is_prompt(record: &Value) -> bool {
    let is = |name: &str| record[name] == true;
    if record["type"] != "user" || is("isMeta") || is("isSidechain") || is("isCompactSummary") {
        return false;
    }
    let words = words(record);
    let is_result = blocks(record).any(|block| block["type"] == "tool_result");
    !is_result && !words.is_empty() && !HOST_NOTES.iter().any(|note| words.starts_with(note))
}

fn blocks(record: &Value) -> impl Iterator<Item = &Value> {
    record["message"]["content"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_told_from_results_and_host_notes() {
        let line = concat!(
            r#"{"type":"user","message":{"content":" go on "}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}}"#,
            r#"{"type":"user","message":{"content":"<bash-input>ls"}}"#,
        );
        let prompts: Vec<bool> = records(line).map(|record| is_prompt(&record)).collect();
        assert_eq!(prompts, [true, false, false]);
        assert_eq!(records(line).next().map(|record| words(&record)).as_deref(), Some("go on"));
    }
}
