//! How relevant is a card to a question? Scored by words and by meaning.

use std::collections::{BTreeSet, HashMap};

use backstory_language::similarity::{Comparer, cosine};

use crate::store::CardRow;

/// Between 0 and 1 for each card; 0 for an empty question.
pub fn relevances(asked: &str, rows: &[CardRow]) -> Vec<f32> {
    let mut comparer = Comparer::new();
    let wanted = comparer.read(asked);
    if wanted.words.is_empty() {
        return vec![0.0; rows.len()];
    }
    let words: Vec<BTreeSet<String>> = rows
        .iter()
        .map(|row| {
            // Only tags from people, not those used for sorting.
            let tags = row.card.tags.iter().filter(|tag| !tag.contains(':')).map(String::as_str);
            comparer.words(&tags.chain([row.card.statement.as_str()]).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let rarity = rarity(&words);
    let relevance = |(row, words): (&CardRow, &BTreeSet<String>)| {
        0.6 * overlap(&wanted.words, words, &rarity) + 0.4 * cosine(&wanted.vector, &row.vector).max(0.0)
    };
    rows.iter().zip(&words).map(relevance).collect()
}

/// Words that few cards have weigh more.
fn rarity(cards: &[BTreeSet<String>]) -> HashMap<String, f32> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in cards.iter().flatten() {
        *counts.entry(word.clone()).or_default() += 1;
    }
    let all = cards.len() as f32;
    counts.into_iter().map(|(word, count)| (word, (1.0 + all / count as f32).ln())).collect()
}

/// The share of the wanted words that a card has.
fn overlap(wanted: &BTreeSet<String>, words: &BTreeSet<String>, rarity: &HashMap<String, f32>) -> f32 {
    // Words that no card has are distinctive, but no card can match them.
    let weight = |word: &String| rarity.get(word).copied().unwrap_or(0.5);
    let shared: f32 = wanted.intersection(words).map(weight).sum();
    let of_card: f32 = words.iter().map(weight).sum();
    let of_task: f32 = wanted.iter().map(weight).sum();
    if shared == 0.0 { 0.0 } else { (shared / of_card.min(of_task).max(1e-6)).min(1.0) }
}
