//! How a recalled chunk looks on a terminal.

use backstory_engine::model::Card;
use backstory_engine::retrieve::Shown;

use crate::{quote, screen};

/// Where a chunk is from, in one line.
pub fn heading(mark: &str, shown: &Shown) -> String {
    let session: String = shown.session.chars().take(8).collect();
    let abandoned =
        if shown.abandoned { screen::paint(screen::WARN, " · abandoned by a rewind") } else { String::new() };
    let place =
        format!("{} · session {session} · agent {} · {}", screen::time(shown.started), shown.agent, shown.project.name);
    let chunk = screen::paint(screen::DIM, &format!("[{}]", shown.chunk.short()));
    format!("{mark} {} {chunk}{abandoned}", screen::paint(screen::HEAD, &place))
}

pub fn body(shown: &Shown) -> String {
    let mut text = String::new();
    let mut from = 0;
    for printed in &shown.printed {
        text.push_str(&shown.text[from..printed.start]);
        text.push_str(&screen::foreign(&shown.text[printed.clone()]));
        from = printed.end;
    }
    text.push_str(&shown.text[from..]);
    let lines = text.lines().map(|line| format!("   {line}\n"));
    lines.collect()
}

/// What a card says. Only a person's words are taken at their word.
pub fn statement(card: &Card) -> String {
    match quote::is_foreign(card) {
        true => screen::foreign(&card.statement),
        false => card.statement.clone(),
    }
}
