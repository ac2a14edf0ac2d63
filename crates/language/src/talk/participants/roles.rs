//! The participants and their roles.

use std::collections::HashMap;

use super::super::error::LinksError;
use super::super::lines::{Setting, SpeakerPart, TalkLine};
use super::behaviour;
use super::names;
use super::registry::Registry;

/// Up to this many people have one conversation; more have several at once.
const FEW: usize = 5;

/// The participants of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Participants {
    pub setting: Setting,
    /// In the order of their first lines.
    pub speakers: Vec<Speaker>,
    pub found_by: FoundBy,
    /// For each line, its speaker's index in `speakers`; None for lines without a speaker.
    pub of_lines: Vec<Option<u32>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    pub name: String,
    pub lines: u32,
    pub part: SpeakerPart,
}

/// The source of the roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FoundBy {
    Told,
    Registry,
    Name,
    Behaviour,
    /// There is no leader: all answer.
    #[default]
    Nobody,
}

/// Why a transcript has no links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLinks {
    Empty,
    /// No line says who speaks.
    NoSpeakers,
    OneSpeaker,
    /// No answering speaker has a line.
    NoResponder,
    /// Everybody only answers.
    NoAsker,
    /// No eligible line expects an answer.
    NoIntents,
}

impl NoLinks {
    pub fn reason(self) -> &'static str {
        match self {
            NoLinks::Empty => "the transcript is empty",
            NoLinks::NoSpeakers => "no line of the transcript says who speaks",
            NoLinks::OneSpeaker => "only one person speaks",
            NoLinks::NoResponder => "nobody who answers says a line",
            NoLinks::NoAsker => "nobody who asks says a line",
            NoLinks::NoIntents => "no line that counts asks, declares, proposes or requests anything",
        }
    }
}

/// A person's hints about the participants.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParticipantHints<'a> {
    pub setting: Option<Setting>,
    /// These answer, all others ask.
    pub responders: &'a [String],
    pub registry: Option<&'a Registry>,
}

impl Participants {
    pub fn new(lines: &[TalkLine<'_>], told: ParticipantHints<'_>) -> Result<Participants, LinksError> {
        if let Some(registry) = told.registry {
            registry.check()?;
        }
        let mut participants = gather(lines, told.registry);
        participants.found_by = participants.assign_parts(lines, told)?;
        let led = participants.found_by != FoundBy::Nobody;
        participants.setting = told.setting.unwrap_or(match participants.speakers.len() {
            0..=2 if participants.found_by != FoundBy::Name => Setting::TwoParty,
            _ if led => Setting::Tabletop,
            // A few people have one conversation.
            0..=FEW => Setting::TwoParty,
            _ => Setting::Chat,
        });
        Ok(participants)
    }

    /// The role of each line's speaker.
    pub fn parts(&self) -> Vec<SpeakerPart> {
        self.of_lines
            .iter()
            .map(|speaker| speaker.map_or(SpeakerPart::default(), |at| self.speakers[at as usize].part))
            .collect()
    }

    /// The lines with the names of the registry.
    pub fn name<'a>(&'a self, lines: &[TalkLine<'a>]) -> Vec<TalkLine<'a>> {
        let named = |(line, speaker): (&TalkLine<'a>, &Option<u32>)| TalkLine {
            speaker: speaker.map_or("", |at| &self.speakers[at as usize].name),
            ..*line
        };
        lines.iter().zip(&self.of_lines).map(named).collect()
    }

    pub fn responders(&self) -> impl Iterator<Item = &Speaker> {
        self.speakers.iter().filter(|speaker| speaker.part.answers)
    }

    /// Why there can be no links.
    pub fn no_links(&self) -> Option<NoLinks> {
        if self.of_lines.is_empty() {
            return Some(NoLinks::Empty);
        }
        match self.speakers.len() {
            0 => return Some(NoLinks::NoSpeakers),
            1 => return Some(NoLinks::OneSpeaker),
            _ => {}
        }
        if self.responders().next().is_none() {
            return Some(NoLinks::NoResponder);
        }
        (!self.speakers.iter().any(|speaker| speaker.part.asks)).then_some(NoLinks::NoAsker)
    }

    fn assign_parts(&mut self, lines: &[TalkLine<'_>], told: ParticipantHints<'_>) -> Result<FoundBy, LinksError> {
        if !told.responders.is_empty() {
            let responders = self.find(told)?;
            self.lead(&responders);
            return Ok(FoundBy::Told);
        }
        if let Some(registry) = told.registry {
            for speaker in &mut self.speakers {
                speaker.part = registry.find(&speaker.name).map_or(SpeakerPart::ASKS, |actor| actor.role().part());
            }
            return Ok(FoundBy::Registry);
        }
        if told.setting.is_none_or(|setting| setting == Setting::Tabletop) {
            let named = names::game_masters(&self.speakers);
            if !named.is_empty() {
                self.lead(&named);
                return Ok(FoundBy::Name);
            }
            if let Some(leader) = behaviour::leader(lines, self, told.setting) {
                self.lead(&[leader]);
                return Ok(FoundBy::Behaviour);
            }
        }
        self.speakers.iter_mut().for_each(|speaker| speaker.part = SpeakerPart::BOTH);
        Ok(FoundBy::Nobody)
    }

    fn lead(&mut self, responders: &[usize]) {
        for (at, speaker) in self.speakers.iter_mut().enumerate() {
            speaker.part = if responders.contains(&at) { SpeakerPart::ANSWERS } else { SpeakerPart::ASKS };
        }
    }

    fn find(&self, told: ParticipantHints<'_>) -> Result<Vec<usize>, LinksError> {
        let place = |name: &String| {
            let name =
                told.registry.and_then(|registry| registry.find(name)).map_or(name.as_str(), |actor| &actor.name);
            self.speakers.iter().position(|speaker| same_name(&speaker.name, name))
        };
        told.responders
            .iter()
            .map(|name| {
                place(name).ok_or_else(|| LinksError::NoSuchResponder { name: name.clone(), speakers: self.most() })
            })
            .collect()
    }

    /// The most frequent speakers, for a message.
    fn most(&self) -> String {
        const SHOWN: usize = 8;
        let mut speakers: Vec<&Speaker> = self.speakers.iter().collect();
        speakers.sort_by_key(|speaker| std::cmp::Reverse(speaker.lines));
        let names: Vec<&str> = speakers.iter().take(SHOWN).map(|speaker| speaker.name.as_str()).collect();
        let more = if speakers.len() > SHOWN { format!(" and {} more", speakers.len() - SHOWN) } else { String::new() };
        if names.is_empty() { "none".to_owned() } else { names.join(", ") + &more }
    }
}

fn gather(lines: &[TalkLine<'_>], registry: Option<&Registry>) -> Participants {
    let mut participants = Participants::default();
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut by_name: HashMap<String, u32> = HashMap::new();
    for line in lines {
        let written = line.speaker.trim();
        if written.is_empty() {
            participants.of_lines.push(None);
            continue;
        }
        let at = *known.entry(written).or_insert_with(|| {
            let name = registry.and_then(|registry| registry.find(written)).map_or(written, |actor| &actor.name);
            *by_name.entry(name.to_owned()).or_insert_with(|| {
                participants.speakers.push(Speaker { name: name.to_owned(), lines: 0, part: SpeakerPart::default() });
                participants.speakers.len() as u32 - 1
            })
        });
        participants.speakers[at as usize].lines += 1;
        participants.of_lines.push(Some(at));
    }
    participants
}

pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

#[cfg(test)]
mod tests;
