//! What is worth remembering?
//!
//! 1. [`sources`]: what does a turn add? Statements with their evidence, by where
//!    they were said and what tools proved.
//! 2. [`failures`]: what went wrong in an episode, and what became of it?
//! 3. [`habits`]: what did several sessions do alike?
//! 4. [`card_set`]: which of them become cards? One card set per repository, and one for
//!    the cards that reach further.
//! 5. [`invalidated`]: which of them rest on something that has fallen?
//! 6. [`prohibitions`]: for which actions has a card to be looked at?
//!
//! Findings are folded turn by turn like every other stage. A card set cannot be: what
//! is admitted depends on everything before it in time, wherever it stands in the
//! log. So the fold marks card sets that are out of date, and [`rewrite`] writes them
//! anew when everything is folded.

pub mod card_set;
pub mod failures;
mod habits;
mod invalidated;
pub mod judgements;
pub mod prohibitions;
mod rewrite;
pub mod sources;

use backstory_language::text::{Tokenizer, is_stop_word};

use crate::log::Log;
use crate::model::{Act, CardId, Event, Scope};
use crate::store::{Changed, FindingRow, StoreError, ViewTx};

use super::Touched;
use judgements::{CardEvent, card_event};

pub use rewrite::rewrite_stale;

pub const NAME: &str = "cards";
pub const VERSION: u32 = 6;

/// The domain of cards that count in all of a person's repositories of a kind;
/// as long as nobody names domains there is one.
pub const DEFAULT_DOMAIN: &str = "repositories";

/// `own`: events of Backstory's own in this slice.
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
        // What was shown to a session counts when the session goes on.
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
    for (turn, range) in new.ranges() {
        for (seq, found) in sources::of_turn(&new.events[range], touched.is_main()) {
            rows.push(FindingRow { episode: touched.num, turn: turn.turn, seq, found });
        }
    }
    rows.extend(failures::fold(log, tx, touched, &new.turns, &new.events)?);
    rows.sort_by_key(|row| (row.turn, row.seq));
    Ok(rows)
}

/// Which card sets are out of date?
#[derive(Default)]
struct Marks {
    /// Something is about a card that is in a card set still to be written.
    all: bool,
}

impl Marks {
    fn add(&mut self, tx: &mut ViewTx<'_>, event: &Event) -> Result<(), StoreError> {
        match card_event(event) {
            Some(CardEvent::Act(Act::Add { scope, .. })) => tx.mark_cards_stale(&scope),
            Some(CardEvent::Act(act)) => {
                if let Some(card) = act.card() {
                    self.mark_set_of(tx, card)?;
                }
                match act {
                    Act::Promote { .. } => tx.mark_cards_stale(&Scope::global()),
                    _ => Ok(()),
                }
            }
            Some(CardEvent::Exposure(exposure)) => {
                // Whatever it may come to, it has not yet: being shown changes no card set.
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

/// What a statement is about, where nothing better says it: its first word that
/// looks like code, or its first words that tell something.
pub fn topic_of(statement: &str) -> String {
    const MINDS: [&str; 14] = [
        "always", "never", "must", "should", "use", "prefer", "don", "dont", "avoid", "please", "make", "sure",
        "remember", "only",
    ];
    let code = statement.split('`').nth(1).filter(|code| !code.trim().is_empty());
    if let Some(code) = code {
        return code.split_whitespace().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
    }
    let terms = Tokenizer::new().strings(statement);
    let telling = terms.into_iter().filter(|term| !is_stop_word(term) && !MINDS.contains(&term.as_str()));
    telling.take(2).collect::<Vec<_>>().join(" ")
}
