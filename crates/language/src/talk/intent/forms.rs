//! Which form does a sentence have?

use std::collections::HashSet;
use std::ops::Range;

use crate::talk::IntentType;
use crate::talk::lines::Setting;
use crate::talk::words::{LineWords, Mark, Phrases};

use super::tables::*;

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

    pub fn kind(&self, sentence: &Sentence<'_>) -> Option<IntentType> {
        let (words, asks) = (sentence.words, sentence.asks);
        if asks && self.is_reaction(sentence) {
            return None;
        }
        let heads = sentence.heads();
        let found =
            heads.iter().filter_map(|at| self.head(sentence, *at)).max_by_key(|kind| super::detector::wants(*kind));
        if found.is_some() {
            return found;
        }
        if asks {
            return Some(if asks_leave(sentence) { IntentType::Request } else { IntentType::Question });
        }
        let asks_unmarked = |at: &usize| {
            let goes_on = RELATIVE.contains(&words.get(*at)) && !sentence.opens(*at);
            self.unmarked.is_at(words, *at) && words.mark(*at) < Mark::End && !goes_on
        };
        let asks_unmarked = self.setting != Setting::Tabletop && heads.iter().any(asks_unmarked);
        asks_unmarked.then_some(IntentType::Question)
    }

    fn is_reaction(&self, sentence: &Sentence<'_>) -> bool {
        // In a chat, "what?" can be a complete question.
        if sentence.range.len() > 5 || self.setting != Setting::Tabletop {
            return false;
        }
        let said: Vec<&str> = sentence.range.clone().map(|at| sentence.words.get(at)).collect();
        let opens = said.iter().take_while(|word| OPENERS.contains(word)).count();
        (0..=opens.min(said.len() - 1)).any(|from| self.reactions.contains(said[from..].join(" ").as_str()))
    }

    /// The intent that starts at this word.
    fn head(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        self.request(sentence, at).or_else(|| self.propose(sentence, at)).or_else(|| self.declare(sentence, at))
    }

    fn request(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let words = sentence.words;
        let (first, second, third) = (words.get(at), words.get(at + 1), words.get(at + 2));
        // Transcripts of games are punctuated; elsewhere the form must be enough.
        let is_asked = sentence.asks || self.setting != Setting::Tabletop;
        let request = match first {
            "can" | "could" | "may" if matches!(second, "i" | "we") => is_asked && !matches!(third, "suggest" | "not"),
            "can" | "could" | "will" | "would" if SOMEBODY.contains(&second) => {
                let verb = if third == "guys" || third == "all" { words.get(at + 3) } else { third };
                let offers = matches!(verb, "like" | "want" | "care" | "rather" | "say" | "be" | "have");
                let whether = PERCEIVES.contains(&verb) && second != "anyone" || first == "would" && offers;
                is_asked && !whether
            }
            "please" => {
                let goes_on = sentence.range.end > at + 2 && words.mark(at) == Mark::Nothing;
                goes_on && !matches!(second, "god" | "thank" | "don't" | "no")
            }
            _ => self.leave.is_at(words, at) || self.help.is_at(words, at) && words.mark(at) == Mark::Nothing,
        };
        let pleads = sentence.range.end == at + 1 && first == "please" && sentence.range.len() >= 4;
        let ordered = self.setting == Setting::TwoParty && is_order(sentence, at);
        (request || pleads || ordered).then_some(IntentType::Request)
    }

    fn propose(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let words = sentence.words;
        let (first, second, third) = (words.get(at), words.get(at + 1), words.get(at + 2));
        let tabletop = self.setting == Setting::Tabletop;
        let lets = first == "let's" || first == "let" && second == "us" || first == "lets" && !tabletop;
        let lets = lets && sentence.range.end > at + 1 && !LETS_NOT.contains(&second);
        // "You want to" is a statement; only as a question it is a proposal.
        let tells = matches!(first, "want" | "wanna" | "you") && !sentence.asks;
        let states = first == "we" && (STATES.contains(&third) || PERCEIVES.contains(&third));
        // In a chat, a suggestion is an answer.
        let answers = self.setting == Setting::Chat && matches!(first, "we" | "i");
        let proposes = self.proposes.is_at(words, at) && !tells && !states && !answers;
        (lets || proposes).then_some(IntentType::Propose)
    }

    fn declare(&self, sentence: &Sentence<'_>, at: usize) -> Option<IntentType> {
        let declares = match self.setting {
            Setting::Tabletop => self.acts_at_table(sentence, at),
            // In a chat, an announced action needs no answer; a problem does.
            Setting::Chat => self.is_trouble(sentence, at),
            Setting::TwoParty => self.is_trouble(sentence, at) || !sentence.asks && self.will_act(sentence, at),
        };
        declares.then_some(IntentType::Declare)
    }

    /// "Trying to …" counts only at the start: "it hung and then trying to …" is narration.
    fn is_trouble(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let has_subject = sentence.words.get(at).starts_with('i');
        self.troubles.is_at(sentence.words, at) && (has_subject || sentence.opens_clause(at))
    }

    fn acts_at_table(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let words = sentence.words;
        // "I look inside, what is there?" declares first.
        let says = !sentence.asks || (at..sentence.range.end - 1).any(|at| words.mark(at) == Mark::Pause);
        match words.get(at) {
            "let" => words.get(at + 1) == "me" && self.acts_from(sentence, at + 2),
            "i" | "we" if says && self.acts_from(sentence, at + 1) => true,
            "i'm" | "we're" if !sentence.asks && self.is_doing(sentence, at + 1) => true,
            _ => self.will_act(sentence, at),
        }
    }

    /// "I'm going to …" and the like.
    fn will_act(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let will = self.wills.iter().filter(|will| sentence.words.is_at(at, will)).map(Vec::len).max();
        will.is_some_and(|length| self.is_act(sentence, at + length))
    }

    fn is_doing(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let verb = skip_adverbs(sentence, at);
        verb < sentence.range.end && self.doing.contains(sentence.words.get(verb))
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
        // "go" and "start" may precede a verb, or be one.
        (at..(verb + 1).min(sentence.range.end)).any(|at| self.acts.contains(sentence.words.get(at)))
    }
}

/// A sentence of a line.
pub struct Sentence<'a> {
    pub words: &'a LineWords,
    pub range: Range<usize>,
    /// It ends with a question mark.
    pub asks: bool,
}

impl Sentence<'_> {
    /// The starts of clauses: after pauses, openers and joining words.
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

    /// Only openers precede it in its clause.
    fn opens_clause(&self, at: usize) -> bool {
        let before = (self.range.start..at).rev();
        before.take_while(|before| !self.words.begins_clause(before + 1)).all(|before| self.is_opener(before))
    }

    /// Only openers, and possibly a name, precede it in the sentence.
    fn opens(&self, at: usize) -> bool {
        const LONGEST_NAME: usize = 2;
        let start = self.range.start;
        let named = (start..at).take(LONGEST_NAME).find(|at| self.words.mark(*at) == Mark::Pause);
        let from = named.filter(|at| !self.is_opener(*at)).map_or(start, |at| at + 1);
        (from..at).all(|before| self.is_opener(before) && self.words.mark(before) == Mark::Nothing)
    }

    fn is_opener(&self, at: usize) -> bool {
        OPENERS.contains(&self.words.get(at))
    }
}

/// "Fix the build", but not "do you", "let me" or a verb in narration.
fn is_order(sentence: &Sentence<'_>, at: usize) -> bool {
    let order = match (sentence.words.get(at), sentence.words.get(at + 1)) {
        ("do", "i" | "you" | "u" | "we" | "they" | "people") | ("let", "me" | "us") => false,
        (first, _) => ORDERS.contains(&first),
    };
    order && sentence.range.end > at + 1 && sentence.opens_clause(at)
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
