//! Converts text to term numbers, and computes each distinct word once.

use std::collections::HashMap;

use super::expand::{Expander, WordForm};
use super::fold::is_ngram_script;

/// A term's number within one [`Tokenizer`].
pub type TermId = u32;

/// Above this many distinct words the cache is dropped: texts full of random strings must not fill the memory.
const KNOWN_WORDS: usize = 400_000;

/// Splits text into terms. Words repeat, so their terms are cached.
pub struct Tokenizer {
    expander: Expander,
    known: HashMap<Box<str>, Box<[TermId]>>,
    numbers: HashMap<Box<str>, TermId>,
    terms: Vec<Box<str>>,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Tokenizer {
    pub fn new() -> Self {
        Tokenizer { expander: Expander::new(), known: HashMap::new(), numbers: HashMap::new(), terms: Vec::new() }
    }

    pub fn term(&self, id: TermId) -> &str {
        &self.terms[id as usize]
    }

    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// Appends the terms of `text`, in order, repeated as often as they occur.
    pub fn terms(&mut self, text: &str, out: &mut Vec<TermId>) {
        let mut from = 0;
        while let Some(word) = next_word(text, from) {
            from = word.end;
            self.word(&text[word.start..word.end], word.is_flag, out);
        }
    }

    /// The terms of a short text as strings.
    pub fn strings(&mut self, text: &str) -> Vec<String> {
        let mut ids = Vec::new();
        self.terms(text, &mut ids);
        ids.into_iter().map(|id| self.term(id).to_owned()).collect()
    }

    fn word(&mut self, word: &str, is_flag: bool, out: &mut Vec<TermId>) {
        if let Some(known) = self.known.get(word) {
            out.extend_from_slice(known);
            return;
        }
        let mut terms = Vec::new();
        let form = if is_flag { WordForm::Flag } else { WordForm::Plain };
        self.expander.expand(word, form, &mut terms);
        let numbers = &mut self.numbers;
        let all = &mut self.terms;
        let ids: Box<[TermId]> = terms
            .into_iter()
            .map(|term| {
                *numbers.entry(term.into_boxed_str()).or_insert_with_key(|term| {
                    all.push(term.clone());
                    (all.len() - 1) as TermId
                })
            })
            .collect();
        out.extend_from_slice(&ids);
        if self.known.len() < KNOWN_WORDS {
            self.known.insert(word.into(), ids);
        }
    }
}

struct WordSpan {
    start: usize,
    end: usize,
    is_flag: bool,
}

/// The next run of letters and digits, with the marks that join them: `a.b`, `a-b`, `a/b`, `a::b`, `a_b`, `user@host`.
/// Leading dashes make a flag.
fn next_word(text: &str, from: usize) -> Option<WordSpan> {
    let bytes = text.as_bytes();
    let mut start = from;
    while start < bytes.len() && !begins_word(text, start) {
        start += 1;
    }
    if start >= bytes.len() {
        return None;
    }
    if !bytes[start].is_ascii() {
        let first = text[start..].chars().next()?;
        if is_ngram_script(first) {
            let length: usize = text[start..].chars().take_while(|c| is_ngram_script(*c)).map(char::len_utf8).sum();
            return Some(WordSpan { start, end: start + length, is_flag: false });
        }
    }
    let mut end = start;
    loop {
        end = letters_end(text, end);
        let joiner = joiner_length(&bytes[end..]);
        if joiner == 0 || end + joiner >= bytes.len() || !begins_plain_word(text, end + joiner) {
            break;
        }
        end += joiner;
    }
    let dashes = bytes[from..start].iter().rev().take_while(|byte| **byte == b'-').count();
    let before = start - dashes;
    let is_flag = (1..=2).contains(&dashes)
        && bytes[start].is_ascii_alphabetic()
        && (before == 0
            || matches!(bytes[before - 1], b' ' | b'\n' | b'\t' | b'`' | b'"' | b'\'' | b'(' | b'[' | b'='));
    Some(WordSpan { start: if is_flag { before } else { start }, end, is_flag })
}

fn begins_word(text: &str, at: usize) -> bool {
    let byte = text.as_bytes()[at];
    if byte.is_ascii() {
        return byte.is_ascii_alphanumeric() || byte == b'_';
    }
    text.is_char_boundary(at) && text[at..].chars().next().is_some_and(char::is_alphanumeric)
}

/// Like [`begins_word`], but text without spaces is a separate word.
fn begins_plain_word(text: &str, at: usize) -> bool {
    begins_word(text, at) && !text[at..].chars().next().is_some_and(is_ngram_script)
}

fn letters_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            if !bytes[at].is_ascii_alphanumeric() && bytes[at] != b'_' {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next() {
                Some(letter) if is_letter(letter) => at += letter.len_utf8(),
                _ => break,
            }
        }
    }
    at
}

fn is_letter(letter: char) -> bool {
    let joins = letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter);
    joins && !is_ngram_script(letter)
}

/// The length in bytes of a joiner between two parts of a word here; 0 if the word ends.
fn joiner_length(rest: &[u8]) -> usize {
    match rest {
        [b':', b':', ..] => 2,
        [b'.' | b'-' | b'/' | b'\\' | b':' | b'@' | b'#' | b'+' | b'\'', ..] => 1,
        // The typographic apostrophe.
        [0xE2, 0x80, 0x99, ..] => 3,
        _ => 0,
    }
}
