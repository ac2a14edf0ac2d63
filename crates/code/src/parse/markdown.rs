//! Markdown: a section per heading, and the names in back-ticks that it mentions.

use crate::model::*;

const LONGEST_NAME: usize = 120;

pub fn read(mut file: ParsedFile, text: &str) -> ParsedFile {
    let mut sections: Vec<(usize, EntityId)> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    let mut last_line = 0;
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let line = raw.trim_end();
        let number = index as u32 + 1;
        let body = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark)) {
            match fence {
                Some(open) if open == mark => fence = None,
                Some(_) => {}
                None => fence = Some(mark),
            }
        } else if fence.is_none() {
            if let Some((level, title)) = heading(line) {
                close(&mut file, &mut sections, level, at as u32, number - 1);
                open(&mut file, &mut sections, level, title, at as u32, number);
            }
            mention(&mut file, &sections, line, number);
        }
        at += raw.len();
        last_line = number;
    }
    close(&mut file, &mut sections, 0, at as u32, last_line);
    file
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?;
    ((1..=6).contains(&level) && title.starts_with([' ', '\t']))
        .then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

fn open(file: &mut ParsedFile, sections: &mut Vec<(usize, EntityId)>, level: usize, title: &str, at: u32, line: u32) {
    let parent = sections.last().map_or(EntityId::FILE, |(_, id)| *id);
    let qualified = match parent {
        EntityId::FILE => title.to_owned(),
        parent => format!("{} > {title}", file.entity(parent).qualified),
    };
    let id = EntityId(file.entities.len() as u32);
    let template = file.entities[0].clone();
    file.entities.push(Entity {
        kind: EntityKind::DocSection,
        name: title.to_owned(),
        qualified,
        parent: Some(parent),
        span: Span { start: at, end: at },
        first_line: line,
        last_line: line,
        name_line: line,
        signature: title.to_owned(),
        ..template
    });
    sections.push((level, id));
}

fn close(file: &mut ParsedFile, sections: &mut Vec<(usize, EntityId)>, level: usize, end: u32, line: u32) {
    while sections.last().is_some_and(|(open, _)| *open >= level) {
        if let Some((_, id)) = sections.pop() {
            let entity = &mut file.entities[id.index()];
            entity.span.end = end;
            entity.last_line = line.max(entity.first_line);
        }
    }
}

fn mention(file: &mut ParsedFile, sections: &[(usize, EntityId)], line: &str, number: u32) {
    let from = sections.last().map_or(EntityId::FILE, |(_, id)| *id);
    for quoted in line.split('`').skip(1).step_by(2) {
        let name = quoted.trim().trim_end_matches("()").trim_end_matches('(');
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '/' | '-' | '$' | '#');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(word) {
            continue;
        }
        let id = NameId(file.names.len() as u32);
        file.names.push(name.to_owned());
        file.references.push(Reference {
            kind: ReferenceKind::Mention,
            name: id,
            receiver: None,
            arguments: 0,
            argument_types: Vec::new(),
            line: number,
            from,
        });
    }
}
