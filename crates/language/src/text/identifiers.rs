//! Splits source code, and questions about it, into terms.
//!
//! An identifier gives its parts, stemmed and without stop words, and, if it has several, the whole in a normal form,
//! so that `toFormData` and `to_form_data` are one term. Text without spaces gives pairs of letters.
//!
//! These rules differ from those of [`super::Tokenizer`] on purpose; the rankings of causes were measured with them:
//! paths and dotted names are not terms, accents are kept, stop words give no term, and a capital after a digit starts
//! a new part.

use super::fold::is_ngram_script;
use super::ngrams::letter_pairs;
use super::stem::WordStemmer;
use super::stop_words::is_report_stop_word;

/// Longer identifiers are encoded data.
const LONGEST_IDENTIFIER: usize = 80;

/// Splits identifiers into terms.
pub struct IdentifierTerms {
    stemmer: WordStemmer,
}

impl Default for IdentifierTerms {
    fn default() -> Self {
        IdentifierTerms { stemmer: WordStemmer::new() }
    }
}

impl IdentifierTerms {
    /// The terms of one of the [`identifiers`]: its parts, then itself if it has several.
    pub fn terms(&self, identifier: &str) -> Vec<String> {
        let pairs = pairs_without_spaces(identifier);
        if !pairs.is_empty() {
            return pairs;
        }
        let parts = identifier_parts(identifier);
        let is_distinctive = |part: &&String| part.chars().count() > 1 && !is_report_stop_word(part);
        let mut terms: Vec<String> = parts.iter().filter(is_distinctive).map(|part| self.stemmer.stem(part)).collect();
        if parts.len() > 1 {
            terms.push(parts.concat());
        }
        terms
    }
}

/// The runs of letters, digits and underscores; text without spaces is a separate run.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).flat_map(|rest| OneScript { rest });
    runs.filter(|word| word.len() <= LONGEST_IDENTIFIER || word.chars().next().is_some_and(is_ngram_script))
}

/// The lower-case parts of an identifier: `parseHTTPDate_v2` is parse, http, date, v2.
pub fn identifier_parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let characters: Vec<char> = identifier.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1);
        let starts_camel = c.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || b.is_numeric() || after.is_some_and(|a| a.is_lowercase()));
        let joins = matches!(c, '_' | '-');
        if joins || starts_camel {
            parts.push(String::new());
        }
        if !joins && let Some(part) = parts.last_mut() {
            part.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The letter pairs of a run without spaces (Chinese, Japanese, Thai); empty for other text.
pub fn pairs_without_spaces(run: &str) -> Vec<String> {
    if run.chars().next().is_some_and(is_ngram_script) { letter_pairs(run) } else { Vec::new() }
}

/// A run of one script: `カートのtotal` is two words.
struct OneScript<'a> {
    rest: &'a str,
}

impl<'a> Iterator for OneScript<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let end = match self.rest.is_ascii() {
            true => self.rest.len(),
            false => self.rest.find(|c| is_ngram_script(c) != is_ngram_script(first)).unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_into_parts() {
        assert_eq!(identifier_parts("parseHTTPDate_v2"), ["parse", "http", "date", "v2"]);
        assert_eq!(identifier_parts("__init__"), ["init"]);
        assert_eq!(identifier_parts("Größe"), ["größe"]);
        assert_eq!(identifier_parts("__"), Vec::<String>::new());
    }

    #[test]
    fn parts_are_stemmed_and_the_whole_is_kept() {
        let terms = |identifier: &str| IdentifierTerms::default().terms(identifier).join(" ");
        assert_eq!(terms("toFormData"), "form data toformdata");
        assert_eq!(terms("to_form_data"), "form data toformdata");
        assert_eq!(terms("retries"), "retri");
        assert_eq!(terms("the"), "");
        assert_eq!(terms("v2Total"), "v2 total v2total");
    }

    #[test]
    fn text_without_spaces_becomes_pairs() {
        let text = "カートのtotalが不正";
        assert_eq!(identifiers(text).collect::<Vec<_>>(), ["カートの", "total", "が不正"]);
        assert_eq!(IdentifierTerms::default().terms("が不正"), ["が不", "不正"]);
        assert_eq!(IdentifierTerms::default().terms("鍵"), ["鍵"]);
    }
}
