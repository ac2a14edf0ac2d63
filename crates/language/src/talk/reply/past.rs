//! Who said what to whom so far?

use std::collections::VecDeque;

use super::form::Form;
use super::names::{NOBODY, Who};
use super::spread::NONE;

/// The most people besides the one addressed whose mention in a line is kept.
pub(super) const MENTIONS: usize = 3;

/// What is kept of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastLine {
    pub speaker: Who,
    /// Whom the line addresses at its beginning.
    pub to: Who,
    /// Who else is named in it.
    pub mentions: [Who; MENTIONS],
    pub form: Form,
    /// The rarity of its words, summed.
    pub weight: f32,
    /// The how many-th line that somebody says.
    pub turn: u32,
    /// The first line of its thread.
    pub root: u32,
    /// The line it answers most likely.
    pub parent: u32,
    /// Whose line it answers most likely.
    pub answers: Who,
    /// Whom it speaks with: who is answered, or addressed, or whom the line it goes on from spoke with.
    pub partner: Who,
    /// Somebody else answers it.
    pub answered: bool,
    /// Who did so last.
    pub answered_by: Who,
    /// The speaker said the next line too.
    pub went_on: bool,
}

/// What is kept of a speaker: places of lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastSpeaker {
    pub latest: u32,
    pub second: u32,
    /// The latest line that addresses this one.
    pub addressed: u32,
    /// The latest line that addresses or answers this one.
    pub spoken_to: u32,
}

const SILENT: PastSpeaker = PastSpeaker { latest: NONE, second: NONE, addressed: NONE, spoken_to: NONE };

/// The lines of the window, and what they leave behind.
pub(super) struct Past {
    window: usize,
    /// Nobody's lines are there too, with [`NOBODY`] as speaker.
    lines: VecDeque<PastLine>,
    /// The place of the first of `lines`.
    first: u32,
    speakers: Vec<PastSpeaker>,
    turns: u32,
}

impl Past {
    pub fn new(window: usize) -> Self {
        Past { window, lines: VecDeque::new(), first: 0, speakers: Vec::new(), turns: 0 }
    }

    /// The place that the next line has.
    pub fn next(&self) -> u32 {
        self.first + self.lines.len() as u32
    }

    pub fn first(&self) -> u32 {
        self.first
    }

    /// How many lines somebody has said.
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

    /// From the newest to the oldest.
    pub fn backwards(&self) -> impl Iterator<Item = (u32, &PastLine)> {
        self.lines.iter().enumerate().rev().map(|(at, said)| (self.first + at as u32, said))
    }

    /// Keeps a line once it is known which line it answers.
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
