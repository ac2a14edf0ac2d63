//! How does a chat look in the middle of a long session about something else?
//!
//! Each chat gets a session of its own among the longest ones, at the longest pause
//! before a prompt in the middle third, and before the lines without an id that belong to
//! the prompt. Later chats go into later sessions. Of a session only the prompt after the
//! chat changes: its parent is now the chat's last record.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::EvalResult;
use super::chats::{Chat, Setting};
use super::session_file::is_prompt;
use crate::phase::files;

/// A chat takes at least so long.
const LEAST_PAUSE: SignedDuration = SignedDuration::from_secs(20);

/// Writes the chats into the session files of a folder.
pub fn insert(mut chats: Vec<Chat>, folder: &Path) -> EvalResult<()> {
    let mut hosts = hosts(folder)?;
    if hosts.len() < chats.len() {
        return Err(format!("{} chats, and only {} sessions to insert them into", chats.len(), hosts.len()).into());
    }
    hosts.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.path.cmp(&b.path)));
    hosts.truncate(chats.len());
    hosts.sort_by_key(|host| host.gap.before);
    chats.sort_by_key(|chat| chat.started);
    chats.iter().zip(&hosts).try_for_each(|(chat, host)| host.take(chat))
}

/// A session that a chat can be inserted into.
struct Host {
    path: PathBuf,
    session: String,
    place: [String; 3],
    records: usize,
    gap: Gap,
}

/// A pause before a prompt.
#[derive(Clone)]
struct Gap {
    /// The line of the prompt.
    prompt: usize,
    /// The line that the chat begins at.
    start: usize,
    parent: String,
    /// The end of all before it.
    before: Timestamp,
    length: SignedDuration,
}

/// Sessions with records of another are left out: a chat would be in one of the two.
fn hosts(folder: &Path) -> EvalResult<Vec<Host>> {
    let mut hosts = Vec::new();
    let mut owners: HashMap<String, HashSet<usize>> = HashMap::new();
    for (number, path) in files(folder).into_iter().enumerate() {
        let text = crate::input::text(&path)?;
        let session = Session::of(&text);
        for uuid in session.ids() {
            owners.entry(uuid.to_owned()).or_default().insert(number);
        }
        hosts.extend(session.host(path).map(|host| (number, host)));
    }
    let shared: HashSet<usize> = owners.into_values().filter(|files| files.len() > 1).flatten().collect();
    Ok(hosts.into_iter().filter(|(number, _)| !shared.contains(number)).map(|(_, host)| host).collect())
}

/// The lines of a file; damaged ones are null.
struct Session<'a> {
    lines: Vec<(&'a str, Value)>,
}

impl<'a> Session<'a> {
    fn of(text: &'a str) -> Self {
        Session { lines: text.lines().map(|line| (line, serde_json::from_str(line).unwrap_or_default())).collect() }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|(_, record)| record["uuid"].as_str())
    }

    fn host(&self, path: PathBuf) -> Option<Host> {
        let gap = self.gaps().into_iter().max_by_key(|gap| gap.length)?;
        let (_, prompt) = self.lines.get(gap.prompt)?;
        let field = |name: &str| prompt[name].as_str().map(str::to_owned);
        Some(Host {
            session: field("sessionId")?,
            place: [field("cwd")?, field("gitBranch").unwrap_or_default(), field("version").unwrap_or_default()],
            records: self.ids().count(),
            path,
            gap,
        })
    }

    /// Pauses in the middle third, where only the prompt follows on what was before.
    fn gaps(&self) -> Vec<Gap> {
        let mut children: HashMap<&str, usize> = HashMap::new();
        for parent in self.lines.iter().filter_map(|(_, record)| record["parentUuid"].as_str()) {
            *children.entry(parent).or_default() += 1;
        }
        let middle = self.lines.len() / 3..self.lines.len() - self.lines.len() / 3;
        let mut gaps = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let (mut start, mut before) = (0, Timestamp::MIN);
        for (at, (line, record)) in self.lines.iter().enumerate() {
            let parent = record["parentUuid"].as_str().filter(|parent| seen.contains(parent));
            let time = time(record);
            if let (Some(parent), Some(time)) = (parent, time)
                && middle.contains(&at)
                && is_prompt(record)
                && time.duration_since(before) >= LEAST_PAUSE
                && children.get(parent) == Some(&1)
                && line.matches(&parent_field(parent)).count() == 1
            {
                let (parent, length) = (parent.to_owned(), time.duration_since(before));
                gaps.push(Gap { prompt: at, start, parent, before, length });
            }
            if let Some(id) = record["uuid"].as_str() {
                seen.insert(id);
                start = at + 1;
                before = before.max(time.unwrap_or(before));
            }
        }
        gaps
    }
}

fn time(record: &Value) -> Option<Timestamp> {
    record["timestamp"].as_str()?.parse().ok()
}

fn parent_field(parent: &str) -> String {
    format!(r#""parentUuid":"{parent}""#)
}

impl Host {
    fn take(&self, chat: &Chat) -> EvalResult<()> {
        let records = chat.records(&self.setting(chat));
        let last = records.last().and_then(|record| record["uuid"].as_str()).ok_or("a chat without messages")?;
        let text = crate::input::text(&self.path)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let prompt = lines.get_mut(self.gap.prompt).ok_or("the session has become shorter")?;
        *prompt = prompt.replace(&parent_field(&self.gap.parent), &parent_field(last));
        lines.splice(self.gap.start..self.gap.start, records.iter().map(Value::to_string));
        Ok(std::fs::write(&self.path, lines.join("\n") + "\n")?)
    }

    /// The chat fills the beginning of the pause.
    fn setting(&self, chat: &Chat) -> Setting {
        let steps = i32::try_from(chat.record_count() + 1).unwrap_or(i32::MAX);
        Setting {
            session: self.session.clone(),
            place: self.place.clone(),
            parent: Some(self.gap.parent.clone()),
            start: self.gap.before,
            step: (self.gap.length / steps).min(SignedDuration::from_secs(40)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(number: u32, kind: &str, minute: u32, words: &str) -> String {
        let parent = number.checked_sub(1).map(|parent| format!("r{parent}"));
        json!({
            "uuid": format!("r{number}"), "parentUuid": parent, "sessionId": "host", "cwd": "/shop", "gitBranch": "receipt",
            "version": "2", "type": kind, "timestamp": format!("2026-01-03T10:{minute:02}:00.000Z"),
            "message": { "role": kind, "content": words },
        })
        .to_string()
            + "\n"
    }

    fn chat() -> Chat {
        let messages = json!([
            { "role": "user", "text": "which limit?" },
            { "role": "assistant", "text": "Looking.", "tool": { "name": "Bash", "input": "ls", "output": "a" } },
        ]);
        let chat = json!({ "chat_id": "c1", "started": "2026-01-06T10:00:00Z", "messages": messages });
        serde_json::from_value(chat).expect("a chat")
    }

    #[test]
    fn a_chat_stands_in_the_longest_pause_of_the_chain() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("host.jsonl");
        let minutes = [0, 1, 2, 3, 9, 10, 11, 12, 13];
        let kind = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
        let lines = minutes.iter().enumerate().map(|(at, minute)| record(at as u32, kind(at), *minute, "words"));
        std::fs::write(&path, lines.collect::<String>()).expect("written");

        insert(vec![chat()], folder.path()).expect("inserted");

        let text = crate::input::text(&path).expect("a file");
        let records: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        assert_eq!(records.len(), minutes.len() + 3);
        for pair in records.windows(2) {
            assert_eq!(pair[0]["uuid"], pair[1]["parentUuid"]);
            assert!(time(&pair[0]) < time(&pair[1]), "{pair:?}");
        }
        assert_eq!(records[4]["message"]["content"], "which limit?");
        assert!(records.iter().all(|record| record["sessionId"] == "host" && record["cwd"] == "/shop"));
    }
}
