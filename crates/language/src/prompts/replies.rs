//! How does a prompt answer the agent's last message?

use crate::findings::item_mark;

/// The relation of a prompt to the message before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// "yes", "ok, do that".
    Assent,
    /// "no", "but …", "wait": the person does not want what the message says.
    Correction,
    /// Answers a question, adds to the request, or is too short to stand alone.
    Continuation,
    /// Stands alone: a request of its own.
    Independent,
}

/// A prompt with at most this many words cannot be understood without context.
const SHORT: usize = 8;
/// A longer prompt is a separate request, whatever its beginning.
const LONG: usize = 60;
/// An answer to a question has at most this many words.
const LONG_ANSWER: usize = 50;
/// A question within this distance from the end of a message expects an answer.
const TAIL: usize = 300;

/// `before` is the agent's last message.
pub fn reply_to(before: &str, prompt: &str) -> Reply {
    let words: Vec<String> = super::asks::words(prompt).collect();
    let first = words.first().map_or("", String::as_str);
    let count = words.len();
    if count > LONG && waits_for_answer(before) && lists_answers(prompt) {
        Reply::Continuation
    } else if count > LONG {
        Reply::Independent
    } else if CORRECTIONS.contains(&first) {
        Reply::Correction
    } else if ASSENTS.contains(&first) || (count == 0 && !prompt.trim().is_empty()) {
        Reply::Assent
    } else if count <= SHORT
        || CONTINUATIONS.contains(&first)
        || names_option(first)
        || (count <= LONG_ANSWER && waits_for_answer(before))
    {
        Reply::Continuation
    } else {
        Reply::Independent
    }
}

/// "A) yes, B) the second one": a list that begins with its first mark answers questions one by one.
fn lists_answers(prompt: &str) -> bool {
    let line = prompt.trim_start();
    item_mark(line).or_else(|| item_mark(&line.to_lowercase())).is_some_and(|mark| {
        let name = line[..mark].trim_matches(|c: char| !c.is_alphanumeric());
        matches!(name, "1" | "A" | "a")
    })
}

/// A yes, with at most a few words about what to do next.
pub fn is_mere_assent(prompt: &str) -> bool {
    let words: Vec<String> = super::asks::words(prompt).collect();
    let first = words.first().map_or("", String::as_str);
    words.len() <= 6 && (words.is_empty() || ASSENTS.contains(&first) || CLOSINGS.contains(&first))
}

/// A message that ends with a question.
pub fn waits_for_answer(before: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(TAIL));
    before[start..].contains(['?', '？'])
}

fn names_option(word: &str) -> bool {
    matches!(word, "a" | "b" | "c" | "d" | "option" | "both" | "neither")
        || (word.len() <= 2 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}

const ASSENTS: &[&str] = &[
    "yes", "yep", "yeah", "y", "ok", "okay", "k", "sure", "go", "do", "good", "great", "perfect", "agreed", "right",
    "correct", "exactly", "fine", "lgtm", "continue", "proceed", "sounds", "nice", "cool", "thanks", "ja", "genau",
    "passt", "gut", "sí", "si", "vale", "dale", "oui", "d'accord",
];

const CLOSINGS: &[&str] = &["ship", "merge", "commit", "push", "done", "danke", "gracias"];

const CORRECTIONS: &[&str] = &[
    "no", "nope", "not", "but", "hmm", "hm", "hmmm", "wait", "actually", "don't", "dont", "instead", "rather", "stop",
    "nein", "aber", "doch", "nicht", "pero", "mejor", "non", "mais",
];

const CONTINUATIONS: &[&str] =
    &["and", "also", "or", "then", "so", "the", "that", "this", "it", "oh", "ah", "und", "oder", "y", "o", "entonces"];

/// The options that a message offers: the items of its last list, or `(a) … (b) …` in a line.
pub fn options(message: &str) -> Vec<&str> {
    let mut items: Vec<&str> = Vec::new();
    let mut after_list = false;
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match item_mark(line) {
            Some(mark) => {
                if after_list {
                    items.clear();
                    after_list = false;
                }
                let rest = line[mark..].trim();
                // "- (a) …": the letter is a mark too.
                items.push(item_mark(rest).map_or(rest, |mark| rest[mark..].trim()));
            }
            None => after_list = !items.is_empty(),
        }
    }
    if items.len() >= 2 { items } else { lettered(message) }
}

/// `(a) this, (b) that`.
fn lettered(message: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    for (at, letter) in ["(a)", "(b)", "(c)", "(d)"].iter().enumerate() {
        match message.find(letter) {
            Some(place) if starts.len() == at && starts.last().is_none_or(|(_, end)| place >= *end) => {
                starts.push((place, place + letter.len()));
            }
            _ => break,
        }
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts[1..].iter().map(|(start, _)| *start).chain([message.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((_, start), end)| message[*start..end].lines().next().unwrap_or_default().trim_matches([' ', ',', ';']))
        .collect()
}

/// The option that a reply selects: "b", "the second", "2 please", "option c".
pub fn chosen(reply: &str, options: usize) -> Option<usize> {
    for word in super::asks::words(reply).take(4) {
        let index = match word.as_str() {
            "a" | "1" | "first" | "1st" | "former" => 0,
            "b" | "2" | "second" | "2nd" => 1,
            "c" | "3" | "third" | "3rd" => 2,
            "d" | "4" | "fourth" | "4th" => 3,
            "last" | "latter" => options.checked_sub(1)?,
            "the" | "option" | "so" | "ok" | "yes" | "then" | "go" | "with" | "number" | "just" | "i'd" | "let's" => {
                continue;
            }
            _ => return None,
        };
        return (index < options).then_some(index);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_answer_what_came_before() {
        let asked = "I can do that. Should I keep 30 as the number?";
        let told = "Done, the tests pass.";
        for (before, prompt, reply) in [
            (asked, "yes", Reply::Assent),
            (asked, "👍", Reply::Assent),
            (asked, "no, the clock starts at the last checkpoint", Reply::Correction),
            (told, "and push it to the branch of yesterday so that others can see it", Reply::Continuation),
            (told, "commit this", Reply::Continuation),
            (
                asked,
                "nobody comes back after three weeks, it is a sprint plus a weekend so 19 days",
                Reply::Continuation,
            ),
            (
                told,
                "please look at how the session store handles files that were renamed between two commits",
                Reply::Independent,
            ),
            (told, "can you add a command that lists every session of the last two weeks?", Reply::Independent),
        ] {
            assert_eq!(reply_to(before, prompt), reply, "{prompt}");
        }
    }

    #[test]
    fn a_long_list_of_answers_continues_what_was_asked() {
        let answers =
            format!("A) keep the old flag as an alias. {}B) yes", "It has been in every script for years. ".repeat(9));
        assert_eq!(reply_to("Two questions: keep the flag, and warn?", &answers), Reply::Continuation);
        assert_eq!(reply_to("Done, the tests pass.", &answers), Reply::Independent);
    }

    #[test]
    fn options_are_chosen_by_letter_or_place() {
        let listed = "We could\n\n- (a) ask before deleting\n- (b) always spare some\n- (c) accept it";
        let inline = "Either (a) merge them, (b) keep both.";
        assert_eq!(options(listed), ["ask before deleting", "always spare some", "accept it"]);
        assert_eq!(options(inline), ["merge them", "keep both."]);
        for (reply, index) in [
            ("b", Some(1)),
            ("the first", Some(0)),
            ("ok 2", Some(1)),
            ("the latter", Some(2)),
            ("4", None),
            ("no prompts in hooks", None),
        ] {
            assert_eq!(chosen(reply, 3), index, "{reply}");
        }
    }
}
