//! Which parts of an earlier decision does a later conversation leave as they are?

use crate::text::Tokenizer;

use super::dialogue::Utterance;
use super::rulings::Ruling;
use super::sentences::{content, sentences};

/// What a conversation speaks of, as stems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Discussed {
    /// What it decides.
    pub changed: Vec<String>,
    /// What it says stays as it is.
    pub kept: Vec<String>,
    /// All of it, but for what stays.
    pub spoken: Vec<String>,
    /// How often it refers to something that was decided before.
    pub references: usize,
}

/// A part is changed if so much of it is spoken of.
const CHANGED: f32 = 0.5;
/// A part of at most so many words is a value: "46 runes".
const VALUE: usize = 3;

pub fn discussed(talk: &[Utterance<'_>], rulings: &[Ruling]) -> Discussed {
    let mut tokenizer = Tokenizer::new();
    let mut changed = String::new();
    let (mut kept, mut spoken) = (String::new(), String::new());
    for (at, utterance) in talk.iter().enumerate() {
        let decides = |number: usize| {
            rulings.iter().any(|ruling| ruling.bound.message == number || ruling.said.message == number)
        };
        // The question belongs to the answer.
        let is_decided = decides(at) || decides(at + 1);
        for sentence in sentences(utterance.text) {
            let said = &utterance.text[sentence];
            let texts = match keeps(said) {
                true => vec![&mut kept],
                false if is_decided => vec![&mut changed, &mut spoken],
                false => vec![&mut spoken],
            };
            for text in texts {
                text.push_str(said);
                text.push('\n');
            }
        }
    }
    let mut terms = |text: &str| content(&mut tokenizer, text);
    let (changed, kept, spoken) = (terms(&changed), terms(&kept), terms(&spoken));
    Discussed { changed, kept, spoken, references: references(talk) }
}

/// The different words by which it refers to an earlier decision.
fn references(talk: &[Utterance<'_>]) -> usize {
    const WORDS: [&str; 14] = [
        "anymore", "any longer", "no longer", "former", "stays", "stay ", "unchanged", "remain", "as before",
        "last week", "weeks ago", "i said", "at that time", "still not",
    ];
    let said: Vec<String> = talk.iter().map(|utterance| utterance.text.to_lowercase()).collect();
    WORDS.iter().filter(|words| said.iter().any(|text| text.contains(*words))).count()
}

/// Does a conversation speak of a name?
pub fn mentions(discussed: &Discussed, name: &str, tokenizer: &mut Tokenizer) -> bool {
    let terms = content(tokenizer, name);
    !terms.is_empty() && terms.iter().all(|term| discussed.spoken.contains(term) || discussed.kept.contains(term))
}

fn keeps(sentence: &str) -> bool {
    const KEEPS: [&str; 15] = [
        "what's left", "stays", "stay ", "unchanged", "remains", "remain ", "leave the", "leave it", "as before",
        "still ", "keep the", "as it is", "same", "is left", "bleibt",
    ];
    let said = sentence.to_lowercase();
    // "only if … it remains an error" changes it.
    !said.trim_start().starts_with("only") && KEEPS.iter().any(|words| said.contains(words))
}

/// Does an earlier part still hold after the conversation?
pub fn still_holds(part: &str, discussed: &Discussed, tokenizer: &mut Tokenizer) -> bool {
    let terms = content(tokenizer, part);
    let is_value = part.split_whitespace().nth(VALUE).is_none();
    if is_value && terms.iter().all(|term| discussed.spoken.contains(term)) {
        return terms.iter().all(|term| discussed.kept.contains(term));
    }
    // "8s": without its name it cannot be carried over.
    if part.split_whitespace().nth(1).is_none() && part.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let share =
        |of: &[String]| terms.iter().filter(|term| of.contains(term)).count() as f32 / terms.len().max(1) as f32;
    let is_number = |term: &&String| term.bytes().any(|byte| byte.is_ascii_digit());
    let numbers_stand = terms.iter().filter(is_number).all(|number| discussed.kept.contains(number));
    share(&discussed.kept) >= CHANGED && numbers_stand || share(&discussed.changed) < CHANGED
}
