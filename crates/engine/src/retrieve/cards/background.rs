//! How much of a text does the work have that a card came from?
//!
//! A card is one sentence; the talk in which it was made says what it is about in many others. Of a conversation every
//! turn counts, of other work the turn in which the card was found.

use std::collections::HashMap;

use crate::model::{Card, Found};
use crate::store::index::Field;
use crate::store::{CardRow, CaseRow, EpisodeNum, Index, StoreError, ViewReader};

/// BM25: how soon repetition stops to matter, how much length does.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// The terms of a usual conversation.
const USUAL_LENGTH: f32 = 500.0;
/// Before any work is known, it has this share of a text by chance, as if so many had been seen.
const BY_CHANCE: f32 = 0.08;
const AS_IF_SEEN: f32 = 5.0;
/// So many cards show what is usual.
const SAMPLE: usize = 60;
/// A card that was found in more places says little about each.
const MOST_PLACES: usize = 4;

/// Where a card came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    episode: EpisodeNum,
    turns: (u32, u32),
    extent: PlaceExtent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PlaceExtent {
    Turn,
    /// A whole conversation.
    Talk,
}

pub(super) struct Backgrounds<'a> {
    view: &'a ViewReader<'a>,
    index: Option<&'a Index>,
    /// The words of the text.
    weights: &'a [(String, f32)],
    known: HashMap<Place, f32>,
    /// What a turn, and a conversation, usually has of the text.
    usual: [f32; 2],
}

impl<'a> Backgrounds<'a> {
    /// Looks at some of the cards, to know what is usual.
    pub fn new(
        view: &'a ViewReader<'a>,
        index: Option<&'a Index>,
        weights: &'a [(String, f32)],
        rows: &[CardRow],
    ) -> Result<Self, StoreError> {
        let mut out = Backgrounds { view, index, weights, known: HashMap::new(), usual: [BY_CHANCE; 2] };
        let mut seen: [Vec<f32>; 2] = Default::default();
        for row in rows.iter().step_by(rows.len().div_ceil(SAMPLE).max(1)) {
            for place in out.places(&row.card)? {
                seen[place.extent as usize].push(out.share(place)?);
            }
        }
        out.usual = seen
            .map(|shares| (shares.iter().sum::<f32>() + AS_IF_SEEN * BY_CHANCE) / (shares.len() as f32 + AS_IF_SEEN));
        Ok(out)
    }

    /// How much more of the text the card's work has than usual, the best of its places; `None` if it has none.
    pub fn above_usual(&mut self, card: &Card) -> Result<Option<f32>, StoreError> {
        let mut best: Option<f32> = None;
        for place in self.places(card)? {
            let above = self.share(place)? - self.usual[place.extent as usize];
            best = Some(best.unwrap_or(above).max(above));
        }
        Ok(best)
    }

    fn share(&mut self, place: Place) -> Result<f32, StoreError> {
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        let share = self.share_of(place)?;
        self.known.insert(place, share);
        Ok(share)
    }

    fn places(&self, card: &Card) -> Result<Vec<Place>, StoreError> {
        let mut places: Vec<Place> = Vec::new();
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
    fn place(&self, episode: EpisodeNum, turn: u32) -> Result<Place, StoreError> {
        let case = self.view.case_of_turn(episode, turn)?.filter(|row| row.case.is_talk);
        let turn = Place { episode, turns: (turn, turn), extent: PlaceExtent::Turn };
        Ok(case.as_ref().map_or(turn, talk))
    }

    /// The conversations of an episode: a statement that stands in no turn as it is was made of one of them.
    fn talks(&self, episode: EpisodeNum) -> Result<Vec<Place>, StoreError> {
        let cases = self.view.cases_of(episode)?.into_iter().filter(|row| row.case.is_talk);
        Ok(cases.map(|row| talk(&row)).collect())
    }

    fn share_of(&self, Place { episode, turns: (first, last), .. }: Place) -> Result<f32, StoreError> {
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
        for (word, weight) in self.weights {
            let mut count = 0.0;
            words.postings_of(word.as_bytes(), &docs, |posting| count += said(&posting.counts));
            shared += weight * count / (count + K1 * (1.0 - B + B * length / USUAL_LENGTH));
            all += weight;
        }
        Ok(if all > 0.0 { shared / all } else { 0.0 })
    }
}

fn talk(row: &CaseRow) -> Place {
    let turns = (row.case.first_turn, row.case.last_turn);
    Place { episode: row.episode, turns, extent: PlaceExtent::Talk }
}

fn is_of(found: &Found, statement: &str) -> bool {
    matches!(found, Found::Candidate(candidate) if candidate.statement() == statement)
}
