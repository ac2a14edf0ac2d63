//! For which actions has a card to be looked at? What does it forbid?
//!
//! What a constraint forbids stands behind a "never", a "not", an "avoid" or an
//! "instead of". A card is found by one of those words and then read as a whole.

use std::collections::BTreeSet;

use crate::model::{CardId, CardKind, CardSource, CardStatus};
use crate::store::CardRow;
use crate::text::{Tokenizer, is_stop_word};

use super::troubles::command;
use super::troubles::tell::{COMMAND_TAG, ERROR_TAG};

/// The words by which each card is found, for those that anything can be found by.
pub fn of_cards(rows: &[CardRow]) -> Vec<(CardId, Vec<String>)> {
    let mut reader = Reader::new();
    let mut out = Vec::new();
    for CardRow { card, .. } in rows {
        if !matches!(card.status, CardStatus::Active | CardStatus::NeedsRecheck) {
            continue;
        }
        let words = match card.kind {
            CardKind::Constraint | CardKind::Commitment => {
                reader.forbidden(&card.statement).into_iter().flat_map(|clause| clause.words).collect()
            }
            CardKind::Fact | CardKind::NegativeResult | CardKind::Tactic => {
                let mut words = error_tags(&card.tags);
                words.extend(command_keys(card.source, &card.tags, &card.statement));
                words
            }
            CardKind::Preference => BTreeSet::new(),
        };
        if !words.is_empty() {
            out.push((card.id, words.into_iter().collect()));
        }
    }
    out
}

fn error_tags(tags: &[String]) -> BTreeSet<String> {
    tags.iter().filter(|tag| tag.starts_with(ERROR_TAG)).cloned().collect()
}

/// The commands that a card warns of. An attempt is about an error: its command
/// is run again and again without anything being wrong with that.
pub fn command_keys(source: CardSource, tags: &[String], statement: &str) -> BTreeSet<String> {
    match source {
        CardSource::Correction => tags.iter().filter(|tag| tag.starts_with(COMMAND_TAG)).cloned().collect(),
        CardSource::Remembered | CardSource::Instructions | CardSource::Import => {
            failing_codes(statement).into_iter().map(command_key).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The code of which a statement says that it does not work. To name a command
/// is not to warn of it.
fn failing_codes(statement: &str) -> Vec<&str> {
    const FAILS: [&str; 8] =
        ["fails", "is broken", "does not work", "doesn't work", "doesn’t work", "no longer works", "hangs", "crashes"];
    let lower = statement.to_ascii_lowercase();
    if FAILS.iter().any(|word| whole_word(&lower, word).is_some()) {
        return codes(statement).into_iter().take(1).collect();
    }
    sentences(statement).into_iter().filter_map(after_negation).flat_map(codes).collect()
}

/// What stands in back-ticks.
fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|code| !code.trim().is_empty()).collect()
}

/// Under which a command is found.
pub fn command_key(line: &str) -> String {
    let normal = command::normal_form(line);
    let form = if normal.is_empty() { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { normal };
    format!("{COMMAND_TAG}{form}")
}

/// What somebody is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub words: BTreeSet<String>,
    /// What it consists of, without quotes.
    parts: Vec<String>,
    /// The programs that it starts, where it is a command, as words.
    programs: BTreeSet<String>,
}

/// Something that a statement forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The words that tell what.
    pub words: BTreeSet<String>,
    /// Flags of a command that must be there too.
    flags: Vec<String>,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// It names a file or a folder: that, and what is in it.
    Path(String),
    /// It names a command literally: all of it must be there.
    Code,
    Prose,
}

impl Clause {
    /// Most of what is forbidden must be in the action: one common word proves
    /// nothing, unless it is the program that is to be run.
    pub fn matches(&self, action: &Action) -> bool {
        if !self.flags.iter().all(|flag| action.parts.contains(flag)) {
            return false;
        }
        let shared = self.words.intersection(&action.words).count();
        match (&self.shape, self.words.len()) {
            (Shape::Path(path), _) => action.parts.iter().any(|part| is_within(part, path)),
            (_, 0) => false,
            (Shape::Code, all) => shared == all,
            (Shape::Prose, 1) => self.words.is_subset(&action.programs),
            (Shape::Prose, 2 | 3) => shared == self.words.len(),
            (Shape::Prose, all) => shared * 4 >= all * 3,
        }
    }
}

/// Is it that file, or something in that folder, however much of the way to it
/// is written?
fn is_within(part: &str, path: &str) -> bool {
    let part = part.trim_start_matches("./").replace('\\', "/");
    let mut from = 0;
    while let Some(at) = part[from..].find(path).map(|at| from + at) {
        let (before, after) = (&part[..at], &part[at + path.len()..]);
        if (before.is_empty() || before.ends_with('/')) && (after.is_empty() || after.starts_with('/')) {
            return true;
        }
        from = at + path.len();
    }
    false
}

/// The path that a word of a statement names.
fn path_of(text: &str) -> Option<String> {
    let word = text.trim_matches(['"', '\'', '(', ')', ',', ';', ':']).trim_end_matches('.');
    let plain = word.trim_start_matches("./").trim_end_matches("**").trim_end_matches('*').trim_end_matches('/');
    let is_plain = plain.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+'));
    let ending = plain.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let has_ending = ending
        .is_some_and(|(_, ending)| (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_lowercase()));
    (is_plain && plain.len() > 1 && !text.contains("()") && (word.contains('/') || has_ending))
        .then(|| plain.to_owned())
}

/// Reads statements and actions into the same words.
pub struct Reader {
    tokenizer: Tokenizer,
}

impl Reader {
    pub fn new() -> Self {
        Reader { tokenizer: Tokenizer::new() }
    }

    pub fn action(&mut self, text: &str) -> Action {
        let parts = text.split_whitespace().map(|part| part.trim_matches(['"', '\'', '`', ',', ';']).to_owned());
        let programs = text.split(['&', '|', ';', '\n']).map(program).collect::<Vec<_>>().join(" ");
        Action { words: self.words(text), parts: parts.collect(), programs: self.words(&programs) }
    }

    /// Whole identifiers and paths count in their parts.
    fn words(&mut self, text: &str) -> BTreeSet<String> {
        let terms = self.tokenizer.strings(text);
        terms.into_iter().filter(|term| !is_stop_word(term) && !is_filler(term)).collect()
    }

    /// What a statement forbids.
    pub fn forbidden(&mut self, statement: &str) -> Vec<Clause> {
        let forbidden = sentences(statement).into_iter().filter_map(after_negation);
        forbidden.flat_map(|forbidden| self.clauses(forbidden)).collect()
    }

    fn clauses(&mut self, forbidden: &str) -> Vec<Clause> {
        let codes = codes(forbidden);
        let named: Vec<&str> = if codes.is_empty() { forbidden.split_whitespace().collect() } else { codes.clone() };
        let mut clauses: Vec<Clause> = Vec::new();
        for word in named {
            if let Some(path) = path_of(word) {
                clauses.push(Clause { words: self.words(&path), flags: Vec::new(), shape: Shape::Path(path) });
            } else if !codes.is_empty() {
                clauses.push(Clause { words: self.words(word), flags: flags(word), shape: Shape::Code });
            }
        }
        if clauses.is_empty() {
            // What follows a comma is the reason, or what to do instead.
            let told = forbidden.split(", ").next().unwrap_or(forbidden);
            clauses.push(Clause { words: self.words(told), flags: flags(told), shape: Shape::Prose });
        }
        clauses.retain(|clause| !clause.words.is_empty());
        clauses
    }
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

/// What a simple command runs: `npm`, `git commit`.
fn program(command: &str) -> String {
    const WITH_COMMANDS: [&str; 16] = [
        "bundle", "cargo", "docker", "dotnet", "gh", "git", "go", "just", "kubectl", "make", "mise", "npm", "pip",
        "pnpm", "terraform", "yarn",
    ];
    let mut words = command.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if WITH_COMMANDS.contains(&first) { format!("{first} {second}") } else { first.to_owned() }
}

fn flags(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';']));
    words.filter(|word| word.starts_with('-') && word.len() > 1).map(str::to_owned).collect()
}

/// Words that any action may have.
fn is_filler(term: &str) -> bool {
    const FILLERS: [&str; 16] = [
        "use", "run", "make", "do", "ever", "any", "directly", "please", "file", "files", "repo", "repositori",
        "project", "code", "codebas", "here",
    ];
    FILLERS.contains(&term)
}

/// A dot inside a name or in code ends nothing.
fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut in_code) = (0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        in_code ^= c == '`';
        let at_end = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if !in_code && (matches!(c, ';' | '!') || c == '.' && at_end) {
            out.push(&text[start..=at]);
            start = at + c.len_utf8();
        }
    }
    out.push(&text[start..]);
    out
}

const NEGATIONS: [&str; 18] = [
    "never", "don't", "don’t", "dont", "do not", "must not", "mustn't", "mustn’t", "should not", "shouldn't",
    "shouldn’t", "may not", "cannot", "avoid", "instead of", "rather than", "forbidden to", "(not",
];
/// Where what is forbidden ends.
const ENDS: [&str; 8] = [" unless ", " without ", " but ", " because ", " since ", " except ", " so that ", ", use "];

fn after_negation(sentence: &str) -> Option<&str> {
    // Folded byte by byte, so that places stay where they are.
    let lower = sentence.to_ascii_lowercase();
    let places = NEGATIONS.iter().filter_map(|word| whole_word(&lower, word).map(|at| (at, at + word.len())));
    let (before, found) = places.min()?;
    let rest = &sentence[found..];
    // "The changelog must never be edited": what is forbidden stands before it.
    if rest.trim_start().starts_with("be ") {
        return Some(&sentence[..before]);
    }
    let end = ENDS.iter().filter_map(|end| lower[found..].find(end)).min().unwrap_or(rest.len());
    let end = match lower[before..found].starts_with('(') {
        true => rest.rfind(')').map_or(end, |close| close.min(end)),
        false => end,
    };
    Some(&rest[..end]).filter(|rest| !rest.trim().is_empty())
}

fn whole_word(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !is_letter(text[..*at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbids(statement: &str, action: &str) -> bool {
        let mut reader = Reader::new();
        let action = reader.action(action);
        reader.forbidden(statement).iter().any(|clause| clause.matches(&action))
    }

    #[test]
    fn what_stands_behind_a_never_is_forbidden() {
        assert!(forbids("Never push to main.", "git push origin main"));
        assert!(!forbids("Never push to main.", "git push origin feature"));
        assert!(!forbids("Always push to main.", "git push origin main"));
        assert!(forbids("Use `pnpm add` instead of `npm install`.", "npm install left-pad"));
        assert!(!forbids("Use `pnpm add` instead of `npm install`.", "pnpm add left-pad"));
        assert!(!forbids("Never commit without running the tests", "git status"));
        assert!(forbids("Please don’t deploy on Fridays", "deploy the shop on Fridays"));
        assert!(forbids("never force push in this repo, always open a pull request", "git push --force origin main"));
        assert!(!forbids("never force push in this repo, always open a pull request", "open a pull request"));
        assert!(forbids("Always use repo root (not `os.Getwd()`) for paths", "use os.Getwd() in hooks.go"));
        assert!(!forbids("Never call the zebra service.", "call the kale service from yam"));
        assert!(forbids("Never use git add -A.", "git add -A") && !forbids("Never use git add -A.", "git add ."));
    }

    #[test]
    fn one_word_forbids_a_program_only() {
        assert!(forbids("Never use npm", "cd web && npm install"));
        assert!(!forbids("Never use npm", "cat docs/npm.md"));
        assert!(!forbids("Never use npm", "explain npm to me"));
        assert!(forbids("Never commit without running make lint first", "git commit -am wip"));
    }

    #[test]
    fn paths_are_forbidden_with_what_is_in_them() {
        for statement in ["Never edit `src/gen/api.ts`.", "Don't touch `src/gen/`", "Never edit src/gen/api.ts by hand"]
        {
            for action in ["src/gen/api.ts", "/work/shop/src/gen/api.ts", "vim ./src/gen/api.ts"] {
                assert!(forbids(statement, action), "{statement} / {action}");
            }
            for action in ["src/gen.ts", "src/genesis/api.ts", "src/api.ts"] {
                assert!(!forbids(statement, action), "{statement} / {action}");
            }
        }
        assert!(forbids("Never edit `package.json`", "web/package.json"));
        assert!(!forbids("Never edit `package.json`", "packages/core/x.rs"));
        assert!(forbids("Do not edit files below `gen/**`", "gen/a/b.ts"));
        assert!(forbids("CHANGELOG.md must never be edited.", "CHANGELOG.md"));
        assert!(forbids("Never edit files under src/gen, they are generated.", "src/gen/api.ts"));
        assert!(forbids("Never change files in vendor/.", "vendor/foo.go"));
    }

    #[test]
    fn only_what_is_said_to_fail_is_known_to_fail() {
        let keys = |statement: &str| command_keys(CardSource::Instructions, &[], statement);
        assert_eq!(keys("`npm test` - runs the unit tests"), BTreeSet::new());
        assert_eq!(keys("Check of this project: `make test`"), BTreeSet::new());
        assert_eq!(keys("`npm run e2e` fails without a display"), BTreeSet::from([command_key("npm run e2e")]));
        assert_eq!(keys("Use `make test`, never `npm test`."), BTreeSet::from([command_key("npm test")]));
    }
}
