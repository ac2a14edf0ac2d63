//! What does a statement say: a cause, a result, a decision, what is left open?
//!
//! Words and phrases that are common in any project. A statement may have several
//! cues, or none; where it stands says at least as much as its words.

use std::collections::HashMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Cue {
    /// Says why.
    Cause = 1,
    /// Says what was done or is so now.
    Result = 2,
    /// Says what shall be.
    Decision = 4,
    /// Says what is left.
    Open = 8,
    /// Says what did not work.
    Failed = 16,
    /// Takes an earlier statement back.
    Refuted = 32,
    /// Announces what the agent will look at next.
    Narration = 64,
    /// Admits that what was said before does not hold.
    Concession = 128,
    /// Announces what may be so.
    Possible = 256,
}

/// The cues of one statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cues(u16);

impl Cues {
    pub fn of(statement: &str) -> Self {
        let words: Vec<String> = words(statement).collect();
        let mut cues = Cues::default();
        for at in 0..words.len() {
            for phrase in PHRASES.get(prefix(&words[at])).into_iter().flatten() {
                // Narration is told by how a statement begins.
                if (phrase.cue != Cue::Narration || at == 0) && phrase.stands_at(&words[at..]) {
                    cues.0 |= phrase.cue as u16;
                }
            }
        }
        cues
    }

    pub fn has(self, cue: Cue) -> bool {
        self.0 & cue as u16 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Words in lower case, without the marks around them.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let inner = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'").to_lowercase();
    text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '—' | '(')).map(inner).filter(|word| !word.is_empty())
}

struct Phrase {
    words: Vec<&'static str>,
    cue: Cue,
}

impl Phrase {
    fn stands_at(&self, words: &[String]) -> bool {
        self.words.len() <= words.len() && self.words.iter().zip(words).all(|(wanted, word)| is_word(wanted, word))
    }
}

/// `decid*` is any word that begins so.
fn is_word(wanted: &str, word: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == wanted,
    }
}

/// Phrases are found by the first letters of their first word.
fn prefix(word: &str) -> &str {
    let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
    &word[..end]
}

static PHRASES: LazyLock<HashMap<&'static str, Vec<Phrase>>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, Vec<Phrase>> = HashMap::new();
    for (cue, phrases) in TABLE {
        for phrase in *phrases {
            let words: Vec<&str> = phrase.split(' ').collect();
            map.entry(prefix(words[0].trim_end_matches('*'))).or_default().push(Phrase { words, cue: *cue });
        }
    }
    map
});

const TABLE: &[(Cue, &[&str])] = &[
    (
        Cue::Cause,
        &[
            "root cause", "cause is", "cause was", "caused by", "causes", "because", "culprit", "due to", "turned out",
            "turns out", "the reason", "the problem is", "the problem was", "the issue is", "the issue was",
            "the bug is", "the bug was", "actual bug", "real bug", "real issue", "real problem", "that's why",
            "that is why", "this is why", "which means", "happens when", "happens because", "leads to", "led to",
            "results in", "resulted in", "since the", "so the", "weil", "grund", "ursache", "deshalb", "porque",
            "causa", "debido",
        ],
    ),
    (
        Cue::Result,
        &[
            "fixed", "fixes", "fix", "done", "works", "now works", "now uses", "now returns", "now has", "is now",
            "are now", "now", "no longer", "all tests", "tests pass", "passes", "passing", "implemented", "added",
            "removed", "replaced", "renamed", "changed", "moved", "updated", "merged", "created", "committed",
            "reverted", "extracted", "instead of", "summary", "in short", "resolved", "solution", "successfully",
            "simplified", "erledigt", "behoben", "arreglado", "hecho",
        ],
    ),
    (
        Cue::Decision,
        &[
            "decid*", "decision", "agreed", "go with", "going with", "settled", "settle", "chose*", "choose", "option",
            "instead", "prefer*", "let's", "lets", "should", "shall", "must", "never", "always", "don't", "do not",
            "only", "rule", "keep", "want", "we'll", "recommend*", "rather", "approach", "limit", "default", "no need",
            "soll", "nie", "immer", "nur", "siempre", "nunca", "solo",
        ],
    ),
    (
        Cue::Open,
        &[
            "not yet", "still", "todo", "to do", "remaining", "left", "missing", "follow-up", "followup", "follow up",
            "future", "open question", "next step", "next steps", "blocked", "not implemented", "not done",
            "not supported", "later", "pending", "lacks", "lacking", "out of scope", "noch nicht", "offen", "todavía",
            "falta",
        ],
    ),
    (
        Cue::Failed,
        &[
            "tried", "attempt*", "didn't work", "did not work", "doesn't work", "does not work", "didn't help",
            "did not help", "failed", "fails", "can't", "cannot", "won't", "problem", "unfortunately", "however",
            "circular", "impossible", "too", "gescheitert", "leider", "no funciona",
        ],
    ),
    (
        Cue::Refuted,
        &[
            "actually", "misdiagnos*", "wrong", "was not", "wasn't", "isn't the", "not the cause", "not the problem",
            "not the reason", "turns out", "turned out", "in fact", "my mistake", "i was", "good catch",
            "you're right", "you are right", "correction", "unrelated", "tatsächlich", "falsch", "en realidad",
        ],
    ),
    (
        Cue::Concession,
        &[
            "you're right", "you are right", "contradicts", "contradict", "misdiagnos*", "my mistake", "i was wrong",
            "was wrong", "wrong theory", "isn't the cause", "is not the cause", "not the cause", "wasn't the cause",
            "real cause", "actual cause", "real reason", "actual reason", "should have verified",
            "should have checked", "hast recht", "haben recht", "tienes razón",
        ],
    ),
    (
        Cue::Possible,
        &[
            "possible", "possibly", "possibilities", "potential", "could be", "may be", "might be", "might", "maybe",
            "perhaps", "candidates", "hypotheses", "theories", "suspects", "möglich*", "vielleicht", "könnte*",
            "posible*", "quizás",
        ],
    ),
    (
        Cue::Narration,
        &[
            "let me", "now let", "i'll", "i will", "i'm going", "let's look", "let's check", "let's see",
            "let's start", "now i", "first let", "first i", "looking at", "checking", "next i", "i need to",
            "i can see", "i see", "running", "time to", "perfect now", "great now", "good now", "now that",
            "perfect let", "great let", "good let", "excellent", "got it i'll", "got it let", "sure i'll", "sure let",
            "understood i'll", "understood let", "okay i'll", "okay let", "ok i'll", "ok let", "right let",
            "schauen wir", "ich schaue", "voy a",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_told_by_phrases() {
        for (statement, cue) in [
            ("The **root cause** was the cache.", Cue::Cause),
            ("It turned out that the key lacks the day", Cue::Refuted),
            ("We decided to keep 19 days", Cue::Decision),
            ("All tests pass now.", Cue::Result),
            ("Windows is not supported", Cue::Open),
            ("Mocking didn't help", Cue::Failed),
            ("Let me look at the tests", Cue::Narration),
            ("That contradicts what I said", Cue::Concession),
        ] {
            assert!(Cues::of(statement).has(cue), "{statement}: {cue:?}");
        }
        assert!(!Cues::of("It said: let me in").has(Cue::Narration));
        assert!(Cues::of("The sky is blue").is_empty());
    }
}
