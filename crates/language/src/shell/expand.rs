//! What does a word expand to?
//!
//! Variables assigned in the same text are replaced by their values; braces are expanded; everything else is kept
//! verbatim and marked.

use std::collections::HashMap;

use super::script::{Quoting, Word, WordPart};

/// Represents the output of a command; unknown also when read again.
pub const OUTPUT: &str = "${?}";

/// Represents the name of the checked-out branch, as printed by git.
pub const CURRENT_BRANCH: &str = "@{HEAD}";

/// How much is known about a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    #[default]
    Known,
    /// It depends on the environment, on a file, or on what a program prints.
    Unknown,
    /// It is decoded, computed or fetched: it may be anything.
    Hidden,
}

/// A word of a command, expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Unknown parts are kept verbatim; a substitution is [`OUTPUT`].
    pub text: String,
    pub knowledge: Knowledge,
    /// The end of the last unknown part.
    open_until: usize,
    /// It is a file pattern.
    is_pattern: bool,
}

impl Argument {
    pub fn known(text: &str) -> Self {
        Argument { text: text.to_owned(), ..Argument::default() }
    }

    pub fn unknown(text: &str, knowledge: Knowledge) -> Self {
        Argument { text: text.to_owned(), knowledge, open_until: text.len(), is_pattern: false }
    }

    pub fn of(text: &str, knowledge: Knowledge) -> Self {
        match knowledge {
            Knowledge::Known => Argument::known(text),
            knowledge => Argument::unknown(text, knowledge),
        }
    }

    pub fn is_open(&self) -> bool {
        self.knowledge != Knowledge::Known
    }

    /// Is it a file pattern: `*.rs`?
    pub fn is_pattern(&self) -> bool {
        self.is_pattern
    }

    /// For the name of a program: only the part after the last slash counts.
    pub fn knowledge_of_program(&self) -> Knowledge {
        let name = self.text.rfind('/').map_or(0, |slash| slash + 1);
        let is_test = matches!(self.text.as_str(), "[" | "[[");
        match self.knowledge {
            Knowledge::Known if self.is_pattern && !is_test => Knowledge::Unknown,
            _ if self.open_until <= name => Knowledge::Known,
            knowledge => knowledge,
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn push_open(&mut self, text: &str, knowledge: Knowledge) {
        self.text.push_str(text);
        self.knowledge = self.knowledge.max(knowledge);
        self.open_until = self.text.len();
    }
}

/// The values of variables assigned in the text.
#[derive(Clone, Debug, Default)]
pub struct VariableValues {
    known: HashMap<String, Argument>,
}

/// A longer value is not followed.
const LONGEST_VALUE: usize = 64 << 10;

impl VariableValues {
    pub fn set(&mut self, name: &str, mut value: Argument) {
        value.text.truncate(value.text.floor_char_boundary(LONGEST_VALUE));
        // Which of several values applies depends on what ran before.
        if self.known.get(name).is_some_and(|before| before.text != value.text) {
            value.knowledge = value.knowledge.max(Knowledge::Unknown);
        }
        self.known.insert(name.to_owned(), value);
    }

    /// Like [`VariableValues::set`], but ignores the previous value.
    pub fn replace(&mut self, name: &str, value: Argument) {
        self.known.insert(name.to_owned(), value);
    }

    pub fn append(&mut self, name: &str, value: &Argument) {
        let mut whole = self.known.remove(name).unwrap_or_default();
        match value.knowledge {
            Knowledge::Known => whole.push(&value.text),
            knowledge => whole.push_open(&value.text, knowledge),
        }
        self.set(name, whole);
    }

    fn get(&self, name: &str) -> Option<&Argument> {
        self.known.get(name)
    }
}

/// Provides the output of command substitutions.
pub trait Outputs {
    fn output(&mut self, commands: std::ops::Range<usize>) -> Argument;
    /// May a value of this size still be inserted?
    fn affords(&mut self, bytes: usize) -> bool;
}

/// Expands a word to arguments.
pub fn arguments(word: &Word, values: &VariableValues, outputs: &mut impl Outputs) -> Vec<Argument> {
    let mut out = Vec::new();
    for parts in alternatives(&word.parts) {
        fields(&parts, values, outputs, &mut out);
    }
    out
}

/// Expands a word to one text: for an assignment, a here-document or a file name.
pub fn text(word: &Word, values: &VariableValues, outputs: &mut impl Outputs) -> Argument {
    let mut field = Argument::default();
    for part in &word.parts {
        append(part, values, outputs, &mut field);
    }
    field
}

fn fields(parts: &[WordPart], values: &VariableValues, outputs: &mut impl Outputs, out: &mut Vec<Argument>) {
    let mut field = Argument::default();
    // An empty word disappears, unless it is quoted.
    let mut is_there = false;
    for part in parts {
        let mut piece = Argument::default();
        append(part, values, outputs, &mut piece);
        let splits = match part {
            WordPart::Variable { quoted, .. } | WordPart::Substitution { quoted, .. } => !quoted,
            _ => false,
        };
        field.is_pattern |= matches!(part, WordPart::Text { text, quoted: false } if text.contains(['*', '?', '[']));
        if !splits || piece.is_open() {
            is_there |= !splits || !piece.text.is_empty();
            join(&mut field, &piece);
            continue;
        }
        for text in piece.text.split_inclusive(char::is_whitespace) {
            let inner = text.trim_end();
            if !inner.is_empty() {
                field.push(inner);
                is_there = true;
            }
            if inner.len() < text.len() && is_there {
                out.push(std::mem::take(&mut field));
                is_there = false;
            }
        }
    }
    if is_there {
        out.push(field);
    }
}

fn join(field: &mut Argument, piece: &Argument) {
    match piece.knowledge {
        Knowledge::Known => field.push(&piece.text),
        knowledge => field.push_open(&piece.text, knowledge),
    }
}

fn append(part: &WordPart, values: &VariableValues, outputs: &mut impl Outputs, field: &mut Argument) {
    match part {
        WordPart::Text { text, .. } => field.push(text),
        WordPart::Variable { name, raw: Some(raw), .. } => {
            let knowledge = values.get(name).map_or(Knowledge::Unknown, |value| value.knowledge);
            field.push_open(raw, knowledge.max(Knowledge::Unknown));
        }
        WordPart::Variable { name, raw: None, .. } => match values.get(name) {
            Some(value) if outputs.affords(value.text.len()) => join(field, value),
            // Unless it was changed.
            None if name == "IFS" => field.push(" "),
            _ => field.push_open(&format!("${name}"), Knowledge::Unknown),
        },
        WordPart::Substitution { commands, .. } => {
            let output = outputs.output(commands.clone());
            join(field, &output);
        }
        WordPart::Process { .. } => field.push_open("/dev/fd/63", Knowledge::Unknown),
        WordPart::Arithmetic => field.push_open("0", Knowledge::Unknown),
    }
}

/// The maximum number of words from braces.
const MOST_ALTERNATIVES: usize = 64;
/// Braces in longer words are not expanded.
const LONGEST_BRACES: usize = 2 << 10;

/// `{a,b}` and `{1..3}`.
fn alternatives(parts: &[WordPart]) -> Vec<Vec<WordPart>> {
    let has_braces =
        parts.iter().any(|part| matches!(part, WordPart::Text { text, quoted: false } if text.contains('{')));
    let length: usize =
        parts.iter().map(|part| if let WordPart::Text { text, .. } = part { text.len() } else { 1 }).sum();
    if !has_braces || length > LONGEST_BRACES {
        return vec![parts.to_vec()];
    }
    let mut atoms: Vec<Atom> = Vec::new();
    for part in parts {
        match part {
            WordPart::Text { text, quoted } => atoms.extend(text.chars().map(|c| Atom::Char(c, *quoted))),
            other => atoms.push(Atom::Part(other.clone())),
        }
    }
    let mut done = Vec::new();
    let mut open = vec![atoms];
    while let Some(atoms) = open.pop() {
        match first_braces(&atoms) {
            Some(expanded) if done.len() + open.len() + expanded.len() <= MOST_ALTERNATIVES => {
                open.extend(expanded.into_iter().rev());
            }
            _ => done.push(atoms),
        }
    }
    done.iter().map(|atoms| joined(atoms)).collect()
}

#[derive(Clone)]
enum Atom {
    Char(char, bool),
    Part(WordPart),
}

impl Atom {
    fn is(&self, wanted: char) -> bool {
        matches!(self, Atom::Char(c, false) if *c == wanted)
    }
}

fn joined(atoms: &[Atom]) -> Vec<WordPart> {
    let mut word = Word::default();
    for atom in atoms {
        match atom {
            Atom::Char(c, quoted) => word.push_text(c.encode_utf8(&mut [0; 4]), Quoting::from(*quoted)),
            Atom::Part(part) => word.parts.push(part.clone()),
        }
    }
    word.parts
}

/// The words from the first pair of braces, with the text around it.
fn first_braces(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let opens = (0..atoms.len()).filter(|at| atoms[*at].is('{'));
    for open in opens.take(MOST_ALTERNATIVES) {
        let Some((close, commas)) = closing(atoms, open) else { continue };
        let inner = &atoms[open + 1..close];
        let choices = match commas.is_empty() {
            false => {
                let mut from = open + 1;
                let ends = commas.into_iter().chain([close]);
                ends.map(|end| atoms[std::mem::replace(&mut from, end + 1)..end].to_vec()).collect()
            }
            true => match sequence(inner) {
                Some(choices) => choices,
                None => continue,
            },
        };
        let whole = |choice: Vec<Atom>| [&atoms[..open], &choice, &atoms[close + 1..]].concat();
        return Some(choices.into_iter().map(whole).collect());
    }
    None
}

/// The position of the closing brace, and of the commas between.
fn closing(atoms: &[Atom], open: usize) -> Option<(usize, Vec<usize>)> {
    let (mut depth, mut commas) = (0_usize, Vec::new());
    for (at, atom) in atoms.iter().enumerate().skip(open + 1) {
        if atom.is('{') {
            depth += 1;
        } else if atom.is('}') && depth == 0 {
            return Some((at, commas));
        } else if atom.is('}') {
            depth -= 1;
        } else if atom.is(',') && depth == 0 {
            commas.push(at);
        }
    }
    None
}

/// `a..e`, `1..9`
fn sequence(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let text: String = inner.iter().map(|atom| if let Atom::Char(c, false) = atom { *c } else { '\0' }).collect();
    let (from, to) = text.split_once("..")?;
    let characters = |text: &str| -> Vec<Atom> { text.chars().map(|c| Atom::Char(c, false)).collect() };
    if let (Ok(from), Ok(to)) = (from.parse::<i32>(), to.parse::<i32>()) {
        let (low, high) = (from.min(to), from.max(to));
        let numbers = (low..=high).take(MOST_ALTERNATIVES).map(|number| characters(&number.to_string()));
        return Some(numbers.collect());
    }
    let single = |text: &str| text.chars().next().filter(|c| c.is_ascii_alphabetic() && text.len() == 1);
    let (from, to) = (single(from)?, single(to)?);
    Some((from.min(to)..=from.max(to)).map(|c| vec![Atom::Char(c, false)]).collect())
}
