//! Which cards are relevant enough to a prompt to be shown unasked?
//!
//! Very few, because each one interrupts. A card must be clearly about the prompt: by its score, and by words or names
//! that are rare in this memory. Cards learned from tools are shown when their error occurs.

use std::collections::BTreeSet;

use backstory_language::similarity::Comparer;
use backstory_language::text::{Tokenizer, is_stop_word};

use crate::model::{Card, CardSource, CardStatus, ProjectId};
use crate::store::{CardFilter, StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::instructions::InstructionText;
use super::named::NamedInTree;
use super::pack::card_doubt;
use super::relevance::relevances;

/// The least number of distinctive words in both,
const SHARED: usize = 2;
/// unless the work that the card came from has so much more of the prompt than usual.
const BACKGROUND: f32 = 0.1;
/// A word in more than one of this many passages is not distinctive.
const RARE: u32 = 50;
/// A word in this few passages is distinctive in a small memory too.
const FEW: u32 = 4;

/// A card to show with a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptedCard {
    pub card: Card,
    pub relevance: f32,
}

/// Best first. `has` as for [`super::pack`]; `instructions` is what the agent has read already.
pub fn prompted(
    views: &ViewStore,
    project: ProjectId,
    prompt: &str,
    instructions: &str,
    has: &dyn Fn(&NamedInTree) -> Option<bool>,
) -> Result<Vec<PromptedCard>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let rows = view.cards(&CardFilter { project: Some(project), ..CardFilter::default() })?;
    let relevances = relevances(&view, prompt, &rows)?;
    let is_wanted = |card: &Card| card.status.is_open() && is_of_a_person(card.source);
    let mut strong: Vec<(f32, PromptedCard)> = rows
        .into_iter()
        .enumerate()
        .filter(|(at, row)| relevances.is_strong(*at) && is_wanted(&row.card))
        .map(|(at, row)| (relevances.of(at), row.card))
        .map(|(relevance, card)| (relevance.background, PromptedCard { relevance: relevance.score, card }))
        .filter(|(_, found)| found.card.status == CardStatus::Proposed || card_doubt(&found.card, has).is_none())
        .collect();
    if strong.is_empty() {
        return Ok(Vec::new());
    }
    let distinctive = distinctive_words(&view, prompt)?;
    let mut comparer = Comparer::new();
    let instructions = InstructionText::new(instructions, &mut comparer);
    strong.retain(|(background, found)| {
        let words = comparer.words(&found.card.statement);
        let shared = distinctive.iter().filter(|terms| terms.iter().any(|term| words.contains(term))).count();
        let is_clear = shared >= SHARED || *background >= BACKGROUND;
        is_clear && !instructions.has(&found.card.statement, &mut comparer)
    });
    let mut strong: Vec<PromptedCard> = strong.into_iter().map(|(_, found)| found).collect();
    strong.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.card.id.cmp(&b.card.id)));
    Ok(strong)
}

/// Did a person say it, write it down or ask to keep it?
fn is_of_a_person(source: CardSource) -> bool {
    use CardSource::{Attempt, CheckCommand, Correction, Fix, Procedure};
    !matches!(source, CheckCommand | Correction | Procedure | Fix | Attempt)
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
