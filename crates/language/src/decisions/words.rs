//! Which words rule, and which are only about the moment?

use crate::findings::{Cue, Cues};
use crate::prompts::asks;

/// "separate PR please": not decided here.
pub fn is_for_later(reply: &str) -> bool {
    const LATER: [&str; 11] = [
        "separate pr", "separate commit", "other pr", "own commit", "another pr", "eigener commit", "own pr",
        "separate issue", "not now", "commit aparte", "different pr",
    ];
    let reply = reply.to_lowercase();
    LATER.iter().any(|words| reply.contains(words)) && reply.len() < 120
}

/// Does the message end with something beside the matter?
pub fn is_aside(message: &str) -> bool {
    const ASIDES: [&str; 12] = [
        "by the way", "btw", "unrelated", "while testing", "while reading", "apart from that", "another thing",
        "on another note", "something else", "kurze zwischenfrage", "por cierto", "beyond that",
    ];
    let last = message.rsplit("\n\n").next().unwrap_or(message).trim_start().to_lowercase();
    ASIDES.iter().any(|words| last.starts_with(words))
}

/// Does the message report what was done, instead of saying what holds?
pub fn is_report(message: &str) -> bool {
    const REPORTS: [&str; 28] = [
        "done", "committed", "pushed", "merged", "renamed", "removed", "opened", "erledigt", "fixed", "running",
        "i've ", "implemented", "tests pass", "cambiado", "hecho", "let me", "dropped", "added", "reverted",
        "answered", "mentioned", "split in", "already", "that comes from", "that was ", "you probably", "yes, ",
        "there it is",
    ];
    let said = message.trim_start().to_lowercase();
    REPORTS.iter().any(|words| said.starts_with(words)) && !said.starts_with("done:")
}

/// What the agent shall do now: commit, push, look.
pub fn is_errand(text: &str) -> bool {
    const ERRANDS: [&str; 34] = [
        "commit", "push", "ship", "merge", "go", "thanks", "thank", "open", "check", "look", "show", "explain", "tell",
        "do", "post", "posted", "summarise", "summarize", "run", "try", "danke", "genau", "gracias", "continue",
        "proceed", "implement", "answer", "mention", "mach", "merci", "rename", "lgtm", "espera", "building",
    ];
    let words: Vec<String> = asks::words(text).collect();
    let get = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let is_forbidding = words.iter().any(|word| matches!(word.as_str(), "not" | "never" | "always" | "don't" | "dont"));
    let asks_for = matches!(get(0), "can" | "could" | "please") || words.last().is_some_and(|word| word == "commit");
    // "merge always closes the group" is about merges.
    let is_order = ERRANDS.contains(&get(0)) && !is_forbidding;
    // "print that": what is not said.
    let points = matches!(words.last().map(String::as_str), Some("that" | "it" | "this" | "them")) && words.len() <= 4;
    let points = points
        || matches!(get(1), "that" | "it" | "this")
            && matches!(get(0), "put" | "print" | "add" | "keep" | "make" | "leave");
    points && !is_forbidding
        || is_order
        || asks_for && !is_forbidding
        || text.contains(" in the commit")
        || text.contains(" in the PR")
}

/// The text without the words that introduce a proposal.
pub fn without_prelude(text: &str) -> &str {
    const PRELUDES: [&str; 12] = [
        "I'd say ",
        "I'd think ",
        "I suggest the wording: ",
        "I suggest ",
        "I would say ",
        "Instead: ",
        "I'd propose ",
        "I propose ",
        "My proposal is ",
        "In the meantime I think that ",
        "I think that ",
        "I think ",
    ];
    PRELUDES.iter().find_map(|prelude| text.strip_prefix(prelude)).unwrap_or(text)
}

/// Does an agent propose something?
pub fn proposes(text: &str) -> bool {
    const PROPOSALS: [&str; 22] = [
        "i'd ", "i would ", "i suggest", "i propose", "my proposal", "we could", "could be", "should ", "let's ",
        "instead", "→", "has to ", "have to ", "would be", "i'll ", "ich würde", "vorschlag", "propongo", "then the",
        "then only", "would ", "must ",
    ];
    let said = text.to_lowercase();
    PROPOSALS.iter().any(|words| said.contains(words))
}

/// Does it only announce what comes next?
pub fn announces(text: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "next", "one more", "another", "back to", "the last", "last corner", "at that time", "true", "very likely",
        "probably", "that means", "interesting", "plausible", "correct", "for existing", "the implementation",
    ];
    let said = text.to_lowercase();
    const REPORTS: [&str; 7] =
        ["tests pass", "is green", "lint pass", "all green", "tests are", "i'll commit", "were changed"];
    BEGINNINGS.iter().any(|beginning| said.starts_with(beginning)) || REPORTS.iter().any(|words| said.contains(words))
}

/// Words that say nothing about the matter.
const SMALL_TALK: [&str; 36] = [
    "wow", "ok", "okay", "super", "thanks", "thank", "you", "good", "name", "fine", "nice", "great", "cool", "so",
    "that", "yes", "yep", "no", "haha", "lol", "right", "very", "quick", "was", "idea", "thought", "point", "for",
    "me", "the", "other", "way", "around", "here", "it's", "all",
];
/// "branch is good", "4 is fine".
const APPROVALS: [&str; 7] = [" is good", " is fine", " is ok", " is okay", " ist gut", " is great", " is acceptable"];

/// Thanks, praise and complaint.
pub fn is_praise(text: &str) -> bool {
    const PRAISE: [&str; 28] = [
        "good", "nice", "great", "perfect", "very good", "super", "haha", "already done", "wow", "ah right", "cool",
        "thats so much better", "elegant", "right", "fair", "understood", "good point", "good idea", "good catch",
        "makes sense", "that sounds plausible", "sounds good", "also that", "passt", "all of that", "in that case",
        "agreed", "yep thats it",
    ];
    const BLAME: [&str; 14] = [
        "is wrong", "wrong direction", "too much", "too big", "too long", "is silly", "is weird", "weird for",
        "a pain", "worst part", "is better", "is ugly", "annoys", "are useful",
    ];
    let said = text.to_lowercase();
    let said = said.trim_end_matches(|c: char| !c.is_alphanumeric());
    let words = said.split_whitespace().count();
    let is_vague = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    let small = words > 0 && asks::words(said).all(|word| SMALL_TALK.contains(&word.as_str()));
    let approves = words <= 4 && APPROVALS.iter().any(|approval| said.ends_with(approval));
    small
        || approves
        || PRAISE.contains(&said)
        || said.starts_with("wait")
        || said.ends_with(" lol")
        || said.ends_with(" than nothing")
        || words <= 9 && is_vague(&BLAME)
}

/// A rule says so.
pub fn rules(text: &str) -> i32 {
    let rule = asks::words(text).any(|word| {
        matches!(
            word.as_str(),
            "never"
                | "always"
                | "only"
                | "must"
                | "not"
                | "no"
                | "nothing"
                | "every"
                | "everywhere"
                | "ever"
                | "without"
                | "nie"
                | "immer"
                | "nur"
                | "nunca"
                | "siempre"
                | "solo"
                | "nada"
                | "kein"
                | "keine"
        )
    });
    if rule || Cues::of(text).has(Cue::Decision) { 25 } else { 0 }
}

/// Numbers and names.
pub fn specific(text: &str) -> i32 {
    const NUMBERS: [&str; 16] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "half", "zero",
        "twenty", "hundred", "vier",
    ];
    let digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let number = digits || asks::words(text).any(|word| NUMBERS.contains(&word.as_str()));
    let code = text.contains('`') || text.contains('=');
    i32::from(number) * 15 + i32::from(code) * 10
}

/// Reasons, experiences, and what points outside the sentence.
pub fn tells_story(text: &str) -> i32 {
    let said: Vec<String> = asks::words(text).take(4).collect();
    let get = |at: usize| said.get(at).map(String::as_str).unwrap_or_default();
    let wants = matches!(
        get(1),
        "want"
            | "prefer"
            | "would"
            | "need"
            | "never"
            | "always"
            | "should"
            | "must"
            | "send"
            | "use"
            | "keep"
            | "only"
    );
    let personal = matches!(get(0), "i" | "we" | "i've" | "we've") && !wants;
    const REASONS: [&str; 23] = [
        "because", "otherwise", "else", "thats", "that's", "people", "maybe", "nobody", "somebody", "somebody's",
        "our", "last", "others", "it", "they", "they're", "its", "it's", "this", "that", "eso", "so", "with",
    ];
    let is_rule = matches!(get(0), "our" | "so" | "with" | "nobody") && rules(text) > 0;
    let points = REASONS.contains(&get(0)) && !is_rule || text.to_lowercase().ends_with(" anyway");
    let refers = matches!(get(0), "they" | "they're" | "it" | "its" | "it's" | "this" | "that");
    match (personal, points) {
        (true, _) => 40,
        (false, true) if refers => 20,
        (false, true) => 30,
        (false, false) => 0,
    }
}
