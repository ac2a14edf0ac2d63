//! Parses words and their quotes.

use super::parse::Parser;
use super::script::{Quoting, SyntaxFault, Word, WordPart};

impl Parser<'_> {
    /// Reads the word at this position, if there is one.
    pub fn word(&mut self, word: &mut Word) {
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.at == start && self.byte_at(self.at + 1) == Some(b'(') => self.process(word, byte),
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\r' if self.byte_at(self.at + 1).is_none_or(|next| next == b'\n') => break,
                b'\\' => self.escape(word),
                b'\'' => self.single(word),
                b'"' => self.double(word),
                b'`' => self.back_ticks(word, Quoting::Bare),
                b'$' => self.dollar(word, Quoting::Bare),
                _ => self.plain(word),
            }
        }
        word.raw.push_str(&self.text[start..self.at].replace("\\\n", ""));
    }

    /// `<(…)`
    fn process(&mut self, word: &mut Word, byte: u8) {
        self.at += 2;
        let commands = self.substituted(&[]);
        word.parts.push(WordPart::Process { commands, is_input: byte == b'<' });
    }

    fn plain(&mut self, word: &mut Word) {
        let bytes = &self.text.as_bytes()[self.at..];
        let is_end = |byte: &u8| b" \t\r\n;&|<>()\\'\"`$".contains(byte);
        let length = bytes.iter().position(is_end).unwrap_or(bytes.len()).max(1);
        word.push_text(&self.text[self.at..self.at + length], Quoting::Bare);
        self.at += length;
    }

    fn escape(&mut self, word: &mut Word) {
        match self.text[self.at + 1..].chars().next() {
            None => {
                word.push_text("\\", Quoting::Bare);
                self.at += 1;
            }
            Some('\n') => self.at += 2,
            Some(next) => {
                let start = self.at + 1;
                word.push_text(&self.text[start..start + next.len_utf8()], Quoting::Quoted);
                self.at = start + next.len_utf8();
            }
        }
    }

    fn single(&mut self, word: &mut Word) {
        if self.last_quote.is_none_or(|last| last <= self.at) {
            self.fault(SyntaxFault::UnclosedQuote);
            self.at += 1;
            return;
        }
        let start = self.at + 1;
        let length = self.text[start..].find('\'').unwrap_or(self.text.len() - start);
        word.push_text(&self.text[start..start + length], Quoting::Quoted);
        self.at = start + length + 1;
    }

    fn double(&mut self, word: &mut Word) {
        if self.last_double_quote.is_none_or(|last| last <= self.at) {
            self.fault(SyntaxFault::UnclosedQuote);
            self.at += 1;
            return;
        }
        self.at += 1;
        word.push_text("", Quoting::Quoted);
        loop {
            match self.peek() {
                None => return self.fault(SyntaxFault::UnclosedQuote),
                Some(b'"') => break self.at += 1,
                Some(_) => self.in_double_quotes(word),
            }
        }
    }

    /// One piece of text in which only `$`, back-ticks and some escapes are special.
    pub fn in_double_quotes(&mut self, word: &mut Word) {
        match self.peek() {
            Some(b'$') => self.dollar(word, Quoting::Quoted),
            Some(b'`') => self.back_ticks(word, Quoting::Quoted),
            Some(b'\\') => match self.byte_at(self.at + 1) {
                Some(b'\n') => self.at += 2,
                Some(b'$' | b'`' | b'"' | b'\\') => {
                    word.push_text(&self.text[self.at + 1..self.at + 2], Quoting::Quoted);
                    self.at += 2;
                }
                _ => {
                    word.push_text("\\", Quoting::Quoted);
                    self.at += 1;
                }
            },
            _ => {
                let bytes = &self.text.as_bytes()[self.at..];
                let is_end = |byte: &u8| matches!(byte, b'"' | b'\\' | b'`' | b'$');
                let length = bytes.iter().position(is_end).unwrap_or(bytes.len()).max(1);
                let end = self.text.ceil_char_boundary(self.at + length);
                word.push_text(&self.text[self.at..end], Quoting::Quoted);
                self.at = end;
            }
        }
    }
}
