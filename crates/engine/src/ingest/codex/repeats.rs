//! Does a message for the terminal repeat a response item?
//!
//! Most files hold every message twice: as a response item, and as a display event shortly before
//! or after it. Some hold only the event. No message may be kept twice and none may be lost, even
//! if a reading starts or ends between the two.

use std::collections::VecDeque;

/// Whose message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    Person,
    Agent,
    Host,
}

/// The decision about a held message.
#[derive(Debug, PartialEq, Eq)]
pub enum Settled<T> {
    Repeat(T),
    /// No response item has the same text.
    Alone(T),
}

/// How many response items are kept to compare events with.
const REMEMBERED: usize = 32;
/// A shorter text may stand inside a longer one by chance.
const TELLING_LENGTH: usize = 40;
/// Parts of an answer that its event leaves out.
const HIDDEN_PARTS: [(&str, &str); 2] =
    [("<proposed_plan>", "</proposed_plan>"), ("<oai-mem-citation>", "</oai-mem-citation>")];

pub struct Repeats<T> {
    said: VecDeque<(Voice, String)>,
    waiting: Vec<Waiting<T>>,
    /// This turn began within this reading, so none of its items were missed.
    whole_turn: bool,
    items_seen: bool,
    events_alone: bool,
}

struct Waiting<T> {
    voice: Voice,
    text: String,
    whole_turn: bool,
    message: T,
}

impl<T> Repeats<T> {
    /// The file is read from its start: no turn began before.
    pub fn from_start() -> Self {
        Repeats { whole_turn: true, ..Self::resumed() }
    }

    /// Continuing a file: the current turn may have begun before.
    pub fn resumed() -> Self {
        Repeats {
            said: VecDeque::new(),
            waiting: Vec::new(),
            whole_turn: false,
            items_seen: false,
            events_alone: false,
        }
    }

    /// Notes that this file has response items.
    pub fn item_seen(&mut self) {
        self.items_seen = true;
    }

    /// A message's response item, whole and in parts. Returns the waiting events that repeat it.
    pub fn said<'a>(&mut self, voice: Voice, texts: impl Iterator<Item = &'a str>) -> Vec<Settled<T>> {
        let mut settled = Vec::new();
        for text in texts.flat_map(|text| [Some(text.to_owned()), without_hidden_parts(text)]).flatten() {
            let text = text.trim();
            if text.is_empty() || self.said.back().is_some_and(|last| last.0 == voice && last.1 == text) {
                continue;
            }
            let repeated = self.waiting.extract_if(.., |event| event.voice == voice && repeats(&event.text, text));
            settled.extend(repeated.map(|event| Settled::Repeat(event.message)));
            self.said.push_back((voice, text.to_owned()));
        }
        while self.said.len() > REMEMBERED {
            self.said.pop_front();
        }
        settled
    }

    /// A display event: settled if it repeats an item, else it waits.
    pub fn heard(&mut self, voice: Voice, text: &str, message: T) -> Vec<Settled<T>> {
        let text = text.trim();
        if self.said.iter().any(|(speaker, said)| *speaker == voice && repeats(text, said)) {
            return vec![Settled::Repeat(message)];
        }
        let whole_turn = self.whole_turn;
        let settled = if voice == Voice::Person { self.turn_border() } else { Vec::new() };
        self.waiting.push(Waiting { voice, text: text.to_owned(), whole_turn, message });
        settled
    }

    /// The agent answers: the prompt's response item would have appeared by now.
    pub fn agent_acts(&mut self) -> Vec<Settled<T>> {
        self.give_up(|event| event.voice == Voice::Person)
    }

    /// The turn is over: no more of its items can follow.
    pub fn turn_border(&mut self) -> Vec<Settled<T>> {
        let settled = self.give_up(|_| true);
        self.whole_turn = true;
        settled
    }

    /// The file ends for now. If it has response items, the missing one is expected later.
    pub fn end(&mut self) -> Vec<Settled<T>> {
        let alone = self.events_alone && !self.items_seen;
        let verdict = if alone { Settled::Alone } else { Settled::Repeat };
        self.waiting.drain(..).map(|event| verdict(event.message)).collect()
    }

    /// Keeps messages whose item did not come, unless it may be before the start of this reading.
    fn give_up(&mut self, which: impl Fn(&Waiting<T>) -> bool) -> Vec<Settled<T>> {
        let mut settled = Vec::new();
        for event in self.waiting.extract_if(.., |event| which(event)) {
            if event.whole_turn {
                self.events_alone = true;
                settled.push(Settled::Alone(event.message));
            } else {
                settled.push(Settled::Repeat(event.message));
            }
        }
        settled
    }
}

fn repeats(event: &str, item: &str) -> bool {
    event == item || (event.len() >= TELLING_LENGTH && item.contains(event))
}

fn without_hidden_parts(text: &str) -> Option<String> {
    let mut shown = text.to_owned();
    for (open, close) in HIDDEN_PARTS {
        let mut parts = shown.split(open);
        let first = parts.next().unwrap_or("").to_owned();
        let after = parts.map(|part| part.split_once(close).map_or("", |(_, after)| after));
        shown = after.fold(first, |shown, after| shown + after);
    }
    (shown != text).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P`/`A` a response item of the person or agent, `p`/`a` an event, `|` a border.
    #[track_caller]
    fn check(from_start: bool, script: &[&str], kept: &[&str]) {
        let mut repeats = if from_start { Repeats::from_start() } else { Repeats::resumed() };
        let mut settled = Vec::new();
        for step in script {
            let (what, text) = step.split_at(1);
            let voice = if what.eq_ignore_ascii_case("p") { Voice::Person } else { Voice::Agent };
            if voice == Voice::Agent && what != "|" {
                settled.extend(repeats.agent_acts());
            }
            settled.extend(match what {
                "|" => repeats.turn_border(),
                "P" | "A" => {
                    repeats.item_seen();
                    repeats.said(voice, std::iter::once(text))
                }
                _ => repeats.heard(voice, text, text.to_owned()),
            });
        }
        settled.extend(repeats.end());
        let alone: Vec<_> = settled
            .iter()
            .filter_map(|message| match message {
                Settled::Alone(text) => Some(text.as_str()),
                Settled::Repeat(_) => None,
            })
            .collect();
        assert_eq!(alone, kept, "{script:?}");
    }

    #[test]
    fn repeats_before_and_after_their_item() {
        check(true, &["Phi", "phi", "ahello", "Ahello", "|"], &[]);
        check(true, &["phi", "Phi", "Ahello", "ahello"], &[]);
        check(true, &["Phi", "phi", "aone", "atwo", "Aone", "Atwo", "|"], &[]);
    }

    #[test]
    fn events_without_items_are_kept() {
        check(true, &["|", "phi", "ahello", "|", "pmore", "aok"], &["hi", "hello", "more", "ok"]);
        check(true, &["Phi", "phi", "Aone", "aone", "aonly on the screen", "|"], &["only on the screen"]);
        check(false, &["|", "phi", "ahello", "|"], &["hi", "hello"]);
    }

    #[test]
    fn the_other_half_may_lie_outside_the_reading() {
        // The item came before the cursor.
        check(false, &["phi", "Ahello", "ahello", "|"], &[]);
        check(false, &["ahello", "|", "Pmore"], &[]);
        // The item has not been written yet.
        check(true, &["Phi", "phi", "ahello"], &[]);
        check(true, &["phi"], &[]);
    }

    #[test]
    fn an_event_may_show_less_than_its_item() {
        let whole = "Here is what I would do.\n<proposed_plan>\n1. cut\n2. paste\n</proposed_plan>";
        check(true, &[&format!("A{whole}"), "aHere is what I would do.", "|"], &[]);
        // Short words inside longer ones are not a repeat.
        check(true, &["Pok, and then?", "Adone", "pok", "|"], &["ok"]);
    }
}
