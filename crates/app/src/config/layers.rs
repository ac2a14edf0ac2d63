//! Merges files, environment and flags; each value keeps its origin.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::keys::{self, Key, Section};
use super::value::{self, Value};

/// The sources, from weakest to strongest.
pub struct Sources<'a> {
    /// `config.toml`, with its text if it exists.
    pub file: (PathBuf, Option<String>),
    /// `.backstory.toml`, likewise.
    pub project: Option<(PathBuf, String)>,
    /// Variables that begin with `BACKSTORY_`.
    pub environment: Vec<(String, String)>,
    /// `--config SECTION.KEY=VALUE`
    pub flags: &'a [String],
}

/// The origin of a value. Later ones win.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Project { path: PathBuf, line: usize },
    Environment { name: String },
    Flag,
}

impl Origin {
    /// Higher is stronger.
    fn layer(&self) -> u8 {
        match self {
            Origin::Default => 0,
            Origin::File { .. } => 1,
            Origin::Project { .. } => 2,
            Origin::Environment { .. } => 3,
            Origin::Flag => 4,
        }
    }

    pub fn is_weaker_than(&self, other: &Origin) -> bool {
        self.layer() < other.layer()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => write!(to, "default"),
            Origin::File { path, line } | Origin::Project { path, line } => write!(to, "{}:{line}", path.display()),
            Origin::Environment { name } => write!(to, "environment {name}"),
            Origin::Flag => write!(to, "flag --config"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub value: Value,
    pub origin: Origin,
}

/// The given values, by key. A missing key has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    given: BTreeMap<(&'static str, &'static str), Given>,
    /// The ignored parts of a project's file, with reasons.
    pub notices: Vec<String>,
    /// Variables that look like settings but are not, with the nearest valid name.
    pub unknown_variables: Vec<(String, Option<String>)>,
}

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub place: Origin,
    /// None if the section is unknown.
    pub section: Option<&'static str>,
    pub message: String,
}

impl Values {
    /// Collects the values and the mistakes, most urgent mistake first.
    pub fn collect(sources: &Sources<'_>) -> (Self, Vec<Mistake>) {
        let (mut values, mut mistakes) = (Values::default(), Vec::new());
        if let (path, Some(text)) = &sources.file {
            mistakes.extend(values.take_file(path, text));
        }
        if let Some((path, text)) = &sources.project {
            values.take_project(path, text);
        }
        for (name, typed) in &sources.environment {
            mistakes.extend(values.take_variable(name, typed).err());
        }
        for flag in sources.flags {
            mistakes.extend(values.take_flag(flag).err());
        }
        (values, mistakes)
    }

    pub fn given(&self, section: &str, key: &str) -> Option<&Given> {
        let (section, key) = keys::find(section, key)?;
        self.given.get(&(section.name, key.name))
    }

    /// The value in force, and its origin.
    pub fn get(&self, section: &Section, key: &Key) -> (Option<Value>, Origin) {
        match self.given(section.name, key.name) {
            Some(given) => (Some(given.value.clone()), given.origin.clone()),
            None => (default_of(key), Origin::Default),
        }
    }

    fn set(&mut self, section: &'static Section, key: &'static Key, value: Value, origin: Origin) {
        self.given.insert((section.name, key.name), Given { value, origin });
    }

    fn take_file(&mut self, path: &Path, text: &str) -> Vec<Mistake> {
        let place = |line| Origin::File { path: path.to_owned(), line };
        let (found, mut wrong) = entries(text);
        for Entry { section, key, value, line } in found {
            match value {
                Ok(value) => self.set(section, key, value, place(line)),
                Err(message) => wrong.push(Wrong { line, section: Some(section.name), message }),
            }
        }
        wrong.sort();
        let mistake = |Wrong { line, section, message }| Mistake { place: place(line), section, message };
        wrong.into_iter().map(mistake).collect()
    }

    /// A cloned repository must neither stop the commands nor make them reveal more: mistakes in its file are reported
    /// and ignored.
    fn take_project(&mut self, path: &Path, text: &str) {
        let (found, mut left_out) = entries(text);
        for Entry { section, key, value, line } in found {
            let held = self.get(section, key).0;
            let allowed = value.and_then(|value| {
                let refused = |why| format!("`{}` {why}", keys::full_name(section, key));
                value::check_project(key, &value, held.as_ref()).map_err(refused)?;
                Ok(value)
            });
            match allowed {
                Ok(value) => self.set(section, key, value, Origin::Project { path: path.to_owned(), line }),
                Err(message) => left_out.push(Wrong { line, section: Some(section.name), message }),
            }
        }
        left_out.sort();
        let told = |wrong: &Wrong| format!("{}:{}: {}; it is left out", path.display(), wrong.line, wrong.message);
        self.notices.extend(left_out.iter().map(told));
    }

    fn take_variable(&mut self, name: &str, typed: &str) -> Result<(), Mistake> {
        if ["BACKSTORY_HOME", "BACKSTORY_NOW", "BACKSTORY_PAGER"].contains(&name) {
            return Ok(());
        }
        let Some((section, key)) = keys::all().find(|(section, key)| keys::variable(section, key) == name) else {
            // The common prefix does not help.
            let own = |name: &str| name.trim_start_matches("BACKSTORY_").to_owned();
            let all: Vec<String> = keys::all().map(|(section, key)| own(&keys::variable(section, key))).collect();
            let nearest = keys::nearest(&own(name), all.iter().map(String::as_str));
            let nearest = nearest.map(|nearest| format!("BACKSTORY_{nearest}"));
            self.unknown_variables.push((name.to_owned(), nearest));
            return Ok(());
        };
        // `NAME= command` is how a shell clears a variable for one call.
        if typed.trim().is_empty() {
            return Ok(());
        }
        let place = Origin::Environment { name: name.to_owned() };
        match value::from_text(key, typed) {
            Ok(value) => self.set(section, key, value, place),
            Err(message) => return Err(Mistake { place, section: Some(section.name), message }),
        }
        Ok(())
    }

    fn take_flag(&mut self, flag: &str) -> Result<(), Mistake> {
        let wrong = |message: String| Mistake { place: Origin::Flag, section: None, message };
        let (name, typed) =
            flag.split_once('=').ok_or_else(|| wrong("it is SECTION.KEY=VALUE, like search.budget=500".to_owned()))?;
        let (section, key) = find(name.trim()).map_err(wrong)?;
        let value = value::from_text(key, typed).map_err(wrong)?;
        self.set(section, key, value, Origin::Flag);
        Ok(())
    }
}

pub fn default_of(key: &Key) -> Option<Value> {
    match key.default {
        "" => None,
        typed => value::from_text(key, typed).ok(),
    }
}

/// A key by its full name, or the probable name.
pub fn find(name: &str) -> Result<(&'static Section, &'static Key), String> {
    let (section_name, key_name) = name.split_once('.').unwrap_or((name, ""));
    if let Some(found) = keys::find(section_name, key_name) {
        return Ok(found);
    }
    let all: Vec<String> = keys::all().map(|(section, key)| keys::full_name(section, key)).collect();
    // A bare name may be that of a key.
    let whole = keys::nearest(name, all.iter().map(String::as_str));
    let last = all.iter().map(String::as_str).find(|full| full.rsplit('.').next() == Some(name));
    Err(unknown("key", name, last.or(whole)))
}

struct Entry {
    section: &'static Section,
    key: &'static Key,
    value: Result<Value, String>,
    line: usize,
}

/// What is wrong with a line.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Wrong {
    line: usize,
    section: Option<&'static str>,
    message: String,
}

/// The entries of a file, and its faults.
fn entries(text: &str) -> (Vec<Entry>, Vec<Wrong>) {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let (mut found, mut mistakes) = (Vec::new(), Vec::new());
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = line_of(error.span().map_or(0, |span| span.start));
            // The parser's own message may quote the line.
            return (found, vec![Wrong { line, section: None, message: without_keys(error.message(), text) }]);
        }
    };
    for (name, inner) in &table {
        let line = line_of(name.span().start);
        let Some(section) = keys::section(name.get_ref()) else {
            mistakes.push(Wrong { line, section: None, message: unknown_section(name.get_ref()) });
            continue;
        };
        let wrong = |line, message| Wrong { line, section: Some(section.name), message };
        let DeValue::Table(inner) = inner.get_ref() else {
            mistakes.push(wrong(line, format!("`{}` is a section: write [{}]", section.name, section.name)));
            continue;
        };
        for (name, typed) in inner {
            let line = line_of(name.span().start);
            match entry(section, name, typed, line) {
                Ok(entry) => found.push(entry),
                Err(message) => mistakes.push(wrong(line, message)),
            }
        }
    }
    (found, mistakes)
}

fn entry(
    section: &'static Section,
    name: &Spanned<DeString<'_>>,
    typed: &Spanned<DeValue<'_>>,
    line: usize,
) -> Result<Entry, String> {
    match section.keys.iter().find(|key| key.name == name.get_ref().as_ref()) {
        Some(key) => Ok(Entry { section, key, value: value::from_toml(key, typed.get_ref()), line }),
        None => Err(unknown_key(section, name.get_ref())),
    }
}

fn unknown_section(typed: &str) -> String {
    let names = || keys::SECTIONS.iter().map(|section| section.name);
    let nearest = keys::nearest(typed, names());
    match nearest {
        Some(_) => unknown("section", typed, nearest),
        None => format!("{}; there are {}", unknown("section", typed, None), names().collect::<Vec<_>>().join(", ")),
    }
}

fn unknown_key(section: &Section, typed: &str) -> String {
    let names = || section.keys.iter().map(|key| key.name);
    let told = |nearest| format!("{} in [{}]", unknown("key", typed, None), section.name) + &meant(nearest);
    match keys::nearest(typed, names()) {
        Some(nearest) => told(Some(nearest)),
        None => format!("{}; there are {}", told(None), names().collect::<Vec<_>>().join(", ")),
    }
}

/// Only a plain word of the input is repeated: anything else may be a secret.
fn unknown(what: &str, typed: &str, nearest: Option<&str>) -> String {
    let is_plain =
        typed.len() <= 30 && typed.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte == b'.');
    let shown = if is_plain { typed } else { "…" };
    format!("unknown {what} `{shown}`{}", meant(nearest))
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

fn without_keys(message: &str, typed: &str) -> String {
    let plain = |word: &str| word.len() <= 20 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let words = typed.split(|c: char| c.is_whitespace() || "\"'`=,[]{}".contains(c));
    let mut hidden: Vec<&str> = words.filter(|word| word.len() >= 8 && !plain(word)).collect();
    hidden.sort_unstable_by_key(|word| Reverse(word.len()));
    hidden.iter().fold(message.to_owned(), |message, word| message.replace(word, "…"))
}
