//! Which documents contain these terms, and how well do they match? (BM25)
//!
//! Counts are stored as BM25F needs them: normalised by length and summed over the fields, so a query only has to
//! saturate them.

use bytemuck::{Pod, Zeroable};

use crate::flat::{Flat, FlatBuilder};
use crate::terms::{Bag, Term};

/// A document's bag in one field, with the field's weight.
pub struct WeightedBag<'a> {
    pub bag: &'a Bag,
    pub weight: f32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TermPosting {
    pub document: u32,
    pub weight: f32,
}

/// Collects the terms of documents.
pub struct PostingRows {
    rows: Vec<(Term, u32, f32)>,
    documents: usize,
}

impl PostingRows {
    /// Documents that all have the same fields. `b` says how much a document's length matters.
    pub fn of_documents(documents: &[Vec<WeightedBag<'_>>], b: f32) -> Self {
        let fields = documents.first().map_or(0, Vec::len);
        let mean: Vec<f32> = (0..fields).map(|field| mean_length(documents, field)).collect();
        let mut rows: Vec<(Term, u32, f32)> = Vec::new();
        for (id, document) in (0u32..).zip(documents) {
            for (field, mean) in document.iter().zip(&mean) {
                let share = if *mean > 0.0 { field.bag.length() / mean } else { 1.0 };
                let factor = field.weight / (1.0 - b + b * share);
                rows.extend(field.bag.terms.iter().map(|&(term, count)| (term, id, count * factor)));
            }
        }
        Self { rows, documents: documents.len() }
    }

    /// Weights that are already normalised.
    pub fn new(rows: Vec<(Term, u32, f32)>, documents: usize) -> Self {
        Self { rows, documents }
    }

    /// Writes sections whose names begin with `name`, of at most six bytes.
    pub fn write(mut self, name: &str, out: &mut FlatBuilder) {
        self.rows.sort_unstable_by_key(|&(term, id, _)| (term, id));
        let (mut terms, mut ends) = (Vec::new(), Vec::new());
        let mut entries: Vec<TermPosting> = Vec::with_capacity(self.rows.len());
        for rows in self.rows.chunk_by(|a, b| a.0 == b.0) {
            let of_documents = rows.chunk_by(|a, b| a.1 == b.1);
            entries.extend(
                of_documents
                    .map(|rows| TermPosting { document: rows[0].1, weight: rows.iter().map(|row| row.2).sum::<f32>() }),
            );
            terms.push(rows[0].0.0);
            ends.push(entries.len() as u32);
        }
        out.rows(&format!("{name}.t"), &terms);
        out.rows(&format!("{name}.e"), &ends);
        out.rows(&format!("{name}.p"), &entries);
        out.rows(&format!("{name}.n"), &[self.documents as u32]);
    }
}

/// The inverse document frequency of a term that `holding` of the documents contain.
pub fn rarity(documents: usize, holding: usize) -> f32 {
    let (documents, holding) = (documents as f32, holding as f32);
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

fn mean_length(documents: &[Vec<WeightedBag<'_>>], field: usize) -> f32 {
    documents.iter().map(|document| document[field].bag.length()).sum::<f32>() / documents.len().max(1) as f32
}

/// An inverted index.
#[derive(Clone, Copy)]
pub struct TermPostings<'a> {
    terms: &'a [u32],
    /// The end of each term's entries.
    ends: &'a [u32],
    entries: &'a [TermPosting],
    documents: usize,
}

impl<'a> TermPostings<'a> {
    pub fn read(flat: &'a Flat, name: &str) -> Self {
        let documents = flat.rows::<u32>(&format!("{name}.n")).first().map_or(0, |count| *count as usize);
        Self {
            terms: flat.rows(&format!("{name}.t")),
            ends: flat.rows(&format!("{name}.e")),
            entries: flat.rows(&format!("{name}.p")),
            documents,
        }
    }

    /// The documents that hold `term`, with their weights.
    pub fn list(&self, term: Term) -> &'a [TermPosting] {
        let Ok(at) = self.terms.binary_search(&term.0) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.entries.get(start..self.ends[at] as usize).unwrap_or_default()
    }

    /// The inverse document frequency of `term`.
    pub fn rarity(&self, term: Term) -> f32 {
        rarity(self.documents, self.list(term).len())
    }

    /// The score of every document.
    pub fn score(&self, query: &Bag, k1: f32) -> Vec<f32> {
        let mut scores = vec![0.0; self.documents];
        for &(term, weight) in &query.terms {
            let gain = weight * self.rarity(term) * (k1 + 1.0);
            for posting in self.list(term) {
                if let Some(score) = scores.get_mut(posting.document as usize) {
                    *score += gain * posting.weight / (k1 + posting.weight);
                }
            }
        }
        scores
    }
}
