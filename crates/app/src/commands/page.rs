//! Long lists are told a page at a time, and say what is left.

use serde_json::{Value, json};

/// The items of one page.
pub fn of<T>(all: &[T], offset: usize, limit: usize) -> &[T] {
    let from = offset.min(all.len());
    &all[from..all.len().min(from.saturating_add(limit))]
}

/// `next_offset` is there when more is left.
pub fn json(items: Vec<Value>, total: usize, offset: usize) -> Value {
    let next = offset + items.len();
    let mut value = json!({ "items": items, "total": total });
    if next < total {
        value["next_offset"] = json!(next);
    }
    value
}

/// The last line of a page.
pub fn rest(shown: usize, total: usize, offset: usize) -> String {
    let left = total.saturating_sub(offset + shown);
    match left {
        0 if shown == 0 && total > 0 => format!("Nothing from {offset} on: there are {total}.\n"),
        0 => String::new(),
        _ => format!("… and {left} more: --offset {} goes on, --limit {total} shows all\n", offset + shown),
    }
}
