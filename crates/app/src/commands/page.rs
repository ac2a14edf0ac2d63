//! Pages of a list, newest first, with the number of remaining items.

use serde_json::{Value, json};

/// The same two options for every list.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct PageArgs {
    /// Show at most N items; all by default
    #[arg(long, short = 'n', value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// Skip the first N items
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
}

/// At least one item.
pub fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit @ 1..) => Ok(limit),
        _ => Err("expected a number of items, at least 1".to_owned()),
    }
}

impl PageArgs {
    pub fn new(offset: usize, limit: usize) -> Self {
        PageArgs { limit: Some(limit), offset }
    }

    /// The items of the page.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        let from = self.offset.min(all.len());
        let limit = self.limit.unwrap_or(usize::MAX);
        &all[from..all.len().min(from.saturating_add(limit))]
    }

    /// `next_offset` is present if more items remain.
    pub fn json(self, items: Vec<Value>, total: usize) -> Value {
        let next = self.offset + items.len();
        let mut value = json!({ "items": items, "total": total });
        if next < total {
            value["next_offset"] = json!(next);
        }
        value
    }

    /// The text of an empty page; `none` if the whole list is empty.
    pub fn nothing(self, total: usize, none: &str) -> String {
        match total {
            0 => none.to_owned(),
            _ => format!("No item from {} on: there are {total}.\n", self.offset),
        }
    }

    /// The last line of the page.
    pub fn rest(self, shown: usize, total: usize) -> String {
        let (next, left) = (self.offset + shown, total.saturating_sub(self.offset + shown));
        match left {
            0 => String::new(),
            _ => format!("… and {left} more: --offset {next} continues, --limit {total} shows all\n"),
        }
    }
}
