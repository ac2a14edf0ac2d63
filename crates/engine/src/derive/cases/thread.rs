//! Which turns belong to one request?
//!
//! Assents, answers, corrections and additions belong to the request that they continue; an
//! independent request opens a case. A conversation (many turns with little work between them) is
//! one case.

use std::collections::HashSet;

use backstory_language::prompts::asks::of_prompt;
use backstory_language::prompts::replies::{Reply, reply_to};
use backstory_language::talk::IntentType;
use backstory_language::text::{Tokenizer, is_stop_word};

use super::turns::Exchange;

/// The turns of one case.
pub struct Thread<'a> {
    pub exchanges: Vec<Exchange<'a>>,
}

/// The maximum number of turns per case, because a case is derived as a whole whenever it grows.
const MOST_TURNS: usize = 40;
/// The limits for a turn of conversation: lengths of prompt and answer, numbers of messages and calls.
const TALK_PROMPT: usize = 70;
const TALK_ANSWER: usize = 1_000;
const TALK_MESSAGES: usize = 2;
const TALK_CALLS: usize = 2;
/// Fewer turns are no conversation.
const TALK_TURNS: usize = 5;
/// After a longer pause a new case begins.
const PAUSE: i64 = 2 * 60 * 60 * 1_000;

impl Thread<'_> {
    pub fn is_talk(&self) -> bool {
        let talk = self.exchanges.iter().filter(|exchange| is_talk(exchange)).count();
        self.exchanges.len() >= TALK_TURNS && 10 * talk >= 7 * self.exchanges.len()
    }
}

pub fn threads(exchanges: Vec<Exchange<'_>>) -> Vec<Thread<'_>> {
    let mut threads: Vec<Thread<'_>> = Vec::new();
    for exchange in exchanges {
        match threads.last_mut() {
            Some(thread) if continues(thread, &exchange) => thread.exchanges.push(exchange),
            _ => threads.push(Thread { exchanges: vec![exchange] }),
        }
    }
    threads
}

fn continues(thread: &Thread<'_>, exchange: &Exchange<'_>) -> bool {
    let Some(before) = thread.exchanges.last() else { return false };
    let rewound = exchange.parent.is_some_and(|parent| parent != before.turn);
    if rewound || thread.exchanges.len() >= MOST_TURNS || thread.exchanges[0].prompt.is_none() {
        return false;
    }
    // Reports of teammates and tasks belong to the earlier request.
    let Some(prompt) = exchange.prompt else { return true };
    let message = before.last_message().map_or("", |message| message.text());
    reply_to(message, prompt.text()) != Reply::Independent
        || (are_talking(before, exchange) && !changes_subject(thread, prompt.text()))
}

/// Does a request share no word with the conversation?
fn changes_subject(thread: &Thread<'_>, prompt: &str) -> bool {
    if !of_prompt(prompt).iter().any(|ask| ask.kind == IntentType::Request) {
        return false;
    }
    let mut tokenizer = Tokenizer::new();
    let wanted = content_words(&mut tokenizer, prompt);
    let messages = thread.exchanges.iter().flat_map(|exchange| exchange.prompt.iter().chain(&exchange.messages));
    !messages.into_iter().any(|message| !content_words(&mut tokenizer, message.text()).is_disjoint(&wanted))
}

pub fn content_words(tokenizer: &mut Tokenizer, text: &str) -> HashSet<String> {
    tokenizer.strings(text).into_iter().filter(|word| !is_stop_word(word)).collect()
}

fn are_talking(before: &Exchange<'_>, exchange: &Exchange<'_>) -> bool {
    let pause = before.ended.zip(exchange.began).map_or(0, |(ended, began)| began.0 - ended.0);
    is_talk(before) && is_talk(exchange) && pause < PAUSE
}

fn is_talk(exchange: &Exchange<'_>) -> bool {
    exchange.prompt_words() <= TALK_PROMPT
        && exchange.said() <= TALK_ANSWER
        && exchange.messages.len() <= TALK_MESSAGES
        && exchange.calls <= TALK_CALLS
}
