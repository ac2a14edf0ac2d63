//! Allows options after the free text of `check`, which may contain dashes itself.

use std::ffi::OsString;

use clap::{ArgAction, Command, ValueEnum};

use crate::terminal::{Color, Display, Frame, Paging};

/// The name of the command whose text may have dashes.
const FREE_TEXT: &str = "check";

/// The words with the options of `check` moved before its action. Words after `--`, and unknown options, belong to the
/// action.
pub fn options_first(words: Vec<OsString>) -> Vec<OsString> {
    let Some(command) = words.iter().position(|word| *word == FREE_TEXT) else { return words };
    let is_literal = words.iter().any(|word| *word == "--");
    if is_literal || !words[1..command].iter().all(|word| word.as_encoded_bytes().starts_with(b"--")) {
        return words;
    }
    let options = TypedOptions::of_check();
    let (before, after) = words.split_at(command + 1);
    // The first word that is not our option starts the action.
    let Some(action) = options.first_other(after) else { return words };
    let start = (action + 1..after.len()).find(|start| options.are_all(&after[*start..])).unwrap_or(after.len());
    [before, &after[start..], &after[..start]].concat()
}

/// How to show help and errors. They end the parsing, so the flags are read from the words.
pub fn display(words: &[OsString]) -> Display {
    let words: Vec<&str> = words.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let options = words.split(|word| *word == "--").next().unwrap_or_default();
    let color = options.iter().enumerate().find_map(|(at, word)| match *word {
        "--color" => options.get(at + 1).copied(),
        word => word.strip_prefix("--color="),
    });
    Display {
        color: color.and_then(|color| Color::from_str(color, false).ok()).unwrap_or_default(),
        paging: if options.contains(&"--no-pager") { Paging::Off } else { Paging::WhenLong },
        frame: if options.contains(&"--plain") { Frame::Plain } else { Frame::ForAgents },
    }
}

/// The options that `check` knows, and whether each takes a value.
struct TypedOptions(Vec<(String, bool)>);

impl TypedOptions {
    fn of_check() -> Self {
        let root = super::command();
        let check = root.find_subcommand(FREE_TEXT).into_iter().flat_map(Command::get_arguments);
        let all = root.get_arguments().filter(|argument| argument.is_global_set()).chain(check);
        let takes_value = |action: &ArgAction| matches!(action, ArgAction::Set | ArgAction::Append);
        let named = all.flat_map(|argument| {
            let names = argument.get_long_and_visible_aliases().unwrap_or_default();
            let hidden = argument.get_all_aliases().unwrap_or_default();
            let takes = takes_value(argument.get_action());
            names.into_iter().chain(hidden).map(move |name| (format!("--{name}"), takes)).collect::<Vec<_>>()
        });
        TypedOptions(named.collect())
    }

    /// The number of words of an option here; None if it is not an option.
    fn taken(&self, words: &[OsString]) -> Option<usize> {
        let word = words.first()?.to_str()?;
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let (_, takes_value) = self.0.iter().find(|(known, _)| known == name)?;
        match (takes_value, value) {
            (true, None) => (words.len() > 1).then_some(2),
            (true, Some(_)) | (false, None) => Some(1),
            (false, Some(_)) => None,
        }
    }

    fn are_all(&self, mut words: &[OsString]) -> bool {
        while !words.is_empty() {
            let Some(taken) = self.taken(words) else { return false };
            words = &words[taken..];
        }
        true
    }

    fn first_other(&self, words: &[OsString]) -> Option<usize> {
        let mut at = 0;
        while at < words.len() {
            match self.taken(&words[at..]) {
                Some(taken) => at += taken,
                None => return Some(at),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> String {
        let words: Vec<OsString> = line.split('|').map(OsString::from).collect();
        let sorted: Vec<String> = options_first(words).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        sorted.join("|")
    }

    #[test]
    fn options_may_follow_the_action() {
        assert_eq!(sorted("backstory|check|rm -rf|--json"), "backstory|check|--json|rm -rf");
        assert_eq!(
            sorted("backstory|check|git|push|--force|--error|it failed|--json"),
            "backstory|check|--error|it failed|--json|git|push|--force"
        );
        assert_eq!(sorted("backstory|check|--json|a|--project=x"), "backstory|check|--project=x|--json|a");
    }

    #[test]
    fn help_is_shown_as_the_flags_say() {
        let shown = |line: &str| display(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let off = Display { paging: Paging::Off, ..Display::default() };
        assert_eq!(shown("backstory search --help --no-pager"), off);
        assert_eq!(shown("backstory --no-pager --color never help"), Display { color: Color::Never, ..off });
        assert_eq!(shown("backstory check -- --no-pager --color=always"), Display::default());
    }

    #[test]
    fn the_rest_is_the_action() {
        for line in [
            "backstory|check|git|push|--force|origin",
            "backstory|check|--|npm|ls|--json",
            "backstory|check|--json|npm test",
            "backstory|search|check|--json",
            "backstory|check|npm|--json|ls",
        ] {
            assert_eq!(sorted(line), line);
        }
    }
}
