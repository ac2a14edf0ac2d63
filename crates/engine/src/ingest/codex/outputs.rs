//! Reads tool outputs, and how the calls ended.

use serde_json::{Map, Value};

use crate::model::Exit;

use super::super::json::inner_json;
use super::envelope::is_session_id;
use super::words;

#[derive(Debug, Default, PartialEq)]
pub struct Output {
    pub text: String,
    pub exit: Option<Exit>,
    pub code: Option<i64>,
    /// The agent that a call started or that it reports on.
    pub spawned: Option<String>,
}

/// Refusals are short sentences of the host.
const LONGEST_REFUSAL: usize = 600;
const REJECTIONS: [&str; 8] = [
    "exec command rejected", "exec_command rejected", "command rejected", "patch rejected", "rejected by user",
    "user rejected", "user cancelled", "apply_patch rejected",
];
const INTERRUPTIONS: [&str; 2] = ["aborted by user", "command aborted by user"];
const FAILURES: [&str; 11] = [
    "execution error",
    "exec_command failed",
    "write_stdin failed",
    "apply_patch verification failed",
    "failed to parse function arguments",
    "failed to parse exec arguments",
    "unsupported call",
    "unsupported custom tool call",
    "tool call error",
    "failed in sandbox",
    "err: ",
];
/// Header lines that newer versions put before the output of a command.
const HEADER: [&str; 8] = [
    "Chunk ID: ",
    "Wall time",
    "Duration: ",
    "Exit code: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
];

/// Reads the item of any `*_output` type; `None` if it holds no output.
pub fn read_output(item: &Map<String, Value>) -> Option<Output> {
    if let Some(output) = item.get("output") {
        return Some(of_value(output));
    }
    let tools = item.get("tools")?.as_array()?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool.get("name").and_then(Value::as_str)).collect();
    Some(Output { text: names.join("\n"), exit: Some(Exit::Ok), ..Output::default() })
}

fn of_value(output: &Value) -> Output {
    match output {
        Value::String(text) => of_text(text),
        Value::Object(fields) => of_fields(fields),
        Value::Array(_) => of_text(&words::parts(Some(output)).join("\n")),
        Value::Null => Output::default(),
        other => Output { text: other.to_string(), ..Output::default() },
    }
}

/// `{content, success}`, or `{output, metadata}` which most versions write
/// into a string.
fn of_fields(fields: &Map<String, Value>) -> Output {
    let body = fields.get("content").or_else(|| fields.get("output"));
    let mut read = match body {
        Some(body) => of_text(&words::parts(Some(body)).join("\n")),
        None => Output { text: Value::Object(fields.clone()).to_string(), ..Output::default() },
    };
    let code = fields.get("metadata").and_then(|metadata| metadata.get("exit_code")).and_then(Value::as_i64);
    if code.is_some() {
        read.code = code;
        read.exit = ending(&read.text, code);
    }
    let failed = fields.get("success").and_then(Value::as_bool).map(|success| !success);
    if let (None, Some(failed)) = (read.exit, failed.or(fields.get("isError").and_then(Value::as_bool))) {
        read.exit = Some(if failed { Exit::Failed } else { Exit::Ok });
    }
    read.spawned = read.spawned.or_else(|| agent_in(fields));
    read
}

pub fn of_text(text: &str) -> Output {
    if text.starts_with('{')
        && let Some(fields) = inner_json::<Map<String, Value>>(text)
    {
        return of_json_text(text, &fields);
    }
    if let Some(text) = content_list(text) {
        return Output { exit: ending(&text, None), text, ..Output::default() };
    }
    let (code, body) = split_header(text);
    Output { exit: ending(body, code), text: body.to_owned(), code, spawned: None }
}

/// Tools of MCP servers answer with a list of contents, written as JSON.
fn content_list(text: &str) -> Option<String> {
    let items: Vec<Value> = text.starts_with("[{").then(|| inner_json(text))??;
    let is_content = |item: &Value| match item.get("type").and_then(Value::as_str) {
        Some("text") => item.get("text").is_some_and(Value::is_string),
        Some(kind) => kind.starts_with("image") || kind.starts_with("audio"),
        None => false,
    };
    items.iter().all(is_content).then(|| words::parts(Some(&Value::Array(items))).join("\n"))
}

/// A tool may print JSON of its own: only the host's wrapper is removed.
fn of_json_text(text: &str, fields: &Map<String, Value>) -> Output {
    if fields.get("output").is_some_and(Value::is_string) && fields.get("metadata").is_some_and(Value::is_object) {
        return of_fields(fields);
    }
    let failed = fields.get("isError").and_then(Value::as_bool);
    let exit = failed.map(|failed| if failed { Exit::Failed } else { Exit::Ok });
    Output { text: text.to_owned(), exit, code: None, spawned: agent_in(fields) }
}

fn agent_in(fields: &Map<String, Value>) -> Option<String> {
    if let Some(agent) = fields.get("agent_id").and_then(Value::as_str) {
        return is_session_id(agent).then(|| agent.to_owned());
    }
    let reports = fields.get("status")?.as_object()?;
    let mut done = reports.iter().filter(|(agent, status)| is_session_id(agent) && status.get("completed").is_some());
    let (agent, _) = done.next()?;
    done.next().is_none().then(|| agent.clone())
}

/// The exit code in the header, and the text below it.
fn split_header(text: &str) -> (Option<i64>, &str) {
    let mut code = None;
    let mut rest = text;
    let mut any = false;
    while let Some((line, below)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        if any && line.trim_end() == "Output:" {
            return (code, below);
        }
        if !HEADER.iter().any(|name| line.starts_with(name)) {
            break;
        }
        any = true;
        code = code.or_else(|| exit_code(line));
        rest = below;
    }
    // Some answers have a header and one sentence, but no `Output:` line.
    if any { (code, rest) } else { (None, text) }
}

fn exit_code(line: &str) -> Option<i64> {
    let number = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))?;
    number.trim().parse().ok()
}

fn ending(text: &str, code: Option<i64>) -> Option<Exit> {
    let begins = |starts: &[&str]| starts.iter().any(|start| text.trim_start().starts_with(start));
    if begins(&INTERRUPTIONS) || text.trim() == "aborted" {
        return Some(Exit::Interrupted);
    }
    if text.len() <= LONGEST_REFUSAL && (begins(&REJECTIONS) || text.trim_end().ends_with("rejected by user")) {
        return Some(Exit::Rejected);
    }
    match code {
        Some(0) => Some(Exit::Ok),
        Some(_) => Some(Exit::Failed),
        None => begins(&FAILURES).then_some(Exit::Failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: Value, text: &str, exit: Option<Exit>, code: Option<i64>) {
        let item = Map::from_iter([("output".to_owned(), output)]);
        let read = read_output(&item).expect("an output");
        assert_eq!((read.text.as_str(), read.exit, read.code), (text, exit, code));
    }

    #[test]
    fn endings_in_all_their_forms() {
        use serde_json::json;
        let wrapped = json!({"output": "no cups\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}});
        check(json!(wrapped.to_string()), "no cups\n", Some(Exit::Failed), Some(2));
        check(wrapped, "no cups\n", Some(Exit::Failed), Some(2));
        check(
            json!("Exit code: 0\nWall time: 0.2 seconds\nTotal output lines: 9\nOutput:\ntea\n"),
            "tea\n",
            Some(Exit::Ok),
            Some(0),
        );
        check(
            json!(
                "Chunk ID: ab\nWall time: 0.0510 seconds\nProcess exited with code 127\nOriginal token count: 3\nOutput:\nbash: tea: not found"
            ),
            "bash: tea: not found",
            Some(Exit::Failed),
            Some(127),
        );
        check(
            json!("Wall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nboiling"),
            "boiling",
            None,
            None,
        );
        check(json!("exec command rejected by user"), "exec command rejected by user", Some(Exit::Rejected), None);
        check(json!("Wall time: 3.1 seconds\naborted by user"), "aborted by user", Some(Exit::Interrupted), None);
        check(json!("aborted"), "aborted", Some(Exit::Interrupted), None);
        check(json!({"content": "no such tool", "success": false}), "no such tool", Some(Exit::Failed), None);
        check(
            json!({"content": [{"type": "input_text", "text": "cup"}, {"type": "input_image", "image_url": "x"}], "success": true}),
            "cup\n[image]",
            Some(Exit::Ok),
            None,
        );
        check(json!([{"type": "input_text", "text": "Plan updated"}]), "Plan updated", None, None);
        check(json!("[{\"text\":\"cup\",\"type\":\"text\"}]"), "cup", None, None);
        check(json!("[{\"text\":\"a tool's own\"}]"), "[{\"text\":\"a tool's own\"}]", None, None);
        check(json!("execution error: no shell"), "execution error: no shell", Some(Exit::Failed), None);
        check(json!("Output:\nnot a header"), "Output:\nnot a header", None, None);
        check(json!("{\"output\": \"a tool's own JSON\"}"), "{\"output\": \"a tool's own JSON\"}", None, None);
        check(Value::Null, "", None, None);
    }

    #[test]
    fn reports_name_their_agent() {
        let (ana, bo) = ("019a0000-aaaa-7bbb-8ccc-0123456789ab", "019a0000-aaaa-7bbb-8ccc-0123456789cd");
        let spawned = |text: String| of_text(&text).spawned;
        assert_eq!(spawned(format!("{{\"agent_id\":\"{ana}\",\"nickname\":\"Ana\"}}")).as_deref(), Some(ana));
        assert_eq!(spawned("{\"agent_id\":\"another tool's\"}".to_owned()), None);
        let done = |agent: &str| format!("\"{agent}\":{{\"completed\":\"tea is done\"}}");
        assert_eq!(spawned(format!("{{\"status\":{{{}}}}}", done(ana))).as_deref(), Some(ana));
        assert_eq!(spawned(format!("{{\"status\":{{{},{}}}}}", done(ana), done(bo))), None);
    }
}
