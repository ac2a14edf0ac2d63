//! Config files: their keys, by a light scan of lines. Values are not read.

use crate::lang::Language;
use crate::model::*;

/// A file with more keys holds data.
const MOST_KEYS: usize = 2_000;

pub fn read(mut file: ParsedFile, text: &str, language: Language) -> ParsedFile {
    match language {
        Language::Toml | Language::Ini => sections(&mut file, text),
        Language::Yaml => yaml(&mut file, text),
        _ => json(&mut file, text),
    }
    file
}

struct Line<'t> {
    text: &'t str,
    start: usize,
    number: u32,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, raw)| {
        let line = Line { text: raw.trim_end(), start: at, number: index as u32 + 1 };
        at += raw.len();
        line
    })
}

fn sections(file: &mut ParsedFile, text: &str) {
    let mut section = String::new();
    for line in lines(text) {
        let body = line.text.trim_start();
        if body.starts_with('[') {
            section = body.trim_start_matches('[').split(']').next().unwrap_or("").trim().replace('"', "");
            add(file, &line, "", &section.clone());
        } else if !body.starts_with(['#', ';', '"'])
            && let Some((key, _)) = body.split_once('=')
        {
            let key = key.trim();
            if key == "name" && section == "package" {
                file.package = body.split('"').nth(1).map(str::to_owned);
            }
            if is_key(key) {
                add(file, &line, &section, key);
            }
        }
    }
}

fn yaml(file: &mut ParsedFile, text: &str) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in lines(text) {
        let body = line.text.trim_start().trim_start_matches("- ");
        let indent = line.text.len() - body.len();
        let Some((key, rest)) = body.split_once(':') else { continue };
        let key = key.trim().trim_matches(['"', '\'']);
        if body.starts_with('#') || !is_key(key) || !(rest.is_empty() || rest.starts_with(' ')) {
            continue;
        }
        open.retain(|(depth, _)| *depth < indent);
        let section = open.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".");
        add(file, &line, &section, key);
        open.push((indent, key.to_owned()));
    }
}

fn json(file: &mut ParsedFile, text: &str) {
    let mut open: Vec<String> = Vec::new();
    for line in lines(text) {
        let body = line.text.trim_start();
        let key = body.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let key = key.and_then(|(key, rest)| rest.trim_start().starts_with(':').then_some(key));
        if let Some(key) = key
            && is_key(key)
        {
            let section = open.iter().filter(|key| !key.is_empty()).map(String::as_str).collect::<Vec<_>>().join(".");
            add(file, &line, &section, key);
        }
        let opened = body.matches(['{', '[']).count();
        let closed = body.matches(['}', ']']).count();
        if opened > closed && open.len() < 64 {
            open.push(key.unwrap_or("").to_owned());
        }
        for _ in opened..closed {
            open.pop();
        }
    }
}

fn is_key(key: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '"' | '$');
    !key.is_empty() && key.len() <= 100 && key.chars().all(word)
}

fn add(file: &mut ParsedFile, line: &Line<'_>, section: &str, key: &str) {
    if file.entities.len() > MOST_KEYS || key.is_empty() {
        return;
    }
    let qualified = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
    let template = file.entities[0].clone();
    let span = Span { start: line.start as u32, end: (line.start + line.text.len()) as u32 };
    file.entities.push(Entity {
        kind: EntityKind::ConfigKey,
        name: key.to_owned(),
        qualified,
        parent: Some(EntityId::FILE),
        span,
        first_line: line.number,
        last_line: line.number,
        name_line: line.number,
        // Values may be secret, so only the key is kept.
        signature: key.to_owned(),
        ..template
    });
}
