//! Expands a word to the terms by which it can be found.

use super::fold::{fold, is_ngram_script};
use super::ngrams::letter_pairs;
use super::stem::WordStemmer;

/// Longer words are found by their parts only.
const LONGEST_WHOLE: usize = 120;
/// Longer parts are encoded data, not words.
const LONGEST_PART: usize = 64;

/// The form of a word in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordForm {
    Plain,
    /// An option of a command (`--no-verify`): it can also be found as written.
    Flag,
}

pub(super) struct Expander {
    stemmer: WordStemmer,
}

impl Expander {
    pub fn new() -> Self {
        Expander { stemmer: WordStemmer::new() }
    }

    /// `src/tokenStore.rs` -> itself, `tokenstore.rs`, `tokenstore`, `src`,
    /// `token`, `store`, `rs`.
    pub fn expand(&self, word: &str, form: WordForm, out: &mut Vec<String>) {
        if word.starts_with(is_ngram_script) {
            return out.extend(letter_pairs(&fold(word)));
        }
        if form == WordForm::Flag {
            push(fold(word), out);
        }
        // Most words have no separator.
        if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return self.name(word, out);
        }
        self.level(word.trim_start_matches('-'), 0, out);
    }

    /// Splits at ever weaker separators, and keeps the pieces whole too.
    fn level(&self, text: &str, level: usize, out: &mut Vec<String>) {
        const MARKS: [&[char]; 4] = [&['/', '\\', ':', '@', '#', '+'], &['.'], &['-'], &['_']];
        let Some(marks) = MARKS.get(level) else { return self.name(text, out) };
        if level == 0 && text.contains(['\'', '\u{2019}']) {
            return self.apostrophe(text, out);
        }
        let pieces: Vec<&str> = text.split(*marks).filter(|piece| !piece.is_empty()).collect();
        if let [piece] = pieces.as_slice() {
            return self.level(piece, level + 1, out);
        }
        if text.len() <= LONGEST_WHOLE {
            push(fold(text), out);
        }
        for piece in pieces {
            self.level(piece, level + 1, out);
        }
    }

    /// `user's` and `don't` give `user` and `don`.
    fn apostrophe(&self, text: &str, out: &mut Vec<String>) {
        for piece in text.split(['\'', '\u{2019}']).filter(|piece| piece.len() > 2) {
            self.level(piece, 0, out);
        }
    }

    /// `HTTPServer` -> `httpserver`, `http`, `server`.
    fn name(&self, name: &str, out: &mut Vec<String>) {
        let parts = humps(name);
        if parts.len() > 1 && name.len() <= LONGEST_WHOLE {
            push(fold(name), out);
        }
        for part in parts.into_iter().filter(|part| part.len() <= LONGEST_PART) {
            push(self.stem(fold(part)), out);
        }
    }

    fn stem(&self, word: String) -> String {
        if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        self.stemmer.stem(&word)
    }
}

fn push(term: String, out: &mut Vec<String>) {
    if !term.is_empty() && !out.contains(&term) {
        out.push(term);
    }
}

/// Splits at capitals: `parseJSONFile` -> parse, JSON, File.
fn humps(name: &str) -> Vec<&str> {
    if !name.is_ascii() {
        return vec![name];
    }
    let bytes = name.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        let after_small = bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase();
        let last_capital = bytes[at - 1].is_ascii_uppercase()
            && bytes[at].is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            // `APIs`, `URLs`: a plural, not a word.
            && !(bytes.get(at + 1) == Some(&b's') && at + 2 == bytes.len());
        if after_small || last_capital {
            parts.push(&name[start..at]);
            start = at;
        }
    }
    parts.push(&name[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::super::Tokenizer;

    fn terms(text: &str) -> String {
        Tokenizer::new().strings(text).join(" ")
    }

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        assert_eq!(terms("parseJSONFile"), "parsejsonfile pars json file");
        assert_eq!(terms("token_expired"), "token_expired token expir");
        assert_eq!(
            terms("src/auth/tokenStore.rs"),
            "src/auth/tokenstore.rs src auth tokenstore.rs tokenstore token store rs"
        );
        assert_eq!(terms("std::fs::read_to_string"), "std::fs::read_to_string std fs read_to_string read to string");
    }

    #[test]
    fn flags_and_codes_are_kept_whole() {
        assert_eq!(terms("use --no-verify here"), "use --no-verify no-verify no verifi here");
        assert_eq!(terms("error[E0382]: TS2345 ERR_CONN_RESET"), "error e0382 ts2345 err_conn_reset err conn reset");
        assert_eq!(terms("a - b -- c"), "a b c");
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(terms("Café naïve Straße the user's tests don't"), "cafe naiv straße the user test don");
        assert_eq!(terms("retries retrying retry"), "retri retri retri");
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        assert_eq!(terms("数据库连接 failed"), "数据 据库 库连 连接 fail");
        assert_eq!(terms("x的y"), "x 的 y");
    }

    #[test]
    fn survives_anything() {
        for text in ["", "-", "--", "...", "a.", ".a", "a..b", "\u{2019}", "é\u{301}x", "'''", "a\u{2019}", "日本-go"]
        {
            terms(text);
        }
    }
}
