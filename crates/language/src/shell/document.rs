//! Finds the start and end of here-documents.

use std::collections::HashMap;

use super::parse::Parser;
use super::script::{CommandPlace, Quoting, SimpleCommand, SyntaxFault, Word, WordPart};

/// Are leading tabs of the lines kept or removed: `<<` or `<<-`?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadingTabs {
    Kept,
    Stripped,
}

/// An announced document; its text starts on the next line.
pub(super) struct PendingDocument {
    command: usize,
    redirection: usize,
    tabs: LeadingTabs,
    /// The line that ends it.
    mark: String,
    /// Nothing in it is expanded.
    quoted: bool,
}

impl PendingDocument {
    pub fn new(command: usize, redirection: usize, tabs: LeadingTabs, target: &Word) -> Self {
        let quoted = target.raw.contains(['\'', '"', '\\']);
        let mark = target.literal().unwrap_or_else(|| target.raw.clone());
        PendingDocument { command, redirection, tabs, mark, quoted }
    }
}

impl Parser<'_> {
    /// At the start of a line: reads the documents that were announced before.
    pub fn read_documents(&mut self) {
        for pending in std::mem::take(&mut self.documents) {
            self.read_document(&pending);
        }
    }

    /// Drops documents whose text never began.
    pub fn drop_documents(&mut self) {
        if !self.documents.is_empty() {
            self.documents.clear();
            self.fault(SyntaxFault::UnendedDocument);
        }
    }

    fn read_document(&mut self, pending: &PendingDocument) {
        let start = self.at;
        let Some((body_end, next)) = self.end_of_document(pending) else {
            return self.fault(SyntaxFault::UnendedDocument);
        };
        let body = &self.text[start..body_end];
        let stripped = (pending.tabs == LeadingTabs::Stripped)
            .then(|| body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect::<String>());
        let body = stripped.as_deref().unwrap_or(body);
        self.at = next;
        let mut word = Word { raw: body.to_owned(), parts: Vec::new() };
        match pending.quoted {
            true => word.push_text(body, Quoting::Quoted),
            false => self.expanded_body(pending.command, body, &mut word),
        }
        self.commands[pending.command].redirections[pending.redirection].document = Some(word);
    }

    /// The end of the text, and the start of the line after the mark. As in a shell, the mark must be alone on its
    /// line; if that never comes, blanks around it are ignored.
    fn end_of_document(&mut self, pending: &PendingDocument) -> Option<(usize, usize)> {
        let text = self.text;
        let (at, mark) = (self.at, pending.mark.as_str());
        let lines = self.lines.get_or_insert_with(|| LastLines::of(text));
        let comes = |lines: &HashMap<&str, usize>, mark: &str| lines.get(mark).is_some_and(|last| *last >= at);
        match pending.tabs {
            LeadingTabs::Stripped if comes(&lines.without_tabs, mark) => {
                self.find_line(|line| line.trim_start_matches('\t') == mark)
            }
            LeadingTabs::Kept if comes(&lines.exact, mark) => self.find_line(|line| line == mark),
            _ if comes(&lines.trimmed, mark.trim()) => self.find_line(|line| line.trim() == mark.trim()),
            _ => None,
        }
    }

    fn find_line(&self, is_mark: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
        let mut at = self.at;
        for line in self.text[self.at..].split_inclusive('\n') {
            let next = at + line.len();
            let line = line.strip_suffix('\n').unwrap_or(line);
            if is_mark(line.strip_suffix('\r').unwrap_or(line)) {
                return Some((at, next));
            }
            at = next;
        }
        None
    }

    /// A document with an unquoted mark may run commands.
    fn expanded_body(&mut self, command: usize, body: &str, word: &mut Word) {
        let span = self.commands[command].span.clone();
        let by = self.commands.len();
        self.deeper(|it| {
            let mut parser = Parser::new(body, it.depth, CommandPlace::Substitution);
            while parser.at < body.len() {
                match parser.peek() {
                    Some(b'"') => {
                        word.push_text("\"", Quoting::Quoted);
                        parser.at += 1;
                    }
                    _ => parser.in_double_quotes(word),
                }
            }
            it.adopt(parser, span);
        });
        for part in &mut word.parts {
            part.move_by(by);
        }
    }
}

impl WordPart {
    pub(super) fn move_by(&mut self, by: usize) {
        if let WordPart::Substitution { commands, .. } | WordPart::Process { commands, .. } = self {
            *commands = commands.start + by..commands.end + by;
        }
    }
}

impl SimpleCommand {
    /// Shifts the command index by the number of commands inserted before it.
    pub(super) fn move_by(&mut self, by: usize) {
        for range in [&mut self.upstream, &mut self.downstream].into_iter().filter(|range| range.start < range.end) {
            *range = range.start + by..range.end + by;
        }
        let words = self.words.iter_mut().chain(self.assignments.iter_mut().map(|assignment| &mut assignment.value));
        let redirected =
            self.redirections.iter_mut().flat_map(|it| std::iter::once(&mut it.target).chain(&mut it.document));
        words.chain(redirected).flat_map(|word| &mut word.parts).for_each(|part| part.move_by(by));
    }
}

/// The last line with each text, to avoid searching for a mark that never comes.
#[derive(Default)]
pub(super) struct LastLines<'a> {
    exact: HashMap<&'a str, usize>,
    without_tabs: HashMap<&'a str, usize>,
    trimmed: HashMap<&'a str, usize>,
}

impl<'a> LastLines<'a> {
    fn of(text: &'a str) -> Self {
        let mut lines = LastLines::default();
        let mut at = 0;
        for whole in text.split_inclusive('\n') {
            let line = whole.strip_suffix('\n').unwrap_or(whole);
            let line = line.strip_suffix('\r').unwrap_or(line);
            lines.exact.insert(line, at);
            lines.without_tabs.insert(line.trim_start_matches('\t'), at);
            lines.trimmed.insert(line.trim(), at);
            at += whole.len();
        }
        lines
    }
}
