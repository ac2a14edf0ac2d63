//! Reads tool calls.

use backstory_language::shell::{base_name, line_of};
use serde_json::{Map, Value};

use super::super::json::inner_json;

/// The readable text of a call, with what is left of its arguments.
#[derive(Debug, Default, PartialEq)]
pub struct CodexCall {
    pub tool: String,
    pub text: String,
    pub rest: Map<String, Value>,
    pub files: Vec<String>,
    /// The recipient of a message to an agent.
    pub to: Option<String>,
}

const SHELL_TOOLS: [&str; 7] =
    ["shell", "container.exec", "local_shell", "shell_command", "exec_command", "unified_exec", "bash"];
/// Tools with a single argument, which is the readable text.
const SPEAKING_ARGUMENTS: [(&str, &str); 7] = [
    ("spawn_agent", "message"),
    ("send_input", "message"),
    ("send_message", "message"),
    ("followup_task", "message"),
    ("assign_task", "message"),
    ("write_stdin", "chars"),
    ("apply_patch", "input"),
];
const PATH_ARGUMENTS: [(&str, &str); 3] =
    [("view_image", "path"), ("read_file", "file_path"), ("list_dir", "dir_path")];
const PATCH_BEGIN: &str = "*** Begin Patch";
const PATCH_END: &str = "*** End Patch";
const PATCH_FILES: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

/// Reads the response item of any `*_call` type; `None`: of a type nobody knows.
pub fn read_call(kind: &str, item: &Map<String, Value>) -> Option<CodexCall> {
    let mut call = match kind {
        "function_call" => function_call(tool_name(item), item.get("arguments")),
        "custom_tool_call" => custom_call(tool_name(item), item.get("input")),
        "tool_search_call" => function_call("tool_search".to_owned(), item.get("arguments")),
        "local_shell_call" => shell_call("local_shell".to_owned(), fields(item.get("action"))),
        "web_search_call" => web_search(fields(item.get("action"))),
        "image_generation_call" => custom_call("image_generation".to_owned(), item.get("revised_prompt")),
        _ => return None,
    };
    if call.text.contains(PATCH_BEGIN) {
        call.files = files_in_patch(&call.text);
    }
    Some(call)
}

fn tool_name(item: &Map<String, Value>) -> String {
    let field = |name: &str| item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = field("name").unwrap_or("unknown");
    match field("namespace") {
        None => name.to_owned(),
        Some(space) if space.ends_with('_') => format!("{space}{name}"),
        Some(space) => format!("{space}.{name}"),
    }
}

/// The arguments come as JSON inside a string; a model may get it wrong.
fn function_call(tool: String, arguments: Option<&Value>) -> CodexCall {
    let parsed = match arguments {
        Some(Value::String(raw)) => match inner_json(raw) {
            Some(parsed) => parsed,
            None => return CodexCall { tool, text: raw.clone(), ..CodexCall::default() },
        },
        Some(other) => other.clone(),
        None => Value::Null,
    };
    match parsed {
        Value::Object(arguments) if SHELL_TOOLS.contains(&tool.as_str()) => shell_call(tool, arguments),
        Value::Object(arguments) => named_call(tool, arguments),
        Value::Null => CodexCall { tool, ..CodexCall::default() },
        other => CodexCall { tool, text: other.to_string(), ..CodexCall::default() },
    }
}

fn named_call(tool: String, mut arguments: Map<String, Value>) -> CodexCall {
    let speaking = SPEAKING_ARGUMENTS.iter().find(|(name, _)| *name == tool);
    if let Some(text) = speaking.and_then(|(_, argument)| take_text(&mut arguments, argument)) {
        let to = ["target", "id", "agent_id"].iter().find_map(|name| arguments.get(*name)?.as_str().map(str::to_owned));
        return CodexCall { tool, text, rest: arguments, to, ..CodexCall::default() };
    }
    let path = PATH_ARGUMENTS.iter().find(|(name, _)| *name == tool).and_then(|(_, argument)| arguments.get(*argument));
    let files = path.and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    CodexCall { tool, text: Value::Object(arguments).to_string(), files, ..CodexCall::default() }
}

fn custom_call(tool: String, input: Option<&Value>) -> CodexCall {
    let text = match input {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    CodexCall { tool, text, ..CodexCall::default() }
}

fn shell_call(tool: String, mut arguments: Map<String, Value>) -> CodexCall {
    let name = ["command", "cmd", "input"].into_iter().find(|name| arguments.contains_key(*name));
    let command = match name.and_then(|name| arguments.remove(name)) {
        Some(Value::String(script)) => script,
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            if let Some(patch) = patch_argument(&words) {
                return patch_call(patch, arguments);
            }
            line_of(&words)
        }
        Some(other) => other.to_string(),
        None => return CodexCall { tool, text: Value::Object(arguments).to_string(), ..CodexCall::default() },
    };
    match patch_script(&command) {
        Some(patch) => patch_call(patch, arguments),
        None => CodexCall { tool, text: command, rest: arguments, ..CodexCall::default() },
    }
}

/// An edit is kept as an edit, whichever tool made it.
fn patch_call(patch: &str, rest: Map<String, Value>) -> CodexCall {
    CodexCall { tool: "apply_patch".to_owned(), text: patch.to_owned(), rest, ..CodexCall::default() }
}

fn patch_argument<'a>(words: &[&'a str]) -> Option<&'a str> {
    match words {
        [program, patch] if is_patch_program(program) => Some(patch),
        _ => None,
    }
}

/// The patch of a script that is `apply_patch <<'EOF' … EOF`.
fn patch_script(script: &str) -> Option<&str> {
    let program = script.split_whitespace().next()?;
    if !is_patch_program(program) {
        return None;
    }
    let begin = script.find(PATCH_BEGIN)?;
    let end = script.rfind(PATCH_END).map_or(script.len(), |at| at + PATCH_END.len());
    script.get(begin..end)
}

fn is_patch_program(program: &str) -> bool {
    matches!(base_name(program), "apply_patch" | "applypatch")
}

fn web_search(mut action: Map<String, Value>) -> CodexCall {
    let queries = action.get("queries").and_then(Value::as_array).cloned().unwrap_or_default();
    let queries: Vec<&str> = queries.iter().filter_map(Value::as_str).collect();
    let text = if queries.is_empty() {
        ["query", "pattern", "url"].into_iter().find_map(|name| take_text(&mut action, name)).unwrap_or_default()
    } else {
        // `query` is its first element.
        action.remove("queries");
        action.remove("query");
        queries.join("\n")
    };
    CodexCall { tool: "web_search".to_owned(), text, rest: action, ..CodexCall::default() }
}

fn files_in_patch(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let Some(path) = PATCH_FILES.iter().find_map(|marker| line.strip_prefix(marker)) else { continue };
        let path = path.trim();
        if !path.is_empty() && !files.iter().any(|known| known == path) {
            files.push(path.to_owned());
        }
    }
    files
}

fn fields(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    if !fields.get(name)?.is_string() {
        return None;
    }
    match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(kind: &str, item: Value) -> CodexCall {
        read_call(kind, item.as_object().expect("an object")).expect("a known type")
    }

    fn function(name: &str, arguments: Value) -> CodexCall {
        call("function_call", json!({"name": name, "arguments": arguments.to_string(), "call_id": "c1"}))
    }

    #[test]
    fn commands_read_as_typed() {
        let bash = function("shell", json!({"command": ["bash", "-lc", "ls | wc -l"], "workdir": "/w"}));
        assert_eq!((bash.tool.as_str(), bash.text.as_str()), ("shell", "ls | wc -l"));
        assert_eq!(Value::Object(bash.rest), json!({"workdir": "/w"}));
        for (command, expected) in [
            (json!(["git", "commit", "-m", "it's tea"]), "git commit -m 'it'\\''s tea'"),
            (json!(["/bin/zsh", "-c", "echo $HOME"]), "echo $HOME"),
            (json!(["powershell.exe", "-NoProfile", "-Command", "Get-Item x"]), "Get-Item x"),
            (json!(["cmd.exe", "/c", "dir", "/b"]), "dir /b"),
            (json!(["bash", "run.sh"]), "bash run.sh"),
            (json!([]), ""),
            (json!("ls"), "ls"),
            (json!(7), "7"),
        ] {
            assert_eq!(function("shell", json!({"command": command})).text, expected);
        }
        let exec = function("exec_command", json!({"cmd": "make tea", "yield_time_ms": 5}));
        assert_eq!((exec.text.as_str(), Value::Object(exec.rest)), ("make tea", json!({"yield_time_ms": 5})));
        let local =
            call("local_shell_call", json!({"action": {"type": "exec", "command": ["ls", "-l"], "timeout_ms": 9}}));
        assert_eq!((local.tool.as_str(), local.text.as_str()), ("local_shell", "ls -l"));
    }

    #[test]
    fn patches_name_their_files() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Add File: c.rs\n+z\n*** End Patch";
        let heredoc = format!("apply_patch <<'EOF'\n{patch}\nEOF\n");
        for found in [
            call("custom_tool_call", json!({"name": "apply_patch", "input": patch})),
            function("apply_patch", json!({"input": patch})),
            function("shell", json!({"command": ["apply_patch", patch]})),
            function("shell", json!({"command": ["bash", "-lc", heredoc]})),
            function("exec_command", json!({"cmd": heredoc})),
        ] {
            assert_eq!((found.tool.as_str(), found.text.as_str()), ("apply_patch", patch));
            assert_eq!(found.files, ["a.rs", "b.rs", "c.rs"]);
            assert!(found.rest.is_empty());
        }
    }

    #[test]
    fn other_tools() {
        assert_eq!(function("update_plan", json!({"plan": []})).text, "{\"plan\":[]}");
        let broken = call("function_call", json!({"name": "shell", "arguments": "{\"command\":[\"ls\""}));
        assert_eq!(broken.text, "{\"command\":[\"ls\"");
        let remote = call("function_call", json!({"name": "boil", "namespace": "mcp__kettle__", "arguments": "{}"}));
        assert_eq!(remote.tool, "mcp__kettle__boil");
        let agent = function("send_input", json!({"target": "a-1", "message": "stir"}));
        assert_eq!((agent.text.as_str(), agent.to.as_deref()), ("stir", Some("a-1")));
        let search = call("web_search_call", json!({"id": "ws_1", "action": {"type": "search", "query": "tea"}}));
        assert_eq!((search.tool.as_str(), search.text.as_str()), ("web_search", "tea"));
        assert_eq!(Value::Object(search.rest), json!({"type": "search"}));
        assert_eq!(function("view_image", json!({"path": "cup.png"})).files, ["cup.png"]);
        assert_eq!(read_call("warp_call", &Map::new()), None);
    }
}
