//! What was said and done before: about the question, and about places that may be its cause.

use super::super::chain::{CausalChainLink, CausalNode, CausalRelationship, NodeType};
use super::super::document::{CodeLocation, Document, DocumentKind, Remembered};
use super::{DocumentCandidate, EXPLAINS, Gather, Way, document_link};
use crate::tree::FileNum;

/// At most this many places are looked up in the memory.
const PLACES: usize = 5;

impl Gather<'_, '_> {
    /// Adds memories; returns how many were considered.
    pub fn memories(&mut self) -> usize {
        let places = self.best_places();
        let mut remembered = self.memory.of_question();
        remembered.extend(self.memory.of_locations(&places));
        for one in &remembered {
            self.add_remembered(one);
        }
        remembered.len()
    }

    /// The named entities, then those with the strongest ties.
    fn best_places(&self) -> Vec<CodeLocation> {
        let named = self
            .named()
            .filter_map(|number| self.codebase.tree.entity(number))
            .map(|entity| CodeLocation::of(self.codebase.tree, &entity));
        let mut tied: Vec<&DocumentCandidate> =
            self.found.iter().filter(|candidate| candidate.document.kind == DocumentKind::Code).collect();
        tied.sort_by(|a, b| b.tie.total_cmp(&a.tie));
        let tied = tied.iter().filter_map(|candidate| self.codebase.tree.entity(candidate.document.entity?));
        let mut places: Vec<CodeLocation> = Vec::new();
        for place in named.chain(tied.map(|entity| CodeLocation::of(self.codebase.tree, &entity))) {
            if places.len() < PLACES && places.iter().all(|known| known.id != place.id) {
                places.push(place);
            }
        }
        places
    }

    fn add_remembered(&mut self, remembered: &Remembered) {
        let document = Document {
            id: remembered.id.clone(),
            kind: remembered.kind,
            name: remembered.name.clone(),
            path: None,
            lines: None,
            line: None,
            text: remembered.text.clone(),
            citation: remembered.citation.clone(),
            written_by: remembered.written_by,
            entity: None,
        };
        let place = remembered.about.as_ref().and_then(|id| self.by_id.get(id)).map(|at| &self.found[*at]);
        let files = match place {
            Some(place) => place.files.clone(),
            None => self.files_said(remembered),
        };
        let tie = EXPLAINS * remembered.score.clamp(0.0, 1.0) * place.map_or(1.0, |place| place.tie.clamp(0.0, 1.0));
        let relationship = match remembered.kind {
            _ if remembered.constrains => CausalRelationship::Constrains,
            DocumentKind::Decision => CausalRelationship::Modifies,
            _ => CausalRelationship::Contextualizes,
        };
        let link = document_link(&document, relationship, tie, &remembered.what);
        let chain = match place {
            Some(place) => place.chain.iter().cloned().chain([from_place(place, link)]).collect(),
            None => vec![link],
        };
        let said = remembered.text.trim().to_owned();
        self.add(DocumentCandidate::of_text(document, tie, Way::Memory, chain, files, said));
    }

    /// The files that the memory touched or names.
    fn files_said(&self, remembered: &Remembered) -> Vec<FileNum> {
        let words = remembered.text.split(|c: char| c.is_whitespace() || "`'\"()[],;".contains(c));
        let said = words.filter(|word| word.contains('.') && word.len() < 200);
        let paths = remembered.files.iter().map(String::as_str).chain(said);
        let meant = paths.flat_map(|path| self.codebase.tree.paths().ending_like(path.trim_start_matches("./")));
        let mut files: Vec<FileNum> = meant.filter(|(_, agreed)| *agreed > 0).map(|(file, _)| file).collect();
        files.sort_unstable();
        files.dedup();
        files.truncate(8);
        files
    }
}

/// The same link, seen from the place that it is about.
fn from_place(place: &DocumentCandidate, link: CausalChainLink) -> CausalChainLink {
    let document = &place.document;
    let from = CausalNode { kind: NodeType::Document, id: document.id.clone(), label: document.name.clone() };
    CausalChainLink { from, against: true, ..link }
}
