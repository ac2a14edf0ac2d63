//! Which judgements, exposures and manual outcomes of cards did Backstory record? They are events
//! in episodes of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;

use crate::log::Log;
use crate::model::{
    Aliases, CARDS_SESSION, CardAct, CardId, CardKind, Channel, Event, EventKind, Exposure, HandOutcome, Scope,
    SourceKind, Timestamp,
};
use crate::store::{StoreError, ViewReader};

use super::card_set::{CardChange, CardEntry, ExposedCards, SessionOutcome};

/// An event of Backstory itself that concerns cards.
pub enum CardEvent {
    Act(CardAct),
    Exposure(Exposure),
    Outcome(HandOutcome),
}

/// None for other events.
pub fn card_event(event: &Event) -> Option<CardEvent> {
    let input = event.meta.input.as_ref()?;
    match event.kind {
        EventKind::User | EventKind::Judgement | EventKind::Assistant => {
            CardAct::deserialize(input).ok().map(CardEvent::Act)
        }
        EventKind::Exposure => Exposure::deserialize(input).ok().map(CardEvent::Exposure),
        EventKind::Outcome => HandOutcome::deserialize(input).ok().map(CardEvent::Outcome),
        _ => None,
    }
}

/// Moves an act on a merged project to the project that it belongs to now.
fn in_project(act: CardAct, aliases: &Aliases) -> CardAct {
    match act {
        CardAct::Add { statement, kind, scope, source, tags, rests_on, evidence } => {
            let scope = scope.project().map_or(scope, |project| Scope::repo(aliases.current(project)));
            CardAct::Add { statement, kind, scope, source, tags, rests_on, evidence }
        }
        act => act,
    }
}

/// All events about cards that Backstory recorded.
pub struct CardJudgements {
    pub acts: Vec<CardEntry>,
    exposures: Vec<Noted<Exposure>>,
    outcomes: Vec<Noted<HandOutcome>>,
    /// The last log position of each host session that was shown cards.
    went_on: BTreeMap<String, u64>,
}

struct Noted<T> {
    pos: u64,
    time: Option<Timestamp>,
    what: T,
}

impl CardJudgements {
    pub fn read(log: &mut Log) -> Result<Self, StoreError> {
        let mut judgements =
            CardJudgements { acts: Vec::new(), exposures: Vec::new(), outcomes: Vec::new(), went_on: BTreeMap::new() };
        let aliases = log.store().aliases()?;
        for (num, _) in log.store().episodes_of_session(SourceKind::Backstory, CARDS_SESSION)? {
            for event in log.store().events_of(num, 0, u32::MAX)? {
                let (pos, time) = (event.pos, event.time);
                match card_event(&event) {
                    Some(CardEvent::Act(act)) => {
                        let act = in_project(act, &aliases);
                        let what = CardChange::Act { event: event.id, act, text: event.text };
                        judgements.acts.push(CardEntry { time, what });
                    }
                    Some(CardEvent::Exposure(exposure)) => {
                        judgements.exposures.push(Noted { pos, time, what: exposure })
                    }
                    Some(CardEvent::Outcome(outcome)) => judgements.outcomes.push(Noted { pos, time, what: outcome }),
                    None => {}
                }
            }
        }
        judgements.follow_sessions(log)?;
        Ok(judgements)
    }

    fn follow_sessions(&mut self, log: &mut Log) -> Result<(), StoreError> {
        let sessions: BTreeSet<&String> =
            self.exposures.iter().filter_map(|noted| noted.what.session.as_ref()).collect();
        for session in sessions {
            let mut last =
                self.outcomes.iter().filter(|noted| noted.what.session == *session).map(|noted| noted.pos).max();
            for source in SourceKind::HOSTS {
                for (num, _) in log.store().episodes_of_session(source, session)? {
                    last = last.max(log.store().last_pos(num)?);
                }
            }
            if let Some(last) = last {
                self.went_on.insert(session.clone(), last);
            }
        }
        Ok(())
    }

    /// Exposures whose session continued afterwards. Others have no effect yet.
    fn seen(&self) -> impl Iterator<Item = (&Noted<Exposure>, &str)> {
        self.exposures.iter().filter_map(|noted| {
            let session = noted.what.session.as_deref()?;
            let last = self.went_on.get(session)?;
            (*last > noted.pos).then_some((noted, session))
        })
    }

    /// The exposures of these cards, each with its session's outcome. `names` maps former ids of
    /// cards to current ones.
    pub fn shown(
        &self,
        log: &mut Log,
        view: &ViewReader<'_>,
        cards: &HashMap<CardId, CardKind>,
        names: &HashMap<CardId, CardId>,
    ) -> Result<Vec<ExposedCards>, StoreError> {
        let named_now =
            |cards: &[CardId]| cards.iter().map(|card| *names.get(card).unwrap_or(card)).collect::<Vec<_>>();
        let mut known: BTreeMap<&str, SessionOutcome> = BTreeMap::new();
        let mut shown = Vec::new();
        for (noted, session) in self.seen() {
            let exposure = Exposure { cards: named_now(&noted.what.cards), ..noted.what.clone() };
            if !exposure.cards.iter().any(|card| cards.contains_key(card)) {
                continue;
            }
            let came = match known.get(session) {
                Some(came) => came.clone(),
                None => {
                    let came = self.came_of(log, view, session)?;
                    known.insert(session, came.clone());
                    came
                }
            };
            shown.push(ExposedCards { exposure, time: noted.time, came });
        }
        Ok(shown)
    }

    /// A session's outcomes: derived ones, and those that a person recorded.
    pub fn came_of(&self, log: &mut Log, view: &ViewReader<'_>, session: &str) -> Result<SessionOutcome, StoreError> {
        let mut kinds = BTreeSet::new();
        let mut times = Vec::new();
        for source in SourceKind::HOSTS {
            for (num, _) in log.store().episodes_of_session(source, session)? {
                let outcomes = view.outcomes_of(num)?;
                kinds.extend(outcomes.iter().map(|row| row.outcome.kind));
                // They are in the order of the episode.
                if let Some(first) = outcomes.first() {
                    times.push(log.store().event(first.outcome.event)?.and_then(|event| event.time));
                }
            }
        }
        for noted in self.outcomes.iter().filter(|noted| noted.what.session == session) {
            kinds.insert(noted.what.outcome);
            times.push(noted.time);
        }
        Ok(SessionOutcome { first: times.into_iter().min(), kinds })
    }

    /// Cards that a person has promoted to a wider scope.
    pub fn promoted_cards(&self) -> BTreeSet<CardId> {
        let promoted = |entry: &CardEntry| match &entry.what {
            CardChange::Act { act: CardAct::Promote { card, .. }, .. } => Some(*card),
            _ => None,
        };
        self.acts.iter().filter_map(promoted).collect()
    }

    /// Sessions that continued after they got a pack.
    pub fn packed_sessions(&self) -> BTreeSet<&str> {
        let packs = self.seen().filter(|(noted, _)| noted.what.channel == Channel::AutoPack);
        packs.map(|(_, session)| session).collect()
    }

    /// The times of packs that showed cards of this card set.
    pub fn packs_with(&self, is_here: impl Fn(CardId) -> bool) -> Vec<Timestamp> {
        let packs = self.seen().filter(|(noted, _)| noted.what.channel == Channel::AutoPack);
        packs
            .filter(|(noted, _)| noted.what.cards.iter().any(|card| is_here(*card)))
            .filter_map(|(noted, _)| noted.time)
            .collect()
    }
}
