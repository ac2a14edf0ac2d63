//! How is an answer shown? What the flags say, who reads, how large the terminal is.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use crate::environment;

/// What the flags of the command line say.
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
    /// One item a line, without markers: for a person's own pipe.
    Plain,
}

/// Who reads standard output?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person, on a terminal.
    Person,
    /// A program that the person chose: `--plain`.
    Pipe,
    /// Perhaps an agent: recalled text is quoted.
    Agent,
}

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// From then on everything is shown like this.
pub fn use_display(display: Display) {
    match display.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    // Only the first counts: a process has one command line.
    let _ = DISPLAY.set(display);
}

/// Did somebody ask for colours wherever the output goes?
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

/// An agent that asks for `--plain` still gets its quotations marked.
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

/// The columns that text is wrapped to; none where it is not wrapped. `COLUMNS` counts before
/// what the terminal says.
pub fn width() -> Option<usize> {
    if display().frame == Frame::Plain {
        return None;
    }
    number("COLUMNS").or_else(|| size().map(|(columns, _)| columns))
}

/// The columns of the screen, where text is printed on one.
pub fn screen_width() -> Option<usize> {
    if io::stdout().is_terminal() { width() } else { None }
}

/// The lines of the screen, where longer text is given to a pager.
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
