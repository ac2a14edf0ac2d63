//! The stage: what do new turns add, and which card sets become stale?

use crate::log::Log;
use crate::model::{CardAct, CardId, Event, Scope};
use crate::store::{CaseRow, Changed, FindingOrigin, FindingRow, StoreError, ViewTx};

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
        let place = (episode.num, episode.first_turn);
        let changed = tx.replace_findings(FindingOrigin::Turn, project, place, &rows)?;
        let changed_cases = replace_case_findings(log, tx, episode)?;
        if changed != Changed::Nothing || changed_cases != Changed::Nothing {
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

/// What whole cases add, from the first one on that the new turns may have changed.
fn replace_case_findings(log: &mut Log, tx: &mut ViewTx<'_>, touched: &Touched) -> Result<Changed, StoreError> {
    if !touched.is_main() {
        return Ok(Changed::Nothing);
    }
    let from = first_changed_case(tx, touched)?;
    let mut cases = tx.read().cases_of(touched.num)?;
    cases.retain(|row| row.case.first_turn >= from);
    let mut rows = Vec::new();
    if let Some(first) = cases.first() {
        let turns = touched.turns_from(log, tx, first.case.first_turn)?;
        for CaseRow { case, .. } in &cases {
            let last = |turn: u32| turn <= case.last_turn;
            let of_case = turns.ranges().filter(|(row, _)| row.turn >= case.first_turn && last(row.turn));
            let ranges: Vec<_> = of_case.map(|(_, range)| range).collect();
            let (Some(start), Some(end)) = (ranges.first(), ranges.last()) else { continue };
            for (seq, found) in sources::of_case(case, &turns.events[start.start..end.end]) {
                rows.push(FindingRow { episode: touched.num, turn: case.first_turn, seq, found });
            }
        }
    }
    tx.replace_findings(FindingOrigin::Case, touched.episode.project, (touched.num, from), &rows)
}

/// A turn that grew may also have left the case before it.
fn first_changed_case(tx: &ViewTx<'_>, touched: &Touched) -> Result<u32, StoreError> {
    let mut from = touched.first_turn;
    for _ in 0..2 {
        let before = from.saturating_sub(1);
        from = tx.read().case_of_turn(touched.num, before)?.map_or(before, |row| row.case.first_turn);
    }
    Ok(from)
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
