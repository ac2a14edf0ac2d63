//! How much of a text does the work have that a card came from?
//!
//! A card is one sentence; the talk in which it was made says what it is about in many others. Of a conversation every
//! turn counts, of other work the turn in which the card was found.

use std::collections::HashMap;

use crate::model::{Card, Found};
use crate::store::index::Field;
use crate::store::{EpisodeNum, Index, StoreError, ViewReader};

/// BM25: how soon repetition stops to matter, how much length does.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// The terms of a usual conversation.
const USUAL_LENGTH: f32 = 500.0;
/// A card that was found in more places says little about each.
const MOST_PLACES: usize = 4;

/// Turns of an episode.
type TurnRange = (EpisodeNum, u32, u32);

pub(super) struct Backgrounds<'a> {
    view: &'a ViewReader<'a>,
    index: Option<&'a Index>,
    known: HashMap<TurnRange, f32>,
}

impl<'a> Backgrounds<'a> {
    pub fn new(view: &'a ViewReader<'a>, index: Option<&'a Index>) -> Self {
        Backgrounds { view, index, known: HashMap::new() }
    }

    /// Between 0 and 1; the best of the card's places. `None` if it has none.
    pub fn share(&mut self, card: &Card, weights: &[(String, f32)]) -> Result<Option<f32>, StoreError> {
        let mut best: Option<f32> = None;
        for place in self.places(card)? {
            let share = match self.known.get(&place) {
                Some(known) => *known,
                None => self.share_of(place, weights)?,
            };
            self.known.insert(place, share);
            best = Some(best.unwrap_or(0f32).max(share));
        }
        Ok(best)
    }

    fn places(&self, card: &Card) -> Result<Vec<TurnRange>, StoreError> {
        let mut places: Vec<TurnRange> = Vec::new();
        for row in self.view.ledger_of_card(card.id)? {
            let Some(episode) = row.episode.filter(|_| places.len() < MOST_PLACES) else { continue };
            let findings = self.view.findings_of_episode(episode)?;
            let found = findings.iter().find(|found| is_of(&found.found, &row.statement));
            let of_row = match found.map(|found| found.turn) {
                Some(turn) => vec![self.place(episode, turn)?],
                None => self.talks(episode)?,
            };
            for place in of_row {
                if !places.contains(&place) && places.len() < MOST_PLACES {
                    places.push(place);
                }
            }
        }
        Ok(places)
    }

    /// The turn, or the whole conversation that it belongs to.
    fn place(&self, episode: EpisodeNum, turn: u32) -> Result<TurnRange, StoreError> {
        let case = self.view.case_of_turn(episode, turn)?.filter(|row| row.case.is_talk);
        Ok(case.map_or((episode, turn, turn), |row| (episode, row.case.first_turn, row.case.last_turn)))
    }

    /// The conversations of an episode: a statement that stands in no turn as it is was made of one of them.
    fn talks(&self, episode: EpisodeNum) -> Result<Vec<TurnRange>, StoreError> {
        let cases = self.view.cases_of(episode)?.into_iter().filter(|row| row.case.is_talk);
        Ok(cases.map(|row| (episode, row.case.first_turn, row.case.last_turn)).collect())
    }

    fn share_of(&self, (episode, first, last): TurnRange, weights: &[(String, f32)]) -> Result<f32, StoreError> {
        let Some((index, words)) = self.index.and_then(|index| Some((index, index.words.as_ref().ok()?))) else {
            return Ok(0.0);
        };
        let rows = self.view.passages_from(episode, first)?;
        let of_turns = rows.iter().filter(|row| row.turn <= last);
        let docs = of_turns.flat_map(|row| row.first..row.first + row.count);
        let mut docs: Vec<u32> = docs.filter(|doc| index.docs.is_prose(*doc)).collect();
        docs.sort_unstable();
        let said =
            |counts: &[u16]| f32::from(counts[Field::Content as usize]) + f32::from(counts[Field::Tail as usize]);
        let length: f32 = docs.iter().map(|doc| said(&index.docs.lengths(*doc))).sum();
        let (mut shared, mut all) = (0.0, 0.0);
        for (word, weight) in weights {
            let mut count = 0.0;
            words.postings_of(word.as_bytes(), &docs, |posting| count += said(&posting.counts));
            shared += weight * count / (count + K1 * (1.0 - B + B * length / USUAL_LENGTH));
            all += weight;
        }
        Ok(if all > 0.0 { shared / all } else { 0.0 })
    }
}

fn is_of(found: &Found, statement: &str) -> bool {
    matches!(found, Found::Candidate(candidate) if candidate.statement() == statement)
}
