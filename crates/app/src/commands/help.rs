use clap::{ColorChoice, Command};

use crate::error::{AppError, ErrorKind};
use crate::terminal;

/// The most useful commands, in the order in which people need them.
const FIRST: [&str; 9] = ["init", "status", "search", "recall", "why", "sessions", "show", "check", "remember"];

/// All other commands, by purpose.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Ask about sessions", &["digest", "predict", "reconstruct", "links", "loops", "clusters", "explain"]),
    ("Prepare a task", &["pack", "fix", "summary"]),
    ("Look at the code", &["index-code", "callers", "callees"]),
    ("Manage what is remembered", &["cards", "outcome", "projects", "agents"]),
    ("Read and maintain the memory", &["ingest", "watch", "maintain", "rebuild", "log"]),
    ("Set up", &["demo", "doctor", "config", "uninstall", "mcp", "serve", "hook", "completions", "man", "help"]),
];

/// Show the help of a command, or list all commands
#[derive(clap::Args)]
pub struct HelpCommand {
    /// List every command with a description
    #[arg(long)]
    all: bool,
    /// The command whose help to show
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl HelpCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut root = super::command().color(ColorChoice::Always);
        root.build();
        if self.all {
            return terminal::print_text(&everything(&root));
        }
        let mut found = &root;
        for name in &self.command {
            found = found.find_subcommand(name).ok_or_else(|| unknown(&self.command))?;
        }
        terminal::print_text(&found.clone().render_long_help().ansi().to_string())
    }
}

fn unknown(typed: &[String]) -> AppError {
    AppError::new(ErrorKind::Usage, format!("there is no command `{}`", terminal::clip(&typed.join(" "), 60)))
        .hint("`backstory help --all` lists them.")
}

/// The root's help: the most useful commands with a description, and the names of the rest.
pub fn template(root: &Command) -> String {
    let commands = section(root, "Commands", &FIRST);
    let width = GROUPS.iter().map(|(title, _)| title.len()).max().unwrap_or(0);
    let groups = GROUPS.iter().map(|(title, names)| format!("  {title:width$}  {}\n", names.join(", ")));
    let groups: String = groups.collect();
    let more = terminal::paint(HEADING, "More commands:");
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}\n{more}\n{groups}  \
         `backstory help --all` describes them; `backstory COMMAND --help` has examples.\n\n{options}\n{{options}}\n\n\
         {EXIT_CODES}{{after-help}}",
        options = terminal::paint(HEADING, "Options:"),
    )
}

/// docs/cli.md has the details.
const EXIT_CODES: &str = "Exit codes: 0 answered, 1 nothing found, 2 usage, 3 no memory, 4 damaged, 5 failed";

const HEADING: anstyle::Style = anstyle::Style::new().bold().underline();

/// Every command with a description, in groups.
fn everything(root: &Command) -> String {
    let groups = GROUPS.iter().map(|(title, names)| section(root, title, names));
    let sections: Vec<String> = std::iter::once(section(root, "Most used", &FIRST)).chain(groups).collect();
    format!("{}\n{EXIT_CODES}\n", sections.join("\n"))
}

fn section(root: &Command, title: &str, names: &[&str]) -> String {
    let mut out = format!("{}\n", terminal::paint(HEADING, &format!("{title}:")));
    for name in names {
        let about = root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
        let padded = terminal::paint(terminal::BOLD, &format!("{name:<12}"));
        out.push_str(&format!("  {padded} {}\n", about.unwrap_or_default()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let root = crate::commands::command();
        let mut listed: Vec<&str> =
            FIRST.into_iter().chain(GROUPS.iter().flat_map(|(_, names)| *names).copied()).collect();
        let mut known: Vec<&str> =
            root.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
        assert!((7..=9).contains(&FIRST.len()));
    }
}
