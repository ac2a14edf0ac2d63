//! What is a conversation about?

use std::collections::HashMap;

use crate::text::Tokenizer;

use super::dialogue::{Utterance, Voice};
use super::rulings::Ruling;
use super::sentences::{content, core, sentences};

/// The longest subject.
const LONGEST: usize = 44;
/// A name counts if it is told so often, or in the first messages.
const OFTEN: usize = 2;
const FIRST: usize = 2;

/// A name in code that is told most, or else words that are told together most, or the first words
/// of the request.
pub fn subject(talk: &[Utterance<'_>], rulings: &[Ruling]) -> String {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for (at, utterance) in talk.iter().enumerate() {
        for name in code_names(utterance.text) {
            let entry = counts.entry(name).or_insert((0, at));
            entry.0 += if at < FIRST { 2 } else { 1 };
        }
    }
    let in_rulings = |name: &str| rulings.iter().filter(|ruling| ruling.text.contains(name)).count();
    let best = counts
        .into_iter()
        .filter(|(name, (count, first))| *count > OFTEN || *first < FIRST && (is_function(name) || *count == OFTEN))
        .max_by_key(|(name, (count, first))| (rank(name), count + in_rulings(name), usize::MAX - first, name.clone()));
    best.map(|(name, _)| name).or_else(|| pair(talk)).unwrap_or_else(|| first_words(talk))
}

/// Functions and settings say more than commands, and these more than types and brands.
fn rank(name: &str) -> usize {
    let is_lower = name.starts_with(char::is_lowercase);
    usize::from(is_lower) + usize::from(is_lower && is_function(name))
}

/// A name of the form of a function.
fn is_function(name: &str) -> bool {
    let is_word = !name.contains([' ', '/', '.']) || name.ends_with("()");
    let mixed = name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    is_word && (mixed || name.contains('_') || name.contains("()"))
}

/// Two words that stand together often: "shadow branches".
fn pair(talk: &[Utterance<'_>]) -> Option<String> {
    let mut counts: HashMap<(String, String), (usize, usize, String)> = HashMap::new();
    let mut tokenizer = Tokenizer::new();
    for (at, utterance) in talk.iter().enumerate() {
        let prose: String = utterance.text.split("```").step_by(2).collect();
        let words: Vec<&str> = prose.split_whitespace().collect();
        for two in words.windows(2) {
            let is_plain = |word: &str| word.len() > 2 && word.chars().all(char::is_alphabetic);
            let second = two[1].trim_end_matches(|c: char| !c.is_alphanumeric());
            if !is_plain(two[0]) || !is_plain(second) {
                continue;
            }
            let stems = (content(&mut tokenizer, two[0]).pop(), content(&mut tokenizer, second).pop());
            let (Some(first), Some(last)) = stems else { continue };
            let words = format!("{} {second}", two[0]).to_lowercase();
            let entry = counts.entry((first, last)).or_insert((0, at, words));
            entry.0 += 1;
        }
    }
    let often = counts.into_values().filter(|(count, first, _)| *count > OFTEN && *first <= 2 * FIRST);
    often.max_by_key(|(count, first, words)| (*count, usize::MAX - first, words.clone())).map(|(_, _, words)| words)
}

fn first_words(talk: &[Utterance<'_>]) -> String {
    let Some(asked) = talk.iter().find(|utterance| utterance.speaker == Voice::Person) else { return String::new() };
    let Some(sentence) = sentences(asked.text).into_iter().next() else { return String::new() };
    let said = &asked.text[core(asked.text, sentence)];
    let said = said.split([',', ';', ':', '(']).next().unwrap_or(said).trim_end_matches(['?', '.', '!']);
    match said.char_indices().nth(LONGEST) {
        None => said.to_owned(),
        Some((end, _)) => said[..end].rsplit_once(' ').map_or(&said[..end], |(start, _)| start).to_owned(),
    }
}

/// Names outside fences that look like a function, a command or a setting.
fn code_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in text.split("```").step_by(2) {
        names.extend(part.split('`').skip(1).step_by(2).filter(|name| is_name(name)).map(str::to_owned));
        let plain: Vec<&str> = part.split('`').step_by(2).collect();
        let words = plain.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
        names.extend(words.filter(|word| word.len() > 5 && rank(word) == 2 && is_name(word)).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    names
}

fn is_name(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let is_test = name.starts_with("Test") || name.contains("_test");
    let signs = name.contains(['=', '<', '{', '"', '*', '$', '|', '…', '[', ';', '/', '#', '+']);
    let generic = name.starts_with("git ") || name.starts_with('-') || name.starts_with('.');
    (4..=LONGEST).contains(&name.len())
        && words <= 3
        && !is_test
        && !signs
        && !generic
        && name.chars().any(char::is_lowercase)
        && (is_function(name) || words > 1)
}
