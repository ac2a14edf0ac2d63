//! Who said what to whom so far?

use std::collections::VecDeque;

use super::form::Form;
use super::names::{NOBODY, Who};
use super::spread::NONE;

/// The number of people mentioned in a line, besides the addressee, that are kept.
pub(super) const MENTIONS: usize = 3;

/// The data kept of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastLine {
    pub speaker: Who,
    /// The addressee at the start of the line.
    pub to: Who,
    /// The other people named in it.
    pub mentions: [Who; MENTIONS],
    pub form: Form,
    /// The summed rarity of its words.
    pub weight: f32,
    /// Its number among the lines with a speaker.
    pub turn: u32,
    /// The first line of its thread.
    pub root: u32,
    /// The line that it most likely answers.
    pub parent: u32,
    /// The speaker of that line.
    pub answers: Who,
    /// The partner: the person who is answered or addressed, or the partner of the line it continues.
    pub partner: Who,
    /// Somebody else answers it.
    pub answered: bool,
    /// The last person who did.
    pub answered_by: Who,
    /// The speaker said the next line too.
    pub went_on: bool,
}

/// The data kept of a speaker: positions of lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastSpeaker {
    pub latest: u32,
    pub second: u32,
    /// The latest line that addresses this speaker.
    pub addressed: u32,
    /// The latest line that addresses or answers this speaker.
    pub spoken_to: u32,
}

const SILENT: PastSpeaker = PastSpeaker { latest: NONE, second: NONE, addressed: NONE, spoken_to: NONE };

/// The lines of the window, and the data derived from earlier ones.
pub(super) struct Past {
    window: usize,
    /// Includes lines without a speaker, as [`NOBODY`].
    lines: VecDeque<PastLine>,
    /// The position of the first of `lines`.
    first: u32,
    speakers: Vec<PastSpeaker>,
    turns: u32,
}

impl Past {
    pub fn new(window: usize) -> Self {
        Past { window, lines: VecDeque::new(), first: 0, speakers: Vec::new(), turns: 0 }
    }

    /// The position of the next line.
    pub fn next(&self) -> u32 {
        self.first + self.lines.len() as u32
    }

    pub fn first(&self) -> u32 {
        self.first
    }

    /// The number of lines with a speaker.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    pub fn get(&self, at: u32) -> Option<&PastLine> {
        if at < self.first { None } else { self.lines.get((at - self.first) as usize) }
    }

    pub fn speaker(&self, who: Who) -> &PastSpeaker {
        self.speakers.get(who as usize).unwrap_or(&SILENT)
    }

    /// Whether somebody has spoken within the window.
    pub fn is_present(&self, who: Who) -> bool {
        self.get(self.speaker(who).latest).is_some()
    }

    /// From newest to oldest.
    pub fn backwards(&self) -> impl Iterator<Item = (u32, &PastLine)> {
        self.lines.iter().enumerate().rev().map(|(at, said)| (self.first + at as u32, said))
    }

    /// Keeps a line once its parent is known.
    pub fn push(&mut self, mut said: PastLine, parent: Option<u32>) {
        let at = self.next();
        said.root = at;
        if said.speaker != NOBODY {
            let last = self.lines.iter_mut().rev().find(|last| last.speaker != NOBODY);
            if let Some(last) = last {
                last.went_on = last.speaker == said.speaker;
            }
        }
        if let Some(place) = parent
            && let Some(parent) = self.lines.get_mut((place - self.first) as usize)
        {
            said.parent = place;
            said.root = parent.root;
            if parent.speaker == said.speaker {
                said.answers = parent.answers;
                said.partner = parent.partner;
            } else {
                said.answers = parent.speaker;
                said.partner = parent.speaker;
                parent.answered = true;
                parent.answered_by = said.speaker;
            }
        }
        if said.to != NOBODY {
            said.partner = said.to;
        }
        if said.speaker != NOBODY {
            self.turns += 1;
            self.of(said.speaker, |speaker| (speaker.second, speaker.latest) = (speaker.latest, at));
        }
        if said.to != NOBODY {
            self.of(said.to, |speaker| (speaker.addressed, speaker.spoken_to) = (at, at));
        }
        if said.answers != NOBODY {
            self.of(said.answers, |speaker| speaker.spoken_to = at);
        }
        self.lines.push_back(said);
        while self.lines.len() > self.window {
            self.lines.pop_front();
            self.first += 1;
        }
    }

    fn of(&mut self, who: Who, change: impl FnOnce(&mut PastSpeaker)) {
        if self.speakers.len() <= who as usize {
            self.speakers.resize(who as usize + 1, SILENT);
        }
        change(&mut self.speakers[who as usize]);
    }
}
