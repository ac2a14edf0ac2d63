//! Which cards are relevant enough to a prompt to be shown unasked?
//!
//! Very few, because each one interrupts the user. A card must come from a person, and share words with the prompt that
//! are rare in this memory. Cards learned from tools are shown when their error occurs.

use std::collections::BTreeSet;

use backstory_language::text::{Tokenizer, is_stop_word};

use crate::model::{Card, CardKind, CardSource, ProjectId};
use crate::store::{StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::named::NamedInTree;
use super::pack::card_doubt;
use super::relevance::relevances;
use super::usable;

/// A card with a lower score is not relevant enough to interrupt anybody.
const STRONG: f32 = 0.5;
/// The least number of distinctive words in both.
const SHARED: usize = 2;
/// In a long prompt, two match by chance.
const SHARED_OF_LONG: usize = 4;
const LONG: usize = 60;
/// A word in more than one of this many passages is not distinctive.
const RARE: u32 = 50;
/// A word in this few passages is distinctive in a small memory too.
const FEW: u32 = 4;

/// Best first. `has` as for [`super::pack`].
pub fn prompted(
    views: &ViewStore,
    project: ProjectId,
    prompt: &str,
    has: &dyn Fn(&NamedInTree) -> Option<bool>,
) -> Result<Vec<Card>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let rows = usable(&view, Some(project))?;
    let relevances = relevances(prompt, &rows);
    // Constraints and commitments were shown at the session start.
    let is_told = |card: &Card| matches!(card.kind, CardKind::Constraint | CardKind::Commitment);
    let wanted = |card: &Card| is_of_a_person(card.source) && !is_told(card);
    let mut strong: Vec<(f32, Card)> = rows
        .into_iter()
        .zip(relevances)
        .filter(|(row, relevance)| *relevance >= STRONG && wanted(&row.card))
        .map(|(row, relevance)| (relevance, row.card))
        .filter(|(_, card)| card_doubt(card, has).is_none())
        .collect();
    if strong.is_empty() {
        return Ok(Vec::new());
    }
    let distinctive = distinctive_words(&view, prompt)?;
    let needed = if prompt.split_whitespace().count() > LONG { SHARED_OF_LONG } else { SHARED };
    let mut tokenizer = Tokenizer::new();
    strong.retain(|(_, card)| {
        let words: BTreeSet<String> = tokenizer.strings(&card.statement).into_iter().collect();
        distinctive.iter().filter(|terms| terms.iter().any(|term| words.contains(term))).count() >= needed
    });
    strong.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
    Ok(strong.into_iter().map(|(_, card)| card).collect())
}

/// Did a person say it, write it down or ask to keep it?
fn is_of_a_person(source: CardSource) -> bool {
    source.is_said() || matches!(source, CardSource::Remembered | CardSource::Instructions | CardSource::Import)
}

/// The terms of each word of the prompt that is rare in this memory.
fn distinctive_words(view: &ViewReader<'_>, prompt: &str) -> Result<BTreeSet<Vec<String>>, StoreError> {
    let index = view.index("")?;
    let Ok(words) = &index.words else { return Ok(BTreeSet::new()) };
    let most = (index.state.live / RARE).max(FEW);
    let mut tokenizer = Tokenizer::new();
    let mut distinctive = BTreeSet::new();
    for word in prompt.split_whitespace() {
        let terms = tokenizer.strings(word).into_iter();
        let rare = terms.filter(|term| !is_stop_word(term) && words.docs_with(term.as_bytes()) <= most);
        let rare: Vec<String> = rare.collect();
        if !rare.is_empty() {
            distinctive.insert(rare);
        }
    }
    Ok(distinctive)
}
