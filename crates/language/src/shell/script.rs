//! The parts of a command line.

use std::ops::Range;

/// A command line. Commands are ordered by their first word; a command substitution follows the command that contains
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub commands: Vec<SimpleCommand>,
    /// The syntax faults. Empty for valid text.
    pub faults: Vec<SyntaxFault>,
}

/// Is a text complete?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptExtent {
    #[default]
    Whole,
    /// Its end is missing.
    Cut,
}

/// A simple command. One without words only assigns or redirects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    /// The operator after it.
    pub end: Operator,
    pub place: CommandPlace,
    /// The commands of the pipeline stage whose output it reads.
    pub upstream: Range<usize>,
    /// The commands of the later stages of its pipeline.
    pub downstream: Range<usize>,
    /// It is inside `if`, `for`, `( )` or the like.
    pub is_nested: bool,
    /// It is a stage of the pipeline itself, not only inside one.
    pub reads_pipe: bool,
    /// Its bytes in the line; for text in back-ticks, those of the command around it.
    pub span: Range<usize>,
}

/// `NAME=value`, `NAME+=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub appends: bool,
    pub value: Word,
    /// As written, with the name.
    pub raw: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// As written.
    pub raw: String,
    pub parts: Vec<WordPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordPart {
    /// Without quotes and escapes.
    Text { text: String, quoted: bool },
    /// `$NAME`; `raw` if it is more than a name, as in `${NAME:-other}`.
    Variable { name: String, raw: Option<String>, quoted: bool },
    /// `$(…)` and text in back-ticks; the commands that it runs.
    Substitution { commands: Range<usize>, quoted: bool },
    /// `<(…)`, `>(…)`
    Process { commands: Range<usize>, is_input: bool },
    /// `$((…))`
    Arithmetic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    pub kind: RedirectionKind,
    pub target: Word,
    /// The text of a here-document.
    pub document: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`, `<>`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `2>&1`, `<&3`
    Duplicate,
    /// `<<`, `<<-`
    Document,
    /// `<<<`
    Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`, `|&`
    Pipe,
    /// `&`
    Background,
    /// `;`, a line break, or the end.
    #[default]
    Sequence,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommandPlace {
    #[default]
    Line,
    /// Inside `$(…)`, back-ticks or `<(…)`.
    Substitution,
}

/// Why a shell would reject the text, or read it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxFault {
    /// A quote that is never closed; read as an apostrophe.
    UnclosedQuote,
    /// `$(`, `(` or `${` that is never closed; read as closed at the end.
    Unclosed,
    /// A here-document that never ends; its lines are read as commands.
    UnendedDocument,
    /// A bracket or keyword in an invalid place.
    Misplaced,
    /// Nested beyond the limit. The rest was not read.
    TooDeep,
}

/// Is a text in quotes, or after a backslash?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    Bare,
    Quoted,
}

impl From<bool> for Quoting {
    fn from(quoted: bool) -> Self {
        if quoted { Quoting::Quoted } else { Quoting::Bare }
    }
}

impl Word {
    /// Without quotes; `$NAME` is kept and a substitution is left out.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                WordPart::Text { text, .. } => out.push_str(text),
                WordPart::Variable { name, raw, .. } => {
                    out.push_str(&raw.clone().unwrap_or_else(|| format!("${name}")));
                }
                WordPart::Substitution { .. } | WordPart::Process { .. } | WordPart::Arithmetic => {}
            }
        }
        out
    }

    /// The text of a word that needs no expansion.
    pub fn literal(&self) -> Option<String> {
        self.parts.iter().all(|part| matches!(part, WordPart::Text { .. })).then(|| self.text())
    }

    pub(super) fn push_text(&mut self, text: &str, quoting: Quoting) {
        let quoted = quoting == Quoting::Quoted;
        match self.parts.last_mut() {
            Some(WordPart::Text { text: last, quoted: was }) if *was == quoted => last.push_str(text),
            _ => self.parts.push(WordPart::Text { text: text.to_owned(), quoted }),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, WordPart::Text { quoted: false, .. }))
    }
}

impl SimpleCommand {
    /// As written, without redirections: assignments first.
    pub fn raw_words(&self) -> impl Iterator<Item = &str> {
        let assigned = self.assignments.iter().map(|assignment| assignment.raw.as_str());
        assigned.chain(self.words.iter().map(|word| word.raw.as_str()))
    }

    /// Is it not the header of a loop or a `case`?
    pub fn is_program(&self) -> bool {
        let is_header = |word: &Word| word.is_plain() && matches!(word.raw.as_str(), "for" | "select" | "case");
        self.words.first().is_some_and(|first| !is_header(first))
    }
}

impl Redirection {
    /// The file that it writes to.
    pub fn written(&self) -> Option<&Word> {
        (self.kind == RedirectionKind::Write).then_some(&self.target)
    }
}
