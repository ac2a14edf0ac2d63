//! The documents that would have been shown, and the stated certainty.

use backstory_cause::digest::Reader;
use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{CausalRetrieval, DocumentFate, Mode, RelevanceWeights, RetrievalOptions, retrieve};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::EvalResult;
use super::gold::Gold;
use super::metrics::{DEPTH, Quality};
use super::rows::ReportRow;

/// The ways of asking, in the order of [`ShownDocuments::ways`].
pub const WAYS: [&str; 4] = ["balanced, ten", "recall", "tie alone", "thirds"];

#[derive(Serialize, Deserialize)]
pub struct ShownDocuments {
    pub ways: Vec<Documents>,
    /// The list of files that comes with the documents: the shipped weights.
    pub files: Quality,
    /// The list of functions.
    pub functions: Quality,
    /// The lead of the best file over the second: 1 - second / first. None if nothing matches.
    pub lead: Option<f64>,
    /// The candidate answers: the stated probability, and whether it is part of the fix.
    pub answers: Vec<(f64, bool)>,
    /// The same for the first document.
    pub first: Option<(f64, bool)>,
    /// The stated probability that the cause is among the first five documents, and whether one of them is part of the
    /// fix.
    pub five: (f64, bool),
    /// The fate, by name, of each function of the fix that is among the first ten functions.
    pub fates: Vec<String>,
}

/// The documents of one way of asking.
#[derive(Serialize, Deserialize)]
pub struct Documents {
    pub count: usize,
    /// Their files, each once, in the order of the documents.
    pub files: Quality,
    /// The functions among them.
    pub functions: Quality,
}

fn ways() -> [RetrievalOptions; WAYS.len()] {
    let weights = |information, counterfactual, chain| RelevanceWeights {
        information_contribution: information,
        counterfactual_impact: counterfactual,
        causal_chain_strength: chain,
    };
    let balanced = RetrievalOptions { max_docs: Some(DEPTH), ..RetrievalOptions::default() };
    [
        balanced.clone(),
        RetrievalOptions { mode: Mode::Recall, ..RetrievalOptions::default() },
        RetrievalOptions { weights: weights(0.0, 0.0, 1.0), ..balanced.clone() },
        RetrievalOptions { weights: weights(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), ..balanced },
    ]
}

pub fn shown(row: &ReportRow, codebase: &Codebase<'_>, gold: &Gold, reader: &mut Reader) -> EvalResult<ShownDocuments> {
    let judge = Judge { row, codebase, gold };
    let mut ways_shown = Vec::new();
    let mut first = None;
    for options in ways() {
        let retrieval = retrieve(codebase, reader, &row.query, &mut (), None, &options, None)?;
        ways_shown.push(judge.documents(&retrieval));
        first.get_or_insert(retrieval);
    }
    let Some(retrieval) = first else { return Err("there are no ways of asking".into()) };
    let right = |path: &str, name: &str, lines: (u32, u32)| judge.is_gold(path, name, lines);
    let answers = retrieval.answers.iter();
    Ok(ShownDocuments {
        ways: ways_shown,
        files: judge.files(retrieval.files.iter().map(|file| file.path.as_str())),
        functions: judge.functions(retrieval.functions.iter().map(|(path, name, lines)| judge.at(path, name, *lines))),
        lead: match &retrieval.files[..] {
            [first, second, ..] if first.score > 0.0 => Some(f64::from(1.0 - second.score / first.score)),
            _ => None,
        },
        answers: answers
            .map(|(answer, share)| (f64::from(*share), right(&answer.path, &answer.name, answer.lines)))
            .collect(),
        first: retrieval.documents.first().and_then(|first| {
            let (document, stated) = (&first.document, first.relevance.confidence.value()?);
            let (path, lines) = (document.path.as_deref()?, document.lines?);
            Some((f64::from(stated), right(path, &document.name, lines)))
        }),
        five: (f64::from(retrieval.stated.unwrap_or(0.0)), judge.documents(&retrieval).functions.five > 0.0),
        fates: judge.fates(&retrieval),
    })
}

struct Judge<'a, 'p> {
    row: &'a ReportRow,
    codebase: &'a Codebase<'p>,
    gold: &'a Gold,
}

impl Judge<'_, '_> {
    fn documents(&self, retrieval: &CausalRetrieval) -> Documents {
        let documents = retrieval.documents.iter().map(|ranked| &ranked.document);
        let mut seen = FxHashSet::default();
        let paths = documents.clone().filter_map(|document| document.path.as_deref());
        let functions = documents.map(|document| {
            let entity = document.entity.and_then(|number| self.codebase.tree.entity(number));
            entity.and_then(|entity| entity.function).map(|function| function as usize)
        });
        Documents {
            count: retrieval.documents.len(),
            files: self.files(paths.filter(|path| seen.insert(*path))),
            functions: self.functions(functions),
        }
    }

    fn files<'t>(&self, paths: impl Iterator<Item = &'t str>) -> Quality {
        let gold = &self.row.gold_files;
        Quality::of(paths, gold.len(), |path, at| gold[at] == *path)
    }

    /// A document that is not a function takes a rank too.
    fn functions(&self, functions: impl Iterator<Item = Option<usize>>) -> Quality {
        let gold = &self.gold.functions;
        Quality::of(functions, gold.len(), |at, of| at.is_some_and(|at| gold[of].contains(&at)))
    }

    fn fates(&self, retrieval: &CausalRetrieval) -> Vec<String> {
        let best = retrieval.functions.iter().take(DEPTH);
        let gold = best.filter(|(path, name, lines)| self.is_gold(path, name, *lines));
        let fate = |(path, name, lines): &(String, String, (u32, u32))| {
            let left = retrieval.left_out.iter().find(|left| {
                let document = &left.document;
                document.path.as_ref() == Some(path) && document.name == *name && document.lines == Some(*lines)
            });
            match left.map(|left| &left.fate) {
                None | Some(DocumentFate::Retrieved { .. }) => "shown",
                Some(DocumentFate::Weak { .. }) => "too weak",
                Some(DocumentFate::Redundant { .. }) => "redundant with another",
                Some(DocumentFate::SameFile) => "others of its file stand before it",
                Some(DocumentFate::BeyondLimit { .. } | DocumentFate::Crowded { .. }) => "beyond the limit",
            }
        };
        gold.map(|function| fate(function).to_owned()).collect()
    }

    fn is_gold(&self, path: &str, name: &str, lines: (u32, u32)) -> bool {
        self.at(path, name, lines).is_some_and(|at| self.gold.functions.iter().any(|matching| matching.contains(&at)))
    }

    /// The index of a function among all of the tree.
    fn at(&self, path: &str, name: &str, lines: (u32, u32)) -> Option<usize> {
        let tree = self.codebase.tree;
        let mut inside = tree.functions_of(tree.paths().exact(path)?);
        inside.find(|&at| {
            let entity = tree.function(at);
            entity.is_some_and(|entity| entity.qualified == name && (entity.first_line, entity.last_line) == lines)
        })
    }
}
