//! Which kind of answer is it? A description, not a condition: most true answers match no pattern.

use crate::talk::ConsequenceType;

use super::lines::Setting;
use super::seed_kernel::begins_with_answer;
use super::words::{LineWords, Phrases};

const ROLLS: &[&str] = &[
    "roll", "rolls", "saving throw", "make a check", "ability check", "perception check", "insight check",
    "investigation check", "stealth check", "athletics check", "acrobatics check", "persuasion check", "arcana check",
    "history check", "nature check", "religion check", "deception check", "intimidation check", "survival check",
    "medicine check", "sleight of hand check", "strength check", "dexterity check", "constitution check",
    "intelligence check", "wisdom check", "charisma check", "with advantage", "with disadvantage", "that hits",
    "does hit", "that misses", "what'd you roll", "what did you roll",
];

const COMMITS: &[&str] = &[
    "i'll", "i will", "i can do that", "we'll", "we will", "on it", "i'm on it", "he'll", "she'll", "they'll",
    "will do", "i promise", "i'm going to", "doing it now", "let me",
];

const TELLS: &[&str] = &[
    "you see", "you hear", "you smell", "you notice", "you know", "you recognize", "you recall", "you remember",
    "you learn", "you realize", "you spot", "there is", "there are", "there's", "it is", "it's", "it looks", "he is",
    "he's", "she is", "she's", "they are", "they're", "that is", "that's", "that would be", "try", "use", "you need",
    "you have to", "you should", "see", "because", "about",
];

const HAPPENS: &[&str] = &[
    "you find", "you manage", "you open", "you get", "you take", "you make", "you do", "you can", "you can't",
    "you cannot", "you don't", "you succeed", "you fail", "you pull", "you push", "you put", "you walk", "you move",
    "you reach", "you begin", "you come", "you go", "you feel", "you look", "you step", "you grab", "you head",
    "you're able", "it opens", "it works", "it does", "it doesn't", "it fails", "done", "fixed",
];

/// Reads answers of one transcript.
pub struct Consequences {
    setting: Setting,
    words: LineWords,
    rolls: Phrases,
    commits: Phrases,
    tells: Phrases,
    happens: Phrases,
}

impl Consequences {
    pub fn new(setting: Setting) -> Self {
        let [rolls, commits, tells, happens] = [ROLLS, COMMITS, TELLS, HAPPENS].map(Phrases::new);
        Consequences { setting, words: LineWords::default(), rolls, commits, tells, happens }
    }

    pub fn kind(&mut self, text: &str) -> ConsequenceType {
        self.words.read(text);
        if self.setting == Setting::Tabletop && self.rolls.any(&self.words) {
            return ConsequenceType::Roll;
        }
        let starts = |phrases: &Phrases| {
            (0..self.words.len()).find(|at| self.words.begins_clause(*at) && phrases.is_at(&self.words, *at))
        };
        let kinds = [
            (starts(&self.happens), ConsequenceType::Deterministic),
            (starts(&self.tells), ConsequenceType::Information),
            (starts(&self.commits), ConsequenceType::Commitment),
        ];
        // The first part is the answer, and the rest continues it.
        let first = kinds.into_iter().filter_map(|(at, kind)| at.map(|at| (at, kind))).min_by_key(|(at, _)| *at);
        match first {
            Some((_, kind)) => kind,
            None if begins_with_answer(text) => ConsequenceType::Deterministic,
            None if self.setting == Setting::Tabletop => ConsequenceType::DmStatement,
            None => ConsequenceType::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_answers() {
        let mut tabletop = Consequences::new(Setting::Tabletop);
        let mut check = |text, kind| assert_eq!(tabletop.kind(text), kind, "{text}");
        check("Make a perception check.", ConsequenceType::Roll);
        check("Okay, you find a key.", ConsequenceType::Deterministic);
        check("Yes.", ConsequenceType::Deterministic);
        check("You see two doors.", ConsequenceType::Information);
        check("\"I'll think about it.\"", ConsequenceType::Commitment);
        check("The wind howls.", ConsequenceType::DmStatement);
        let mut chat = Consequences::new(Setting::Chat);
        assert_eq!(chat.kind("try the other cable"), ConsequenceType::Information);
        assert_eq!(chat.kind("the rolls are in the oven"), ConsequenceType::Other);
    }
}
