//! Progress bars on standard error; hidden if nobody watches.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Bar,
    Nothing,
}

impl Show {
    /// A bar, if a person sees it.
    pub fn bar() -> Self {
        if terminal::shows_progress() { Show::Bar } else { Show::Nothing }
    }
}

pub fn bytes(total: u64, what: &'static str, show: Show) -> ProgressBar {
    bar(total, what, "{msg:<9} {wide_bar} {bytes}/{total_bytes} {eta}", show)
}

pub fn events(total: u64, what: &'static str, show: Show) -> ProgressBar {
    bar(total, what, "{msg:<9} {wide_bar} {human_pos}/{human_len} events", show)
}

pub fn texts(total: u64, what: &'static str, show: Show) -> ProgressBar {
    bar(total, what, "{msg:<9} {wide_bar} {human_pos}/{human_len} texts {eta}", show)
}

/// For work with several steps, each with its own total.
pub fn steps(show: Show) -> ProgressBar {
    bar(0, "", "{msg:<15} {wide_bar} {human_pos}/{human_len}", show)
}

/// For work of unknown length.
pub fn spinner(show: Show) -> ProgressBar {
    let spinner = bar(0, "", "{spinner} {msg}", show);
    if show == Show::Bar {
        spinner.enable_steady_tick(std::time::Duration::from_millis(120));
    }
    spinner
}

/// Shows the current step, which may include file names.
pub fn say(bar: &ProgressBar, what: &str) {
    bar.set_message(terminal::unstyled(what).into_owned());
}

fn bar(total: u64, what: &'static str, template: &str, show: Show) -> ProgressBar {
    let target = match show {
        Show::Bar => ProgressDrawTarget::stderr(),
        Show::Nothing => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    say(&bar, what);
    bar
}
