//! Adds and removes entries in a JSON text.
//!
//! Removing is the inverse of adding: it restores the original bytes. All other bytes are kept, including comments and
//! trailing commas.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::SettingsDamage;

/// A small document of our own, in output order.
pub enum Json {
    Text(String),
    Number(u64),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// An object or a list, with the positions of its children.
pub struct Container {
    range: Range,
    children: Vec<Range>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        Container { range: object.range, children: object.properties.iter().map(|property| property.range).collect() }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        Container { range: array.range, children: array.elements.iter().map(Ranged::range).collect() }
    }
}

impl Container {
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

/// Accepts comments and trailing commas, but no other extensions of JSON.
pub fn parse(text: &str) -> Result<Option<Value<'_>>, SettingsDamage> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(SettingsDamage { line: error.line_display(), message: error.kind().to_string() }),
    }
}

/// The last property with that name, which hosts use.
pub fn property<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name).map(|property| &property.value)
}

pub fn place_of(object: &Object<'_>, name: &str) -> Option<usize> {
    object.properties.iter().rposition(|property| property.name.as_str() == name)
}

pub fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

pub fn replace(text: &str, range: Range, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// Adds a child at the end.
pub fn insert(text: &str, container: &Container, key: Option<&str>, value: &Json) -> String {
    let style = Style::of(text);
    let own = indent_at(text, container.range.start);
    let render = |indent: &str| match key {
        Some(key) => format!("{}:{}{}", quoted(key), style.after_colon(), style.render(value, indent)),
        None => style.render(value, indent),
    };
    let Some(last) = container.children.last() else {
        let at = container.range.start + 1;
        let inside = if style.compact {
            render("")
        } else {
            let inner = format!("{own}{}", style.unit);
            format!("{0}{inner}{1}{0}{own}", style.newline, render(&inner))
        };
        return format!("{}{inside}{}", &text[..at], &text[at..]);
    };
    let before = blank_before(text, last.start);
    let (gap, indent) = match before.rfind('\n') {
        Some(at) => (format!("{}{}", style.newline, &before[at + 1..]), before[at + 1..].to_owned()),
        None => (before.to_owned(), own.to_owned()),
    };
    let child = render(&indent);
    match comma_after(text, last.end) {
        Some(comma) => format!("{}{gap}{child},{}", &text[..=comma], &text[comma + 1..]),
        None => {
            let gap = if gap.is_empty() && !style.compact { " ".to_owned() } else { gap };
            // A comment after the last entry stays with it.
            let end = if gap.contains('\n') { remark_end(text, last.end) } else { last.end };
            format!("{},{}{gap}{child}{}", &text[..last.end], &text[last.end..end], &text[end..])
        }
    }
}

/// Removes the child at that index.
pub fn remove(text: &str, container: &Container, place: usize) -> String {
    let child = container.children[place];
    let start = child.start - blank_before(text, child.start).len();
    if let Some(comma) = comma_after(text, child.end) {
        return format!("{}{}{}", &text[..start], &text[child.end..comma], &text[comma + 1..]);
    }
    let previous = place.checked_sub(1).map(|place| container.children[place].end);
    if let Some(comma) = previous.and_then(|end| comma_after(text, end)) {
        return format!("{}{}{}", &text[..comma], &text[comma + 1..start], &text[child.end..]);
    }
    let own = indent_at(text, container.range.start);
    let rest = &text[child.end..];
    let closing = [format!("\r\n{own}"), format!("\n{own}")];
    let rest = closing.iter().find_map(|closing| rest.strip_prefix(closing.as_str())).unwrap_or(rest);
    format!("{}{rest}", &text[..start])
}

/// The formatting of the file.
struct Style {
    newline: &'static str,
    unit: String,
    /// All on one line.
    compact: bool,
}

impl Style {
    fn of(text: &str) -> Self {
        let indented = text.lines().skip(1).find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        let body = text.trim();
        Style {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: unit.unwrap_or("  ").to_owned(),
            compact: body.len() > 2 && !body.contains('\n'),
        }
    }

    fn after_colon(&self) -> &'static str {
        if self.compact { "" } else { " " }
    }

    fn render(&self, value: &Json, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let block = |open: char, items: Vec<String>, close: char| match (items.is_empty(), self.compact) {
            (true, _) => format!("{open}{close}"),
            (_, true) => format!("{open}{}{close}", items.join(",")),
            _ => {
                let newline = self.newline;
                let items = items.join(&format!(",{newline}{inner}"));
                format!("{open}{newline}{inner}{items}{newline}{indent}{close}")
            }
        };
        match value {
            Json::Text(text) => quoted(text),
            Json::Number(number) => number.to_string(),
            Json::List(items) => block('[', items.iter().map(|item| self.render(item, &inner)).collect(), ']'),
            Json::Object(fields) => {
                let field = |(key, value): &(String, Json)| {
                    format!("{}:{}{}", quoted(key), self.after_colon(), self.render(value, &inner))
                };
                block('{', fields.iter().map(field).collect(), '}')
            }
        }
    }
}

pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The blanks right before a position.
fn blank_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    &before[before.trim_end_matches([' ', '\t', '\r', '\n']).len()..]
}

/// The indentation of a position's line.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The end of a comment on the rest of a line; the position itself if there is none.
fn remark_end(text: &str, at: usize) -> usize {
    let line = text[at..].lines().next().unwrap_or_default().trim_end();
    let remark = line.trim_start();
    if remark.starts_with("//") || (remark.starts_with("/*") && remark.find("*/") == Some(remark.len() - 2)) {
        return at + line.len();
    }
    at
}

/// The position of the following comma, after blanks and comments.
fn comma_after(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += skipped;
        if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return rest.starts_with(',').then_some(at);
        }
    }
}
