//! Parses the host's input leniently: a field of another type counts as missing.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use backstory_language::shell::{ScriptExtent, line_of};
use serde_json::Value;

/// The host's JSON.
#[derive(Clone, Debug, Default)]
pub struct HookInput {
    fields: Value,
}

/// What a tool is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// A command, and whether it is truncated.
    Command(String, ScriptExtent),
    /// Files to be written.
    Edits(Vec<String>),
}

/// At most this much of a command is read: a check must not take the session's time. No system starts a shell with a
/// longer line.
const LONGEST_COMMAND: usize = 256 << 10;
/// At most this much of an edit's text is compared with the rules.
const LONGEST_ADDED: usize = 64 << 10;
/// At most this many files of a patch are checked.
const MOST_FILES: usize = 20;

/// Longer input is truncated.
const MOST_INPUT: u64 = 32 << 20;
/// The maximum wait for the host's JSON.
const STDIN_TIMEOUT: Duration = Duration::from_secs(3);

impl HookInput {
    /// From an argument, as from Codex's notify, or from standard input.
    pub fn read(argument: Option<&OsString>) -> Result<Self, String> {
        match argument {
            Some(json) => Self::parse(json.to_string_lossy().as_bytes()),
            None => Self::parse(&read_stdin()?),
        }
    }

    /// An error never quotes the input.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim().trim_start_matches('\u{feff}');
        if text.is_empty() {
            return Err("the host sent nothing on standard input".to_owned());
        }
        let fields: Value = serde_json::from_str(text).map_err(|error| {
            let what = if error.is_eof() { "the host's JSON is cut short" } else { "the host did not send JSON" };
            format!("{what} (line {}, column {})", error.line(), error.column())
        })?;
        match fields {
            Value::Object(_) => Ok(HookInput { fields }),
            _ => Err("the host did not send a JSON object".to_owned()),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    pub fn session(&self) -> Option<&str> {
        self.text("session_id").or_else(|| self.text("thread-id")).or_else(|| self.text("thread_id"))
    }

    /// The session's folder, if the host gives an absolute path.
    pub fn folder(&self) -> Option<PathBuf> {
        self.text("cwd").map(PathBuf::from).filter(|folder| folder.is_absolute())
    }

    pub fn transcript(&self) -> Option<&Path> {
        self.text("transcript_path").map(Path::new)
    }

    pub fn agent_transcript(&self) -> Option<&Path> {
        self.text("agent_transcript_path").map(Path::new)
    }

    /// For SessionStart: startup, resume, clear, compact.
    pub fn source(&self) -> Option<&str> {
        self.text("source")
    }

    pub fn prompt(&self) -> Option<&str> {
        self.text("prompt")
    }

    /// The host's name of the event.
    pub fn event_name(&self) -> Option<&str> {
        self.text("hook_event_name")
    }

    /// What the tool is about to do, or did; None for tools that change nothing.
    pub fn pending(&self) -> Option<Pending> {
        let input = self.fields.get("tool_input")?;
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(name)).and_then(words);
        match self.text("tool_name")? {
            "Bash" | "shell" | "local_shell" | "shell_command" | "exec_command" | "unified_exec" => {
                text(&["command", "cmd"]).map(beginning)
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                text(&["file_path", "notebook_path", "path"]).map(|path| Pending::Edits(vec![path]))
            }
            "apply_patch" => {
                let files = files_of_patch(&text(&["command", "input", "patch"])?);
                (!files.is_empty()).then_some(Pending::Edits(files))
            }
            _ => None,
        }
    }

    /// The lines that an edit adds.
    pub fn added(&self) -> Option<String> {
        let input = self.fields.get("tool_input")?;
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let added = match self.text("tool_name")? {
            "Edit" => new_lines(&text(input, "old_string"), &text(input, "new_string")),
            "Write" => text(input, "content"),
            "NotebookEdit" => text(input, "new_source"),
            "MultiEdit" => {
                let edits = input.get("edits")?.as_array()?;
                let each = edits.iter().map(|edit| new_lines(&text(edit, "old_string"), &text(edit, "new_string")));
                each.collect::<Vec<_>>().join("\n")
            }
            "apply_patch" => {
                let patch = ["command", "input", "patch"].iter().find_map(|name| input.get(name)).and_then(words)?;
                let added = patch.lines().filter_map(|line| line.strip_prefix('+'));
                added.collect::<Vec<_>>().join("\n")
            }
            _ => return None,
        };
        let end = added.floor_char_boundary(LONGEST_ADDED);
        (!added.trim().is_empty()).then(|| added[..end].to_owned())
    }

    /// The output of a tool, as one text.
    pub fn tool_output(&self) -> Option<String> {
        if let Some(error) = self.text("error") {
            return Some(error.to_owned());
        }
        let response = self.fields.get("tool_response")?;
        if let Some(text) = response.as_str() {
            return Some(text.to_owned());
        }
        let part = |name: &str| response.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let parts: Vec<&str> =
            ["stdout", "stderr", "output", "aggregated_output"].into_iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }
}

/// A host that sends nothing must not block its own session.
fn read_stdin() -> Result<Vec<u8>, String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
        // After the timeout there is no receiver.
        let _ = send.send(read.map(|_| bytes).map_err(|error| format!("standard input: {}", error.kind())));
    });
    receive.recv_timeout(STDIN_TIMEOUT).unwrap_or_else(|_| Err("the host did not finish what it sends".to_owned()))
}

/// A command as one line, also if the host gives its words.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => {
            let pieces: Vec<&str> = pieces.iter().filter_map(Value::as_str).collect();
            line_of(&pieces)
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn new_lines(old: &str, new: &str) -> String {
    let known: HashSet<&str> = old.lines().map(str::trim).collect();
    new.lines().filter(|line| !known.contains(line.trim())).collect::<Vec<_>>().join("\n")
}

fn beginning(mut line: String) -> Pending {
    let extent = if line.len() > LONGEST_COMMAND { ScriptExtent::Cut } else { ScriptExtent::Whole };
    line.truncate(line.floor_char_boundary(LONGEST_COMMAND));
    Pending::Command(line, extent)
}

fn files_of_patch(patch: &str) -> Vec<String> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let file =
        |line: &str| marks.iter().find_map(|mark| line.trim().strip_prefix(mark)).map(|file| file.trim().to_owned());
    patch.lines().filter_map(file).take(MOST_FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(json: &str) -> Option<Pending> {
        HookInput::parse(json.as_bytes()).ok()?.pending()
    }

    #[test]
    fn tools_of_both_hosts() {
        let command = |text: &str| Some(Pending::Command(text.to_owned(), ScriptExtent::Whole));
        let edits = |files: &[&str]| Some(Pending::Edits(files.iter().map(|file| (*file).to_owned()).collect()));
        assert_eq!(pending(r#"{"tool_name":"Bash","tool_input":{"command":"make lint"}}"#), command("make lint"));
        let pieces = r#"{"tool_name":"shell","tool_input":{"command":["bash","-lc","make lint"]}}"#;
        assert_eq!(pending(pieces), command("make lint"));
        let words = r#"{"tool_name":"shell","tool_input":{"command":["echo","a && b","it's"]}}"#;
        assert_eq!(pending(words), command(r"echo 'a && b' 'it'\''s'"), "what is one word stays one");
        assert_eq!(pending(r#"{"tool_name":"Edit","tool_input":{"file_path":"/w/a.rs"}}"#), edits(&["/w/a.rs"]));
        let patch = r#"{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b.rs\n"}}"#;
        assert_eq!(pending(patch), edits(&["a.rs", "b.rs"]));
        for other in [r#"{"tool_name":"Read","tool_input":{"file_path":"a"}}"#, r#"{"tool_name":"Bash"}"#, "{}"] {
            assert_eq!(pending(other), None, "{other}");
        }
    }

    #[test]
    fn only_new_lines_are_added() {
        let added = |json: &str| HookInput::parse(json.as_bytes()).ok()?.added();
        let edit = r#"{"tool_name":"Edit","tool_input":{"old_string":"a\nb","new_string":"a\nc"}}"#;
        assert_eq!(added(edit).as_deref(), Some("c"));
        let patch = r#"{"tool_name":"apply_patch","tool_input":{"input":"*** Update File: a\n-b\n+c\n d"}}"#;
        assert_eq!(added(patch).as_deref(), Some("c"));
        assert_eq!(added(r#"{"tool_name":"Read","tool_input":{"file_path":"a"}}"#), None);
    }

    #[test]
    fn of_a_long_command_the_beginning_is_looked_at() {
        let json = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "é".repeat(1 << 20)}});
        let Some(Pending::Command(line, extent)) = pending(&json.to_string()) else { panic!("no command") };
        assert_eq!((line.len(), extent), (LONGEST_COMMAND, ScriptExtent::Cut));
    }

    #[test]
    fn a_mistake_does_not_quote() {
        let fault = |bytes: &[u8]| HookInput::parse(bytes).err().unwrap_or_default();
        assert_eq!(fault(b""), "the host sent nothing on standard input");
        assert_eq!(fault(br#"{"prompt": "secret"#), "the host's JSON is cut short (line 1, column 18)");
        assert_eq!(fault(b"secret"), "the host did not send JSON (line 1, column 1)");
        assert_eq!(fault(b"[1]"), "the host did not send a JSON object");
        assert!(HookInput::parse(b"{\"prompt\": \"\xff\xfe\"}").is_ok(), "bytes that are no text are replaced");
    }
}
