//! Renders a recalled chunk for a terminal.

use backstory_engine::model::Card;
use backstory_engine::retrieve::RenderedChunk;

use crate::{home, terminal, untrusted};

/// The origin of a chunk, in one line.
pub fn heading(mark: &str, shown: &RenderedChunk) -> String {
    let session: String = shown.session.chars().take(8).collect();
    let abandoned =
        if shown.abandoned { terminal::paint(terminal::WARN, " · abandoned by a rewind") } else { String::new() };
    let place = format!(
        "{} · session {session} · agent {} · {}",
        terminal::time(shown.started),
        shown.agent,
        shown.project.name
    );
    let chunk = terminal::paint(terminal::DIM, &format!("[{}]", shown.chunk.short()));
    format!("{mark} {} {chunk}{abandoned}", terminal::paint(terminal::HEAD, &place))
}

pub fn body(shown: &RenderedChunk) -> String {
    let mut text = String::new();
    let mut from = 0;
    for printed in &shown.printed {
        text.push_str(&shown.text[from..printed.start]);
        text.push_str(&terminal::foreign(&shown.text[printed.clone()]));
        from = printed.end;
    }
    text.push_str(&shown.text[from..]);
    let lines = text.lines().map(|line| format!("   {}\n", with_relative_path(line)));
    lines.collect()
}

/// A tool that works on a file begins with its name and the path: `[Edit] /home/ada/shop/cart.ts`.
fn with_relative_path(line: &str) -> String {
    match line.split_once("] ") {
        Some((tool, path)) if tool.starts_with('[') => format!("{tool}] {}", home::relative(path)),
        _ => line.to_owned(),
    }
}

/// The text of a card. Only a person's words are trusted.
pub fn statement(card: &Card) -> String {
    match untrusted::is_foreign(card) {
        true => terminal::foreign(&card.statement),
        false => card.statement.clone(),
    }
}
