//! Parses what follows a `$` or is in back-ticks.

use std::ops::Range;

use super::parse::Parser;
use super::script::{CommandPlace, Quoting, SyntaxFault, Word, WordPart};

impl Parser<'_> {
    pub fn dollar(&mut self, word: &mut Word, quoting: Quoting) {
        let quoted = quoting == Quoting::Quoted;
        match self.byte_at(self.at + 1) {
            Some(b'(') if self.starts_with("$((") && self.arithmetic_end(self.at + 3).is_some() => {
                self.arithmetic(self.at + 3);
                word.parts.push(WordPart::Arithmetic);
            }
            Some(b'(') => {
                self.at += 2;
                let commands = self.substituted(&[]);
                word.parts.push(WordPart::Substitution { commands, quoted });
            }
            Some(b'{') => self.braces(word, quoted),
            Some(b'\'') if !quoted => self.ansi_c(word),
            // A text to be translated.
            Some(b'"') if !quoted => self.at += 1,
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = name_at(&self.text[self.at + 1..]);
                self.at += 1 + name.len();
                word.parts.push(WordPart::Variable { name: name.to_owned(), raw: None, quoted });
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                let name = char::from(byte).to_string();
                self.at += 2;
                word.parts.push(WordPart::Variable { name, raw: None, quoted });
            }
            _ => {
                word.push_text("$", quoting);
                self.at += 1;
            }
        }
    }

    /// The commands up to `)`, or up to one of these words.
    pub fn substituted(&mut self, stops: &[&str]) -> Range<usize> {
        let start = self.commands.len();
        // A document is read at the end of the line of its own command.
        let documents = std::mem::take(&mut self.documents);
        let brackets = std::mem::replace(&mut self.brackets, usize::from(stops.is_empty()));
        let place = std::mem::replace(&mut self.place, CommandPlace::Substitution);
        self.deeper(|it| it.list(stops));
        self.drop_documents();
        self.place = place;
        self.brackets = brackets;
        self.documents = documents;
        self.close(if stops.is_empty() { b')' } else { b'}' });
        start..self.commands.len()
    }

    /// `${…}`
    fn braces(&mut self, word: &mut Word, quoted: bool) {
        let start = self.at;
        if self.byte_at(start + 2).is_some_and(|byte| byte.is_ascii_whitespace() || byte == b'|') {
            // `${ command; }` of newer shells.
            self.at += 3;
            let commands = self.substituted(&["}"]);
            return word.parts.push(WordPart::Substitution { commands, quoted });
        }
        self.at += 2;
        let name = name_at(&self.text[self.at..]).to_owned();
        self.at += name.len();
        if !name.is_empty() && self.peek() == Some(b'}') {
            self.at += 1;
            return word.parts.push(WordPart::Variable { name, raw: None, quoted });
        }
        self.deeper(|it| it.inside_braces(quoted));
        let raw = Some(self.text[start..self.at].to_owned());
        word.parts.push(WordPart::Variable { name, raw, quoted });
    }

    /// Only the commands inside matter.
    fn inside_braces(&mut self, quoted: bool) {
        let mut inner = Word::default();
        loop {
            match self.peek() {
                None => return self.fault(SyntaxFault::Unclosed),
                Some(b'}') => break self.at += 1,
                Some(b'\'') if !quoted && self.last_quote.is_some_and(|last| last > self.at) => {
                    let start = self.at + 1;
                    let rest = &self.text[start..];
                    self.at = start + rest.find('\'').map_or(rest.len(), |length| length + 1);
                }
                Some(b'"') => self.at += 1,
                Some(b'$' | b'`') => self.in_double_quotes(&mut inner),
                Some(b'\\') => self.at = self.text.ceil_char_boundary((self.at + 2).min(self.text.len())),
                Some(_) => self.at = self.text.ceil_char_boundary(self.at + 1),
            }
        }
    }

    /// The end of the matching `))`. None if it is two brackets of commands.
    pub fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let (mut at, mut open) = (from, 0_usize);
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return (bytes.get(at + 1) == Some(&b')')).then_some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Only the commands inside matter.
    pub fn arithmetic(&mut self, from: usize) {
        let Some(end) = self.arithmetic_end(from) else { return };
        self.at = from;
        let mut inner = Word::default();
        self.deeper(|it| {
            while it.at < end {
                match it.peek() {
                    Some(b'$' | b'`') => it.in_double_quotes(&mut inner),
                    _ => it.at = it.text.ceil_char_boundary(it.at + 1),
                }
            }
        });
        match self.at == end {
            true => self.at = end + 2,
            false => self.fault(SyntaxFault::Unclosed),
        }
    }

    pub fn back_ticks(&mut self, word: &mut Word, quoting: Quoting) {
        let quoted = quoting == Quoting::Quoted;
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start;
        while end < bytes.len() && bytes[end] != b'`' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            self.fault(SyntaxFault::UnclosedQuote);
            self.at += 1;
            return;
        }
        let inner = without_escapes(&self.text[start..end], quoted);
        self.at = end + 1;
        let first = self.commands.len();
        let span = self.commands.last().map(|command| command.span.clone()).unwrap_or_default();
        self.deeper(|it| {
            let mut parser = Parser::new(&inner, it.depth, CommandPlace::Substitution);
            parser.list(&[]);
            parser.drop_documents();
            it.adopt(parser, span);
        });
        word.parts.push(WordPart::Substitution { commands: first..self.commands.len(), quoted });
    }

    /// Takes over the results of a parser for a separate text.
    pub fn adopt(&mut self, parser: Parser<'_>, span: Range<usize>) {
        let by = self.commands.len();
        for fault in parser.faults {
            self.fault(fault);
        }
        self.commands.extend(parser.commands.into_iter().map(|mut command| {
            command.move_by(by);
            command.span = span.clone();
            command
        }));
    }

    /// `$'…'`
    fn ansi_c(&mut self, word: &mut Word) {
        let bytes = self.text.as_bytes();
        let start = self.at + 2;
        let mut end = start;
        while end < bytes.len() && bytes[end] != b'\'' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            self.fault(SyntaxFault::UnclosedQuote);
            self.at += 2;
            return;
        }
        word.push_text(&decoded(&self.text[start..end]), Quoting::Quoted);
        self.at = end + 1;
    }
}

fn name_at(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())]
}

/// In back-ticks, `\` only protects characters that are special outside.
fn without_escapes(text: &str, quoted: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let protects = |next: &char| matches!(next, '`' | '$' | '\\') || quoted && *next == '"';
        match (c, chars.next_if(|next| c == '\\' && protects(next))) {
            (_, Some(next)) => out.push(next),
            (c, None) => out.push(c),
        }
    }
    out
}

/// Decodes the C escapes of `$'…'`.
fn decoded(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push(b'\\');
            break;
        };
        rest = &rest[c.len_utf8()..];
        rest = escape(c, rest, &mut out);
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the meaning of an escape; returns the text after it.
fn escape<'a>(c: char, rest: &'a str, out: &mut Vec<u8>) -> &'a str {
    let digits = |most: usize, radix: u32| rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    match c {
        'n' => out.push(b'\n'),
        't' => out.push(b'\t'),
        'r' => out.push(b'\r'),
        'a' => out.push(7),
        'b' => out.push(8),
        'e' | 'E' => out.push(27),
        'f' => out.push(12),
        'v' => out.push(11),
        '\\' | '\'' | '"' | '?' => out.push(c as u8),
        'x' if digits(2, 16) > 0 => {
            let (number, rest) = rest.split_at(digits(2, 16));
            out.push(u8::from_str_radix(number, 16).unwrap_or(b'?'));
            return rest;
        }
        'u' | 'U' if digits(1, 16) > 0 => {
            let (number, rest) = rest.split_at(digits(if c == 'u' { 4 } else { 8 }, 16));
            let c = u32::from_str_radix(number, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return rest;
        }
        '0'..='7' => {
            let (number, rest) = rest.split_at(digits(2, 8));
            let number = u32::from_str_radix(&format!("{c}{number}"), 8).unwrap_or(0);
            out.push((number & 0xff) as u8);
            return rest;
        }
        'c' if rest.starts_with(|c: char| c.is_ascii()) => {
            out.push(rest.as_bytes()[0] & 0x1f);
            return &rest[1..];
        }
        other => {
            out.push(b'\\');
            out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    rest
}
