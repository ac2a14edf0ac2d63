//! For each line, the probability that it answers each earlier line.

use super::super::lines::TalkLine;
use super::features::{self, Child, FEATURES, FeatureGroup, FeatureValue};
use super::form::{Form, FormReader};
use super::names::{NOBODY, SpeakerNames, Who};
use super::past::{MENTIONS, Past, PastLine};
use super::profile::Profile;
use super::words::{ReplyWords, Shared};

/// Stands for no line.
pub const NONE: u32 = u32::MAX;

/// How many lines back an answer may reach.
pub const WINDOW: usize = 128;

/// Less likely parents are not listed individually.
const LEAST_LISTED: f32 = 0.001;

/// The distribution over what a line answers. `none`, `rest` and the parents sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    pub none: f32,
    /// Positions in `lines` and their probabilities, likeliest first.
    pub parents: Vec<(usize, f32)>,
    /// The sum of all parents that are not listed.
    pub rest: f32,
}

impl Spread {
    /// The likeliest parent, unless "none" is likelier.
    pub fn parent(&self) -> Option<usize> {
        self.parents.first().filter(|(_, probability)| *probability > self.none).map(|(place, _)| *place)
    }

    pub fn of(&self, place: usize) -> f32 {
        self.parents.iter().find(|(parent, _)| *parent == place).map_or(0.0, |(_, probability)| *probability)
    }
}

/// Each line's distribution over the lines before it.
pub fn spread(lines: &[TalkLine<'_>], profile: &Profile, window: usize) -> Vec<Spread> {
    let mut reader = ReplyReader::new(profile, window);
    lines
        .iter()
        .map(|line| {
            reader.read(line);
            reader.spread()
        })
        .collect()
}

/// Reads a transcript from its start.
pub struct ReplyReader<'p> {
    profile: &'p Profile,
    names: SpeakerNames,
    words: ReplyWords,
    past: Past,
    /// The candidates of the newest line, "none" first: positions, scores, and the start of their features in `values`.
    places: Vec<u32>,
    scores: Vec<f32>,
    begins: Vec<usize>,
    values: Vec<FeatureValue>,
    shared: Vec<Shared>,
    word: String,
}

impl<'p> ReplyReader<'p> {
    pub fn new(profile: &'p Profile, window: usize) -> Self {
        ReplyReader {
            profile,
            names: SpeakerNames::default(),
            words: ReplyWords::new(),
            past: Past::new(window.clamp(1, NONE as usize / 2)),
            places: Vec::new(),
            scores: Vec::new(),
            begins: Vec::new(),
            values: Vec::new(),
            shared: Vec::new(),
            word: String::new(),
        }
    }

    /// Reads the next line and scores its candidates.
    pub fn read(&mut self, line: &TalkLine<'_>) {
        let (name, text) = who_acts(line).unwrap_or((line.speaker, line.text));
        let (speaker, is_new) = self.names.speaker(name);
        if is_new {
            self.words.ignore(name);
        }
        let (mut said, calls_unknown) = self.look(text, speaker);
        let at = self.past.next();
        let first = self.past.first();
        self.shared.clear();
        self.shared.resize((at - first) as usize, Shared::default());
        said.weight = self.words.line(text, at, first, &mut self.shared);
        self.score(&said, calls_unknown);
        let best = self.best();
        self.past.push(said, best);
    }

    /// The distribution of the newest line.
    pub fn spread(&self) -> Spread {
        if self.scores.is_empty() {
            return Spread { none: 1.0, ..Spread::default() };
        }
        let highest = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = self.scores.iter().map(|score| (score - highest).exp()).sum();
        let probability = |score: f32| (score - highest).exp() / total;
        let mut spread = Spread { none: probability(self.scores[0]), ..Spread::default() };
        let least = highest + (LEAST_LISTED * total).ln();
        for (place, score) in self.places.iter().zip(&self.scores).skip(1).filter(|(_, score)| **score >= least) {
            spread.parents.push((*place as usize, probability(*score)));
        }
        let listed: f32 = spread.parents.iter().map(|(_, probability)| probability).sum();
        spread.rest = (1.0 - spread.none - listed).max(0.0);
        spread.parents.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        spread
    }

    /// The candidates of the newest line, [`NONE`] first, each with its features.
    pub fn rows(&self) -> impl Iterator<Item = (u32, &[FeatureValue])> {
        self.places.iter().enumerate().map(|(row, place)| {
            let end = self.begins.get(row + 1).copied().unwrap_or(self.values.len());
            (*place, &self.values[self.begins[row]..end])
        })
    }

    /// Why the newest line answers `parent` ([`NONE`]: nothing): each feature's name and its contribution to the score.
    pub fn why(&self, parent: u32) -> Vec<(&'static str, f32)> {
        let row = self.rows().find(|(place, _)| *place == parent);
        let values = row.map(|(_, values)| values).unwrap_or_default();
        values
            .iter()
            .map(|(feature, value)| (FEATURES[*feature as usize].2, self.profile.weight(*feature) * value))
            .collect()
    }

    /// Like [`Self::why`], by group and relative to "none": the sum is the log ratio of the probabilities of `parent`
    /// and none.
    pub fn parts(&self, parent: u32) -> Vec<(&'static str, f32)> {
        let mut sums = [0.0_f32; FeatureGroup::ALL.len()];
        for (place, values) in self.rows().filter(|(place, _)| *place == parent || *place == NONE) {
            let sign = if place == NONE { -1.0 } else { 1.0 };
            for (feature, value) in values {
                sums[FEATURES[*feature as usize].1 as usize] += sign * self.profile.weight(*feature) * value;
            }
        }
        FeatureGroup::ALL.iter().map(|group| (group.name(), sums[*group as usize])).collect()
    }

    /// The addressee and the form.
    fn look(&mut self, text: &str, speaker: Who) -> (PastLine, bool) {
        let mut said = PastLine {
            speaker,
            to: NOBODY,
            mentions: [NOBODY; MENTIONS],
            form: Form::default(),
            weight: 0.0,
            turn: self.past.turns() + 1,
            root: 0,
            parent: NONE,
            answers: NOBODY,
            partner: NOBODY,
            answered: false,
            answered_by: NOBODY,
            went_on: false,
        };
        if speaker == NOBODY {
            return (said, false);
        }
        let mut form = FormReader::default();
        let mut calls_unknown = false;
        let mut mentions = 0;
        let mut spoken = 0;
        let mut word = std::mem::take(&mut self.word);
        let mut tokens = text.split_ascii_whitespace().peekable();
        while let Some(token) = tokens.next() {
            let bare = token.trim_matches(|mark: char| {
                matches!(mark, ':' | ',' | ';' | '.' | '!' | '?' | '(' | ')' | '"' | '\'' | '@' | '<' | '>')
            });
            lower(if bare.is_empty() { token } else { bare }, &mut word);
            let marked = token.ends_with([':', ',', ';', '>'])
                || token.starts_with('@')
                || tokens.peek().is_some_and(|next| matches!(*next, ":" | "," | ";"));
            if !bare.is_empty() {
                let starts = spoken == 0;
                if let Some(who) = self.who(&word, speaker, starts && marked) {
                    if starts && said.to == NOBODY && (marked || self.names.is_whole(who, &word)) {
                        said.to = who;
                        continue;
                    }
                    if who != said.to && mentions < MENTIONS && !said.mentions.contains(&who) {
                        said.mentions[mentions] = who;
                        mentions += 1;
                    }
                } else if starts && token.ends_with(':') && token.len() > 3 {
                    calls_unknown = true;
                    continue;
                }
            }
            form.word(&word);
            spoken += 1;
        }
        self.word = word;
        said.form = form.finish(text);
        (said, calls_unknown)
    }

    /// The person in the window that a word refers to, other than the speaker.
    fn who(&self, word: &str, speaker: Who, half_will_do: bool) -> Option<Who> {
        let present = |who: &Who| *who != speaker && self.past.is_present(*who);
        let named = self.names.named(word).iter().copied().filter(present);
        let named = named.max_by_key(|who| (self.names.is_whole(*who, word), self.past.speaker(*who).latest));
        if named.is_some() || !half_will_do {
            return named;
        }
        let mut begun = self.past.backwards().map(|(_, said)| said.speaker).filter(|who| self.names.begins(*who, word));
        begun.next().filter(present)
    }

    fn score(&mut self, said: &PastLine, calls_unknown: bool) {
        self.places.clear();
        self.scores.clear();
        self.begins.clear();
        self.values.clear();
        self.begins.push(0);
        self.places.push(NONE);
        let me = *self.past.speaker(said.speaker);
        let is_other = |other: &PastLine| other.speaker != NOBODY && other.speaker != said.speaker;
        let nearest_other = self.past.backwards().find(|(_, other)| is_other(other)).map_or(NONE, |(at, _)| at);
        let child = Child { said, me, mine: self.past.get(me.latest), nearest_other, calls_unknown };
        let most_shared = self.shared.iter().map(|shared| shared.weight).fold(0.0, f32::max);
        features::of_none(&self.past, &child, most_shared, &mut self.values);
        if said.speaker != NOBODY {
            for (at, parent) in self.past.backwards().filter(|(_, parent)| parent.speaker != NOBODY) {
                self.begins.push(self.values.len());
                self.places.push(at);
                let shared = self.shared[(at - self.past.first()) as usize];
                features::of_parent(&self.past, &child, at, parent, shared, &mut self.values);
            }
        }
        for row in 0..self.places.len() {
            let end = self.begins.get(row + 1).copied().unwrap_or(self.values.len());
            let values = &self.values[self.begins[row]..end];
            self.scores.push(values.iter().map(|(feature, value)| self.profile.weight(*feature) * value).sum());
        }
    }

    /// The likeliest parent; among equals the nearest.
    fn best(&self) -> Option<u32> {
        let mut best = 0;
        for row in 1..self.scores.len() {
            if self.scores[row] > self.scores[best] {
                best = row;
            }
        }
        Some(self.places[best]).filter(|place| *place != NONE)
    }
}

/// Chat logs write actions without a speaker: `* ann waves`, possibly after a time.
fn who_acts<'a>(line: &TalkLine<'a>) -> Option<(&'a str, &'a str)> {
    if !line.speaker.is_empty() {
        return None;
    }
    let text = line.text.trim_start();
    let text = if text.starts_with('[') { text.split_once(']')?.1.trim_start() } else { text };
    let (name, text) = text.strip_prefix("* ")?.split_once(' ')?;
    Some((name, text))
}

fn lower(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}
