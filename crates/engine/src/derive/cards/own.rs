//! What did Backstory itself write down about cards? Judgements, exposures,
//! outcomes by hand: events in an episode of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::log::Log;
use crate::model::{
    Act, CARDS_SESSION, CardId, CardKind, Channel, Event, EventKind, Exposure, HandOutcome, SourceKind, Timestamp,
};
use crate::store::{StoreError, ViewReader};

use super::book::{Came, Entry, Shown, What};

/// What an event of Backstory's own says of cards.
pub enum Own {
    Act(Act),
    Exposure(Exposure),
    Outcome(HandOutcome),
}

/// None where it is about something else.
pub fn own_event(event: &Event) -> Option<Own> {
    let input = event.meta.input.clone()?;
    match event.kind {
        EventKind::User | EventKind::Judgement => serde_json::from_value(input).ok().map(Own::Act),
        EventKind::Exposure => serde_json::from_value(input).ok().map(Own::Exposure),
        EventKind::Outcome => serde_json::from_value(input).ok().map(Own::Outcome),
        _ => None,
    }
}

/// Everything that Backstory itself wrote down about cards.
pub struct OwnEvents {
    pub acts: Vec<Entry>,
    exposures: Vec<(Option<Timestamp>, Exposure)>,
    outcomes: Vec<(Option<Timestamp>, HandOutcome)>,
}

impl OwnEvents {
    pub fn read(log: &mut Log) -> Result<Self, StoreError> {
        let mut own = OwnEvents { acts: Vec::new(), exposures: Vec::new(), outcomes: Vec::new() };
        for (num, _) in log.store().episodes_of_session(SourceKind::Backstory, CARDS_SESSION)? {
            for event in log.store().events_of(num, 0, u32::MAX)? {
                let time = event.time;
                match own_event(&event) {
                    Some(Own::Act(act)) => {
                        let what = What::Act { event: event.id, act, text: event.text };
                        own.acts.push(Entry { time, what });
                    }
                    Some(Own::Exposure(exposure)) => own.exposures.push((time, exposure)),
                    Some(Own::Outcome(outcome)) => own.outcomes.push((time, outcome)),
                    None => {}
                }
            }
        }
        Ok(own)
    }

    /// What was shown of these cards, each with what came of its session.
    pub fn shown(
        &self,
        log: &mut Log,
        view: &ViewReader<'_>,
        cards: &HashMap<CardId, CardKind>,
    ) -> Result<Vec<Shown>, StoreError> {
        let mut known: BTreeMap<&str, Came> = BTreeMap::new();
        let mut shown = Vec::new();
        for (time, exposure) in &self.exposures {
            if !exposure.cards.iter().any(|card| cards.contains_key(card)) {
                continue;
            }
            let came = match exposure.session.as_deref() {
                None => Came::default(),
                Some(session) => match known.get(session) {
                    Some(came) => came.clone(),
                    None => {
                        let came = self.came_of(log, view, session)?;
                        known.insert(session, came.clone());
                        came
                    }
                },
            };
            shown.push(Shown { exposure: exposure.clone(), time: *time, came });
        }
        Ok(shown)
    }

    fn came_of(&self, log: &mut Log, view: &ViewReader<'_>, session: &str) -> Result<Came, StoreError> {
        let mut kinds = BTreeSet::new();
        let mut times = Vec::new();
        for source in [SourceKind::ClaudeCode, SourceKind::Codex, SourceKind::Transcript] {
            for (num, _) in log.store().episodes_of_session(source, session)? {
                let outcomes = view.outcomes_of(num)?;
                kinds.extend(outcomes.iter().map(|row| row.outcome.kind));
                // They stand in the order of the episode.
                if let Some(first) = outcomes.first() {
                    times.push(log.store().event(first.outcome.event)?.and_then(|event| event.time));
                }
            }
        }
        for (time, outcome) in self.outcomes.iter().filter(|(_, outcome)| outcome.session == session) {
            kinds.insert(outcome.outcome);
            times.push(*time);
        }
        Ok(Came { first: times.into_iter().min(), kinds })
    }

    /// When packs were made that showed cards of this book.
    pub fn packs_with(&self, is_here: impl Fn(CardId) -> bool) -> Vec<Timestamp> {
        let packs = self.exposures.iter().filter(|(_, exposure)| exposure.channel == Channel::AutoPack);
        packs
            .filter(|(_, exposure)| exposure.cards.iter().any(|card| is_here(*card)))
            .filter_map(|(time, _)| *time)
            .collect()
    }
}
