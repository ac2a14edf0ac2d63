//! What does a reply decide, and in whose words?
//!
//! A reply that states something is quoted. Of a short reply ("b", "19 days", "yes") the agent's next
//! sentence says what it means ("OK, 19 days after the last use"), or else what the agent proposed.

use std::ops::Range;

use crate::findings::{Cue, Cues};
use crate::prompts::asks;
use crate::prompts::replies::{Reply, chosen, is_mere_assent, options, reply_to, waits_for_answer};
use crate::text::Tokenizer;

use super::dialogue::{Span, Turn, Utterance, turns};
use super::recap::{Recap, recap_of};
use super::sentences::{
    content, core, first_sentences, is_question, sentences, trimmed, without_parentheses, without_story,
};
use super::words::{
    announces, is_aside, is_errand, is_for_later, is_praise, is_report, proposes, rules, specific, tells_story,
    without_prelude,
};

/// What corrects a message of so few sentences corrects its first one.
const SHORT_MESSAGE: usize = 2;
/// A sentence of so few words may lack a name.
const SHORT_SENTENCE: usize = 6;
/// A choice by a word is short.
const MOST_WORDS_OF_CHOICE: usize = 4;

/// How a person made words binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// The person said them, or what they mean.
    Stated,
    /// The person chose them among options.
    Chosen,
    /// They are part of a recap that the person accepted.
    Recapped,
    /// The person agreed to them.
    Accepted,
}

/// A part of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    pub text: String,
    /// The words that say it.
    pub said: Span,
    /// The person's words that made it binding.
    pub bound: Span,
    pub binding: Binding,
    /// What a statement without space leaves out first.
    pub weight: i32,
}

/// How the agent answers the reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Granted,
    Other,
}

/// Fewer content words do not say what they mean, unless they are a rule.
const FEW_WORDS: usize = 3;
const FEW_WORDS_OF_RULE: usize = 2;
const MOST_OF_REPLY: usize = 3;
const LONGEST: usize = 190;
/// The weights of parts, by how they became binding.
const OF_RECAP: i32 = 100;
const STATED: i32 = 70;
const CHOSEN: i32 = 70;
const ACCEPTED: i32 = 55;
const ASIDE: i32 = -30;
const ANSWER: i32 = 10;
/// What the second sentence of a reply counts less: it is often the reason.
const LATER_SENTENCE: i32 = 5;
/// The last replies are often about how to finish.
const LAST_REPLIES: usize = 2;
const AT_THE_END: i32 = -20;
/// The number of rules and choices that a conversation needs to decide something.
const FEWEST_FIRM: usize = 2;
/// Less is no decision.
const LEAST: i32 = 45;

pub fn rulings(talk: &[Utterance<'_>]) -> Vec<Ruling> {
    let turns = turns(talk);
    let mut tokenizer = Tokenizer::new();
    let replies = turns.iter().filter(|turn| turn.before.is_some());
    let mut out: Vec<Ruling> = replies.flat_map(|turn| of_turn(turn, &mut tokenizer)).collect();
    let last =
        turns.len().checked_sub(LAST_REPLIES).and_then(|at| turns.get(at)).map_or(usize::MAX, |turn| turn.reply.0);
    let is_long = turns.len() > 3 * LAST_REPLIES;
    for ruling in out.iter_mut().filter(|ruling| is_long && ruling.bound.message >= last) {
        ruling.weight += AT_THE_END;
    }
    out.retain(|ruling| ruling.weight >= LEAST);
    let words: Vec<(usize, Vec<String>)> =
        out.iter().map(|ruling| (ruling.bound.message, content(&mut tokenizer, &ruling.text))).collect();
    if let Some(recap) = recap_of(&turns, &words, &mut tokenizer) {
        let next = turns.iter().find(|turn| turn.reply.0 > recap.message).map(|turn| turn.reply);
        out.retain(|ruling| ruling.bound.message > recap.message);
        out.splice(0..0, of_recap(&recap, turns_text(talk, recap.message), next));
    }
    // One rule beside answers about the moment is no decision.
    let firm = out.iter().filter(|ruling| is_firm(ruling) || specific(&ruling.text) > 0).count();
    if firm < FEWEST_FIRM {
        return Vec::new();
    }
    without_repeats(out, &mut tokenizer)
}

/// A rule, a choice, or a part of a recap.
pub fn is_firm(ruling: &Ruling) -> bool {
    matches!(ruling.binding, Binding::Chosen | Binding::Recapped) || rules(&ruling.text) > 0
}

fn turns_text<'a>(talk: &[Utterance<'a>], message: usize) -> &'a str {
    talk.get(message).map_or("", |utterance| utterance.text)
}

fn of_recap(recap: &Recap, text: &str, next: Option<(usize, &str)>) -> Vec<Ruling> {
    let message = recap.message;
    let whole = |(reply, said): (usize, &str)| Span { message: reply, range: trimmed(said, 0..said.len()) };
    let bound = next.map_or(Span { message, range: 0..text.len() }, whole);
    let parts = recap.parts.iter().filter(|range| !range.is_empty()).cloned();
    parts
        .filter(|range| !is_question(&text[range.clone()]))
        .map(|range| Ruling {
            text: text[range.clone()].to_owned(),
            said: Span { message, range },
            bound: bound.clone(),
            binding: Binding::Recapped,
            weight: OF_RECAP,
        })
        .collect()
}

fn of_turn(turn: &Turn<'_>, tokenizer: &mut Tokenizer) -> Vec<Ruling> {
    let (Some((asked, before)), (reply, said)) = (turn.before, turn.reply) else { return Vec::new() };
    if is_for_later(said) {
        return Vec::new();
    }
    let aside = if is_aside(before) { ASIDE } else { 0 };
    let asks = if waits_for_answer(before) { ANSWER } else { 0 };
    let bound = Span { message: reply, range: trimmed(said, 0..said.len()) };
    let ruling = |text: &str, said: Span, binding: Binding, weight: i32| Ruling {
        text: without_story(text).to_owned(),
        said,
        bound: bound.clone(),
        binding,
        weight: weight + aside + asks + specific(text) + rules(text),
    };
    let choice = choice_of(turn, tokenizer);
    let granted = turn.after.is_some_and(|(_, after)| reply_to("", after) == Reply::Assent);
    let answer = if granted { Answer::Granted } else { Answer::Other };
    let mut stated = stated(said, answer);
    // Beside a question, remarks argue for it.
    stated.retain(|range| !said.contains('?') || tells_story(&said[range.clone()]) == 0);
    let points = points_at_choice(said);
    if choice.is_some() || points || agrees(before, said) && stated.is_empty() {
        let is_choice = choice.is_some() || points;
        let (binding, weight) = if is_choice { (Binding::Chosen, CHOSEN) } else { (Binding::Accepted, ACCEPTED) };
        let asks_on = choice.is_none() && said.contains('?');
        let found = if asks_on { None } else { meant(turn, choice, tokenizer) };
        let found = found
            .or_else(|| choice.filter(|option| contains(before, option)).map(|option| (asked, place(before, option))))
            .or_else(|| {
                let is_answered = turn.after.is_none_or(|(_, after)| !is_report(after) || !before.contains('?'));
                proposal(before).filter(|_| is_answered).map(|range| (asked, range))
            });
        let Some((message, range)) = found else { return Vec::new() };
        let text = if message == asked { before } else { turn.after.map_or("", |(_, after)| after) };
        return vec![ruling(&quoted(text, &range), Span { message, range }, binding, weight)];
    }
    let names = stated.len() == 1 && lacks_name(turn, &said[stated[0].clone()], tokenizer);
    let says_alone = |range: &Range<usize>| {
        let text = &said[range.clone()];
        let words = content(tokenizer, text).len();
        let is_long = words >= FEW_WORDS_OF_RULE && text.split_whitespace().nth(SHORT_SENTENCE - 1).is_some();
        tells_story(text) == 0 && (words >= FEW_WORDS || is_long || words >= FEW_WORDS_OF_RULE && rules(text) > 0)
    };
    let is_short = names || !stated.iter().any(says_alone);
    if is_short
        && tells_something(said)
        && let Some((message, range)) = meant(turn, None, tokenizer)
        && let Some((_, after)) = turn.after
    {
        return vec![ruling(&quoted(after, &range), Span { message, range }, Binding::Stated, STATED)];
    }
    let parts = stated.into_iter().enumerate().map(|(at, range)| {
        let less = tells_story(&said[range.clone()]) + if at > 0 { LATER_SENTENCE } else { 0 };
        ruling(&quoted(said, &range), Span { message: reply, range }, Binding::Stated, STATED - less)
    });
    parts.collect()
}

/// Long sentences lose what is in parentheses.
fn quoted(text: &str, range: &Range<usize>) -> String {
    let words = &text[range.clone()];
    let words = without_prelude(words).trim_end_matches(['?', ' ']);
    if words.len() <= LONGEST / 2 { words.to_owned() } else { without_parentheses(words) }
}

/// Does the reply hold more than questions, thanks and errands?
fn tells_something(said: &str) -> bool {
    // The agent's next words answer the question.
    let asks =
        said.contains('?') || sentences(said).into_iter().any(|sentence| is_question(&said[core(said, sentence)]));
    let tells = |text: &str| !text.is_empty() && !is_errand(text) && !is_praise(text);
    !asks && sentences(said).into_iter().any(|sentence| tells(&said[core(said, sentence)]))
}

/// Does the agent say a short sentence again with the name that it lacks?
fn lacks_name(turn: &Turn<'_>, said: &str, tokenizer: &mut Tokenizer) -> bool {
    let Some((message, range)) = meant(turn, None, tokenizer) else { return false };
    let again = turn.after.filter(|(after, _)| *after == message).map_or("", |(_, text)| &text[range]);
    said.split_whitespace().nth(SHORT_SENTENCE).is_none() && specific(again) > specific(said)
}

/// The option that the reply names: by letter, by place, or by one of its words.
fn choice_of<'a>(turn: &Turn<'a>, tokenizer: &mut Tokenizer) -> Option<&'a str> {
    let (before, reply) = (turn.before?.1, turn.reply.1);
    let offered = offered_in(before);
    // A question may come between the options and the choice.
    let earlier = turn.earlier.map(offered_in).unwrap_or_default();
    for options in [&offered, &earlier] {
        if let Some(index) = chosen(reply, options.len()) {
            return Some(options[index]);
        }
    }
    let words = content(tokenizer, reply);
    if words.is_empty() || reply.split_whitespace().nth(MOST_WORDS_OF_CHOICE).is_some() || reply.contains('?') {
        return None;
    }
    let named = |option: &&&str| content(tokenizer, option).iter().any(|word| words.contains(word));
    let mut found = offered.iter().filter(named);
    found.next().filter(|_| found.next().is_none()).copied()
}

/// Also the lines of a list with capital letters.
fn offered_in(message: &str) -> Vec<&str> {
    let is_lettered = |line: &&str| {
        let mark = line.split(' ').next().unwrap_or_default();
        mark.len() == 2 && mark.ends_with(['.', ')']) && mark.starts_with(|c: char| ('A'..='E').contains(&c))
    };
    let lettered: Vec<&str> = message.lines().map(str::trim).filter(is_lettered).map(|line| line[2..].trim()).collect();
    if lettered.len() >= 2 { lettered } else { options(message) }
}

fn contains(text: &str, part: &str) -> bool {
    let (start, within) = (part.as_ptr() as usize, text.as_bytes().as_ptr_range());
    (within.start as usize..within.end as usize).contains(&start)
}

/// "the second one", where the options are in no list.
fn points_at_choice(reply: &str) -> bool {
    let first = sentences(reply).into_iter().next().map(|range| &reply[core(reply, range)]);
    first.is_some_and(|first| {
        let words: Vec<String> =
            asks::words(first).filter(|word| !matches!(word.as_str(), "the" | "one" | "please" | "a")).collect();
        let points = |word: &String| {
            matches!(word.as_str(), "first" | "second" | "third" | "last" | "former" | "latter" | "both")
        };
        words.len() == 1 && words.iter().all(points)
    })
}

fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    core(text, start..start + part.len())
}

/// A yes, alone or before a question.
fn agrees(before: &str, reply: &str) -> bool {
    let asks_on = || {
        sentences(reply).into_iter().all(|range| {
            let text = &reply[core(reply, range.clone())];
            is_question(text) || is_question(&reply[range]) || is_mere_assent(text) || tells_story(text) > 0
        })
    };
    is_mere_assent(reply) || reply_to(before, reply) == Reply::Assent && asks_on()
}

/// The agent's sentence that says what a short reply means.
fn meant(turn: &Turn<'_>, choice: Option<&str>, tokenizer: &mut Tokenizer) -> Option<(usize, Range<usize>)> {
    let (message, after) = turn.after?;
    let said = turn.reply.1;
    let paragraphs = after.split("\n\n").filter(|part| !part.trim().is_empty()).count();
    let is_corrected = turn.next.is_some_and(|(_, next)| reply_to(after, next) == Reply::Correction);
    let is_short_message = paragraphs == 1 && sentences(after).len() <= SHORT_MESSAGE;
    if is_corrected && is_short_message || is_report(after) {
        return None;
    }
    let is_short = is_mere_assent(said) || choice.is_some() || points_at_choice(said);
    let offered = turn.before.and_then(|(_, before)| proposal(before).map(|range| &before[range]));
    let offered = offered.filter(|_| is_short && choice.is_none()).unwrap_or_default();
    let wanted = content(tokenizer, &format!("{said} {} {offered}", choice.unwrap_or_default()));
    let mut best: Option<(usize, Range<usize>)> = None;
    for sentence in first_sentences(after).into_iter().filter(|sentence| !after[sentence.clone()].ends_with('?')) {
        let range = core(after, sentence);
        let text = &after[range.clone()];
        let is_told = !Cues::of(text).has(Cue::Narration) && !is_praise(text) && !is_question(text) && !proposes(text);
        let is_new = text.split_whitespace().nth(1).is_none() || text.len() > LONGEST || announces(text);
        if !is_told || is_new {
            continue;
        }
        let own = content(tokenizer, text);
        let shared = own.iter().filter(|term| wanted.contains(term)).count();
        // After a mere yes, an agent often goes on to something else.
        if !offered.is_empty() && 2 * shared < own.len() {
            continue;
        }
        if shared > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((shared, range));
        }
    }
    best.map(|(_, range)| (message, range))
}

/// The person's sentences that state something.
fn stated(said: &str, answer: Answer) -> Vec<Range<usize>> {
    let mut found: Vec<(i32, Range<usize>)> = Vec::new();
    let argues = said.contains('?') && answer == Answer::Other;
    for sentence in sentences(said) {
        let range = core(said, sentence.clone());
        let text = &said[range.clone()];
        let asks = is_question(&said[sentence]) || is_question(text);
        let is_long = text.len() > LONGEST && without_story(text).len() > LONGEST;
        // Beside a question, other sentences argue.
        let is_argument = argues && rules(text) == 0;
        if asks || is_argument || is_errand(text) || is_praise(without_story(text)) || is_fragment(text) || is_long {
            continue;
        }
        found.push((rules(text) + specific(text) - tells_story(text), range));
    }
    let mut scores: Vec<i32> = found.iter().map(|(score, _)| *score).collect();
    scores.sort_by_key(|score| std::cmp::Reverse(*score));
    let least = scores.get(MOST_OF_REPLY - 1).copied().unwrap_or(i32::MIN).max(-20);
    found.into_iter().filter(|(score, _)| *score >= least).map(|(_, range)| range).take(MOST_OF_REPLY).collect()
}

/// "no keep", "age yes": too short to say anything, without a number.
fn is_fragment(text: &str) -> bool {
    let words =
        asks::words(text).filter(|word| !matches!(word.as_str(), "no" | "not" | "yes" | "never" | "please")).count();
    let forbids =
        text.split_whitespace().nth(1).is_some_and(|word| word.len() > 4 && word != "please") && rules(text) > 0;
    words < 3 && specific(text) + rules(text) == 0
        || words < 2 && specific(text) == 0 && !forbids
        || words < 3 && text.ends_with("yes")
}

/// What the agent proposed last.
fn proposal(before: &str) -> Option<Range<usize>> {
    let is_proposal = |range: &Range<usize>| {
        let text = &before[range.clone()];
        let cues = Cues::of(text);
        without_parentheses(text).len() <= LONGEST
            && text.split_whitespace().nth(3).is_some()
            && (proposes(text) || text.ends_with('?'))
            && !cues.has(Cue::Narration)
            && !announces(text)
            && !is_question(text.trim_end_matches('?'))
    };
    sentences(before).into_iter().rev().map(|sentence| core(before, sentence)).find(is_proposal)
}

/// The later of two that say nearly the same.
fn without_repeats(rulings: Vec<Ruling>, tokenizer: &mut Tokenizer) -> Vec<Ruling> {
    let words: Vec<Vec<String>> = rulings.iter().map(|ruling| content(tokenizer, &ruling.text)).collect();
    let repeated = |at: usize| {
        (at + 1..rulings.len()).any(|later| {
            let both = words[at].iter().filter(|word| words[later].contains(word)).count();
            !words[at].is_empty() && both * 5 >= words[at].len() * 4 && rulings[at].weight <= rulings[later].weight
        })
    };
    let kept: Vec<bool> = (0..rulings.len()).map(|at| !repeated(at)).collect();
    rulings.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(ruling, _)| ruling).collect()
}
