//! How does an invented chat look in a session file?

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

#[derive(Deserialize, Clone)]
pub struct Chat {
    chat_id: String,
    #[serde(deserialize_with = "time")]
    pub started: Timestamp,
    messages: Vec<Message>,
}

#[derive(Deserialize, Clone)]
struct Message {
    role: Role,
    text: String,
    tool: Option<ToolCall>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

#[derive(Deserialize, Clone)]
struct ToolCall {
    name: String,
    input: Value,
    output: Value,
    #[serde(default = "succeeded")]
    ok: bool,
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

fn succeeded() -> bool {
    true
}

/// Where a chat takes place.
pub struct Setting {
    pub session: String,
    /// `cwd`, `gitBranch` and `version`.
    pub place: [String; 3],
    /// The record before the chat.
    pub parent: Option<String>,
    pub start: Timestamp,
    /// From one record to the next.
    pub step: SignedDuration,
}

impl Chat {
    /// As a session of its own.
    pub fn own_setting(&self) -> Setting {
        Setting {
            session: self.id("session"),
            place: ["/home/dev/cli", "main", "2.1.10"].map(str::to_owned),
            parent: None,
            start: self.started,
            step: SignedDuration::from_secs(40),
        }
    }

    pub fn record_count(&self) -> usize {
        self.messages.len() + self.messages.iter().filter(|message| message.tool.is_some()).count()
    }

    /// One after the other, each the parent of the next.
    pub fn records(&self, setting: &Setting) -> Vec<Value> {
        let mut records: Vec<Value> = Vec::new();
        let mut parent = setting.parent.clone();
        let mut time = setting.start;
        for (number, message) in self.messages.iter().enumerate() {
            for (kind, message) in self.messages_of(number, message) {
                time = time.saturating_add(setting.step).unwrap_or(time);
                let uuid = self.id(&format!("record {}", records.len()));
                let [cwd, branch, version] = &setting.place;
                records.push(json!({
                    "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": cwd,
                    "sessionId": setting.session, "version": version, "gitBranch": branch, "type": kind,
                    "message": message, "uuid": uuid, "timestamp": format!("{time:.3}"),
                }));
                parent = Some(uuid);
            }
        }
        records
    }

    /// An agent's call is followed by its result.
    fn messages_of(&self, number: usize, message: &Message) -> Vec<(&'static str, Value)> {
        if message.role == Role::User {
            return vec![("user", json!({ "role": "user", "content": message.text }))];
        }
        let call_id = format!("toolu_{}", self.id(&format!("call {number}")));
        let mut content = vec![json!({ "type": "text", "text": message.text })];
        content.extend(message.tool.as_ref().map(|tool| tool.call(&call_id)));
        let id = format!("msg_{}", self.id(&format!("message {number}")));
        let said = json!({ "id": id, "type": "message", "role": "assistant", "model": "claude", "content": content });
        let result = message.tool.as_ref().map(|tool| ("user", tool.result(&call_id)));
        std::iter::once(("assistant", said)).chain(result).collect()
    }

    /// The same in every run.
    fn id(&self, what: &str) -> String {
        let hash = blake3::hash(format!("{}/{what}", self.chat_id).as_bytes()).to_hex();
        [&hash[..8], &hash[8..12], &hash[12..16], &hash[16..20], &hash[20..32]].join("-")
    }
}

impl ToolCall {
    fn call(&self, id: &str) -> Value {
        let input = if self.input.is_object() { self.input.clone() } else { json!({ "command": text(&self.input) }) };
        json!({ "type": "tool_use", "id": id, "name": self.name, "input": input })
    }

    fn result(&self, id: &str) -> Value {
        let block = json!({
            "type": "tool_result", "tool_use_id": id, "content": text(&self.output), "is_error": !self.ok,
        });
        json!({ "role": "user", "content": [block] })
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
