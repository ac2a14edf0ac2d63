//! An answer must not be longer than what was asked for.

use backstory_engine::model::estimate_tokens;
use serde_json::{Value, json};

/// Cuts a text after so many tokens, at the end of a line, and says so.
pub fn text(text: String, budget: u64) -> String {
    if u64::from(estimate_tokens(&text)) <= budget {
        return text;
    }
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
    let most = kept.floor_char_boundary(usize::try_from(budget.saturating_mul(4)).unwrap_or(usize::MAX));
    kept.truncate(most);
    let left = text.len() - kept.len();
    format!("{}\n… {left} more bytes: a larger `budget` or a narrower question shows them\n", kept.trim_end())
}

/// Takes items from the longest lists until the whole is small enough; `cut` says
/// how many of which.
pub fn json(mut result: Value, budget: u64) -> Value {
    let mut cut = serde_json::Map::new();
    while tokens(&result) > budget {
        let Some((name, items)) = longest_list(&mut result) else { break };
        let keep = items.len() / 2;
        let gone = items.len() - keep;
        items.truncate(keep);
        let before = cut.get(&name).and_then(Value::as_u64).unwrap_or(0);
        cut.insert(name, json!(before + gone as u64));
    }
    if let (false, Value::Object(fields)) = (cut.is_empty(), &mut result) {
        fields.insert("cut".to_owned(), cut.into());
    }
    result
}

fn tokens(value: &Value) -> u64 {
    estimate_tokens(&value.to_string()).into()
}

/// Of the fields, and of the fields of those.
fn longest_list(value: &mut Value) -> Option<(String, &mut Vec<Value>)> {
    let Value::Object(fields) = value else { return None };
    let mut lists = Vec::new();
    for (name, value) in fields.iter_mut() {
        match value {
            Value::Array(items) => lists.push((name.clone(), items)),
            Value::Object(inner) => {
                let inner = inner.iter_mut().filter_map(|(inside, value)| match value {
                    Value::Array(items) => Some((format!("{name}.{inside}"), items)),
                    _ => None,
                });
                lists.extend(inner);
            }
            _ => {}
        }
    }
    let size = |items: &[Value]| items.iter().map(|item| item.to_string().len()).sum::<usize>();
    lists.into_iter().filter(|(_, items)| items.len() > 1).max_by_key(|(_, items)| size(items))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_and_say_so() {
        let long: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let short = text(long.clone(), 20);
        assert!(short.starts_with("line 0\n") && short.contains("more bytes"), "{short}");
        assert_eq!(text("short".to_owned(), 20), "short");
        let items: Vec<Value> = (0..64).map(|n| json!({"text": format!("{n} {long}")})).collect();
        let cut = json(json!({"items": items, "total": 64}), 1_000);
        assert!(tokens(&cut) <= 1_000 && cut["cut"]["items"].as_u64() > Some(32));
    }
}
