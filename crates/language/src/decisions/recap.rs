//! Which message tells all of it again?

use std::ops::Range;

use crate::findings::{Shape, passages};
use crate::prompts::replies::{Reply, reply_to};
use crate::text::Tokenizer;

use super::dialogue::Turn;
use super::sentences::{content, core, sentences};

/// Longer prompts ask for more than a recap.
const LONGEST_REQUEST: usize = 40;
const FEWEST_ITEMS: usize = 3;
/// A message after fewer replies tells nothing again.
const FEWEST_REPLIES: usize = 3;
const ASKS: [&str; 11] = [
    "recap", "summar", "sum up", "sum it up", "write it down", "write down", "what we have", "zusammenfass",
    "fass zusammen", "resumen", "in one list",
];
const SAYS: [&str; 14] = [
    "in summary", "in sum ", "recap", "to sum up", "summing up", "the rule is", "rules now", "so the rule",
    "in short, then", "zusammengefasst", "zusammenfassung", "en resumen", "does this now", "to summari",
];

/// A message that tells a conversation's decisions again, and its parts that do.
#[derive(Clone, Debug)]
pub struct Recap {
    pub message: usize,
    pub parts: Vec<Range<usize>>,
}

/// A recap without a word for it tells so many of the parts, and this share of them, again.
const FEWEST_TOLD: usize = 3;
const SHARE_TOLD: f32 = 0.6;
/// A part is told again if half of its words are.
const SHARE_OF_WORDS: f32 = 0.5;

/// The last message that tells everything again and was not corrected. `said`: the words of each part, with the
/// number of the message that made it binding.
pub fn recap_of(turns: &[Turn<'_>], said: &[(usize, Vec<String>)], tokenizer: &mut Tokenizer) -> Option<Recap> {
    let late = || turns.iter().skip(FEWEST_REPLIES).rev();
    let named = late().find_map(|turn| turn.after.filter(|(_, message)| tells_again(turn, message)));
    if let Some((message, text)) = named {
        return Some(Recap { message, parts: told(text) });
    }
    late().find_map(|turn| covering(turn, said, tokenizer))
}

/// A message that tells most of what was said before it, whatever it is called.
fn covering(turn: &Turn<'_>, said: &[(usize, Vec<String>)], tokenizer: &mut Tokenizer) -> Option<Recap> {
    let (message, text) = turn.after.filter(|(_, text)| !is_corrected(turn, text))?;
    let before: Vec<&Vec<String>> =
        said.iter().filter(|(bound, _)| *bound <= message).map(|(_, words)| words).collect();
    let words = content(tokenizer, text);
    let share = |part: &[String], words: &[String]| {
        part.iter().filter(|word| words.contains(word)).count() as f32 / part.len().max(1) as f32
    };
    let again = before.iter().filter(|part| part.len() > 1 && share(part, &words) >= SHARE_OF_WORDS).count();
    let is_late = 3 * before.len() >= 2 * said.len();
    if !is_late || again < FEWEST_TOLD || (again as f32) < SHARE_TOLD * before.len() as f32 {
        return None;
    }
    let mut parts = told(text);
    parts.retain(|range| {
        let own = content(tokenizer, &text[range.clone()]);
        before.iter().any(|part| part.iter().filter(|word| own.contains(word)).count() >= 2)
    });
    (parts.len() > 1).then_some(Recap { message, parts })
}

fn is_corrected(turn: &Turn<'_>, message: &str) -> bool {
    turn.next.is_some_and(|(_, next)| reply_to(message, next) == Reply::Correction)
}

/// The part of a recap that tells it again: a list, or a paragraph.
fn told(message: &str) -> Vec<Range<usize>> {
    let from = SAYS.iter().filter_map(|words| message.to_lowercase().find(words)).min().unwrap_or(0);
    let from = message.floor_char_boundary(from);
    let start = message[..from].rfind("\n\n").map_or(0, |at| at + 2);
    let after =
        passages(message).into_iter().filter(|passage| passage.range.end > start && passage.shape != Shape::Code);
    let (items, prose): (Vec<_>, Vec<_>) = after.partition(|passage| passage.shape == Shape::Item);
    if items.len() >= 2 {
        return items.into_iter().map(|passage| core(message, passage.range)).collect();
    }
    let said: Vec<Range<usize>> = prose
        .into_iter()
        .flat_map(|passage| {
            let part = passage.range.clone();
            sentences(&message[part.clone()])
                .into_iter()
                .map(move |range| part.start + range.start..part.start + range.end)
        })
        .filter(|range| !message[range.clone()].ends_with(':'))
        .map(|range| without_marker(message, core(message, range)))
        .collect();
    match &said[..] {
        [only] => clauses(message, only.clone()),
        _ => said,
    }
}

/// "In summary: a, b, c" without its first words.
fn without_marker(message: &str, range: Range<usize>) -> Range<usize> {
    let said = &message[range.clone()];
    match said.find(": ") {
        Some(colon) if SAYS.iter().any(|words| said[..colon].to_lowercase().contains(words)) => {
            range.start + colon + 2..range.end
        }
        _ => range,
    }
}

/// The parts of a sentence that lists them between commas.
fn clauses(message: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let said = &message[range.clone()];
    if said.matches(", ").count() < FEWEST_ITEMS {
        return vec![range];
    }
    let starts = std::iter::once(0).chain(said.match_indices(", ").map(|(at, _)| at + 2));
    let ends = said.match_indices(", ").map(|(at, _)| at).chain([said.len()]);
    starts.zip(ends).map(|(start, end)| range.start + start..range.start + end).collect()
}

fn tells_again(turn: &Turn<'_>, message: &str) -> bool {
    if is_corrected(turn, message) {
        return false;
    }
    let prompt = turn.reply.1.to_lowercase();
    let asked =
        prompt.split_whitespace().nth(LONGEST_REQUEST).is_none() && ASKS.iter().any(|words| prompt.contains(words));
    let said = message.to_lowercase();
    let says = SAYS.iter().any(|words| said.contains(words));
    let items = passages(message).iter().filter(|passage| passage.shape == Shape::Item).count();
    asked && (items >= 2 || message.len() > 120)
        || says && (items >= FEWEST_ITEMS || said.contains("in summary:") || said.contains("in sum "))
}
