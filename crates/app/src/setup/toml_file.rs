//! Our entries in Codex's `config.toml`.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike};

use super::entries::{self, NAME, Program};
use super::{Edited, Registered, SettingsDamage, splice};

const SERVERS: &str = "mcp_servers";
const NOTIFY: &str = "notify";

/// Adds the server at the end, or updates an existing entry to name this program.
pub fn add_server(text: &str, program: &Program) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    let document = parse(text)?;
    let label = format!("MCP server `{NAME}`");
    match server(&document) {
        None => {
            edited.text = with_block(text, program);
            // Some ways of writing tables do not allow another one after them.
            if parse(&edited.text).is_err() {
                let line = document.get_key_value_line(text, SERVERS);
                let message = format!("`{SERVERS}` is written in one line; write it as [{SERVERS}.NAME] tables");
                return Err(SettingsDamage { line, message });
            }
            edited.added.push(label);
        }
        Some(entry) => match (own_server(entry), entry.get("command").and_then(Item::span)) {
            (Some(named), _) if named == program.0 => {}
            (Some(_), Some(span)) => {
                edited.text = spliced(text, span, &literal(&program.0));
                edited.updated.push(label);
            }
            _ => edited.notes.push(format!("a server named `{NAME}` is there already and is left as it is")),
        },
    }
    Ok(edited)
}

/// Makes Codex call us when a turn is complete, unless it calls something else.
pub fn add_notify(text: &str, program: &Program) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    let document = parse(text)?;
    let value = format!("[{}, \"hook\", \"notify\"]", literal(&program.0));
    match document.get(NOTIFY) {
        None => {
            edited.text = with_line(text, &document, &format!("{NOTIFY} = {value}"));
            edited.added.push(NOTIFY.to_owned());
        }
        Some(there) => match (own_notify(there), there.span()) {
            (Some(named), _) if named == program.0 => {}
            (Some(_), Some(span)) => {
                edited.text = spliced(text, span, &value);
                edited.updated.push(NOTIFY.to_owned());
            }
            _ => edited.notes.push(format!(
                "`{NOTIFY}` calls another program and is left as it is: sessions are read by the hooks, once you trust them"
            )),
        },
    }
    Ok(edited)
}

/// Removes the server with all its sub-tables.
pub fn remove_server(text: &str) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    let document = parse(text)?;
    if server(&document).and_then(own_server).is_none() {
        return Ok(edited);
    }
    let mut lines = Vec::new();
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    match servers.and_then(|servers| servers.get_key_value(NAME)) {
        Some((_, Item::Table(table))) if !table.is_dotted() => tables_below(text, table, &mut lines),
        Some((key, Item::Value(value))) => {
            if let (Some(key), Some(value)) = (key.span(), value.span()) {
                lines.push(lines_of(text, key.start..value.end));
            }
        }
        _ => {
            let message = format!("`{SERVERS}.{NAME}` is written with dots; take these lines out by hand");
            return Err(SettingsDamage { line: document.get_key_value_line(text, SERVERS), message });
        }
    }
    lines.sort_by_key(|range| range.start);
    for range in lines.into_iter().rev() {
        edited.text = without_lines(&edited.text, range, Gap::Blank);
    }
    edited.removed.push(format!("MCP server `{NAME}`"));
    parse(&edited.text)?;
    Ok(edited)
}

pub fn remove_notify(text: &str) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    let document = parse(text)?;
    let Some((key, item)) = document.as_table().get_key_value(NOTIFY) else { return Ok(edited) };
    if let (Some(_), Some(key), Some(value)) = (own_notify(item), key.span(), item.span()) {
        edited.text = without_lines(text, lines_of(text, key.start..value.end), Gap::None);
        edited.removed.push(NOTIFY.to_owned());
    }
    Ok(edited)
}

pub fn registered(text: &str) -> Result<Vec<Registered>, SettingsDamage> {
    let document = parse(text)?;
    let server = server(&document).and_then(own_server);
    let notify = document.get(NOTIFY).and_then(own_notify);
    let entry = |what: &str, program: String| Registered { what: what.to_owned(), command: program.clone(), program };
    Ok(server
        .map(|program| entry("mcp", program))
        .into_iter()
        .chain(notify.map(|program| entry(NOTIFY, program)))
        .collect())
}

/// Does Codex trust a hook of this file? It keeps one row for each.
pub fn trusts(text: &str, hooks_file: &str) -> bool {
    let Ok(document) = parse(text) else { return false };
    let state = document.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let is_trusted =
        |row: &Item| row.get("trusted_hash").is_some() && row.get("enabled").and_then(Item::as_bool) != Some(false);
    state.is_some_and(|state| state.iter().any(|(key, row)| key.starts_with(hooks_file) && is_trusted(row)))
}

/// Are all hooks disabled?
pub fn has_hooks_off(text: &str) -> bool {
    let off = |document: Document<&str>| {
        document.get("features").and_then(|features| features.get("hooks")).and_then(Item::as_bool) == Some(false)
    };
    parse(text).is_ok_and(off)
}

fn parse(text: &str) -> Result<Document<&str>, SettingsDamage> {
    Document::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| splice::line_of(text, span.start));
        SettingsDamage { line, message: error.message().lines().next().unwrap_or_default().to_owned() }
    })
}

trait KeyLine {
    fn get_key_value_line(&self, text: &str, key: &str) -> usize;
}

impl KeyLine for Document<&str> {
    fn get_key_value_line(&self, text: &str, key: &str) -> usize {
        let span = self.as_table().get_key_value(key).and_then(|(key, _)| key.span());
        span.map_or(1, |span| splice::line_of(text, span.start))
    }
}

fn server<'d>(document: &'d Document<&str>) -> Option<&'d dyn TableLike> {
    document.get(SERVERS)?.as_table_like()?.get(NAME)?.as_table_like()
}

fn own_server(entry: &dyn TableLike) -> Option<String> {
    let command = entry.get("command")?.as_str()?;
    let first = entry.get("args")?.as_array()?.get(0)?.as_str()?;
    (entries::is_backstory(command) && first == "mcp").then(|| command.to_owned())
}

fn own_notify(item: &Item) -> Option<String> {
    let words: Vec<&str> = item.as_array()?.iter().filter_map(|word| word.as_str()).collect();
    let [program, "hook", NOTIFY] = words.as_slice() else { return None };
    entries::is_backstory(program).then(|| (*program).to_owned())
}

/// As a TOML string.
fn literal(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// A table at the end, after a blank line; without a final line break if the file had none.
fn with_block(text: &str, program: &Program) -> String {
    let newline = newline(text);
    let command = literal(&program.0);
    let block =
        [format!("[{SERVERS}.{NAME}]"), format!("command = {command}"), "args = [\"mcp\"]".to_owned()].join(newline);
    match (text.is_empty(), text.ends_with('\n')) {
        (true, _) => format!("{block}{newline}"),
        (_, true) => format!("{text}{newline}{block}{newline}"),
        (_, false) => format!("{text}{newline}{newline}{block}"),
    }
}

/// Adds a line to the keys before all tables.
fn with_line(text: &str, document: &Document<&str>, line: &str) -> String {
    let newline = newline(text);
    let schema = text.starts_with("#:schema").then_some(0);
    let Some(last) = last_value(document.as_table()).or(schema) else { return format!("{line}{newline}{text}") };
    match text[last..].find('\n') {
        Some(end) => format!("{}{line}{newline}{}", &text[..=last + end], &text[last + end + 1..]),
        None => format!("{text}{newline}{line}"),
    }
}

/// The end of the last value outside tables with a heading.
fn last_value(table: &Table) -> Option<usize> {
    let end = |(_, item): (&str, &Item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => last_value(table),
        _ => None,
    };
    table.iter().filter_map(end).max()
}

/// The lines of a table and of its sub-tables.
fn tables_below(text: &str, table: &Table, lines: &mut Vec<Range<usize>>) {
    if let (Some(heading), false) = (table.span(), table.is_implicit()) {
        let end = last_value(table).unwrap_or(heading.start).max(heading.start);
        lines.push(lines_of(text, heading.start..end));
    }
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if !inner.is_dotted() => tables_below(text, inner, lines),
            Item::ArrayOfTables(list) => list.iter().for_each(|inner| tables_below(text, inner, lines)),
            _ => {}
        }
    }
}

/// Extends a range to whole lines, including line breaks.
fn lines_of(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    start..end
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    /// Includes the blank line before it.
    Blank,
}

fn without_lines(text: &str, lines: Range<usize>, gap: Gap) -> String {
    let mut before = &text[..lines.start];
    let chop = |text: &mut &str| {
        let shorter = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        *text = shorter.unwrap_or(text);
    };
    let is_blank =
        before.strip_suffix('\n').is_some_and(|text| text.is_empty() || text.ends_with('\n') || text.ends_with("\n\r"));
    let is_last = !text[lines.clone()].ends_with('\n');
    if gap == Gap::Blank && is_blank {
        chop(&mut before);
    }
    if is_last {
        chop(&mut before);
    }
    format!("{before}{}", &text[lines.end..])
}
