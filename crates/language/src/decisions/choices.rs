//! Which sentences of a person decide something in the middle of work?
//!
//! Most of what a person says to a working agent is about the moment. So only sentences count that
//! choose between two ways, or say how something shall be for all cases, and that name what they are
//! about.

use std::ops::Range;

use crate::prompts::asks;
use crate::text::Tokenizer;

use super::sentences::{content, core, is_question, sentences};
use super::words::{is_errand, is_praise, tells_story};

/// Longer prompts hold reviews and logs.
const LONGEST_PROMPT: usize = 600;
/// So do prompts of more sentences.
const MOST_SENTENCES: usize = 6;
const LONGEST: usize = 220;
/// Fewer content words do not say what it is about.
const FEWEST_WORDS: usize = 5;

/// The sentences, each as a range of bytes.
pub fn choices(prompt: &str) -> Vec<Range<usize>> {
    let said = sentences(prompt);
    let is_long = prompt.len() > LONGEST_PROMPT || said.len() > MOST_SENTENCES;
    if is_long || looks_pasted(prompt) || asks_which(prompt) {
        return Vec::new();
    }
    let mut tokenizer = Tokenizer::new();
    let mut out = Vec::new();
    for sentence in said {
        let range = core(prompt, sentence.clone());
        let text = &prompt[range.clone()];
        let whole = &prompt[sentence];
        let is_said = !is_question(whole) && !is_question(text) && !is_praise(text) && !is_errand(text);
        let names = content(&mut tokenizer, text).len() >= FEWEST_WORDS && text.len() <= LONGEST;
        if is_said && names && chooses(text) && !is_of_moment(whole) && tells_story(text) == 0 {
            out.push(range);
        }
    }
    out
}

/// Names several ways and asks which one to take: none is chosen yet.
fn asks_which(prompt: &str) -> bool {
    let is_counted = ["1. ", "1) ", "a) ", "A) "].iter().any(|mark| prompt.contains(mark));
    is_counted
        && prompt.contains('?')
        && asks::words(prompt).any(|word| matches!(word.as_str(), "which" | "what" | "better"))
}

/// Quoted code, logs and reviews.
fn looks_pasted(prompt: &str) -> bool {
    let lines = prompt.lines().filter(|line| !line.trim().is_empty());
    let foreign = lines
        .filter(|line| line.trim_start().starts_with(['>', '|', '│', '+', '-', '$', '❯', '⏺', '<', '{', '#']))
        .count();
    // A review speaks of names, and of nobody.
    let is_personal = asks::words(prompt).any(|word| {
        matches!(
            word.as_str(),
            "i" | "we" | "you" | "me" | "us" | "my" | "our" | "your" | "let's" | "lets" | "i'd" | "don't" | "please"
        )
    });
    let is_name =
        |word: &str| word.contains("()") || word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
    let names_code =
        prompt.split_whitespace().any(|word| is_name(word.trim_matches(|c: char| matches!(c, '"' | '`' | ',' | '.'))));
    foreign > 1
        || names_code && !is_personal
        || prompt.starts_with('(')
        || prompt.contains("```")
        || prompt.contains("Severity")
        || prompt.contains("\"\"\"")
        || prompt.contains("http")
}

/// Says which of two ways, or how it shall be always.
fn chooses(text: &str) -> bool {
    let said = format!(" {} ", asks::words(text).collect::<Vec<_>>().join(" "));
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    const PREFERS: [&str; 13] = [
        " instead of ", " rather than ", " and not ", " but not ", " i prefer ", " i'd prefer ", " we prefer ",
        " let's use ", " lets use ", " let's go for ", " let's keep ", " i would replace ", " go with ",
    ];
    const RULES: [&str; 22] = [
        " always ", " never ", " every time ", " only ", " wherever ", " whenever ", " must ", " must not ",
        " should be ", " should not ", " shouldn't ", " should always ", " should only ", " should use ",
        " by default ", " no need to ", " we don't need ", " don't want ", " do not want ", " keep backwards ",
        " source of truth ", " not allowed ",
    ];
    // "is only used in tests" describes.
    const TELLS: [&str; 12] = [
        " is only ", " are only ", " only contains ", " but never ", " never called ", " only one ", " for only ",
        " is never ", " are never ", " was never ", " is always ", " are always ",
    ];
    has(&PREFERS) || has(&RULES) && !has(&TELLS)
}

/// About what is there now, or what to do next.
fn is_of_moment(text: &str) -> bool {
    let words: Vec<String> = asks::words(text).collect();
    let said = format!(" {} ", words.join(" "));
    const MOMENTS: [&str; 62] = [
        " this ", " these ", " those ", " here ", " that ", " them ", " now ", " yet ", " for now ", " again ",
        " still ", " first ", " next ", " try ", " pr ", " prs ", " branch ", " pull request ", " commit this ",
        " rebase ", " merge ", " review ", " comment ", " comments ", " test run ", " let me ", " can you ",
        " could you ", " i think ", " maybe ", " wonder ", " wondering ", " not sure ", " i see ", " i saw ",
        " i get ", " i'm ", " error ", " feedback ", " question ", " looks ", " seems ", " currently ", " right now ",
        " today ", " yesterday ", " just ", " option ", " options ", " above ", " below ", " same ", " other ",
        " both ", " it ", " he ", " she ", " they ", " ci ", " linear ", " ticket ", " line ",
    ];
    let points = MOMENTS.iter().any(|moment| said.contains(moment));
    let numbered = text.split_whitespace().any(|word| word.starts_with('#'));
    points || numbered || text.contains('…') || text.contains("...")
}
