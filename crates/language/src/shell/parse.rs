//! Which commands does a text contain, and how are they joined?
//!
//! A recursive descent over the bytes without backtracking. Invalid text is read as far as possible, with a fault.

use std::ops::Range;

use super::document::{LastLines, LeadingTabs, PendingDocument};
use super::script::{
    Assignment, CommandPlace, Operator, Quoting, Redirection, RedirectionKind, Script, SimpleCommand, SyntaxFault, Word,
};

/// The nesting limit of brackets, substitutions and compound commands.
const DEEPEST: usize = 40;

/// Parses a command line. Total: any text gives a script.
pub fn read(line: &str) -> Script {
    let mut parser = Parser::new(line, 0, CommandPlace::Line);
    parser.list(&[]);
    // A document announced on the last line.
    parser.drop_documents();
    Script { commands: parser.commands, faults: parser.faults }
}

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub at: usize,
    pub depth: usize,
    pub place: CommandPlace,
    /// The number of open round brackets, which `)` closes.
    pub brackets: usize,
    pub commands: Vec<SimpleCommand>,
    pub faults: Vec<SyntaxFault>,
    pub documents: Vec<PendingDocument>,
    pub lines: Option<LastLines<'a>>,
    pub last_quote: Option<usize>,
    pub last_double_quote: Option<usize>,
    last_test_end: Option<usize>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, depth: usize, place: CommandPlace) -> Self {
        Parser {
            text,
            at: 0,
            depth,
            place,
            brackets: 0,
            commands: Vec::new(),
            faults: Vec::new(),
            documents: Vec::new(),
            lines: None,
            last_quote: text.rfind('\''),
            last_double_quote: text.rfind('"'),
            last_test_end: text.rfind("]]"),
        }
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn starts_with(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    pub fn byte_at(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub fn fault(&mut self, fault: SyntaxFault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Reads something one level deeper, within the limit.
    pub fn deeper(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            self.fault(SyntaxFault::TooDeep);
            self.at = self.text.len();
            return;
        }
        self.depth += 1;
        read(self);
        self.depth -= 1;
    }

    /// Blanks, joined lines and comments.
    pub fn skip_blank(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.starts_with("\\\n") => self.at += 2,
                Some(b'\\') if self.starts_with("\\\r\n") => self.at += 3,
                Some(b'#') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Commands up to one of these words, a closing bracket or the end.
    pub fn list(&mut self, stops: &[&str]) {
        let mut stages: Vec<Range<usize>> = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                None => break,
                Some(b'\n') => {
                    self.newline();
                    continue;
                }
                Some(b')') if self.brackets > 0 => break,
                Some(b';') if stops.contains(&";;") && self.ends_case_item() => break,
                Some(b';' | b'&' | b'|' | b')') if !self.starts_with("&>") => {
                    self.fault(SyntaxFault::Misplaced);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if let Some(word) = self.keyword() {
                if stops.contains(&word) {
                    break;
                }
                if CLOSERS.contains(&word) {
                    self.fault(SyntaxFault::Misplaced);
                    self.at += word.len();
                    continue;
                }
            }
            let before = self.at;
            let unit = self.unit();
            if self.at == before {
                // Unknown input: a total parser always continues.
                self.fault(SyntaxFault::Misplaced);
                self.at = self.text.ceil_char_boundary(self.at + 1);
            }
            let operator = self.operator();
            if let Some(last) = self.commands[unit.clone()].iter_mut().rev().find(|it| it.place == self.place) {
                last.end = operator;
            }
            stages.push(unit);
            if operator != Operator::Pipe {
                self.join(&stages);
                stages.clear();
            }
        }
        self.join(&stages);
    }

    fn newline(&mut self) {
        self.at += 1;
        self.read_documents();
    }

    fn operator(&mut self) -> Operator {
        self.skip_blank();
        let (operator, length) = match self.peek() {
            Some(b'&') if self.starts_with("&&") => (Operator::And, 2),
            Some(b'|') if self.starts_with("||") => (Operator::Or, 2),
            Some(b'|') if self.starts_with("|&") => (Operator::Pipe, 2),
            Some(b'|') => (Operator::Pipe, 1),
            Some(b'&') => (Operator::Background, 1),
            Some(b';') if !self.ends_case_item() => (Operator::Sequence, 1),
            Some(b'\n') => {
                self.newline();
                (Operator::Sequence, 0)
            }
            _ => (Operator::Sequence, 0),
        };
        self.at += length;
        operator
    }

    fn ends_case_item(&self) -> bool {
        self.starts_with(";;") || self.starts_with(";&")
    }

    /// Records for the commands of a pipeline what they read and who reads them.
    fn join(&mut self, stages: &[Range<usize>]) {
        let Some(end) = stages.last().map(|last| last.end).filter(|_| stages.len() > 1) else { return };
        for (at, stage) in stages.iter().enumerate() {
            let upstream = if at == 0 { 0..0 } else { stages[at - 1].clone() };
            for command in &mut self.commands[stage.clone()] {
                if command.place != self.place {
                    continue;
                }
                if command.upstream.is_empty() {
                    command.upstream = upstream.clone();
                    command.reads_pipe = at > 0 && !command.is_nested;
                }
                let first = if command.downstream.is_empty() { stage.end } else { command.downstream.start };
                command.downstream = first..end;
            }
        }
    }

    /// The word at this position, if it can be a keyword.
    fn keyword(&self) -> Option<&'static str> {
        let bytes = &self.text.as_bytes()[self.at..];
        let word = KEYWORDS.iter().find(|word| bytes.starts_with(word.as_bytes()) && ends_word(bytes.get(word.len())));
        word.copied()
    }

    /// One command: simple, or compound with its contents.
    fn unit(&mut self) -> Range<usize> {
        let start = self.commands.len();
        match self.keyword() {
            Some(word @ ("!" | "time" | "coproc")) => {
                self.at += word.len();
                self.skip_time_option(word);
                self.deeper(|it| {
                    it.unit();
                });
            }
            Some("if") => self.compound(2, &["then", "elif", "else", "fi"], "fi"),
            Some("while" | "until") => self.compound(5, &["do", "done"], "done"),
            Some("{") => self.compound(1, &["}"], "}"),
            Some(word @ ("for" | "select")) => self.loop_over(word.len()),
            Some("case") => self.case(),
            Some("function") => self.function(),
            Some("[[") if self.last_test_end.is_some_and(|end| end > self.at) => self.test(),
            _ if self.starts_with("((") && self.arithmetic_end(self.at + 2).is_some() => {
                self.arithmetic(self.at + 2);
                self.redirections_behind();
            }
            _ if self.peek() == Some(b'(') => self.subshell(),
            _ => self.simple(),
        }
        start..self.commands.len()
    }

    fn skip_time_option(&mut self, word: &str) {
        self.skip_blank();
        if word == "time" && self.starts_with("-p") && ends_word(self.byte_at(self.at + 2).as_ref()) {
            self.at += 2;
            self.skip_blank();
        }
    }

    /// Lists between keywords, up to the last of them.
    fn compound(&mut self, length: usize, words: &[&str], last: &str) {
        self.at += length;
        let start = self.commands.len();
        self.deeper(|it| it.lists(words, last));
        self.mark_nested(start);
        self.redirections_behind();
    }

    fn lists(&mut self, words: &[&str], last: &str) {
        loop {
            self.list(words);
            let Some(word) = self.keyword().filter(|word| words.contains(word)) else {
                self.fault(SyntaxFault::Unclosed);
                return;
            };
            self.at += word.len();
            if word == last {
                return;
            }
        }
    }

    fn mark_nested(&mut self, start: usize) {
        for command in &mut self.commands[start..] {
            command.is_nested = true;
        }
    }

    fn subshell(&mut self) {
        self.at += 1;
        self.brackets += 1;
        let start = self.commands.len();
        self.deeper(|it| it.list(&[]));
        self.brackets -= 1;
        self.close(b')');
        self.mark_nested(start);
        self.redirections_behind();
    }

    pub fn close(&mut self, bracket: u8) {
        match self.peek() == Some(bracket) {
            true => self.at += 1,
            false => self.fault(SyntaxFault::Unclosed),
        }
    }

    /// `for NAME in words; do …; done`, `for ((…)); do …; done`. The header is a separate command, whose words are
    /// `for`, the name and the values.
    fn loop_over(&mut self, length: usize) {
        let keyword = &self.text[self.at..self.at + length];
        let index = self.begin();
        self.commands[index].words.push(word_of(keyword));
        self.at += length;
        self.skip_blank();
        if self.starts_with("((") && self.arithmetic_end(self.at + 2).is_some() {
            self.arithmetic(self.at + 2);
        } else {
            self.words_into(index);
        }
        self.finish(index);
        self.operator();
        while self.peek() == Some(b'\n') {
            self.newline();
            self.skip_blank();
        }
        let start = self.commands.len();
        match self.keyword() {
            Some("{") => {
                self.at += 1;
                self.deeper(|it| it.lists(&["}"], "}"));
            }
            _ => self.deeper(|it| it.lists(&["do", "done"], "done")),
        }
        self.mark_nested(start);
        self.redirections_behind();
    }

    /// `case WORD in PATTERN) list ;; … esac`
    fn case(&mut self) {
        let index = self.begin();
        self.commands[index].words.push(word_of("case"));
        self.at += 4;
        self.skip_blank();
        self.one_word_into(index);
        self.finish(index);
        self.skip_lines();
        match self.keyword() {
            Some("in") => self.at += 2,
            _ => self.fault(SyntaxFault::Misplaced),
        }
        let start = self.commands.len();
        self.deeper(|it| while it.case_item(index) {});
        self.mark_nested(start);
        self.redirections_behind();
    }

    fn skip_lines(&mut self) {
        self.skip_blank();
        while self.peek() == Some(b'\n') {
            self.newline();
            self.skip_blank();
        }
    }

    /// Reads a case item. Returns whether another one may follow.
    fn case_item(&mut self, index: usize) -> bool {
        self.skip_lines();
        if self.keyword() == Some("esac") {
            self.at += 4;
            return false;
        }
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        loop {
            self.skip_blank();
            match self.peek() {
                Some(b')') => break self.at += 1,
                Some(b'|') => self.at += 1,
                None | Some(b'\n' | b';' | b'&' | b'<' | b'>' | b'(') => {
                    self.fault(SyntaxFault::Unclosed);
                    break;
                }
                // A pattern may run commands.
                Some(_) => self.one_word_into(index),
            }
        }
        self.list(&["esac", ";;"]);
        if !self.ends_case_item() {
            let ends = self.keyword() == Some("esac");
            if !ends {
                self.fault(SyntaxFault::Unclosed);
            }
            self.at += if ends { 4 } else { 0 };
            return false;
        }
        self.at += if self.starts_with(";;&") { 3 } else { 2 };
        true
    }

    /// `function NAME { … }`: the body is the next command.
    fn function(&mut self) {
        self.at += "function".len();
        self.skip_blank();
        let mut name = Word::default();
        self.word(&mut name);
        self.skip_blank();
        if self.starts_with("()") {
            self.at += 2;
        }
        self.body();
    }

    fn body(&mut self) {
        self.skip_lines();
        let start = self.commands.len();
        self.deeper(|it| {
            it.unit();
        });
        self.mark_nested(start);
    }

    /// `[[ … ]]`, where `<`, `&&` and brackets are operators of the test.
    fn test(&mut self) {
        let index = self.begin();
        self.commands[index].words.push(word_of("[["));
        self.at += 2;
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            if self.starts_with("]]") && ends_word(self.byte_at(self.at + 2).as_ref()) {
                self.at += 2;
                break;
            }
            match self.peek() {
                None => break self.fault(SyntaxFault::Unclosed),
                Some(b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b';') => self.at += 1,
                Some(_) => self.one_word_into(index),
            }
        }
        self.finish(index);
        self.redirections_behind();
    }

    fn one_word_into(&mut self, index: usize) {
        let before = self.at;
        let mut word = Word::default();
        self.word(&mut word);
        if self.at == before {
            self.fault(SyntaxFault::Misplaced);
            self.at = self.text.ceil_char_boundary(self.at + 1);
        }
        self.commands[index].words.push(word);
    }

    /// A command is listed before those in its words.
    fn begin(&mut self) -> usize {
        let span = self.at..self.at;
        self.commands.push(SimpleCommand { place: self.place, span, ..SimpleCommand::default() });
        self.commands.len() - 1
    }

    fn finish(&mut self, index: usize) {
        self.commands[index].span.end = self.at;
    }

    /// Redirections after `done`, `}` and the like.
    fn redirections_behind(&mut self) {
        self.skip_blank();
        if self.redirection_length().is_none() {
            return;
        }
        let index = self.begin();
        while let Some(length) = self.redirection_length() {
            self.redirection(index, length);
            self.skip_blank();
        }
        self.finish(index);
    }

    fn simple(&mut self) {
        let index = self.begin();
        self.words_into(index);
        self.finish(index);
    }

    /// Words, assignments and redirections up to the end of the command.
    fn words_into(&mut self, index: usize) {
        let mut end = None;
        loop {
            self.skip_blank();
            if let Some(length) = self.redirection_length() {
                self.redirection(index, length);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|') => return,
                Some(b')') if self.brackets > 0 => return,
                Some(b'(') if self.is_function(index) => {
                    let close = self.text[self.at..].find(')').unwrap_or(0);
                    self.at += close + 1;
                    // A function name runs nothing.
                    self.commands[index].words.clear();
                    return self.body();
                }
                Some(byte @ (b'(' | b')')) => {
                    self.fault(SyntaxFault::Misplaced);
                    self.loose_bracket(index, byte, end == Some(self.at));
                }
                Some(_) => self.word_into(index),
            }
            end = Some(self.at);
        }
    }

    /// `NAME ()`
    fn is_function(&self, index: usize) -> bool {
        let command = &self.commands[index];
        let is_name = command.words.len() == 1 && command.words[0].is_plain();
        let rest = self.text[self.at + 1..].trim_start_matches([' ', '\t']);
        // Without a body it is not a function.
        let body = rest.strip_prefix(')').map(str::trim_start);
        is_name
            && command.assignments.is_empty()
            && command.redirections.is_empty()
            && body.is_some_and(|body| BODIES.iter().any(|word| body.starts_with(word)))
    }

    /// A bracket that is invalid here belongs to the word around it.
    fn loose_bracket(&mut self, index: usize, bracket: u8, is_joined: bool) {
        let mut word = match is_joined {
            true => self.commands[index].words.pop().unwrap_or_default(),
            false => Word::default(),
        };
        self.at += 1;
        let text = if bracket == b'(' { "(" } else { ")" };
        word.push_text(text, Quoting::Bare);
        word.raw.push_str(text);
        if self.redirection_length().is_none() {
            self.word(&mut word);
        }
        self.commands[index].words.push(word);
    }

    fn word_into(&mut self, index: usize) {
        let start = self.at;
        let mut word = Word::default();
        self.word(&mut word);
        if self.at == start {
            self.at = self.text.ceil_char_boundary(self.at + 1);
            self.fault(SyntaxFault::Misplaced);
        }
        let may_assign = self.commands[index].words.is_empty();
        match may_assign.then(|| assignment(&word)).flatten() {
            Some(mut assignment) => {
                if word.raw.ends_with('=') && self.peek() == Some(b'(') {
                    self.array(&mut assignment);
                }
                self.commands[index].assignments.push(assignment);
            }
            None => self.commands[index].words.push(word),
        }
    }

    /// `NAME=(a b c)`
    fn array(&mut self, assignment: &mut Assignment) {
        let start = self.at;
        self.at += 1;
        loop {
            while self.peek() == Some(b'\n') {
                self.at += 1;
            }
            self.skip_blank();
            match self.peek() {
                None => break self.fault(SyntaxFault::Unclosed),
                Some(b')') => break self.at += 1,
                Some(b'\n') => {}
                Some(b';' | b'&' | b'|' | b'<' | b'>' | b'(') => break self.fault(SyntaxFault::Misplaced),
                Some(_) => {
                    let before = self.at;
                    assignment.value.push_text(" ", Quoting::Bare);
                    self.word(&mut assignment.value);
                    if self.at == before {
                        self.at = self.text.ceil_char_boundary(self.at + 1);
                    }
                }
            }
        }
        assignment.raw.push_str(&self.text[start..self.at]);
    }

    /// The length of the redirection operator at this position.
    fn redirection_length(&self) -> Option<usize> {
        let bytes = &self.text.as_bytes()[self.at..];
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = &bytes[digits..];
        const OPERATORS: [&str; 12] = ["&>>", "<<<", "<<-", "&>", "<<", ">>", "<>", ">|", ">&", "<&", "<", ">"];
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(operator.as_bytes()))?;
        let is_process = matches!(*operator, "<" | ">") && rest.get(1) == Some(&b'(');
        let with_digits = operator.starts_with('&') && digits > 0;
        (!is_process && !with_digits).then_some(digits + operator.len())
    }

    fn redirection(&mut self, index: usize, length: usize) {
        let operator = self.text[self.at..self.at + length].trim_start_matches(|c: char| c.is_ascii_digit());
        self.at += length;
        self.skip_blank();
        let kind = match operator {
            "<<" | "<<-" => RedirectionKind::Document,
            "<<<" => RedirectionKind::Text,
            "<" | "<>" => RedirectionKind::Read,
            ">&" | "<&" if self.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'-') => {
                RedirectionKind::Duplicate
            }
            "<&" => RedirectionKind::Duplicate,
            _ => RedirectionKind::Write,
        };
        let mut target = Word::default();
        self.word(&mut target);
        if target.raw.is_empty() {
            self.fault(SyntaxFault::Misplaced);
        }
        let at = self.commands[index].redirections.len();
        if kind == RedirectionKind::Document && !target.raw.is_empty() {
            let tabs = if operator == "<<-" { LeadingTabs::Stripped } else { LeadingTabs::Kept };
            self.documents.push(PendingDocument::new(index, at, tabs, &target));
        }
        self.commands[index].redirections.push(Redirection { kind, target, document: None });
    }
}

/// Longer ones come before their prefixes.
const KEYWORDS: [&str; 22] = [
    "!", "{", "}", "[[", "case", "coproc", "done", "do", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", ";;",
];
const BODIES: [&str; 9] = ["{", "(", "[[", "if", "for", "while", "until", "case", "select"];
const CLOSERS: [&str; 8] = ["}", "done", "do", "elif", "else", "esac", "fi", "then"];

fn ends_word(byte: Option<&u8>) -> bool {
    byte.is_none_or(|byte| byte.is_ascii_whitespace() || b";&|<>()".contains(byte))
}

fn word_of(text: &str) -> Word {
    let mut word = Word { raw: text.to_owned(), parts: Vec::new() };
    word.push_text(text, Quoting::Bare);
    word
}

/// `NAME=…`, `NAME+=…`, `NAME[…]=…`
pub(super) fn assignment(word: &Word) -> Option<Assignment> {
    let Some(super::script::WordPart::Text { text, quoted: false }) = word.parts.first() else { return None };
    let (left, right) = text.split_once('=')?;
    let appends = left.ends_with('+');
    let left = left.strip_suffix('+').unwrap_or(left);
    let name = left.split_once('[').map_or(left, |(name, _)| name);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name || left.len() > name.len() && !left.ends_with(']') {
        return None;
    }
    let mut value = Word { raw: word.raw.split_once('=').map_or("", |(_, raw)| raw).to_owned(), parts: Vec::new() };
    if !right.is_empty() {
        value.push_text(right, Quoting::Bare);
    }
    value.parts.extend(word.parts[1..].iter().cloned());
    Some(Assignment { name: name.to_owned(), appends, value, raw: word.raw.clone() })
}
