//! Decides how to show an answer, from the flags, the reader and the terminal's size.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use crate::environment;

/// The flags of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Display {
    pub color: Color,
    pub paging: Paging,
    pub frame: Frame,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into a pipe
    Always,
    /// No colours
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paging {
    #[default]
    WhenLong,
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    #[default]
    ForAgents,
    /// One item per line, without markers: for a person's own pipe.
    Plain,
}

/// The reader of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person, on a terminal.
    Person,
    /// A program chosen by the person: `--plain`.
    Pipe,
    /// Possibly an agent: recalled text is quoted.
    Agent,
}

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// Sets the display for the whole process.
pub fn use_display(display: Display) {
    match display.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    // Only the first call counts: a process has one command line.
    let _ = DISPLAY.set(display);
}

/// Are colours requested for any output?
pub fn is_always_coloured() -> bool {
    display().color == Color::Always
}

fn display() -> Display {
    DISPLAY.get().copied().unwrap_or_default()
}

pub fn audience() -> Audience {
    let is_plain = display().frame == Frame::Plain;
    match io::stdout().is_terminal() {
        _ if is_plain && !is_agents_shell() => Audience::Pipe,
        true => Audience::Person,
        false => Audience::Agent,
    }
}

/// An agent that uses `--plain` still gets marked quotations.
fn is_agents_shell() -> bool {
    ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"].into_iter().any(environment::is_set)
}

/// Does a person read standard output?
pub fn is_read_by_a_person() -> bool {
    io::stdout().is_terminal()
}

/// Does a person see standard error?
pub fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// The columns at which text is wrapped; None: no wrapping. `COLUMNS` overrides the terminal.
pub fn width() -> Option<usize> {
    if display().frame == Frame::Plain {
        return None;
    }
    number("COLUMNS").or_else(|| size().map(|(columns, _)| columns))
}

/// The columns of the screen; None if output is not a terminal.
pub fn terminal_width() -> Option<usize> {
    if io::stdout().is_terminal() { width() } else { None }
}

/// The lines of the screen; longer text goes to a pager.
pub fn rows_before_paging() -> Option<usize> {
    let is_wanted = display() == Display { paging: Paging::WhenLong, frame: Frame::ForAgents, ..display() };
    let is_dumb = environment::variable("TERM").is_some_and(|term| term == "dumb");
    if !is_wanted || is_dumb || !io::stdout().is_terminal() {
        return None;
    }
    number("LINES").or_else(|| size().map(|(_, rows)| rows))
}

/// The width of standard error, for messages.
pub fn error_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map(|(columns, _)| number("COLUMNS").unwrap_or(usize::from(columns.0)))
}

fn size() -> Option<(usize, usize)> {
    let (columns, rows) = terminal_size::terminal_size_of(io::stdout())?;
    Some((usize::from(columns.0), usize::from(rows.0)))
}

fn number(variable: &str) -> Option<usize> {
    environment::variable(variable)?.parse().ok().filter(|number| *number > 0)
}
