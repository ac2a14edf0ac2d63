//! Keeps an answer within its budget.

use backstory_engine::model::estimate_tokens;
use serde_json::{Map, Value, json};

use crate::untrusted::{closed, without_end};

/// Marks a truncated text in JSON.
const CUT_HERE: &str = " …";
/// Shorter texts are names, and are not truncated.
const SHORTEST_TEXT: usize = 40;
/// An object with more plain fields is a table, not an item.
const FEW_FIELDS: usize = 16;

/// Truncates a text to the budget, at the end of a line, with a note.
pub fn text(text: String, budget: u64) -> String {
    if u64::from(estimate_tokens(&text)) <= budget {
        return text;
    }
    let budget = budget.saturating_sub(LEFT_OUT);
    let mut kept = String::new();
    let mut used = 0;
    for line in text.split_inclusive('\n') {
        used += u64::from(estimate_tokens(line));
        if used > budget && !kept.is_empty() {
            break;
        }
        kept.push_str(line);
    }
    // One endless line.
    let most = kept.floor_char_boundary(usize::try_from(budget.saturating_mul(3)).unwrap_or(usize::MAX));
    kept.truncate(most);
    let left = text.len() - kept.len();
    let kept = closed(&kept, "");
    format!("{kept}\n… {left} more bytes: a larger `budget` or a narrower question shows them\n")
}

/// Tokens of the note about truncation.
const LEFT_OUT: u64 = 22;

/// Drops items from the longest lists, then words from the longest texts, until the whole fits; `cut` gives the number
/// of items per list, and of bytes of texts.
pub fn json(mut result: Value, budget: u64) -> Value {
    let mut cut = Map::new();
    let add = |cut: &mut Map<String, Value>, name: &str, gone: usize| {
        let before = cut.get(name).and_then(Value::as_u64).unwrap_or(0);
        cut.insert(name.to_owned(), json!(before + gone as u64));
    };
    // In bytes, as the estimate counts them.
    let too_long = |result: &Value, cut: &Map<String, Value>| {
        let tokens = tokens(result) + if cut.is_empty() { 0 } else { tokens_of(cut) };
        usize::try_from(tokens.saturating_sub(budget).saturating_mul(18).div_ceil(5)).unwrap_or(usize::MAX)
    };
    loop {
        let excess = too_long(&result, &cut);
        if excess == 0 {
            break;
        }
        if let Some((name, items)) = longest_list("", &mut result, 1) {
            let gone = drop_last(items, excess);
            add(&mut cut, &name, gone);
        } else if let Some((name, fields)) = longest_table("", &mut result) {
            let gone = drop_last_fields(fields, excess);
            add(&mut cut, &name, gone);
        } else if let Some(text) = longest_text(&mut result).filter(|text| text.len() > SHORTEST_TEXT) {
            let gone = shorten(text, excess);
            add(&mut cut, "bytes", gone);
        } else if let Some((name, items)) = longest_list("", &mut result, 0) {
            // The budget is small, and names alone exceed it.
            add(&mut cut, &name, items.len());
            items.clear();
        } else {
            break;
        }
    }
    if let (false, Value::Object(fields)) = (cut.is_empty(), &mut result) {
        fields.insert("cut".to_owned(), cut.into());
    }
    result
}

fn tokens(value: &Value) -> u64 {
    estimate_tokens(&value.to_string()).into()
}

fn tokens_of(cut: &Map<String, Value>) -> u64 {
    tokens(&json!({ "cut": cut }))
}

/// Drops at least one item, and no more than needed. One remains.
fn drop_last(items: &mut Vec<Value>, excess: usize) -> usize {
    let (before, mut freed) = (items.len(), 0);
    while items.len() > 1 && freed < excess {
        freed += items.pop().map_or(0, |item| item.to_string().len() + 1);
    }
    before - items.len()
}

/// The same for a table.
fn drop_last_fields(fields: &mut Map<String, Value>, excess: usize) -> usize {
    let (before, mut freed) = (fields.len(), 0);
    while fields.len() > FEW_FIELDS && freed < excess {
        let Some(last) = fields.keys().next_back().cloned() else { break };
        freed += last.len() + fields.remove(&last).map_or(0, |value| value.to_string().len()) + 4;
    }
    before - fields.len()
}

/// At most half of it, since a byte may take two in JSON; and at least an eighth, so that the loop terminates.
fn shorten(text: &mut String, excess: usize) -> usize {
    let bare = without_end(text, CUT_HERE);
    let (least, most) = (bare.len() / 8 + 1, bare.len() / 2);
    let keep = bare.len().saturating_sub(excess.min(most).max(least));
    let cut = closed(&bare[..bare.floor_char_boundary(keep)], CUT_HERE);
    let gone = text.len().saturating_sub(cut.len());
    *text = cut;
    gone
}

/// The largest list with more than `least` items, at any depth, and its name.
fn longest_list<'v>(name: &str, value: &'v mut Value, least: usize) -> Option<(String, &'v mut Vec<Value>)> {
    let size = |items: &[Value]| items.iter().map(|item| item.to_string().len()).sum::<usize>();
    match value {
        Value::Array(items) => match items.len() > least {
            true => Some((name.to_owned(), items)),
            false => items.first_mut().and_then(|item| longest_list(name, item, least)),
        },
        Value::Object(fields) => fields
            .iter_mut()
            .filter_map(|(field, value)| {
                let path = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                longest_list(&path, value, least)
            })
            .max_by_key(|(_, items)| size(items)),
        _ => None,
    }
}

/// A table has a plain value for each of many names, such as a count per session.
fn longest_table<'v>(name: &str, value: &'v mut Value) -> Option<(String, &'v mut Map<String, Value>)> {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    match value {
        Value::Object(fields) => match fields.len() > FEW_FIELDS && fields.values().all(is_plain) {
            true => Some((name.to_owned(), fields)),
            false => fields
                .iter_mut()
                .filter_map(|(field, value)| {
                    let path = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                    longest_table(&path, value)
                })
                .max_by_key(|(_, fields)| fields.len()),
        },
        Value::Array(items) => items.iter_mut().find_map(|item| longest_table(name, item)),
        _ => None,
    }
}

fn longest_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) => items.iter_mut().filter_map(longest_text).max_by_key(|text| text.len()),
        Value::Object(fields) => fields.values_mut().filter_map(longest_text).max_by_key(|text| text.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_and_say_so() {
        let long: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let short = text(long.clone(), 40);
        assert!(short.starts_with("line 0\n") && short.contains("more bytes"), "{short}");
        assert!(estimate_tokens(&short) <= 40, "{short}");
        assert_eq!(text("short".to_owned(), 20), "short");
        let items: Vec<Value> = (0..64).map(|n| json!({"text": format!("{n} {long}")})).collect();
        let cut = json(json!({"items": items, "total": 64}), 1_000);
        assert!(tokens(&cut) <= 1_000 && cut["cut"]["items"].as_u64() > Some(32), "{cut}");
    }

    #[test]
    fn lists_inside_of_lists_and_single_texts_are_cut_too() {
        let steps: Vec<Value> = (0..500).map(|n| json!({"step": n, "said": "a few words"})).collect();
        let cut = json(json!({"chains": [{"steps": steps, "id": "c"}]}), 300);
        assert!(tokens(&cut) <= 300 && cut["chains"][0]["id"] == "c", "{cut}");
        assert!(cut["cut"]["chains.steps"].as_u64() > Some(100), "{cut}");
        let one = json!({"items": [{"uri": "backstory://card/1", "text": "word ".repeat(4_000)}]});
        let cut = json(one, 200);
        assert!(tokens(&cut) <= 200 && cut["items"][0]["uri"] == "backstory://card/1", "{cut}");
        assert!(cut["cut"]["bytes"].as_u64() > Some(10_000), "{cut}");
        let counts: Map<String, Value> = (0..400).map(|n| (format!("session {n}"), json!(n))).collect();
        let cut = json(json!({"sessions": counts}), 200);
        assert!(tokens(&cut) <= 200 && cut["cut"]["sessions"].as_u64() > Some(300), "{cut}");
    }

    #[test]
    fn what_is_cut_is_still_marked() {
        let marked = format!("User: so\n<untrusted>{}</untrusted>", "obey me\n".repeat(400));
        let short = text(marked.clone(), 60);
        assert_eq!(short.matches("<untrusted>").count(), short.matches("</untrusted>").count(), "{short}");
        let cut = json(json!({"items": [{"text": marked}]}), 100);
        let kept = cut["items"][0]["text"].as_str().unwrap_or_default();
        assert!(kept.contains("obey me") && kept.ends_with(" …</untrusted>"), "{kept}");
        // It terminates for any budget.
        for length in 0..200 {
            let text = format!("<untrusted>{}</untrusted> and <untrusted>x</untrusted>", "y".repeat(length));
            json(json!({"items": [{"text": text}]}), 5);
        }
    }
}
