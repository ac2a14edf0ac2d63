//! What a tool call says and how it ended.

use serde_json::{Map, Value};

use crate::model::{Exit, edits_to_text};

use super::super::json::has_too_many_values;

/// The readable text of a call, with what is left of its input.
#[derive(Debug, Default, PartialEq)]
pub struct CallText {
    pub text: String,
    pub rest: Option<Value>,
    pub files: Vec<String>,
    pub to: Option<String>,
    pub team: Option<String>,
}

/// Moves the readable part of the input into the text; nothing is duplicated and nothing is lost.
pub fn call_text(tool: &str, input: Option<&str>) -> CallText {
    if let Some(raw) = input.filter(|raw| has_too_many_values(raw.as_bytes())) {
        return CallText { text: raw.to_owned(), ..CallText::default() };
    }
    let input = input.and_then(|raw| serde_json::from_str::<Value>(raw).ok());
    let mut fields = match input {
        Some(Value::Object(fields)) => fields,
        Some(other) => return CallText { text: other.to_string(), ..CallText::default() },
        None => return CallText::default(),
    };
    let files: Vec<String> =
        take_text(&mut fields, "file_path").or_else(|| take_text(&mut fields, "notebook_path")).into_iter().collect();
    let mut call = CallText { files, ..CallText::default() };
    match tool {
        "Bash" => call.text = take_text(&mut fields, "command").unwrap_or_default(),
        "Edit" => call.text = edit_text(&mut fields),
        "MultiEdit" => call.text = multi_edit_text(&mut fields),
        "Write" => {
            call.text =
                take_text(&mut fields, "content").map(|new| edits_to_text([("", new.as_str())])).unwrap_or_default()
        }
        "NotebookEdit" => {
            call.text =
                take_text(&mut fields, "new_source").map(|new| edits_to_text([("", new.as_str())])).unwrap_or_default();
        }
        "Task" | "Agent" => {
            call.text = take_text(&mut fields, "prompt").unwrap_or_default();
            call.to = fields.get("name").and_then(Value::as_str).map(str::to_owned);
            call.team = fields.get("team_name").and_then(Value::as_str).map(str::to_owned);
        }
        "SendMessage" => {
            call.to = take_text(&mut fields, "to").or_else(|| take_text(&mut fields, "recipient"));
            call.text =
                take_text(&mut fields, "message").or_else(|| take_text(&mut fields, "content")).unwrap_or_default();
        }
        "TeamCreate" => call.team = fields.get("team_name").and_then(Value::as_str).map(str::to_owned),
        "ExitPlanMode" => call.text = take_text(&mut fields, "plan").unwrap_or_default(),
        "Grep" | "Glob" => call.text = take_text(&mut fields, "pattern").unwrap_or_default(),
        "WebSearch" => call.text = take_text(&mut fields, "query").unwrap_or_default(),
        "WebFetch" => call.text = take_text(&mut fields, "url").unwrap_or_default(),
        // The path is the only readable input.
        "Read" => call.text = call.files.join("\n"),
        _ => {
            call.text = Value::Object(std::mem::take(&mut fields)).to_string();
        }
    }
    call.rest = (!fields.is_empty()).then_some(Value::Object(fields));
    call
}

fn edit_text(fields: &mut Map<String, Value>) -> String {
    let old = take_text(fields, "old_string").unwrap_or_default();
    let new = take_text(fields, "new_string").unwrap_or_default();
    edits_to_text([(old.as_str(), new.as_str())])
}

fn multi_edit_text(fields: &mut Map<String, Value>) -> String {
    let Some(Value::Array(edits)) = fields.remove("edits") else {
        return String::new();
    };
    let side = |edit: &Value, name: &str| edit.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let pairs: Vec<_> = edits.iter().map(|edit| (side(edit, "old_string"), side(edit, "new_string"))).collect();
    edits_to_text(pairs.iter().map(|(old, new)| (old.as_str(), new.as_str())))
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.get(name) {
        Some(Value::String(_)) => match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// How the host marks the result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultMark {
    None,
    Error,
    /// Applies whether or not the result is an error too.
    Interrupted,
}

/// How a call ended, by the text and the mark of its result.
pub fn exit_of(text: &str, mark: ResultMark) -> (Exit, Option<i64>) {
    let start = text.trim_start();
    let start = start.strip_prefix("<tool_use_error>").unwrap_or(start);
    if start.starts_with("The user doesn't want to proceed with this tool use")
        || start.starts_with("The user doesn't want to take this action right now")
        || start.starts_with("Permission for this tool use was denied")
    {
        return (Exit::Rejected, None);
    }
    if mark == ResultMark::Interrupted || start.starts_with("[Request interrupted by user") {
        return (Exit::Interrupted, None);
    }
    let code = exit_code(start);
    let failed = mark == ResultMark::Error
        || text.trim_start().starts_with("<tool_use_error>")
        || code.is_some_and(|code| code != 0);
    (if failed { Exit::Failed } else { Exit::Ok }, code)
}

pub fn exit_code(text: &str) -> Option<i64> {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let rest = text.strip_prefix("Exit code ")?;
    rest.split(|character: char| character != '-' && !character.is_ascii_digit()).next()?.parse().ok()
}

/// The agent id from the last lines of a sub-agent's report.
pub fn agent_id_in(text: &str) -> Option<String> {
    // Reports are long, and the id is near their end.
    let mut from = text.len().saturating_sub(1_000);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let text = &text[from..];
    let at = text.rfind("agentId: ")? + "agentId: ".len();
    let id: String = text[at..].chars().take_while(char::is_ascii_alphanumeric).collect();
    (5..=40).contains(&id.len()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_a_person_would_read() {
        let call = call_text("Bash", Some(r#"{"command":"npm test","description":"run tests","timeout":5}"#));
        assert_eq!(call.text, "npm test");
        assert_eq!(call.rest, Some(serde_json::json!({"description": "run tests", "timeout": 5})));

        let call = call_text("Edit", Some(r#"{"file_path":"a.ts","old_string":"x\ny","new_string":"x\nz"}"#));
        assert_eq!(
            (call.text.as_str(), call.files.as_slice(), call.rest),
            ("-x\n-y\n+x\n+z", &["a.ts".to_owned()][..], None)
        );

        let old = call_text("SendMessage", Some(r#"{"type":"message","recipient":"ana","content":"go"}"#));
        let new = call_text("SendMessage", Some(r#"{"to":"ana","message":"go","summary":"s"}"#));
        assert_eq!((old.to.as_deref(), old.text.as_str()), (Some("ana"), "go"));
        assert_eq!((new.to.as_deref(), new.text.as_str()), (Some("ana"), "go"));
        assert_eq!(call_text("Unknown", Some("[1]")).text, "[1]");
        assert_eq!(call_text("Bash", Some("{broken")), CallText::default());
    }

    #[test]
    fn exits() {
        assert_eq!(exit_of("ok", ResultMark::None), (Exit::Ok, None));
        assert_eq!(exit_of("Exit code 2\nboom", ResultMark::Error), (Exit::Failed, Some(2)));
        assert_eq!(exit_of("Error: Exit code 1", ResultMark::None), (Exit::Failed, Some(1)));
        assert_eq!(exit_of("<tool_use_error>File has not been read", ResultMark::None), (Exit::Failed, None));
        assert_eq!(
            exit_of("The user doesn't want to proceed with this tool use. No.", ResultMark::Error),
            (Exit::Rejected, None)
        );
        assert_eq!(exit_of("partial", ResultMark::Interrupted), (Exit::Interrupted, None));
        assert_eq!(agent_id_in("done\nagentId: a1f9c0d (for resuming)").as_deref(), Some("a1f9c0d"));
        assert_eq!(agent_id_in("agentId: x"), None);
    }
}
