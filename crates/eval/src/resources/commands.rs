//! Which commands does the program have?

use super::Result;
use super::contract::Trial;
use super::world::TrialHome;

/// Every command that does something, as typed.
pub fn listed(world: &TrialHome) -> Result<Vec<String>> {
    let mut listed = Vec::new();
    for command in everywhere(world)? {
        let inner = below(world, &[&command])?;
        listed.extend(inner.iter().map(|inner| format!("{command} {inner}")));
        // A command with sub-commands may also do something itself.
        if inner.is_empty() || works_alone(world, &command)? {
            listed.push(command);
        }
    }
    Ok(listed)
}

/// Commands that no trial runs.
pub fn without_trial(listed: &[String], contract: &[Trial]) -> Vec<String> {
    let tried = |command: &&String| contract.iter().any(|trial| trial.command == **command);
    let missing = listed.iter().filter(|command| !tried(command));
    missing.map(|command| format!("`{command}` has no trial in crates/eval/src/resources/contract.rs")).collect()
}

/// The commands of all groups.
fn everywhere(world: &TrialHome) -> Result<Vec<String>> {
    let output = world.unconfined(&["help", "--all"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let lines = text.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    Ok(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

/// The first words of the lines under `Commands:`.
fn below(world: &TrialHome, command: &[&str]) -> Result<Vec<String>> {
    Ok(in_help(&help(world, command)?))
}

fn in_help(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Long descriptions continue in lines with more indentation.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn works_alone(world: &TrialHome, command: &str) -> Result<bool> {
    let text = help(world, &[command])?;
    let usage = text.lines().find(|line| line.starts_with("Usage:")).unwrap_or_default();
    Ok(!usage.ends_with("<COMMAND>"))
}

fn help(world: &TrialHome, command: &[&str]) -> Result<String> {
    let words = command.iter().copied().chain(["--help"]).collect::<Vec<_>>();
    let output = world.unconfined(&words).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!("`backstory {}` failed", words.join(" ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::CONTRACT;
    use super::*;

    #[test]
    fn commands_are_found_in_the_help() {
        let help =
            "About\n\nCommands:\n  log   Look at it\n        and on\n  man   Print\n  help  Print\n\nOptions:\n  -h\n";
        assert_eq!(in_help(help), ["log", "man"]);
    }

    #[test]
    fn a_command_without_a_trial_is_told() {
        let listed = ["search".to_owned(), "teleport".to_owned()];
        let missing = without_trial(&listed, CONTRACT);
        assert_eq!(missing, ["`teleport` has no trial in crates/eval/src/resources/contract.rs"]);
    }
}
