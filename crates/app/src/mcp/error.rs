//! Translates error messages into the terms of tools.

use super::schema::{Parameter, ParameterKind, ToolSpec};
use super::tools::TOOLS;
use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};
use crate::setup::entries;

/// Phrases of the command line, with the equivalents here.
const CALLS: [(&str, &str); 16] = [
    ("`backstory sessions --all-projects`", "`list` with what=\"sessions\" and all_projects=true"),
    ("`backstory loops --all-projects --closed`", "`loops` with all_projects=true and closed=true"),
    ("`backstory loops --all-projects`", "`loops` with all_projects=true"),
    ("`backstory projects`", "`list` with what=\"projects\""),
    ("`backstory sessions`", "`list` with what=\"sessions\""),
    ("`backstory search \"how are retries configured\"`", "`search` with a query"),
    ("`backstory why \"QUESTION\"`", "`why` with a query"),
    (
        "Try `--mode recall` or a lower `--min-relevance`; `explain why` says more.",
        "Try mode=\"recall\"; `explain` with verb=\"why\" says more.",
    ),
    ("other words or --thinking;", "other words;"),
    ("over the limit (--limit)", "over the limit (limit)"),
    ("over the budget (--budget)", "over the budget (budget)"),
    ("; --json prints them in full.", "."),
    (
        "`backstory cards --all --all-projects` lists them with their ids.",
        "`search` and `pack` show cards with their ids.",
    ),
    ("omitted (--budget)", "omitted (budget)"),
    (" (--json lists them)", ""),
    (
        "`backstory loops done ID` or `backstory loops drop ID` closes one.",
        "The person closes one with `backstory loops done ID`.",
    ),
];

/// Converts an error of the parser.
pub fn of_parser(error: &clap::Error) -> AppError {
    let text = error.render().to_string();
    let told = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").trim().to_owned();
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    AppError::new(ErrorKind::Usage, told)
}

/// `--all-projects` becomes `all_projects`, and commands become tools.
pub fn in_words_of_tools(text: &str) -> String {
    without_flags(&without_commands(&with_calls(text)))
}

/// `backstory why COMMIT` becomes `why` with query="COMMIT". Commands for people only are left unchanged.
fn without_commands(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("`backstory ") {
        let inside = &rest[at + 1..];
        let Some(end) = inside.find('`') else { break };
        out.push_str(&rest[..at]);
        let command = &inside[..end];
        out.push_str(&as_call(command).unwrap_or_else(|| format!("`{command}`")));
        rest = &inside[end + 1..];
    }
    out + rest
}

fn as_call(command: &str) -> Option<String> {
    let mut words = entries::words(command).into_iter().skip(1).peekable();
    let verb = words.next()?;
    let tool = TOOLS.iter().find(|tool| *tool.command == [verb.as_str()])?;
    let known = ToolSpec::of(tool, &McpSettings::default());
    let of_command = || known.parameters.iter().filter(|one| !one.is_ours);
    let mut by_place: Vec<&Parameter> = of_command().filter(|one| one.flag.is_none()).collect();
    by_place.sort_by_key(|one| one.place);
    let mut by_place = by_place.into_iter();
    let mut given: Vec<(&Parameter, String)> = Vec::new();
    while let Some(word) = words.next() {
        if let Some(flag) = word.strip_prefix("--") {
            let parameter = of_command().find(|one| one.flag.as_deref() == Some(flag))?;
            let value = if parameter.kind == ParameterKind::Flag { "true".to_owned() } else { words.next()? };
            given.push((parameter, value));
        } else if let Some(parameter) = by_place.next() {
            given.push((parameter, word));
        } else {
            // A question needs no quotes: all words belong to it.
            let (_, last) = given.iter_mut().rfind(|(parameter, _)| parameter.flag.is_none())?;
            last.push_str(&format!(" {word}"));
        }
    }
    let said: Vec<String> = given
        .iter()
        .map(|(parameter, value)| match parameter.kind {
            ParameterKind::Flag | ParameterKind::Integer | ParameterKind::Number => {
                format!("{}={value}", parameter.name)
            }
            _ => format!("{}={value:?}", parameter.name),
        })
        .collect();
    let with = if said.is_empty() { String::new() } else { format!(" with {}", said.join(" and ")) };
    Some(format!("`{}`{with}", tool.name))
}

/// Translates only our own phrases: quoted text may contain flags.
pub fn with_calls(text: &str) -> String {
    CALLS.iter().fold(without_pages(text), |text, (command, call)| match text.contains(command) {
        true => text.replace(command, call),
        // Usually; avoids a copy of the whole answer.
        false => text,
    })
}

/// Tools have no `--offset`: a larger limit shows the rest of a list.
fn without_pages(text: &str) -> String {
    let last_line = text.rsplit_once("more: --offset ");
    match last_line.and_then(|(before, rest)| Some((before, rest.split_once(" continues, --limit ")?.1))) {
        Some((before, rest)) => format!("{before}more: limit={rest}"),
        None => text.to_owned(),
    }
}

fn without_flags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let name: String = after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        out.push_str(before);
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || is_word {
            out.push_str("--");
            rest = after;
            continue;
        }
        out.push_str(&name.replace('-', "_"));
        rest = &after[name.len()..];
        // The placeholder of a value.
        if let Some(end) = rest.strip_prefix(" <").and_then(|tail| tail.find('>')) {
            rest = &rest[end + 3..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_parameters() {
        let told = in_words_of_tools("the argument '--project <PROJECT>' cannot be used with '--all-projects'");
        assert_eq!(told, "the argument 'project' cannot be used with 'all_projects'");
        assert_eq!(in_words_of_tools("a -- b --- c"), "a -- b --- c");
        assert!(in_words_of_tools("See `backstory projects`.").contains("`list` with what=\"projects\""));
    }

    #[test]
    fn commands_become_calls() {
        let told = in_words_of_tools("Ask: `backstory why src/cart.ts:45`, or `backstory search \"a b\" --limit 3`.");
        assert_eq!(told, "Ask: `why` with query=\"src/cart.ts:45\", or `search` with query=\"a b\" and limit=3.");
        let told = in_words_of_tools("`backstory loops --all-projects --closed` lists them; `backstory ingest` reads.");
        assert_eq!(told, "`loops` with all_projects=true and closed=true lists them; `backstory ingest` reads.");
        let told = in_words_of_tools("Ask `backstory explain search why is it so --chunk ID`.");
        assert_eq!(told, "Ask `explain` with verb=\"search\" and query=\"why is it so\" and chunk=\"ID\".");
    }
}
