//! By which keys are cards about a command or an error found?

use std::collections::BTreeSet;

use backstory_language::clauses::failing_codes;
use backstory_language::commands::line as command;

use super::card::CardSource;

/// Cards about the same error carry this tag and the error's fingerprint.
pub const ERROR_TAG: &str = "error:";
/// Cards about a command carry this tag and its normal form.
pub const COMMAND_TAG: &str = "command:";
/// A correction carries this tag and the name of each variable that the working form sets.
pub const ENVIRONMENT_TAG: &str = "sets:";

/// The commands that a card warns of. A failed attempt is about an error: its command is run
/// often, and that is right.
pub fn command_keys(source: CardSource, tags: &[String], statement: &str) -> BTreeSet<String> {
    match source {
        CardSource::Correction => tags.iter().filter(|tag| tag.starts_with(COMMAND_TAG)).cloned().collect(),
        CardSource::Remembered | CardSource::Instructions | CardSource::Import => {
            failing_codes(statement).into_iter().map(command_key).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The key of a command.
pub fn command_key(line: &str) -> String {
    let normal = command::normal_form(line);
    let form = if normal.is_empty() { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { normal };
    format!("{COMMAND_TAG}{form}")
}

/// One key for all runs of the same tests.
pub fn any_tests_key(runner: &str) -> String {
    format!("{COMMAND_TAG}any {runner}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_to_fail_is_known_to_fail() {
        let keys = |statement: &str| command_keys(CardSource::Instructions, &[], statement);
        assert_eq!(keys("`npm test` - runs the unit tests"), BTreeSet::new());
        assert_eq!(keys("Check of this project: `make test`"), BTreeSet::new());
        assert_eq!(keys("`npm run e2e` fails without a display"), BTreeSet::from([command_key("npm run e2e")]));
        assert_eq!(keys("Use `make test`, never `npm test`."), BTreeSet::from([command_key("npm test")]));
    }
}
