//! Who says what in a JSON object, whatever its field names?

use serde_json::Value;

use super::super::json::Fields;
use crate::model::Timestamp;

use super::plain::NOTE_MARKS;
use super::roles::{SpeakerRole, role_of};
use super::when;

/// One utterance, as far as its object describes it.
#[derive(Debug, Default, PartialEq)]
pub struct Utterance {
    /// As written; empty if nobody is named.
    pub speaker: String,
    /// There is a field for the speaker, even if it is empty.
    pub has_speaker: bool,
    /// A line of the host, not of a person: somebody joined, a topic was set.
    pub is_note: bool,
    pub role: Option<SpeakerRole>,
    /// The field can only mean a role (`role: user`), not a person's name (`nick: user`).
    pub certain_role: bool,
    /// A name in addition to the role.
    pub name: Option<String>,
    pub text: String,
    pub time: Option<Timestamp>,
    pub id: Option<String>,
    pub extras: Fields,
    pub tool: Option<String>,
    pub tool_use_id: Option<String>,
    pub acts: Vec<ToolAct>,
}

/// A tool call or output in a message.
#[derive(Debug, PartialEq)]
pub enum ToolAct {
    Call { id: Option<String>, tool: String, text: String },
    Output { id: Option<String>, text: String },
}

const NAMES: [&str; 11] =
    ["speaker", "name", "author", "author_name", "user", "username", "nick", "from", "sender", "who", "character"];
const TEXTS: [&str; 8] = ["text", "content", "message", "msg", "body", "utterance", "line", "value"];
const TIMES: [&str; 8] = ["time", "timestamp", "ts", "date", "created_at", "datetime", "create_time", "date_time"];
const IDS: [&str; 7] = ["id", "line_index", "index", "turn_id", "turn", "uuid", "message_id"];
/// Fields of a speaker object that hold the name.
const NAMES_INSIDE: [&str; 7] = ["role", "name", "nickname", "display_name", "username", "login", "real_name"];
const CERTAIN_ROLES: [&str; 3] = ["role", "from", "sender"];
/// Fields that distinguish the host's lines from people's.
const KINDS: [&str; 4] = ["kind", "type", "subtype", "event"];
const KINDS_OF_SPEECH: [&str; 8] = ["msg", "message", "text", "chat", "utterance", "line", "speech", "privmsg"];
const LONGEST_EXTRA: usize = 200;
const MOST_EXTRAS: usize = 16;

/// `None` if the object holds no utterance.
pub fn read(fields: &Fields) -> Option<Utterance> {
    let mut used: Vec<&str> = Vec::new();
    let mut utterance = match nested(fields) {
        Some((key, inner)) => {
            used.push(key);
            inner
        }
        None => said(fields, &mut used)?,
    };
    if utterance.time.is_none() {
        utterance.time = take(fields, &TIMES, &mut used, moment);
    }
    if let Some(id) = take(fields, &IDS, &mut used, scalar) {
        utterance.id = Some(id);
    }
    let free = fields.iter().filter(|(key, value)| !used.contains(&key.as_str()) && is_small(value));
    for (key, value) in free.take(MOST_EXTRAS) {
        utterance.extras.insert(key.clone(), value.clone());
    }
    Some(utterance)
}

/// Is this an utterance? Stricter than [`read`], to distinguish conversations from other lists.
pub fn is_utterance(fields: &Fields) -> bool {
    let is_log =
        ["level", "severity", "levelname", "logger", "hostname", "pid"].iter().any(|key| fields.contains_key(*key));
    !is_log && read(fields).is_some_and(|utterance| !utterance.speaker.is_empty() && utterance.speaker.len() <= 120)
}

/// An utterance with an empty speaker field.
pub fn is_unnamed(fields: &Fields) -> bool {
    read(fields).is_some_and(|utterance| utterance.has_speaker && utterance.speaker.is_empty())
}

/// Some exports wrap the message: `{"type": …, "message": {"role": …}}`.
fn nested(fields: &Fields) -> Option<(&'static str, Utterance)> {
    let inner = fields.get("message")?.as_object()?;
    let utterance = read(inner)?;
    (!utterance.speaker.is_empty()).then_some(("message", utterance))
}

fn said<'a>(fields: &'a Fields, used: &mut Vec<&'a str>) -> Option<Utterance> {
    let mut utterance = Utterance::default();
    let who = speaker(fields, &mut utterance, used);
    let found = TEXTS.iter().filter(|key| who.is_none_or(|who| go_together(who, key))).find_map(|name| {
        let (key, value) = entry(fields, name)?;
        Some((key, content(value, &mut utterance.acts)?))
    });
    used.extend(["tool_calls", "tool_call_id"]);
    calls_in(fields.get("tool_calls"), &mut utterance.acts);
    utterance.tool_use_id = fields.get("tool_call_id").and_then(Value::as_str).map(str::to_owned);
    utterance.has_speaker = who.is_some();
    match found {
        Some((key, text)) => {
            used.push(key);
            utterance.is_note = utterance.speaker.is_empty() && (who.is_none() || is_note(fields, &text));
            utterance.text = text;
            Some(utterance)
        }
        None => (!utterance.acts.is_empty() && who.is_some()).then_some(utterance),
    }
}

fn is_note(fields: &Fields, text: &str) -> bool {
    let kind = KINDS.iter().find_map(|name| entry(fields, name)?.1.as_str());
    let speech = kind.is_some_and(|kind| KINDS_OF_SPEECH.iter().any(|name| name.eq_ignore_ascii_case(kind)));
    (kind.is_some() && !speech) || NOTE_MARKS.iter().any(|mark| text.starts_with(mark))
}

/// Fills in the speaker; the field it comes from decides which text fields are credible.
fn speaker<'a>(fields: &'a Fields, utterance: &mut Utterance, used: &mut Vec<&'a str>) -> Option<&'static str> {
    let named = NAMES.iter().filter_map(|name| {
        let (key, value) = entry(fields, name)?;
        Some((*name, key, person(value)?))
    });
    // An empty name says that nobody speaks, unless another field knows better.
    let (mut named, unnamed): (Vec<_>, Vec<_>) = named.partition(|(_, _, label)| !label.is_empty());
    named.extend(unnamed);
    if let Some((key, Value::String(role))) = entry(fields, "role")
        && !role.is_empty()
    {
        used.push(key);
        utterance.speaker.clone_from(role);
        utterance.role = role_of(role);
        utterance.certain_role = true;
        let beside = named.into_iter().find(|(_, _, name)| !name.is_empty() && role_of(name).is_none());
        if let Some((_, key, name)) = beside {
            used.push(key);
            beside_role(name, utterance);
        }
        return Some("role");
    }
    let (name, key, label) = named.into_iter().next()?;
    used.push(key);
    utterance.role = role_of(&label);
    utterance.certain_role =
        CERTAIN_ROLES.contains(&name) || fields.get(key).is_some_and(|who| who.get("role").is_some());
    utterance.speaker = label;
    Some(name)
}

fn beside_role(name: String, utterance: &mut Utterance) {
    match utterance.role {
        Some(SpeakerRole::Tool) => utterance.tool = Some(name),
        Some(_) => utterance.name = Some(name),
        None => utterance.speaker = name,
    }
}

fn person(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.trim().to_owned()),
        Value::Object(who) => NAMES_INSIDE.iter().find_map(|key| who.get(*key)?.as_str()).map(str::to_owned),
        Value::Null => Some(String::new()),
        _ => None,
    }
}

/// Excludes files (name and content) and settings (name and value).
fn go_together(who: &str, text: &str) -> bool {
    match text {
        "value" => matches!(who, "from" | "speaker" | "role" | "sender" | "who" | "character"),
        "content" | "body" | "line" => who != "name",
        _ => true,
    }
}

/// The text of a content: a string, a list of parts, or an object with either.
fn content(value: &Value, acts: &mut Vec<ToolAct>) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            // Text with links inside comes as strings and objects in turn.
            let running = parts.iter().any(Value::is_string);
            let texts: Vec<String> = parts.iter().filter_map(|part| part_text(part, acts)).collect();
            (!texts.is_empty() || !acts.is_empty()).then(|| texts.join(if running { "" } else { "\n" }))
        }
        Value::Object(inner) => {
            ["parts", "text", "content"].iter().find_map(|key| inner.get(*key)).and_then(|inner| match inner {
                Value::Object(_) => None,
                other => content(other, acts),
            })
        }
        _ => None,
    }
}

fn part_text(part: &Value, acts: &mut Vec<ToolAct>) -> Option<String> {
    let field = |name: &str| part.get(name).and_then(Value::as_str);
    match field("type").or(field("content_type")).unwrap_or("") {
        "tool_use" => {
            let input = part.get("input").map(Value::to_string).unwrap_or_default();
            acts.push(ToolAct::Call {
                id: field("id").map(str::to_owned),
                tool: tool_name(field("name")),
                text: input,
            });
            None
        }
        "tool_result" => {
            let text = part.get("content").and_then(|value| content(value, &mut Vec::new())).unwrap_or_default();
            acts.push(ToolAct::Output { id: field("tool_use_id").map(str::to_owned), text });
            None
        }
        kind if kind.contains("image") => Some("[image]".to_owned()),
        _ => part.as_str().or(field("text")).map(str::to_owned),
    }
}

fn calls_in(calls: Option<&Value>, acts: &mut Vec<ToolAct>) {
    for call in calls.and_then(Value::as_array).into_iter().flatten() {
        let function = call.get("function").unwrap_or(call);
        let text = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
        acts.push(ToolAct::Call { id, tool: tool_name(function.get("name").and_then(Value::as_str)), text });
    }
}

fn tool_name(name: Option<&str>) -> String {
    name.unwrap_or("unknown").to_owned()
}

fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => when::parse(text),
        Value::Number(number) => number.as_f64().and_then(when::from_number),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() && text.len() <= LONGEST_EXTRA => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && text.len() <= LONGEST_EXTRA,
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}

/// The first of `names` whose value can be read.
fn take<'a, T>(
    fields: &'a Fields,
    names: &[&str],
    used: &mut Vec<&'a str>,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let mut found = names.iter().filter_map(|name| entry(fields, name)).filter(|(key, _)| !used.contains(key));
    let (key, value) = found.find_map(|(key, value)| Some((key, read(value)?)))?;
    used.push(key);
    Some(value)
}

/// The capitals of field names differ between exports: `Speaker`, `speaker`.
fn entry<'a>(fields: &'a Fields, name: &str) -> Option<(&'a str, &'a Value)> {
    if let Some((key, value)) = fields.get_key_value(name) {
        return Some((key, value));
    }
    fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(key, value)| (key.as_str(), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn utterance(value: Value) -> Option<Utterance> {
        read(value.as_object().expect("an object"))
    }

    #[track_caller]
    fn check(value: Value, speaker: &str, text: &str) {
        let shown = value.to_string();
        let got = utterance(value).map(|got| (got.speaker, got.text));
        assert_eq!(got, Some((speaker.to_owned(), text.to_owned())), "{shown}");
    }

    #[test]
    fn fields_under_many_names() {
        check(json!({"speaker": "Ana", "text": "hi"}), "Ana", "hi");
        check(json!({"Speaker": "Ana", "Text": "hi"}), "Ana", "hi");
        check(json!({"nick": "ana_", "msg": "hi"}), "ana_", "hi");
        check(json!({"from": "human", "value": "hi"}), "human", "hi");
        check(
            json!({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            "user",
            "a\nb",
        );
        check(json!({"from": "Ana", "text": ["see ", {"type": "link", "text": "x"}, "!"]}), "Ana", "see x!");
        check(json!({"author": {"id": "7", "name": "Ana"}, "content": "hi"}), "Ana", "hi");
        check(json!({"message": {"role": "user", "content": "hi"}, "ts": 5}), "user", "hi");
        check(json!({"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hi"]}}), "user", "hi");
        check(json!({"speaker": "", "text": "*** ana left"}), "", "*** ana left");
        check(json!({"text": "a note"}), "", "a note");
    }

    #[test]
    fn things_that_do_not_speak() {
        for value in [
            json!({"name": "PATH", "value": "/bin"}),
            json!({"name": "a.txt", "content": "x"}),
            json!({"speaker": "Ana"}),
            json!({"name": "left-pad", "version": "1"}),
            json!({"level": "info", "user": "ana", "msg": "login"}),
            json!({"text": "alone"}),
        ] {
            assert!(!is_utterance(value.as_object().expect("an object")), "{value}");
        }
    }

    #[test]
    fn the_rest_is_kept() {
        let got = utterance(json!({
            "id": "D1:3", "session": 1, "date": "1:56 pm on 8 May, 2023", "speaker": "Ana", "text": "hi",
            "image_caption": null, "turn_number": 4, "reply_links": [1], "time": "12:18"
        }));
        let got = got.expect("an utterance");
        assert_eq!(got.id.as_deref(), Some("D1:3"));
        assert_eq!(got.time, Timestamp::parse("2023-05-08T13:56:00"));
        assert_eq!(Value::Object(got.extras), json!({"session": 1, "turn_number": 4, "time": "12:18"}));
        assert_eq!(
            utterance(json!({"line_index": 3, "nick": "a", "text": "b"})).and_then(|got| got.id).as_deref(),
            Some("3")
        );
    }

    #[test]
    fn roles_and_names() {
        let got = utterance(json!({"role": "user", "name": "Ana", "content": "hi"})).expect("an utterance");
        assert_eq!((got.role, got.certain_role, got.name.as_deref()), (Some(SpeakerRole::User), true, Some("Ana")));
        let got = utterance(json!({"role": "DM", "name": "Ana", "content": "roll"})).expect("an utterance");
        assert_eq!((got.role, got.speaker.as_str()), (None, "Ana"));
        let got = utterance(json!({"nick": "user", "text": "hi"})).expect("an utterance");
        assert_eq!((got.role, got.certain_role), (Some(SpeakerRole::User), false));
    }

    #[test]
    fn messages_that_act() {
        let call = json!({"id": "c1", "function": {"name": "boil", "arguments": "{\"ml\":200}"}});
        let got = utterance(json!({"role": "assistant", "content": null, "tool_calls": [call]})).expect("an utterance");
        let expected =
            ToolAct::Call { id: Some("c1".to_owned()), tool: "boil".to_owned(), text: "{\"ml\":200}".to_owned() };
        assert_eq!((got.text.as_str(), got.acts.as_slice()), ("", &[expected][..]));
        let result =
            json!([{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "hot"}]}]);
        let got = utterance(json!({"role": "user", "content": result})).expect("an utterance");
        assert_eq!(got.acts, [ToolAct::Output { id: Some("c1".to_owned()), text: "hot".to_owned() }]);
    }
}
