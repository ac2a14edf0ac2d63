//! Where are the conversations in a JSON document?

use serde_json::Value;

use super::super::json::Fields;
use super::fields::{is_unnamed, is_utterance};

/// The utterances of one conversation, in order.
#[derive(Debug, Default, PartialEq)]
pub struct Conversation<'a> {
    pub id: Option<String>,
    pub lines: Vec<&'a Fields>,
    /// Dates for lines without one, each with the line from which it applies.
    pub dates: Vec<(usize, &'a str)>,
}

/// Names of utterance lists, best first.
const LISTS: [&str; 16] = [
    "lines", "turns", "messages", "conversation", "conversations", "dialogue", "dialog", "utterances", "transcript",
    "chat_messages", "chat", "history", "log", "items", "data", "events",
];
const IDS: [&str; 9] =
    ["id", "conversation_id", "session_id", "uuid", "sample_id", "dialogue_id", "dialog_id", "chat_id", "episode_id"];
const DEEPEST: usize = 5;
/// How many elements of a list are checked.
const SAMPLE: usize = 200;

pub fn conversations(document: &Value) -> Vec<Conversation<'_>> {
    let mut found = Vec::new();
    search(document, None, 0, &mut found);
    found
}

fn search<'a>(value: &'a Value, id: Option<&str>, depth: usize, found: &mut Vec<Conversation<'a>>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Array(items) if is_conversation(items) => {
            let lines = items.iter().filter_map(Value::as_object).collect();
            found.push(Conversation { id: id.map(str::to_owned), lines, dates: Vec::new() });
        }
        Value::Array(items) => items.iter().for_each(|item| search(item, None, depth + 1, found)),
        Value::Object(fields) => search_object(fields, id, depth, found),
        _ => {}
    }
}

fn search_object<'a>(fields: &'a Fields, id: Option<&str>, depth: usize, found: &mut Vec<Conversation<'a>>) {
    let id = IDS.iter().find_map(|name| id_text(fields.get(*name)?)).or_else(|| id.map(str::to_owned));
    if let Some(lines) = fields.get("mapping").and_then(Value::as_object).and_then(|nodes| branch(fields, nodes)) {
        found.push(Conversation { id, lines, dates: Vec::new() });
        return;
    }
    let lists = lists_in(fields);
    if !lists.is_empty() {
        found.push(joined(id, fields, &lists));
        return;
    }
    let inner = |value: &&Value| matches!(value, Value::Array(_) | Value::Object(_));
    fields.values().filter(inner).for_each(|value| search(value, id.as_deref(), depth + 1, found));
}

/// The list with a telling name, or all lists of utterances (`session_1`,
/// `session_2`, …) in their natural order.
fn lists_in(fields: &Fields) -> Vec<&str> {
    let is_list = |value: &Value| value.as_array().is_some_and(|items| is_conversation(items));
    let named = LISTS.iter().find_map(|name| {
        fields.iter().find(|(key, value)| key.eq_ignore_ascii_case(name) && is_list(value)).map(|(key, _)| key.as_str())
    });
    if let Some(name) = named {
        return vec![name];
    }
    let mut names: Vec<&str> = fields.iter().filter(|(_, value)| is_list(value)).map(|(key, _)| key.as_str()).collect();
    names.sort_by_key(|name| natural(name));
    names
}

/// `session_10` comes after `session_9`.
fn natural(name: &str) -> (String, u64, String) {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    (stem.to_owned(), name[stem.len()..].parse().unwrap_or(0), name.to_owned())
}

fn joined<'a>(id: Option<String>, fields: &'a Fields, lists: &[&str]) -> Conversation<'a> {
    let mut conversation = Conversation { id, ..Conversation::default() };
    for name in lists {
        let date = ["_date_time", "_date", "_timestamp"]
            .iter()
            .find_map(|ending| fields.get(&format!("{name}{ending}"))?.as_str());
        if let Some(date) = date {
            conversation.dates.push((conversation.lines.len(), date));
        }
        let items = fields.get(*name).and_then(Value::as_array).into_iter().flatten();
        conversation.lines.extend(items.filter_map(Value::as_object));
    }
    conversation
}

fn is_conversation(items: &[Value]) -> bool {
    let sample = &items[..items.len().min(SAMPLE)];
    let objects = || sample.iter().filter_map(Value::as_object);
    let speaking = objects().filter(|line| is_utterance(line)).count();
    let unnamed = || objects().filter(|line| is_unnamed(line)).count();
    let are_most = |count: usize| count * 10 >= sample.len() * 6;
    speaking > 0 && (are_most(speaking) || are_most(speaking + unnamed()))
}

/// Some exports hold a tree of edited messages: the branch that was shown
/// last is the conversation.
fn branch<'a>(fields: &Fields, nodes: &'a Fields) -> Option<Vec<&'a Fields>> {
    let leaf = fields.get("current_node").and_then(Value::as_str);
    let leaf = leaf.filter(|leaf| nodes.contains_key(*leaf)).or_else(|| last_leaf(nodes))?;
    let mut lines = Vec::new();
    let mut next = Some(leaf);
    // A damaged tree may contain a cycle.
    for _ in 0..nodes.len() {
        let Some(node) = next.and_then(|name| nodes.get(name)) else { break };
        lines.extend(node.get("message").and_then(Value::as_object));
        next = node.get("parent").and_then(Value::as_str);
    }
    lines.reverse();
    lines.iter().any(|line| is_utterance(line)).then_some(lines)
}

fn last_leaf(nodes: &Fields) -> Option<&str> {
    let is_leaf = |node: &Value| node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let written = |node: &Value| node.get("message")?.get("create_time")?.as_f64();
    let leaves = nodes.iter().filter(|(_, node)| is_leaf(node));
    leaves
        .max_by(|a, b| written(a.1).unwrap_or(0.0).total_cmp(&written(b.1).unwrap_or(0.0)))
        .map(|(name, _)| name.as_str())
}

fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() && text.len() <= 200 => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Reads a truncated document: up to the last complete element of a list, or else with the truncated text.
pub fn read_cut(text: &str) -> Option<Value> {
    let cut = Cut::scan(text)?;
    let whole = cut.whole_until.and_then(|end| {
        let before = Cut::scan(&text[..end])?;
        Some(format!("{}{}", &text[..end], closers(&before.open)))
    });
    let inside = cut.inside_string.then(|| {
        // An incomplete escape cannot be closed.
        let end = text.rfind('\\').filter(|at| text.len() - at < "\\u00e9".len() + 1).unwrap_or(text.len());
        format!("{}\"{}", &text[..end], closers(&cut.open))
    });
    [whole, inside].into_iter().flatten().find_map(|repaired| serde_json::from_str(&repaired).ok())
}

fn closers(open: &[u8]) -> String {
    open.iter().rev().map(|bracket| if *bracket == b'{' { '}' } else { ']' }).collect()
}

/// The open brackets and strings of a truncated document.
#[derive(Default)]
struct Cut {
    open: Vec<u8>,
    inside_string: bool,
    /// The end of the last complete object or list within a list.
    whole_until: Option<usize>,
}

impl Cut {
    /// `None` if nothing is open, or if brackets do not match.
    fn scan(text: &str) -> Option<Cut> {
        let mut cut = Cut::default();
        let mut escaped = false;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if cut.inside_string => escaped = true,
                b'"' => cut.inside_string = !cut.inside_string,
                _ if cut.inside_string => {}
                b'{' | b'[' => cut.open.push(byte),
                b'}' | b']' => {
                    cut.open.pop()?;
                    if cut.open.last() == Some(&b'[') {
                        cut.whole_until = Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        (!cut.open.is_empty()).then_some(cut)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(document: Value, expected: &[(Option<&str>, usize)]) {
        let found = conversations(&document);
        let got: Vec<_> = found.iter().map(|found| (found.id.as_deref(), found.lines.len())).collect();
        assert_eq!(got, expected, "{document}");
    }

    #[test]
    fn conversations_in_many_shapes() {
        let hi = json!({"speaker": "Ana", "text": "hi"});
        let ho = json!({"speaker": "Bo", "text": "ho"});
        check(json!([hi, ho]), &[(None, 2)]);
        check(json!({"id": "c1", "lines": [hi, ho], "reply_links": [[0, 1]]}), &[(Some("c1"), 2)]);
        check(json!({"whatever": [hi, ho]}), &[(None, 2)]);
        check(
            json!([{"uuid": "a", "chat_messages": [hi]}, {"uuid": "b", "chat_messages": [ho]}]),
            &[(Some("a"), 1), (Some("b"), 1)],
        );
        check(json!([[hi, ho], [hi]]), &[(None, 2), (None, 1)]);
        check(
            json!({"sample_id": "s", "conversation": {"speaker_a": "Ana", "session_10": [ho], "session_2": [hi], "session_2_date_time": "8 May, 2023"}}),
            &[(Some("s"), 2)],
        );
        let package = json!({"name": "x", "author": "Ana", "contributors": [{"name": "Bo", "email": "b"}], "env": [{"name": "A", "value": "b"}]});
        check(package, &[]);
    }

    #[test]
    fn several_lists_join_in_natural_order() {
        let document = json!({"session_10": [{"speaker": "Bo", "text": "late"}], "session_9": [{"speaker": "Ana", "text": "early"}], "session_9_date": "8 May 2023"});
        let found = conversations(&document);
        assert_eq!(found[0].lines[0]["text"], "early");
        assert_eq!(found[0].dates, [(0, "8 May 2023")]);
    }

    #[test]
    fn a_tree_of_messages_shows_its_last_branch() {
        let node = |parent: Option<&str>, text: &str, children: &[&str]| json!({"parent": parent, "children": children, "message": {"author": {"role": "user"}, "content": {"parts": [text]}}});
        let mapping = json!({"r": node(None, "root", &["a", "b"]), "a": node(Some("r"), "old", &[]), "b": node(Some("r"), "new", &[])});
        let document = json!([{"id": "t", "current_node": "b", "mapping": mapping}]);
        let found = conversations(&document);
        let texts: Vec<_> = found[0].lines.iter().map(|line| &line["content"]["parts"][0]).collect();
        assert_eq!(texts, ["root", "new"]);
        let circle = json!({"mapping": {"a": node(Some("b"), "x", &["b"]), "b": node(Some("a"), "y", &["a"])}});
        check(circle, &[]);
    }

    #[test]
    fn cut_documents_are_read_as_far_as_they_go() {
        let whole = "{\"id\": \"c\", \"lines\": [{\"speaker\": \"Ana\", \"text\": \"h\\u00e9\\n\"}, {\"speaker\": \"Bo\", \"text\": \"ho\"}]}";
        for end in 1..whole.len() {
            let Some(value) = read_cut(&whole[..end]) else { continue };
            let id = value.get("id").and_then(Value::as_str).unwrap_or("");
            assert!("c".starts_with(id), "{end}: {value}");
        }
        for end in whole.find("},").expect("two lines") + 1..whole.len() - 3 {
            let value = read_cut(&whole[..end]).expect("one whole line");
            assert_eq!(conversations(&value)[0].lines.len(), 1);
        }
        assert_eq!(read_cut("]"), None);
        assert_eq!(read_cut(""), None);
        assert_eq!(read_cut("{\"a\": 1}"), None);
    }
}
