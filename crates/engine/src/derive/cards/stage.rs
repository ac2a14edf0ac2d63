//! The stage: what do new turns add, and which card sets become stale?

use crate::log::Log;
use crate::model::{CardAct, CardId, Event, Scope};
use crate::store::{Changed, FindingRow, StoreError, ViewTx};

use super::super::Touched;
use super::judgements::{CardEvent, card_event};
use super::{failures, sources};

/// `own`: events of this slice that Backstory itself recorded.
pub fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched], own: &[Event]) -> Result<(), StoreError> {
    let mut marks = Marks::default();
    for event in own {
        marks.add(tx, event)?;
    }
    for episode in touched {
        let rows = findings(log, tx, episode)?;
        let project = episode.episode.project;
        let changed = tx.replace_findings(project, episode.num, episode.first_turn, &rows)?;
        if changed != Changed::Nothing {
            tx.mark_cards_stale(&Scope::repo(project))?;
        }
        if changed == Changed::AlsoFar {
            tx.mark_cards_stale(&Scope::global())?;
        }
        // An exposure counts when its session continues.
        for card in tx.read().exposed_cards(&episode.episode.key.session)? {
            marks.mark_set_of(tx, card)?;
        }
    }
    if marks.all {
        tx.mark_all_cards_stale()?;
    }
    Ok(())
}

fn findings(log: &mut Log, tx: &mut ViewTx<'_>, touched: &Touched) -> Result<Vec<FindingRow>, StoreError> {
    let new = touched.new_turns(log, tx)?;
    let mut rows = Vec::new();
    // Prompts in a sub-agent's run are another agent's words, not a person's.
    for (turn, range) in new.ranges().filter(|_| touched.is_main()) {
        for (seq, found) in sources::of_turn(&new.events[range]) {
            rows.push(FindingRow { episode: touched.num, turn: turn.turn, seq, found });
        }
    }
    rows.extend(failures::fold(log, tx, touched, &new.turns, &new.events)?);
    rows.sort_by_key(|row| (row.turn, row.seq));
    Ok(rows)
}

#[derive(Default)]
struct Marks {
    /// An act concerns a card that is not in any written set yet.
    all: bool,
}

impl Marks {
    fn add(&mut self, tx: &mut ViewTx<'_>, event: &Event) -> Result<(), StoreError> {
        match card_event(event) {
            Some(CardEvent::Act(CardAct::Add { scope, .. })) => tx.mark_cards_stale(&scope),
            Some(CardEvent::Act(act)) => {
                if let Some(card) = act.card() {
                    self.mark_set_of(tx, card)?;
                }
                match act {
                    CardAct::Promote { .. } => tx.mark_cards_stale(&Scope::global()),
                    _ => Ok(()),
                }
            }
            Some(CardEvent::Exposure(exposure)) => {
                // Being shown changes no card set until the session continues.
                let Some(session) = &exposure.session else { return Ok(()) };
                exposure.cards.iter().try_for_each(|card| tx.put_exposed(session, *card))
            }
            Some(CardEvent::Outcome(_)) => {
                self.all = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn mark_set_of(&mut self, tx: &mut ViewTx<'_>, card: CardId) -> Result<(), StoreError> {
        match tx.read().card(card)? {
            Some(row) => tx.mark_cards_stale(&row.card.scope)?,
            None => self.all = true,
        }
        Ok(())
    }
}
