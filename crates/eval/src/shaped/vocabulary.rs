//! Which words are rare, and how do copies change them?
//!
//! A larger memory has the same frequent words and ever more rare ones. Copies that repeat every word would make each
//! rare word as frequent as the number of copies, and an index over them would be unrealistic. So in each copy a rare
//! word has either the form from some earlier copy or a new one, at a falling rate: after n copies it has about
//! n^GROWTH forms, some of them frequent, most of them rare.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::disguise::{disguise, hash, scramble};

/// How vocabulary grows with text (Heaps' exponent); 0.5 to 0.7 in measured code and prose.
const GROWTH: f64 = 0.6;
/// A word in at most this many sessions is rare.
const RARE: u32 = 4;
/// A word in at least this many sessions may become a part of a new identifier.
const COMMON: u32 = 12;
const SHORTEST: usize = 5;

pub fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Short words and plain numbers are shared by all texts.
fn may_be_rare(word: &[u8]) -> bool {
    word.len() >= SHORTEST && word.iter().any(u8::is_ascii_alphabetic)
}

/// The number of sessions with each word.
#[derive(Default)]
pub struct WordCounts {
    seen: HashMap<Box<[u8]>, WordUse, FastHash>,
    fixed: HashSet<Box<[u8]>>,
}

struct WordUse {
    sessions: u32,
    last_session: u32,
}

impl WordCounts {
    pub fn note(&mut self, word: &[u8], session: u32) {
        if !may_be_rare(word) {
            return;
        }
        match self.seen.get_mut(word) {
            Some(seen) if seen.last_session == session => {}
            Some(seen) => *seen = WordUse { sessions: seen.sessions + 1, last_session: session },
            None => {
                self.seen.insert(word.into(), WordUse { sessions: 1, last_session: session });
            }
        }
    }

    /// A word with a meaning to programs, which copies must keep.
    pub fn fix(&mut self, word: &[u8]) {
        if may_be_rare(word) {
            self.fixed.insert(word.to_ascii_lowercase().into());
        }
    }

    pub fn finish(self) -> Vocabulary {
        // `Fibonacci` and `fibonacci` are one word and change together.
        let mut sessions: HashMap<Vec<u8>, u32> = HashMap::new();
        for (word, seen) in &self.seen {
            *sessions.entry(word.to_ascii_lowercase()).or_default() += seen.sessions;
        }
        let mut common: Vec<&[u8]> = sessions
            .iter()
            .filter(|(word, count)| **count >= COMMON && word.iter().all(u8::is_ascii_alphabetic))
            .map(|(word, _)| word.as_slice())
            .collect();
        common.sort_unstable();
        let mut common_by_length: Vec<Vec<Box<[u8]>>> = Vec::new();
        for word in common {
            common_by_length.resize_with(common_by_length.len().max(word.len() + 1), Vec::new);
            common_by_length[word.len()].push(word.into());
        }
        let is_rare = |word: &[u8]| {
            let lower = word.to_ascii_lowercase();
            sessions[&lower] <= RARE && !self.fixed.contains(lower.as_slice())
        };
        let rare = self.seen.keys().filter(|word| is_rare(word)).cloned().collect();
        Vocabulary { rare, common_by_length }
    }
}

/// The rare words of the real texts.
pub struct Vocabulary {
    rare: Vec<Box<[u8]>>,
    /// Words that make up new identifiers.
    common_by_length: Vec<Vec<Box<[u8]>>>,
}

impl Vocabulary {
    /// The number of rare words.
    pub fn len(&self) -> usize {
        self.rare.len()
    }

    /// The forms of the rare words in a copy; copy 0 is the real one.
    pub fn of_copy(&self, copy: u32) -> CopyWords<'_> {
        let changed = self.rare.iter().filter_map(|word| Some((&**word, self.form(word, copy)?))).collect();
        CopyWords { changed }
    }

    fn form(&self, word: &[u8], copy: u32) -> Option<Box<[u8]>> {
        let lower = hash(&word.to_ascii_lowercase(), 0);
        let form = form_in(lower, copy);
        (form > 0).then(|| self.make_form(word, scramble(lower ^ u64::from(form))).into())
    }

    /// A word of the same length and case, so that texts are split at the same places.
    fn make_form(&self, word: &[u8], seed: u64) -> Vec<u8> {
        if word.iter().any(u8::is_ascii_digit) {
            let mut form = Vec::with_capacity(word.len());
            disguise(&word.to_ascii_lowercase(), seed, &mut form);
            return with_case_of(word, form);
        }
        let exchangeable: Vec<_> = parts(word).into_iter().filter(|part| !self.common(part.len()).is_empty()).collect();
        if exchangeable.is_empty() || exchangeable[0].len() == word.len() {
            return with_case_of(word, respell(word, seed));
        }
        let part = exchangeable[seed as usize % exchangeable.len()].clone();
        let common = self.common(part.len());
        let mut form = word.to_ascii_lowercase();
        form[part].copy_from_slice(&common[(seed >> 32) as usize % common.len()]);
        with_case_of(word, form)
    }

    fn common(&self, length: usize) -> &[Box<[u8]>] {
        self.common_by_length.get(length).map_or(&[], Vec::as_slice)
    }
}

/// The number of a word's form in a copy; 0 is the real one.
fn form_in(word: u64, copy: u32) -> u32 {
    let mut copy = copy;
    while copy > 0 {
        let number = scramble(word ^ (u64::from(copy) << 32));
        let chance_of_a_new_form = GROWTH * f64::from(copy).powf(GROWTH - 1.0);
        if (number as u32 as f64) < chance_of_a_new_form * f64::from(u32::MAX) {
            return copy;
        }
        copy = ((number >> 32) % u64::from(copy)) as u32;
    }
    0
}

/// The runs of letters in an identifier: `humanModified` -> human, Modified.
fn parts(word: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..=word.len() {
        let ends = at == word.len()
            || word[at] == b'_'
            || word[at - 1] == b'_'
            || (word[at].is_ascii_uppercase() && word[at - 1].is_ascii_lowercase());
        if ends {
            if word[start].is_ascii_alphabetic() {
                parts.push(start..at);
            }
            start = at;
        }
    }
    parts
}

/// Replaces vowels by vowels and consonants by consonants, so that it still looks like a word.
fn respell(word: &[u8], seed: u64) -> Vec<u8> {
    const VOWELS: &[u8] = b"aeiou";
    const CONSONANTS: &[u8] = b"bcdfghklmnprstvw";
    let mut number = seed;
    let letters = word.iter().enumerate().map(|(at, byte)| {
        number = scramble(number);
        let letter = byte.to_ascii_lowercase();
        match letter {
            _ if at == 0 || !letter.is_ascii_lowercase() => letter,
            letter if VOWELS.contains(&letter) => VOWELS[number as usize % VOWELS.len()],
            _ => CONSONANTS[number as usize % CONSONANTS.len()],
        }
    });
    letters.collect()
}

fn with_case_of(word: &[u8], mut form: Vec<u8>) -> Vec<u8> {
    for (byte, model) in form.iter_mut().zip(word) {
        if model.is_ascii_uppercase() {
            *byte = byte.to_ascii_uppercase();
        }
    }
    form
}

/// The words of one copy that differ from the real ones.
pub struct CopyWords<'a> {
    changed: HashMap<&'a [u8], Box<[u8]>, FastHash>,
}

impl CopyWords<'_> {
    pub fn form<'b>(&'b self, word: &'b [u8]) -> &'b [u8] {
        if word.len() < SHORTEST { word } else { self.changed.get(word).map_or(word, |form| form) }
    }

    /// The text with this copy's words.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = Vec::with_capacity(text.len());
        for piece in text.as_bytes().chunk_by(|a, b| is_word_byte(*a) == is_word_byte(*b)) {
            out.extend_from_slice(self.form(piece));
        }
        // Only ASCII letters were changed, and only into ASCII letters.
        String::from_utf8(out).unwrap_or_default()
    }
}

/// The words of a text, as split by `rewrite`.
pub fn words(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().chunk_by(|a, b| is_word_byte(*a) == is_word_byte(*b)).filter(|piece| is_word_byte(piece[0]))
}

/// Words are short and not hostile: hash eight bytes per step.
#[derive(Default, Clone, Copy)]
pub struct WordHasher(u64);

type FastHash = BuildHasherDefault<WordHasher>;

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut block = [0; 8];
            block[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(block)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let mut counts = WordCounts::default();
        for session in 0..40 {
            for word in ["human", "session", "commit", "store", "modified"] {
                counts.note(word.as_bytes(), session);
            }
        }
        for word in ["humanModified", "Fibonacci", "fibonacci", "4d5c201b", "compact_boundary"] {
            counts.note(word.as_bytes(), 0);
        }
        counts.fix(b"compact_boundary");
        counts.finish()
    }

    #[test]
    fn only_rare_words_change_and_keep_their_length() {
        let vocabulary = vocabulary();
        let text = "the human session: humanModified, Fibonacci fibonacci compact_boundary 4d5c201b";
        assert_eq!(vocabulary.of_copy(0).rewrite(text), text);
        let mut changed = 0;
        for copy in 1..20 {
            let other = vocabulary.of_copy(copy).rewrite(text);
            assert_eq!(other.len(), text.len());
            assert!(other.starts_with("the human session: ") && other.contains("compact_boundary"), "{other}");
            let words: Vec<&str> = other.split(' ').collect();
            assert_eq!(words[4].to_lowercase(), words[5], "case variants change together");
            changed += usize::from(other != text);
        }
        assert!(changed > 10, "{changed}");
    }

    #[test]
    fn forms_grow_slower_than_copies() {
        for word in ["fibonacci", "worktree", "humanmodified"] {
            let forms: HashSet<u32> = (0..1000).map(|copy| form_in(hash(word.as_bytes(), 0), copy)).collect();
            assert!((30..150).contains(&forms.len()), "{}", forms.len());
        }
    }
}
