//! The seed's score: distance, with a bonus for shared words and for a yes or no.
//!
//! ```text
//! distance = 1 / (1 + (d / tau)^p)           d: ordinal among the lines of those who answer
//! lexical  = shared words / the longer line's words
//! score    = distance * (1 + beta * lexical) + (answer_boost if it begins with a yes or no)
//! ```
//!
//! Words are separated by spaces, in lower case: stop words and commas count, as in the seed.

use std::collections::HashMap;

use crate::talk::Strength;

use super::kernel::{Intent, Kernel, KernelInput, Params, ReplyCandidate};
use super::ordinals::Ordinals;
use super::words::LineWords;

pub struct SeedKernel;

impl Kernel for SeedKernel {
    fn name(&self) -> &'static str {
        "seed"
    }

    fn version(&self) -> u32 {
        1
    }

    fn least(&self, strength: Strength, params: &Params) -> f32 {
        match strength {
            Strength::Strong => params.strong_min,
            Strength::Weak => params.weak_min,
        }
    }

    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>> {
        let ordinals = Ordinals::new(input.lines, input.parts);
        let tokens: Vec<Tokens> = tokens(input.lines.iter().map(|line| line.text));
        intents.iter().map(|intent| of_intent(input, &ordinals, &tokens, intent)).collect()
    }
}

/// The distinct words of a line, as sorted numbers.
type Tokens = Box<[u32]>;

fn of_intent(input: &KernelInput<'_>, ordinals: &Ordinals, tokens: &[Tokens], intent: &Intent) -> Vec<ReplyCandidate> {
    let near = ordinals.after(intent.at).take(input.params.k_local as usize);
    let near = near.take_while(|(_, at)| !input.mask.any_excluded(intent.at, *at));
    near.map(|(ordinal, at)| {
        let lexical = overlap(&tokens[intent.at], &tokens[at]);
        let (score, parts) = score(input.params, ordinal, lexical, begins_with_answer(input.lines[at].text));
        ReplyCandidate { at, ordinal, gap: (at - intent.at) as u32, score, parts }
    })
    .collect()
}

fn score(params: &Params, ordinal: u32, lexical: f32, answers: bool) -> (f32, Vec<(&'static str, f32)>) {
    let distance = 1.0 / (1.0 + (ordinal as f32 / params.tau).powf(params.p));
    let boost = if answers { params.answer_boost } else { 0.0 };
    let score = distance * (1.0 + lexical * params.beta) + boost;
    (score, vec![("distance", distance), ("lexical", lexical), ("answer_boost", boost)])
}

/// Shared words as a share of the longer line's words.
fn overlap(a: &Tokens, b: &Tokens) -> f32 {
    let longer = a.len().max(b.len());
    let (shorter, other) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let shared = shorter.iter().filter(|token| other.binary_search(token).is_ok()).count();
    if longer == 0 { 0.0 } else { shared as f32 / longer as f32 }
}

fn tokens<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Tokens> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut word = String::new();
    let mut number = |token: &str| {
        word.clear();
        word.extend(token.chars().flat_map(char::to_lowercase));
        numbers.get(&word).copied().unwrap_or_else(|| {
            let next = numbers.len() as u32;
            numbers.insert(word.clone(), next);
            next
        })
    };
    texts
        .map(|text| {
            let mut tokens: Vec<u32> = text.split_whitespace().map(&mut number).collect();
            tokens.sort_unstable();
            tokens.dedup();
            tokens.into()
        })
        .collect()
}

const ANSWERS: &[&str] = &[
    "yes", "yeah", "yep", "yup", "ya", "no", "nope", "nah", "sure", "okay", "ok", "absolutely", "certainly",
    "definitely", "correct", "indeed", "aye",
];
const ANSWERS_OF_TWO: &[[&str; 2]] =
    &[["of", "course"], ["not", "really"], ["you", "can"], ["you", "can't"], ["you", "may"]];

/// Starts with a whole word that means yes or no: "now" and "nothing" do not.
pub fn begins_with_answer(text: &str) -> bool {
    let start: String = text.chars().take(40).collect();
    let words = LineWords::of(&start);
    ANSWERS.contains(&words.get(0)) || ANSWERS_OF_TWO.iter().any(|two| words.is_at(0, two))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ordinal: u32, intent: &str, answer: &str, expected: f32) {
        let tokens = tokens([intent, answer].into_iter());
        let lexical = overlap(&tokens[0], &tokens[1]);
        let (score, _) = score(&Params::default(), ordinal, lexical, begins_with_answer(answer));
        assert!((score - expected).abs() < 5e-4, "{score} is not {expected}");
    }

    #[test]
    fn the_formula_by_hand() {
        // 1 / (1 + .5^2.2), then 1 / 2, then 1 / (1 + 4^2.2).
        check(1, "a b", "c d", 0.8213);
        check(2, "a b", "c d", 0.5);
        check(8, "a b", "c d", 0.0452);
        // Two of four words: a quarter more.
        check(2, "A b", "a B c d", 0.625);
        check(2, "a b", "Yes it is", 0.65);
        check(2, "a b", "Nothing here now", 0.5);
        check(2, "", "", 0.5);
    }

    #[test]
    fn yes_and_no_are_whole_words() {
        for text in ["Yes.", "no, wait", "\"Yeah, so", "Of course!", "You can, barely"] {
            assert!(begins_with_answer(text), "{text}");
        }
        for text in ["Now", "Nothing", "Not yet", "Yesterday", "", "You walk"] {
            assert!(!begins_with_answer(text), "{text}");
        }
    }
}
