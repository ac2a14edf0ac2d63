//! Who says what, and what answers what?

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    Person,
    Agent,
}

/// A message of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Utterance<'a> {
    pub speaker: Voice,
    pub text: &'a str,
}

/// Words of a message, by its number in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub message: usize,
    pub range: Range<usize>,
}

/// A reply of the person, with what it answers and what the agent says next.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    pub before: Option<(usize, &'a str)>,
    /// What the agent said before the person's last reply.
    pub earlier: Option<&'a str>,
    pub reply: (usize, &'a str),
    pub after: Option<(usize, &'a str)>,
    /// The person's next reply, if it corrects all of what the agent says next.
    pub next: Option<(usize, &'a str)>,
}

/// The replies of the person, without the request that opens the conversation.
pub fn turns<'a>(talk: &[Utterance<'a>]) -> Vec<Turn<'a>> {
    let of = |speaker: Voice| move |at: &usize| talk[*at].speaker == speaker;
    let get = |at: usize| (at, talk[at].text);
    let replies: Vec<usize> = (0..talk.len()).filter(of(Voice::Person)).collect();
    let mut turns = Vec::new();
    for (number, at) in replies.iter().copied().enumerate() {
        let end = replies.get(number + 1).copied().unwrap_or(talk.len());
        let start = if number == 0 { 0 } else { replies[number - 1] };
        let earlier = (0..start).rev().find(of(Voice::Agent)).map(|at| talk[at].text);
        let before = (start..at).rev().find(of(Voice::Agent)).map(get);
        let after = (at + 1..end).find(of(Voice::Agent)).map(get);
        turns.push(Turn { before, earlier, reply: get(at), after, next: replies.get(number + 1).copied().map(get) });
    }
    turns
}
