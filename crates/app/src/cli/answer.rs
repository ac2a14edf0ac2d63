//! How a recalled chunk looks on a terminal.

use backstory_engine::retrieve::Shown;

use crate::screen;

/// What whoever asked should know; never mixed with the answer.
pub fn notices(notices: &[String]) {
    for notice in notices {
        anstream::eprintln!("backstory: {notice}");
    }
}

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
    let lines = shown.text.lines().map(|line| format!("   {line}\n"));
    lines.collect()
}
