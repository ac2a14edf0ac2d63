//! Collects and combines the candidates.

use std::path::Path;

use backstory_code::EntityKind;
use rustc_hash::FxHashMap;

use super::super::analysis::{QueryAnalysis, QuestionIntent};
use super::super::chain::{
    CausalChainLink, CausalNode, CausalRelationship, NodeType, entity_id, entity_node, query_node,
};
use super::super::document::{Document, DocumentKind, MemoryLookup, WrittenBy};
use super::super::explanation::FileTexts;
use crate::locate::{CodeRanking, Codebase, FaultQuestion};
use crate::postings::TermPostings;
use crate::role::FileRole;
use crate::terms::{Term, TermVocabulary};
use crate::tree::{EntityNum, FileNum, TreeEntity};
use backstory_language::text::identifier_parts;

/// How a document was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By words and similarity.
    Semantic,
    /// The question names it, or a frame or an error of the question leads to it.
    Structural,
    /// Along calls, reads and writes.
    Graph,
    History,
    Memory,
}

/// A document that could be shown.
pub struct DocumentCandidate {
    pub document: Document,
    /// How strongly it is tied to the question, from 0 to 1.
    pub tie: f32,
    pub ways: Vec<Way>,
    pub chain: Vec<CausalChainLink>,
    /// Its index among the functions of the tree.
    pub function: Option<usize>,
    /// It is a type, whose methods are more specific.
    pub is_type: bool,
    /// Files it mentions.
    pub files: Vec<FileNum>,
    /// The reason beside the chain, as a sentence.
    pub why: String,
    /// Its tie if the question leads exactly here, whatever else it matches.
    pub exact: Option<f32>,
    /// The full text of an explaining document; a second one with the same text adds nothing.
    pub said: String,
}

impl DocumentCandidate {
    /// A document that is not code: a page, a commit, a memory. `said`: its words.
    pub fn of_text(
        document: Document,
        tie: f32,
        way: Way,
        chain: Vec<CausalChainLink>,
        files: Vec<FileNum>,
        said: String,
    ) -> Self {
        let (ways, why) = (vec![way], String::new());
        DocumentCandidate { document, tie, ways, chain, function: None, is_type: false, files, why, exact: None, said }
    }
}

pub struct GatheredCandidates {
    pub candidates: Vec<DocumentCandidate>,
    /// The number of things that were scored to find them.
    pub considered: usize,
}

/// The number of candidates found by words.
pub(super) const BY_WORDS: usize = 40;
/// Longer words are keys and hashes.
const LONGEST_WORD: usize = 40;
/// The factor that ranks explaining documents behind possible causes.
pub(super) const EXPLAINS: f32 = 0.5;

pub struct Gather<'a, 'p> {
    pub codebase: &'a Codebase<'p>,
    pub question: &'a FaultQuestion,
    pub analysis: &'a QueryAnalysis,
    pub ranking: &'a CodeRanking,
    pub memory: &'a mut dyn MemoryLookup,
    pub vocabulary: &'a mut TermVocabulary,
    pub texts: &'a mut FileTexts<'p>,
    pub root: Option<&'a Path>,
    pub by_id: FxHashMap<String, usize>,
    pub found: Vec<DocumentCandidate>,
}

impl Gather<'_, '_> {
    pub fn run(mut self) -> GatheredCandidates {
        let anchors = match self.analysis.intent {
            QuestionIntent::WhatCalls | QuestionIntent::WhatItCalls if self.named().next().is_some() => {
                self.calls();
                Vec::new()
            }
            QuestionIntent::Impact if self.named().next().is_some() => {
                self.affected();
                Vec::new()
            }
            _ => self.causes(),
        };
        if !self.analysis.intent.asks_for_users() {
            self.tests(&anchors);
            self.pages();
            self.commits();
        }
        let remembered = self.memories();
        let tree = self.codebase.tree;
        let considered = tree.functions().len()
            + (tree.file_count() - tree.sources())
            + self.codebase.past.commit_count()
            + remembered;
        GatheredCandidates { candidates: self.found, considered }
    }

    pub(super) fn named(&self) -> impl Iterator<Item = EntityNum> {
        self.analysis.entities.iter().flat_map(|named| named.entities.iter().copied())
    }

    /// Why the search starts at this entity.
    pub(super) fn anchor_link(&self, entity: &TreeEntity<'_>, strength: f32) -> CausalChainLink {
        let named = self.analysis.entities.iter().find(|named| named.entities.contains(&entity.number));
        let evidence = match named {
            Some(named) => format!("the question names `{}`", named.text),
            None => self.matched_words(entity),
        };
        CausalChainLink {
            from: query_node(),
            to: entity_node(self.codebase.tree, entity),
            relationship: relationship_of(entity.kind),
            strength,
            evidence,
            against: false,
            unsure: false,
        }
    }

    /// The words of the question that an entity has, the rarest first.
    pub(super) fn matched_words(&self, entity: &TreeEntity<'_>) -> String {
        has_words(&self.shared_words(entity))
    }

    pub(super) fn shared_words(&self, entity: &TreeEntity<'_>) -> Vec<String> {
        match entity.function {
            Some(function) => self.words_of(self.codebase.tree.function_words(), function),
            None => self.words_of(self.codebase.tree.fields(), entity.file),
        }
    }

    pub(super) fn words_of(&self, postings: TermPostings<'_>, document: u32) -> Vec<String> {
        let has =
            |term: &Term| postings.list(*term).binary_search_by_key(&document, |posting| posting.document).is_ok();
        let mut shared: Vec<(f32, String)> = Vec::new();
        for (word, terms) in &self.question.words {
            // The last term of a compound name is the name itself; matching only a part of it counts less.
            let parts = identifier_parts(word);
            match terms.last().filter(|whole| has(whole)) {
                Some(whole) => shared.push((postings.rarity(*whole), word.clone())),
                None if parts.len() == terms.len().saturating_sub(1) => {
                    let found = parts.into_iter().zip(terms).filter(|(_, term)| has(term));
                    shared.extend(found.map(|(part, term)| (postings.rarity(*term), part)));
                }
                None => {}
            }
        }
        // Such as `ts` and `js`, the extensions of paths.
        shared.retain(|(_, word)| word.len() <= LONGEST_WORD && (word.len() > 2 || !word.is_ascii()));
        shared.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        shared.dedup_by(|a, b| a.1.eq_ignore_ascii_case(&b.1));
        shared.into_iter().take(4).map(|(_, word)| word).collect()
    }

    pub(super) fn is_source(&self, entity: &TreeEntity<'_>) -> bool {
        (entity.file as usize) < self.codebase.tree.sources() && entity.kind != EntityKind::Test
    }

    pub(super) fn link(
        &self,
        entity: &TreeEntity<'_>,
        relationship: CausalRelationship,
        strength: f32,
        evidence: &str,
    ) -> CausalChainLink {
        let mut to = entity_node(self.codebase.tree, entity);
        to.kind = NodeType::Document;
        let evidence = evidence.trim_end_matches('.').to_owned();
        CausalChainLink {
            from: query_node(),
            to,
            relationship,
            strength: strength.clamp(0.0, 1.0),
            evidence,
            against: false,
            unsure: false,
        }
    }

    pub(super) fn mark_exact(&mut self, entity: &TreeEntity<'_>, tie: f32) {
        if let Some(&at) = self.by_id.get(&entity_id(self.codebase.tree, entity)) {
            let exact = &mut self.found[at].exact;
            *exact = Some(exact.map_or(tie, |known| known.max(tie)));
        }
    }

    pub(super) fn say(&mut self, entity: &TreeEntity<'_>, why: &str, line: Option<u32>) {
        if let Some(&at) = self.by_id.get(&entity_id(self.codebase.tree, entity)) {
            let candidate = &mut self.found[at];
            if candidate.why.is_empty() {
                candidate.why = why.to_owned();
            }
            candidate.document.line = candidate.document.line.or(line);
        }
    }

    pub(super) fn add_entity(&mut self, entity: &TreeEntity<'_>, tie: f32, way: Way, chain: Vec<CausalChainLink>) {
        let kind = match entity.kind {
            EntityKind::ConfigKey => DocumentKind::Config,
            EntityKind::DocSection => DocumentKind::Page,
            EntityKind::Test => DocumentKind::Test,
            _ => match self.codebase.tree.role(entity.file) {
                FileRole::Test => DocumentKind::Test,
                FileRole::Document => DocumentKind::Page,
                _ => DocumentKind::Code,
            },
        };
        let chain = if chain.is_empty() {
            let mut link = self.anchor_link(entity, tie.clamp(0.0, 1.0));
            if !self.named().any(|named| named == entity.number) {
                link.relationship = CausalRelationship::Answers;
            }
            link.to.kind = NodeType::Document;
            vec![link]
        } else {
            chain
        };
        let document = Document {
            id: entity_id(self.codebase.tree, entity),
            kind,
            name: entity.qualified.to_owned(),
            path: Some(entity.path.to_owned()),
            lines: Some((entity.first_line, entity.last_line)),
            line: None,
            text: String::new(),
            citation: None,
            written_by: WrittenBy::Others,
            entity: Some(entity.number),
        };
        let function = entity.function.map(|function| function as usize);
        let is_type = entity.kind == EntityKind::Type;
        let files = vec![entity.file];
        self.add(DocumentCandidate {
            document,
            tie,
            ways: vec![way],
            chain,
            function,
            is_type,
            files,
            why: String::new(),
            exact: None,
            said: String::new(),
        });
    }

    /// A document found twice keeps the stronger tie; a chain along the graph is preferred to shared words.
    pub(super) fn add(&mut self, candidate: DocumentCandidate) {
        // An explanation follows the calls, even without named entities.
        let about_names = self.analysis.intent == QuestionIntent::How
            || self.analysis.entities.iter().any(|named| !named.entities.is_empty());
        match self.by_id.get(&candidate.document.id) {
            Some(&at) => {
                let known = &mut self.found[at];
                let tells_more = match known.chain.len() {
                    1 if candidate.ways.contains(&Way::Structural) => true,
                    // A direct match does not need a chain from another match.
                    1 => about_names && candidate.chain.len() > 1,
                    length => candidate.chain.len() < length,
                };
                if tells_more {
                    known.chain = candidate.chain;
                }
                known.tie = known.tie.max(candidate.tie);
                for way in candidate.ways {
                    if !known.ways.contains(&way) {
                        known.ways.push(way);
                    }
                }
            }
            None => {
                self.by_id.insert(candidate.document.id.clone(), self.found.len());
                self.found.push(candidate);
            }
        }
    }
}

pub(super) fn has_words(words: &[String]) -> String {
    if words.is_empty() { "close in meaning".to_owned() } else { format!("has the words {}", words.join(", ")) }
}

/// The relationship that naming an entity implies.
fn relationship_of(kind: EntityKind) -> CausalRelationship {
    if kind.is_callable() || kind == EntityKind::Route {
        CausalRelationship::Implements
    } else {
        CausalRelationship::Defines
    }
}

pub(super) fn document_link(
    document: &Document,
    relationship: CausalRelationship,
    strength: f32,
    evidence: &str,
) -> CausalChainLink {
    let to = CausalNode { kind: NodeType::Document, id: document.id.clone(), label: document.name.clone() };
    CausalChainLink {
        from: query_node(),
        to,
        relationship,
        strength,
        evidence: evidence.to_owned(),
        against: false,
        unsure: false,
    }
}
