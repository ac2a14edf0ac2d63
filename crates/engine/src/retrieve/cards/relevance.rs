//! How relevant is a card to a text?
//!
//! Four grounds add up: words of the text that the card has, rare ones more; the cosine of both; names (files, code,
//! settings) in both; and the work that the card came from, which says in many words what the card says in few. A
//! report of a symptom often shares no rare word with the rule that explains it, but several with the talk in which
//! the rule was made. Some words are in every talk, so that counts only as far as it is more than usual.

use std::collections::{BTreeSet, HashMap};

use backstory_language::similarity::{ComparedStatement, Comparer, cosine};

use crate::model::CardId;
use crate::store::{CardRow, Index, StoreError, ViewReader};

use super::super::rank::REPORT_WORDS;
use super::background::Backgrounds;
use super::named::names_in;

/// What each ground counts.
const MEANING: f32 = 0.5;
const BACKGROUND: f32 = 1.5;
const NAME: f32 = 0.15;
const MOST_NAMES: usize = 2;
/// The factor for the other grounds of a card that a person added by hand: it came from no work.
const WITHOUT_BACKGROUND: f32 = 1.3;
/// The factor if one word is all that a card and a longer text have in common.
const ONE_WORD: f32 = 0.5;
const FEW_WORDS: usize = 3;
/// For so many of the best cards the slower grounds are computed.
const LOOKED_AT: usize = 60;
/// For so many the words of the card are weighed one by one.
const WEIGHED: usize = 250;
/// Cards that superseded each other are followed so far.
const LONGEST_CHAIN: usize = 3;
/// A card with a lower score concerns something else. A long report has many words by chance.
const LEAST: f32 = 0.66;
const LEAST_OF_REPORT: f32 = 0.43;
/// A card with a smaller share of the best card's score is only beside the point.
const BESIDE_BEST: f32 = 0.6;
/// To interrupt somebody a card needs so many times the least score, and more of the best one.
const STRONG: f32 = 1.15;
const STRONG_BESIDE_BEST: f32 = 0.75;

/// How relevant a card is, and why. The score is zero for an empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relevance {
    pub score: f32,
    /// The common words, weighed by their rarity, between 0 and 1.
    pub words: f32,
    /// The cosine.
    pub meaning: f32,
    /// How much more of the text the work has that the card came from than such work usually has.
    pub background: f32,
}

/// The relevance of each card, in the order of the rows.
pub struct Relevances {
    each: Vec<Relevance>,
    /// The least score for such a text, and the best of all cards.
    least: f32,
    best: f32,
}

impl Relevances {
    fn new(each: Vec<Relevance>, words: usize) -> Self {
        let best = each.iter().map(|relevance| relevance.score).fold(0.0, f32::max);
        Relevances { each, least: if words < REPORT_WORDS { LEAST } else { LEAST_OF_REPORT }, best }
    }

    pub fn of(&self, at: usize) -> Relevance {
        self.each[at]
    }

    pub fn concerns(&self, at: usize) -> bool {
        self.each[at].score >= self.least.max(BESIDE_BEST * self.best)
    }

    /// Is it worth an interruption?
    pub fn is_strong(&self, at: usize) -> bool {
        self.each[at].score >= (STRONG * self.least).max(STRONG_BESIDE_BEST * self.best)
    }
}

pub fn relevances(view: &ViewReader<'_>, asked: &str, rows: &[CardRow]) -> Result<Relevances, StoreError> {
    let mut comparer = Comparer::new();
    let asked = AskedText { names: names_in(asked), read: comparer.read(asked) };
    if asked.read.words.is_empty() {
        return Ok(Relevances::new(vec![Relevance::default(); rows.len()], 0));
    }
    // Cards are shown even if the index is damaged.
    let index = view.index("").ok();
    let mut rarity = Rarity { index: index.as_ref(), known: HashMap::new() };
    let mut found = asked.by_statement(rows, &mut comparer, &mut rarity);
    let weights = asked.weights(&mut rarity);
    let mut backgrounds = Backgrounds::new(view, index.as_ref(), &weights, rows)?;
    for at in best(&found, LOOKED_AT, |at| found[at].score) {
        let names = asked.names.intersection(&names_in(&rows[at].card.statement)).count().min(MOST_NAMES);
        let relevance = &mut found[at];
        match backgrounds.above_usual(&rows[at].card)? {
            Some(background) => {
                relevance.background = background;
                relevance.score += BACKGROUND * background;
            }
            None => relevance.score *= WITHOUT_BACKGROUND,
        }
        relevance.score += NAME * names as f32;
    }
    pass_on(rows, &mut found);
    Ok(Relevances::new(found, asked.read.words.len()))
}

/// What an outdated card is about its successor is about, too: a later talk need not repeat the names.
fn pass_on(rows: &[CardRow], found: &mut [Relevance]) {
    let places: HashMap<CardId, usize> = rows.iter().enumerate().map(|(at, row)| (row.card.id, at)).collect();
    for _ in 0..LONGEST_CHAIN {
        for (at, row) in rows.iter().enumerate() {
            let Some(old) = row.card.supersedes.and_then(|old| places.get(&old)) else { continue };
            if found[at].score < found[*old].score {
                found[at].score = found[*old].score;
            }
        }
    }
}

/// The statement with the tags of people; other tags are for sorting.
fn text_of(row: &CardRow) -> String {
    let tags = row.card.tags.iter().filter(|tag| !tag.contains(':')).map(String::as_str);
    tags.chain([row.card.statement.as_str()]).collect::<Vec<_>>().join(" ")
}

/// The positions of the best, which have more than nothing.
fn best<T>(all: &[T], most: usize, score: impl Fn(usize) -> f32) -> Vec<usize> {
    let mut places: Vec<usize> = (0..all.len()).filter(|at| score(*at) > 0.0).collect();
    places.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
    places.truncate(most);
    places
}

struct AskedText {
    read: ComparedStatement,
    names: BTreeSet<String>,
}

impl AskedText {
    /// By what the cards themselves say.
    fn by_statement(&self, rows: &[CardRow], comparer: &mut Comparer, rarity: &mut Rarity<'_>) -> Vec<Relevance> {
        let words: Vec<BTreeSet<String>> = rows.iter().map(|row| comparer.words(&text_of(row))).collect();
        let weights = self.weights(rarity);
        let of_card = |card: &BTreeSet<String>| -> f32 {
            weights.iter().filter(|(word, _)| card.contains(word)).map(|(_, weight)| weight).sum()
        };
        let shared: Vec<f32> = words.iter().map(of_card).collect();
        let mut found = vec![Relevance::default(); rows.len()];
        for at in best(&shared, WEIGHED, |at| shared[at] / (words[at].len() as f32).sqrt().max(1.0)) {
            found[at].words = self.likeness(shared[at], &words[at], rarity);
        }
        for (relevance, row) in found.iter_mut().zip(rows) {
            relevance.meaning = cosine(&self.read.vector, &row.vector).max(0.0);
            relevance.score = relevance.words + MEANING * relevance.meaning;
        }
        found
    }

    fn weights(&self, rarity: &mut Rarity<'_>) -> Vec<(String, f32)> {
        self.read.words.iter().map(|word| (word.clone(), rarity.of(word))).collect()
    }

    /// The common weight beside the weight of both texts.
    fn likeness(&self, shared: f32, card: &BTreeSet<String>, rarity: &mut Rarity<'_>) -> f32 {
        let words = &self.read.words;
        let by_chance = words.len() > FEW_WORDS && words.intersection(card).count() == 1;
        let mut all = |words: &BTreeSet<String>| words.iter().map(|word| rarity.of(word)).sum::<f32>();
        let likeness = shared / (all(words) * all(card)).sqrt().max(f32::MIN_POSITIVE);
        if by_chance { ONE_WORD * likeness } else { likeness }
    }
}

/// How much a word says: words that few passages have say more.
struct Rarity<'a> {
    index: Option<&'a Index>,
    known: HashMap<String, f32>,
}

impl Rarity<'_> {
    fn of(&mut self, word: &str) -> f32 {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let (all, with) = match self.index {
            Some(index) => {
                let with = index.words.as_ref().map_or(0, |words| words.docs_with(word.as_bytes()));
                (index.state.live as f32, with as f32)
            }
            None => (0.0, 0.0),
        };
        let weight = ((all + 2.0) / (with + 1.0)).ln().max(0.1);
        self.known.insert(word.to_owned(), weight);
        weight
    }
}
