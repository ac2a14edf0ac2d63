//! Generates an example with every key from the table.

use super::keys::{Key, SECTIONS, Section, ValueKind};
use super::value;

/// Everything is commented out, so the example has no effect.
pub fn example() -> String {
    let sections: Vec<String> = SECTIONS.iter().map(section).collect();
    sections.join("\n")
}

fn section(section: &Section) -> String {
    let keys: String = section.keys.iter().map(key).collect();
    format!("# {}.\n[{}]\n{keys}", section.about, section.name)
}

fn key(key: &Key) -> String {
    const WIDTH: usize = 88;
    let mut out = String::new();
    for line in wrapped(&describe(key), WIDTH) {
        out.push_str(&format!("#   {line}\n"));
    }
    let value = value::from_text(key, key.sample).map(|value| value.as_toml()).unwrap_or_default();
    out + &format!("# {} = {value}\n", key.name)
}

fn describe(key: &Key) -> String {
    match key.kind {
        ValueKind::Choice(_) | ValueKind::Flag => key.about.to_owned(),
        ValueKind::Number { least, most } => format!("{} ({least} to {most})", key.about),
        _ => key.about.to_owned(),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
