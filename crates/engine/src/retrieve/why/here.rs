//! What must be known at a line of code?
//!
//! Cards that name the file, the line's function or type or a distinctive name in the line, and failures of this line.
//! A card that only shares words with the line, or names a folder of half the files, is left out: no card is better
//! than an unrelated one.

use std::collections::BTreeSet;

use crate::log::Log;
use crate::model::{Card, CardSource, CardStatus, EventId, Failure, ProjectId};
use crate::store::{CardFilter, EpisodeNum, StoreError, ViewReader};

use super::super::cards::state_of;
use super::edits::{FileEdit, is_same_file};

/// The limit for each kind.
const MOST: usize = 3;
/// Shorter names are common words.
const SHORTEST_NAME: usize = 6;
/// File names that every folder may have: their folder must be named too.
const EVERYWHERE: [&str; 14] = [
    "mod.rs", "lib.rs", "main.rs", "index.ts", "index.tsx", "index.js", "__init__.py", "main.py", "main.go",
    "README.md", "Cargo.toml", "package.json", "Makefile", "config.ts",
];
/// A card about the place.
#[derive(Clone, Debug, PartialEq)]
pub struct CardHere {
    pub card: Card,
    /// The part of the place that it names.
    pub names: NamedHere,
    /// Why it is not reliable.
    pub doubt: Option<String>,
}

/// Nearest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedHere {
    /// A name in the line, or of its function or type.
    Name(String),
    File(String),
}

/// A failure of the line.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureHere {
    pub session: String,
    pub failure: Failure,
    pub relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The edit that wrote the line made the diagnostic go away.
    Resolved,
    /// The diagnostic was about this line.
    Shown,
}

/// The parts of a place that a card can name.
pub struct Spoken<'q> {
    /// A line whose distinctive names count too; empty for a place with many lines.
    pub line: &'q str,
    pub paths: &'q [String],
    pub belongs_to: &'q [String],
}

pub fn cards_here(view: &ViewReader<'_>, place: &Spoken<'_>, project: ProjectId) -> Result<Vec<CardHere>, StoreError> {
    let names: BTreeSet<&str> = names_in(place.line).collect();
    let mut found = Vec::new();
    let statuses = vec![CardStatus::Active, CardStatus::NeedsRecheck, CardStatus::Proposed];
    for row in view.cards(&CardFilter { project: Some(project), kind: None, statuses })? {
        // Cards about errors are shown when the errors occur.
        if matches!(row.card.source, CardSource::Fix | CardSource::Attempt) {
            continue;
        }
        if let Some(named) = named(&row.card.statement, &names, place) {
            found.push(CardHere { doubt: state_of(&row.card), names: named, card: row.card });
        }
    }
    let nearness = |names: &NamedHere| match names {
        NamedHere::Name(_) => 0,
        NamedHere::File(_) => 1,
    };
    found.sort_by_key(|here| {
        let newest = std::cmp::Reverse((here.card.renewed, here.card.id));
        let is_proposed = here.card.status == CardStatus::Proposed;
        (is_proposed, nearness(&here.names), !here.card.kind.is_normative(), newest)
    });
    found.truncate(MOST);
    Ok(found)
}

/// The part of the place that a statement names.
fn named(statement: &str, names: &BTreeSet<&str>, place: &Spoken<'_>) -> Option<NamedHere> {
    let in_line = identifiers(statement).find(|word| names.contains(word));
    let codes = || statement.split('`').skip(1).step_by(2).map(|code| code.trim().trim_end_matches("()"));
    let around = place.belongs_to.iter().find(|name| {
        let in_prose = is_distinctive_name(name) && identifiers(statement).any(|word| word == name.as_str());
        in_prose || codes().any(|code| code == name.as_str())
    });
    if let Some(name) = in_line.or(around.map(String::as_str)) {
        return Some(NamedHere::Name(name.to_owned()));
    }
    let mut words = statement.split_whitespace().map(path_word).filter(|word| !word.is_empty());
    let file = words.find(|word| place.paths.iter().any(|path| names_file(word, path)));
    file.map(|word| NamedHere::File(word.to_owned()))
}

/// The distinctive names in a line: `HOLD_MS`, `releaseHolds`.
fn names_in(line: &str) -> impl Iterator<Item = &str> {
    identifiers(line).filter(|name| is_distinctive_name(name))
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Long, and made of several words: unlikely to match by chance.
fn is_distinctive_name(name: &str) -> bool {
    let letters: Vec<char> = name.trim_matches('_').chars().collect();
    let turns = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase() || pair[0] == '_');
    letters.len() >= SHORTEST_NAME && turns
}

fn path_word(word: &str) -> &str {
    let word = word.trim_matches(['`', '"', '\'', '(', ')', ',', ';', ':']).trim_end_matches(['.', '*']);
    word.trim_start_matches("./")
}

fn names_file(word: &str, path: &str) -> bool {
    let has_ending = word.rsplit('/').next().is_some_and(|base| base.trim_start_matches('.').contains('.'));
    let clear = word == path || word.contains('/') || !EVERYWHERE.contains(&word);
    (has_ending || word.contains('/')) && clear && is_same_file(word, path)
}

/// Failures in the sessions that edited the file, if they were about a line of the place (`codes`), or an edit that
/// wrote a part of it resolved them.
pub fn failures_here(
    log: &mut Log,
    view: &ViewReader<'_>,
    paths: &[String],
    edits: &[FileEdit],
    codes: &BTreeSet<u32>,
    writers: &BTreeSet<EventId>,
) -> Result<Vec<FailureHere>, StoreError> {
    let episodes: BTreeSet<EpisodeNum> = edits.iter().map(|edit| edit.row.episode).collect();
    let mut found: Vec<FailureHere> = Vec::new();
    for episode in episodes {
        for row in view.failures_of(episode)? {
            let Some(relation) = relation(&row.failure, paths, codes, writers) else { continue };
            if found.iter().any(|known| known.failure.fingerprint == row.failure.fingerprint) {
                continue;
            }
            let session = log.store().episode(episode)?.map(|episode| episode.key.session).unwrap_or_default();
            found.push(FailureHere { session, failure: row.failure, relation });
        }
    }
    found.sort_by_key(|here| std::cmp::Reverse(here.failure.time));
    found.truncate(MOST);
    Ok(found)
}

fn relation(
    failure: &Failure,
    paths: &[String],
    codes: &BTreeSet<u32>,
    writers: &BTreeSet<EventId>,
) -> Option<Relation> {
    let resolution = failure.resolution.as_ref().filter(|resolution| resolution.is_clear());
    let by_it =
        resolution.is_some_and(|resolution| resolution.remedy.edits().iter().any(|edit| writers.contains(edit)));
    if by_it {
        return Some(Relation::Resolved);
    }
    let here = failure.file.as_deref().is_some_and(|file| paths.iter().any(|path| is_same_file(file, path)));
    (here && failure.code.is_some_and(|code| codes.contains(&code))).then_some(Relation::Shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(statement: &str) -> Option<NamedHere> {
        let place = Spoken {
            line: "  const until = now + HOLD_MS; // releaseHolds",
            paths: &["src/cart/hold.ts".to_owned()],
            belongs_to: &["Cart.hold".to_owned(), "hold".to_owned()],
        };
        named(statement, &names_in(place.line).collect(), &place)
    }

    #[test]
    fn only_what_names_the_place_speaks_of_it() {
        let name = |name: &str| Some(NamedHere::Name(name.to_owned()));
        assert_eq!(told("HOLD_MS is fifteen minutes, never more"), name("HOLD_MS"));
        assert_eq!(told("`releaseHolds` runs at closing time"), name("releaseHolds"));
        assert_eq!(told("only `hold()` may touch the clock"), name("hold"));
        assert_eq!(
            told("never change src/cart/hold.ts by hand."),
            Some(NamedHere::File("src/cart/hold.ts".to_owned()))
        );
        assert_eq!(told("see (hold.ts)"), Some(NamedHere::File("hold.ts".to_owned())));
        for nothing in [
            "no clocks in `src/cart/`",
            "hold carts until closing time",
            "const is better than let",
            "HOLD_MS_MAX is gone",
            "src/ has the code",
            "never change test/hold.ts",
            "src/cart.ts is old",
            "and/or",
            "now or never",
        ] {
            assert_eq!(told(nothing), None, "{nothing}");
        }
        assert!(!names_file("mod.rs", "src/cart/mod.rs") && names_file("cart/mod.rs", "src/cart/mod.rs"));
    }
}
