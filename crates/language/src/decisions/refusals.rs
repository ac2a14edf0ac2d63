//! What did a person refuse?

use crate::findings::{Cue, Cues};
use crate::prompts::replies::{Reply, reply_to};

use super::dialogue::{Span, Utterance, turns};
use super::sentences::{core, is_question, sentences};

/// A proposal that was refused, with the words that refuse it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub proposal: Span,
    pub because: Span,
}

/// Longer proposals are not quoted.
const LONGEST: usize = 160;

pub fn refusals(talk: &[Utterance<'_>]) -> Vec<Refusal> {
    let mut out = Vec::new();
    for turn in turns(talk) {
        let (Some((message, before)), (reply, said)) = (turn.before, turn.reply) else { continue };
        if reply_to(before, said) != Reply::Correction {
            continue;
        }
        let proposes = |text: &str| text.len() <= LONGEST && !is_question(text) && Cues::of(text).has(Cue::Decision);
        let found = sentences(before).into_iter().rev().map(|sentence| core(before, sentence));
        let Some(range) = found.into_iter().find(|range| proposes(&before[range.clone()])) else { continue };
        let Some(reason) = sentences(said).into_iter().next() else { continue };
        out.push(Refusal { proposal: Span { message, range }, because: Span { message: reply, range: reason } });
    }
    out
}
