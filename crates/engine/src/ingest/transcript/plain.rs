//! `Name: text` lines, with or without time stamps; IRC logs.
//!
//! A line in the form of an utterance may also be a part of one ("Note: …").
//! The opening of a file tells which names speak in it and whether its lines
//! are stamped; what comes later is judged by that, so a file that grows does
//! not change what was read before.

use std::collections::{HashMap, HashSet};

use super::roles::role_of;
use super::when;

/// An utterance, or a note without a speaker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainUtterance {
    pub speaker: Option<String>,
    pub text: String,
    /// The time stamp before the line or in brackets after the name.
    pub stamp: Option<String>,
    pub aside: Option<String>,
    /// A nick in angle brackets is never a role.
    pub nick: bool,
}

/// A fence that nobody closes must not swallow the file.
const LONGEST_CODE: usize = 500;
/// How many lines decide the style of a file.
pub const OPENING: usize = 200;
const LONGEST_NAME: usize = 40;
/// Labels that are not names.
const LABELS: &str = "note notes todo fixme example examples ps p.s. edit update summary output input result \
    results date time from to cc bcc subject re fwd sent received author authors commit merge version license title \
    description name id url http https ftp file files path usage options step steps tip hint important caution see \
    source sources reference references pros cons features requirements package depends maintainer host accept \
    content-type user-agent status type default returns return args arguments parameters params raises else try \
    finally public private protected location duration key value environment expected copyright format comment \
    upstream-name upstream-contact";
/// A name that begins with one of these is from a log.
const LOG_LEVELS: &str = "warning warn error info debug trace fatal critical notice severe";
pub const NOTE_MARKS: [&str; 8] = ["*** ", "-!- ", "=== ", "--> ", "<-- ", "--- ", "→ ", "← "];

/// One line, without its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineShape {
    Blank,
    /// A rule: only dashes or stars.
    Rule,
    Note(String),
    Heading(String),
    Said(UtteranceLine),
    Other {
        text: String,
        stamp: Option<String>,
    },
}

/// A line in the form of an utterance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UtteranceLine {
    pub said: PlainUtterance,
    pub indented: bool,
    pub bold: bool,
    /// `* nick waves`.
    pub action: bool,
    /// The line without its stamp, for lines that turn out not to be utterances.
    pub line: String,
}

pub fn shape(line: &str) -> LineShape {
    let indented = line.starts_with([' ', '\t']);
    let line = line
        .trim_matches(|character: char| character.is_whitespace() || "\u{feff}\u{200e}\u{200f}".contains(character));
    if line.is_empty() {
        return LineShape::Blank;
    }
    if !line.chars().any(char::is_alphanumeric) {
        return LineShape::Rule;
    }
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    if !indented && (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
        return LineShape::Heading(line[marks..].trim().to_owned());
    }
    let (stamp, rest) = split_stamp(line);
    if !indented && NOTE_MARKS.iter().any(|mark| rest.starts_with(mark)) {
        return LineShape::Note(rest.to_owned());
    }
    match candidate(rest) {
        Some(mut candidate) => {
            candidate.indented = indented;
            candidate.line = rest.to_owned();
            candidate.said.stamp = stamp.map(str::to_owned).or(candidate.said.stamp);
            LineShape::Said(candidate)
        }
        None => LineShape::Other { text: rest.to_owned(), stamp: stamp.map(str::to_owned) },
    }
}

/// `[12:34] rest`, `(00:01:02) rest`, `2026-01-03 10:00 rest`, `12/31/23, 9:15 PM - rest`.
fn split_stamp(line: &str) -> (Option<&str>, &str) {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some(inner) = line.strip_prefix(open)
            && let Some((stamp, rest)) = inner.split_once(close)
            && (when::is_stamp(stamp) || when::parse(stamp).is_some())
        {
            return (Some(stamp.trim()), after_stamp(rest));
        }
    }
    // The longest sequence of words that is a stamp: date, time, am or pm.
    let mut ends: Vec<usize> = line.match_indices([' ', '\u{202f}']).map(|(at, _)| at).take(3).collect();
    ends.reverse();
    for end in ends {
        let stamp = line[..end].trim_end_matches([':', '-', '|', ',']);
        if when::is_stamp(stamp) {
            return (Some(stamp), after_stamp(&line[end..]));
        }
    }
    (None, line)
}

fn after_stamp(rest: &str) -> &str {
    let rest = rest.trim_start();
    ["- ", "– ", "| ", ": "].iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest).trim_start()
}

fn candidate(line: &str) -> Option<UtteranceLine> {
    nick_line(line).or_else(|| action_line(line)).or_else(|| bold_line(line)).or_else(|| colon_line(line))
}

/// `<nick> text`; an operator's nick has a sign before it.
fn nick_line(line: &str) -> Option<UtteranceLine> {
    let (nick, text) = line.strip_prefix('<')?.split_once('>')?;
    let nick = nick.trim_start_matches([' ', '@', '+', '%', '&', '~', '!']).trim_end();
    let fits = (1..=LONGEST_NAME).contains(&nick.len()) && !nick.contains([' ', '=', '/', '"', '<']);
    (fits && text.starts_with(' ')).then(|| UtteranceLine {
        said: PlainUtterance {
            speaker: Some(nick.to_owned()),
            text: text.trim().to_owned(),
            nick: true,
            ..PlainUtterance::default()
        },
        ..UtteranceLine::default()
    })
}

fn action_line(line: &str) -> Option<UtteranceLine> {
    let (nick, text) = line.strip_prefix("* ")?.split_once(' ')?;
    (nick.len() <= LONGEST_NAME && !text.trim().is_empty()).then(|| UtteranceLine {
        said: PlainUtterance {
            speaker: Some(nick.to_owned()),
            text: text.trim().to_owned(),
            nick: true,
            ..PlainUtterance::default()
        },
        action: true,
        ..UtteranceLine::default()
    })
}

/// `**Name:** text` and `**Name**: text`.
fn bold_line(line: &str) -> Option<UtteranceLine> {
    let (name, rest) = line.strip_prefix("**")?.split_once("**")?;
    let (name, text) = match name.trim_end().strip_suffix(':') {
        Some(name) => (name, rest),
        None => (name, rest.trim_start().strip_prefix(':')?),
    };
    let candidate = named(name, text)?;
    Some(UtteranceLine { bold: true, ..candidate })
}

fn colon_line(line: &str) -> Option<UtteranceLine> {
    let end = line.char_indices().find_map(|(at, character)| match character {
        '：' => Some((at, at + '：'.len_utf8())),
        ':' if line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']) => Some((at, at + 1)),
        _ => None,
    });
    let (name_end, text_start) = end?;
    named(&line[..name_end], &line[text_start..])
}

/// A name may be followed by a time or a remark: `Ana (12:03)`, `ANA (whispers)`.
fn named(name: &str, text: &str) -> Option<UtteranceLine> {
    let name = name.trim();
    let (name, inner) = match name.strip_suffix([')', ']']).and_then(|name| name.rsplit_once(['(', '['])) {
        Some((name, inner)) => (name.trim_end(), Some(inner.trim())),
        None => (name, None),
    };
    if !is_plausible(name) {
        return None;
    }
    let stamp = inner.filter(|inner| when::is_stamp(inner)).map(str::to_owned);
    let aside = inner.filter(|_| stamp.is_none()).map(str::to_owned);
    let said =
        PlainUtterance { speaker: Some(name.to_owned()), text: text.trim().to_owned(), stamp, aside, nick: false };
    Some(UtteranceLine { said, ..UtteranceLine::default() })
}

fn is_plausible(name: &str) -> bool {
    let fits = (1..=LONGEST_NAME).contains(&name.chars().count()) && name.split_whitespace().count() <= 5;
    let begins = name.chars().next().is_some_and(|first| first.is_alphanumeric() || "_@|^".contains(first));
    let odd = |character: char| "\"=<>;!?#*/\\(){}[]$%`~:".contains(character) || character.is_control();
    fits && begins && name.chars().any(char::is_alphabetic) && !name.contains(odd)
}

fn is_label(name: &str) -> bool {
    let lower = name.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or("");
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|label| label == word);
    is_in(LABELS, &lower) || is_in(LOG_LEVELS, first)
}

/// Written like a name: few words, each capitalised or a number.
fn is_capitalised(name: &str) -> bool {
    const SMALL: [&str; 8] = ["of", "the", "and", "von", "van", "de", "la", "&"];
    let mut words = name.split_whitespace();
    let first = words.clone().next().and_then(|word| word.chars().next());
    let capital = |word: &str| word.chars().next().is_some_and(|first| !first.is_lowercase());
    first.is_some_and(|first| !first.is_lowercase())
        && words.clone().count() <= 4
        && words.all(|word| capital(word) || SMALL.contains(&word))
}

/// What the opening of a file shows about its speakers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    counts: HashMap<String, usize>,
    stamped: bool,
    nicks: bool,
    roles: bool,
    /// Nearly every line is an utterance, so the next one is too.
    dense: bool,
    candidates: usize,
}

impl Names {
    pub fn learn<'a>(opening: impl Iterator<Item = &'a LineShape>) -> Names {
        let mut names = Names::default();
        let (mut stamped, mut nicks, mut lines) = (0, 0, 0);
        for shape in opening.take(OPENING) {
            lines += usize::from(!matches!(shape, LineShape::Blank | LineShape::Rule));
            let LineShape::Said(candidate) = shape else { continue };
            if candidate.indented || candidate.action {
                continue;
            }
            let speaker = candidate.said.speaker.clone().unwrap_or_default();
            if names.candidates == 0 {
                names.roles = !candidate.said.nick && role_of(&speaker).is_some();
            }
            names.candidates += 1;
            stamped += usize::from(candidate.said.stamp.is_some());
            nicks += usize::from(candidate.said.nick);
            *names.counts.entry(speaker).or_default() += 1;
        }
        names.stamped = stamped * 2 > names.candidates;
        names.nicks = nicks * 2 > names.candidates;
        names.dense = lines > 0 && names.candidates * 10 >= lines * 9;
        names
    }

    /// Is this an utterance, or a part of the previous one?
    pub fn accept(&self, candidate: &UtteranceLine) -> bool {
        let name = candidate.said.speaker.as_deref().unwrap_or("");
        let known = self.counts.get(name).copied().unwrap_or(0);
        if candidate.action {
            return self.nicks && !candidate.indented;
        }
        if candidate.indented || (!candidate.said.nick && (self.nicks || is_label(name))) {
            return false;
        }
        if candidate.said.nick || role_of(name).is_some() {
            return true;
        }
        let one_word = !name.contains(' ');
        if candidate.said.stamp.is_some() {
            return known >= 2 || one_word || is_capitalised(name);
        }
        if self.stamped {
            return false;
        }
        if known >= 2 {
            return true;
        }
        // Answers of models are full of labels.
        !self.roles && (is_capitalised(name) || (one_word && self.dense))
    }

    pub fn is_role_chat(&self) -> bool {
        self.roles
    }
}

/// Assembles the lines of a file into utterances.
#[derive(Default)]
pub struct Plain {
    opening: Vec<(LineShape, String)>,
    names: Option<Names>,
    current: Option<PlainUtterance>,
    /// The number of lines in the current code block, in chats with a model.
    code_lines: Option<usize>,
    speakers: HashSet<String>,
}

impl Plain {
    /// Returns complete utterances. A rule or blank line gives nothing.
    pub fn line(&mut self, line: &str) -> Vec<PlainUtterance> {
        let shape = shape(line);
        if self.names.is_some() {
            return self.take(shape, line).into_iter().collect();
        }
        if shape != LineShape::Blank {
            self.opening.push((shape, line.to_owned()));
        }
        if self.opening.len() >= OPENING { self.open() } else { Vec::new() }
    }

    pub fn end(&mut self) -> Vec<PlainUtterance> {
        let mut said = self.open();
        said.extend(self.current.take());
        said
    }

    pub fn anybody_speaks(&self) -> bool {
        !self.speakers.is_empty()
    }

    fn open(&mut self) -> Vec<PlainUtterance> {
        let opening = std::mem::take(&mut self.opening);
        if self.names.is_none() {
            self.names = Some(Names::learn(opening.iter().map(|(shape, _)| shape)));
        }
        opening.into_iter().filter_map(|(shape, line)| self.take(shape, &line)).collect()
    }

    /// The utterance that this line completes.
    fn take(&mut self, shape: LineShape, line: &str) -> Option<PlainUtterance> {
        let names = self.names.as_ref()?;
        let speaking = self.current.as_ref().is_some_and(|current| current.speaker.is_some());
        if let Some(lines) = self.code_lines.filter(|lines| *lines < LONGEST_CODE) {
            self.code_lines = Some(lines + 1);
            self.watch_fence(line);
            self.continue_with(line.trim_end());
            return None;
        }
        match shape {
            LineShape::Blank => None,
            LineShape::Rule if line.trim_start().starts_with("```") => self.go_on(line.trim()),
            LineShape::Rule => None,
            LineShape::Said(candidate) if names.accept(&candidate) => {
                let mut said = candidate.said;
                said.aside = said.aside.or(candidate.action.then(|| "action".to_owned()));
                self.speakers.extend(said.speaker.clone());
                self.begin(said)
            }
            LineShape::Said(candidate) => self.go_on(&candidate.line),
            LineShape::Note(text) => self.begin(PlainUtterance { text, ..PlainUtterance::default() }),
            LineShape::Heading(_) if names.roles && speaking => self.go_on(line.trim()),
            LineShape::Heading(text) => self.begin(PlainUtterance { text, ..PlainUtterance::default() }),
            // In a log every stamped line is a thing of its own.
            LineShape::Other { text, stamp } if stamp.is_some() && names.stamped => {
                self.begin(PlainUtterance { text, stamp, ..PlainUtterance::default() })
            }
            LineShape::Other { .. } => self.go_on(line.trim()),
        }
    }

    fn begin(&mut self, said: PlainUtterance) -> Option<PlainUtterance> {
        self.code_lines = None;
        self.watch_fence(&said.text);
        self.current.replace(said)
    }

    fn go_on(&mut self, text: &str) -> Option<PlainUtterance> {
        self.watch_fence(text);
        self.continue_with(text);
        None
    }

    fn watch_fence(&mut self, text: &str) {
        if text.trim_start().starts_with("```") && self.names.as_ref().is_some_and(Names::is_role_chat) {
            self.code_lines = if self.code_lines.is_some() { None } else { Some(0) };
        }
    }

    fn continue_with(&mut self, text: &str) {
        let current = self.current.get_or_insert_default();
        if !current.text.is_empty() {
            current.text.push('\n');
        }
        current.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `speaker|stamp|text` per utterance, `-` if absent.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut plain = Plain::default();
        let mut said: Vec<PlainUtterance> = text.lines().flat_map(|line| plain.line(line)).collect();
        said.extend(plain.end());
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let got: Vec<String> = said
            .iter()
            .map(|said| format!("{}|{}|{}", or_dash(&said.speaker), or_dash(&said.stamp), said.text))
            .collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn names_and_continuations() {
        check(
            "# Night one\n\nWren: It is dusk.\n  The tide comes in.\nOdo: I listen.\nand wait\n\nWren: Note: roll first.\nNote: not a person\n---\nThe Old Man: Hush!",
            &[
                "-|-|Night one",
                "Wren|-|It is dusk.\nThe tide comes in.",
                "Odo|-|I listen.\nand wait",
                "Wren|-|Note: roll first.\nNote: not a person",
                "The Old Man|-|Hush!",
            ],
        );
    }

    #[test]
    fn time_stamps_in_many_forms() {
        check(
            "[12:34] Ana: hi\n12:35:01 Bo: ho\n(00:01:02) Ana: hm\n2026-01-03 10:00 Bo: later\n2026-01-03T10:00:00Z Ana: iso\n12/31/23, 9:15 PM - Bo: party\nAna (12:03): inside\nnote to self: not stamped\n12:40 Ana left",
            &[
                "Ana|12:34|hi",
                "Bo|12:35:01|ho",
                "Ana|00:01:02|hm",
                "Bo|2026-01-03 10:00|later",
                "Ana|2026-01-03T10:00:00Z|iso",
                "Bo|12/31/23, 9:15 PM|party",
                "Ana|12:03|inside\nnote to self: not stamped",
                "-|12:40|Ana left",
            ],
        );
    }

    #[test]
    fn irc_logs() {
        check(
            "12:01 <@ana> bo: look: here\n12:01 -!- cy has joined\n*** dee joined\n12:02 < bo> <b>bold</b>\n12:03 * ana waves",
            &[
                "ana|12:01|bo: look: here", "-|-|-!- cy has joined", "-|-|*** dee joined", "bo|12:02|<b>bold</b>",
                "ana|12:03|waves",
            ],
        );
    }

    #[test]
    fn answers_of_machines_hold_anything() {
        check(
            "User: how?\nAssistant: Like this:\n# Setup\nSolution: stir\n```py\nUser: not me\nx: int\n```\nPros:\n- warm\n\nUser: thanks",
            &[
                "User|-|how?",
                "Assistant|-|Like this:\n# Setup\nSolution: stir\n```py\nUser: not me\nx: int\n```\nPros:\n- warm",
                "User|-|thanks",
            ],
        );
        check(
            "**User:** hi\n**Mira**: hello\n**User:** who?\n**Mira:** me",
            &["User|-|hi", "Mira|-|hello", "User|-|who?", "Mira|-|me"],
        );
    }

    #[test]
    fn small_talk_in_small_letters() {
        check("ada: hi\nbob: hello", &["ada|-|hi", "bob|-|hello"]);
        check("ADA (whispers): hi\nBOB: what?", &["ADA|-|hi", "BOB|-|what?"]);
        check("安娜：你好\n波：好", &["安娜|-|你好", "波|-|好"]);
    }

    #[test]
    fn times_and_links_are_no_names() {
        for line in ["12:30 sounds good", "http://x.example/a: b", "at 10:30: tea", "fn main() -> x: y", "\"a\": 1"] {
            assert!(!matches!(shape(line), LineShape::Said(_)), "{line}");
        }
    }

    #[test]
    fn growing_files_keep_their_utterances() {
        let lines: Vec<String> = (0..600).map(|n| format!("{}: line {n}", ["Ana", "Bo", "so: far"][n % 3])).collect();
        let read = |count: usize| {
            let mut plain = Plain::default();
            let mut said: Vec<PlainUtterance> = lines[..count].iter().flat_map(|line| plain.line(line)).collect();
            said.extend(plain.end());
            said
        };
        let all = read(600);
        for count in [250, 300, 599] {
            let some = read(count);
            assert_eq!(some[..some.len() - 1], all[..some.len() - 1]);
        }
    }
}
