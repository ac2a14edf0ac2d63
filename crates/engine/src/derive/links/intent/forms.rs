//! Which form has a sentence?

use std::collections::HashSet;
use std::ops::Range;

use super::tables::*;
use crate::derive::links::lines::Setting;
use crate::derive::links::words::{Mark, Phrases, Words};
use crate::model::IntentType;

pub struct Forms {
    setting: Setting,
    acts: HashSet<&'static str>,
    doing: HashSet<String>,
    reactions: HashSet<&'static str>,
    leave: Phrases,
    help: Phrases,
    proposes: Phrases,
    wills: Vec<Vec<&'static str>>,
    troubles: Phrases,
    unmarked: Phrases,
}

impl Forms {
    pub fn new(setting: Setting) -> Self {
        let doing = ACTS.iter().flat_map(|act| gerunds(act)).filter(|form| !NOT_DOING.contains(&form.as_str()));
        Forms {
            setting,
            acts: ACTS.iter().copied().collect(),
            doing: doing.collect(),
            reactions: REACTIONS.iter().copied().collect(),
            leave: Phrases::new(LEAVE),
            help: Phrases::new(HELP),
            proposes: Phrases::new(PROPOSES),
            wills: WILLS.iter().map(|phrase| phrase.split(' ').collect()).collect(),
            troubles: Phrases::new(TROUBLES),
            unmarked: Phrases::new(UNMARKED),
        }
    }

    pub fn kind(&self, words: &Words, sentence: Range<usize>, asks: bool) -> Option<IntentType> {
        let sentence = Sentence { words, range: sentence, asks };
        if asks && self.is_reaction(&sentence) {
            return None;
        }
        let heads = sentence.heads();
        let found = heads.iter().filter_map(|at| self.head(&sentence, *at)).max_by_key(|kind| super::wants(*kind));
        if found.is_some() {
            return found;
        }
        if asks {
            return Some(if asks_leave(&sentence) { IntentType::Request } else { IntentType::Question });
        }
        let asks_unmarked = self.setting != Setting::Tabletop
            && heads.iter().any(|at| self.unmarked.is_at(words, *at) && words.mark(*at) < Mark::End);
        asks_unmarked.then_some(IntentType::Question)
    }

    fn is_reaction(&self, sentence: &Sentence<'_>) -> bool {
        // In a chat, "what?" is all that somebody says, and he wants to know.
        if sentence.range.len() > 5 || self.setting != Setting::Tabletop {
            return false;
        }
        let said: Vec<&str> = sentence.range.clone().map(|at| sentence.words.get(at)).collect();
        let opens = said.iter().take_while(|word| OPENERS.contains(word)).count();
        (0..=opens.min(said.len() - 1)).any(|from| self.reactions.contains(said[from..].join(" ").as_str()))
    }

    /// What begins at this word.
    fn head(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        self.request(sentence, at).or_else(|| self.propose(sentence, at)).or_else(|| self.declare(sentence, at))
    }

    fn request(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let words = sentence.words;
        let (first, second, third) = (words.get(at), words.get(at + 1), words.get(at + 2));
        let unpunctuated = self.setting != Setting::Tabletop;
        let request = match first {
            "can" | "could" | "may" if matches!(second, "i" | "we") => {
                (sentence.asks || unpunctuated)
                    && !matches!(third, "suggest" | "all" | "not" | "be" | "just" if words.get(at + 3) == "say")
            }
            "can" | "could" | "will" | "would" if SOMEBODY.contains(&second) => {
                let verb = if third == "guys" || third == "all" { words.get(at + 3) } else { third };
                let offers = matches!(verb, "like" | "want" | "care" | "rather" | "say" | "be" | "have");
                let whether = PERCEIVES.contains(&verb) && second != "anyone" || first == "would" && offers;
                (sentence.asks || unpunctuated) && !whether
            }
            "please" => {
                sentence.range.end > at + 2
                    && words.mark(at) == Mark::Nothing
                    && !matches!(second, "god" | "thank" | "don't" | "no")
            }
            _ => self.leave.is_at(words, at) || self.help.is_at(words, at) && words.mark(at) == Mark::Nothing,
        };
        let pleads = sentence.range.end == at + 1 && first == "please" && sentence.range.len() >= 4;
        let ordered = self.setting == Setting::TwoParty && ORDERS.contains(&first) && sentence.range.end > at + 1;
        (request || pleads || ordered).then_some(IntentType::Request)
    }

    fn propose(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let words = sentence.words;
        let (first, second) = (words.get(at), words.get(at + 1));
        let lets = (first == "let's"
            || first == "let" && second == "us"
            || first == "lets" && self.setting != Setting::Tabletop)
            && sentence.range.end > at + 1
            && !LETS_NOT.contains(&second);
        let wants = matches!(first, "want" | "wanna" | "you") && !sentence.asks;
        let can =
            first == "we" && matches!(second, "can" | "could" | "have" | "need") && STATES.contains(&words.get(at + 2));
        // In a chat, "you want to" is advice.
        let proposes = self.proposes.is_at(words, at) && !wants && !can;
        (lets || proposes).then_some(IntentType::Propose)
    }

    fn declare(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let words = sentence.words;
        let tabletop = self.setting == Setting::Tabletop;
        let declares = if let Some(will) = self.wills.iter().filter(|will| words.is_at(at, will)).map(Vec::len).max() {
            self.is_act(sentence, at + will)
        } else {
            false
        };
        let troubled = !tabletop && self.troubles.is_at(words, at);
        let lets = words.is_at(at, &["let", "me"]) && tabletop && self.acts_from(sentence, at + 2);
        let does = tabletop && matches!(words.get(at), "i" | "we") && self.acts_from(sentence, at + 1);
        let doing = tabletop && matches!(words.get(at), "i'm" | "we're") && {
            let verb = skip_adverbs(sentence, at + 1);
            self.doing.contains(words.get(verb)) && verb < sentence.range.end && !sentence.asks
        };
        let in_two = self.setting == Setting::Chat && declares && !troubled && words.get(at) != "i";
        // In a chat, what somebody is about to do wants no answer; what he wants to do does.
        let declares =
            declares && !(self.setting == Setting::Chat && (in_two || matches!(words.get(at + 1), "will" | "would")));
        // "I look inside, what is there?" declares first.
        let says = !sentence.asks || (at..sentence.range.end - 1).any(|at| words.mark(at) == Mark::Pause);
        (declares && (says || tabletop) || troubled || lets || does && says || doing).then_some(IntentType::Declare)
    }

    /// After "I'm going to": anything but a state.
    fn is_act(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let words = sentence.words;
        let verb = skip_adverbs(sentence, at);
        if verb >= sentence.range.end {
            // "I'll go." and "I'm going to try."
            return verb > at && self.acts.contains(words.get(verb - 1));
        }
        let with = ACTS_WITH.iter().any(|two| words.is_at(verb, two));
        !STATES.contains(&words.get(verb)) || with
    }

    fn acts_from(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let verb = skip_adverbs(sentence, at);
        // "go" and "start" may stand before a verb, or be one.
        (at..(verb + 1).min(sentence.range.end)).any(|at| self.acts.contains(sentence.words.get(at)))
    }
}

struct Sentence<'a> {
    words: &'a Words,
    range: Range<usize>,
    asks: bool,
}

impl Sentence<'_> {
    /// Where clauses begin: after pauses, after words that open or join.
    fn heads(&self) -> Vec<usize> {
        let mut heads = Vec::new();
        let mut opened = true;
        for at in self.range.clone() {
            let word = self.words.get(at);
            let begins = opened || self.words.begins_clause(at);
            if begins {
                heads.push(at);
            }
            let thinks = at > 0
                && matches!(word, "think" | "guess")
                && self.words.get(at - 1) == "i"
                && heads.last() == Some(&(at - 1));
            opened = begins && OPENERS.contains(&word) || JOINS.contains(&word) || thinks;
        }
        heads
    }
}

/// "While they talk can I …?", but not "how far can I …?"
fn asks_leave(sentence: &Sentence<'_>) -> bool {
    for at in sentence.range.clone() {
        let word = sentence.words.get(at);
        if WH.contains(&word) {
            return false;
        }
        if matches!(word, "can" | "could" | "may") && matches!(sentence.words.get(at + 1), "i" | "we") {
            return true;
        }
    }
    false
}

fn skip_adverbs(sentence: &Sentence<'_>, at: usize) -> usize {
    let adverb = |at: &usize| {
        let word = sentence.words.get(*at);
        ADVERBS.contains(&word) || word.len() > 4 && word.ends_with("ly") || matches!(word, "to" | "and")
    };
    (at..sentence.range.end).find(|at| !adverb(at)).unwrap_or(sentence.range.end)
}

fn gerunds(verb: &str) -> Vec<String> {
    let last = verb.chars().next_back().unwrap_or('x');
    match last {
        'e' => vec![format!("{}ing", &verb[..verb.len() - 1])],
        _ => vec![format!("{verb}ing"), format!("{verb}{last}ing")],
    }
}
