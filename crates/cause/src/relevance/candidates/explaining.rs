//! Tests, pages and past commits: they explain a cause but cannot be one.

use backstory_code::CodeEdgeKind;
use backstory_language::embed::DIM;

use crate::locate::{Codebase, FaultQuestion, cosine, keep_best};
use crate::past::hex;
use crate::role::FileRole;
use crate::tree::{EntityNum, FileNum};

use super::super::chain::{CausalChainLink, CausalRelationship, NodeType, entity_node};
use super::super::document::{Document, DocumentKind, WrittenBy};
use super::{DocumentCandidate, EXPLAINS, Gather, Way, document_link, has_words};

const TESTS: usize = 4;
const PAGES: usize = 4;
const COMMITS: usize = 5;

/// How well the message of each past commit matches the question, with a small bonus for fixes.
pub fn matching_commits(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    let words = codebase.past.by_commit().score(&question.terms, 1.2);
    let most = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let close = codebase.past.vectors().chunks_exact(DIM);
    let close: Vec<f32> = close.map(|vector| cosine(&question.title_vector, vector)).collect();
    let score = |at: usize| {
        let fix = if codebase.past.commit(at as u32).is_some_and(|commit| commit.is_fix) { 1.1 } else { 1.0 };
        (words[at] / most + close.get(at).copied().unwrap_or(0.0).max(0.0)) / 2.0 * fix
    };
    (0..words.len()).map(score).collect()
}

impl Gather<'_, '_> {
    /// Tests that exercise what the question is about.
    pub fn tests(&mut self, anchors: &[(EntityNum, f32)]) {
        let mut found: Vec<(f32, EntityNum, EntityNum, u32)> = Vec::new();
        let anchored = anchors.iter().map(|anchor| anchor.0);
        for number in anchored {
            for edge in self.codebase.tree.edges_to(number) {
                let is_test = self.codebase.tree.entity(edge.from).is_some_and(|entity| !self.is_source(&entity));
                if edge.kind == CodeEdgeKind::Tests || (edge.kind == CodeEdgeKind::Calls && is_test) {
                    let words = self.codebase.tree.entity(edge.from).map_or(0, |entity| self.words_in(entity.name));
                    found.push((edge.strength + words as f32, edge.from, number, edge.line));
                }
            }
        }
        // A test that exercises two of them is listed once, with the stronger one.
        found.sort_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0)));
        found.dedup_by_key(|test| test.1);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = found.first().map_or(1.0, |test| test.0);
        for (score, test, of, line) in found.into_iter().take(TESTS) {
            let (Some(test), Some(of)) = (self.codebase.tree.entity(test), self.codebase.tree.entity(of)) else {
                continue;
            };
            let evidence = format!("{} exercises {} ({}:{line})", test.qualified, of.qualified, test.path);
            let mut link = CausalChainLink {
                from: entity_node(self.codebase.tree, &of),
                to: entity_node(self.codebase.tree, &test),
                relationship: CausalRelationship::Contextualizes,
                strength: EXPLAINS,
                evidence,
                against: true,
                unsure: false,
            };
            link.to.kind = NodeType::Document;
            let anchor = self.anchor_link(&of, 1.0);
            self.add_entity(&test, EXPLAINS * score / most, Way::Graph, vec![anchor, link]);
        }
        let first = self.codebase.tree.sources();
        let mut files: Vec<(usize, f32)> =
            self.codebase.tree.tests().score(&self.question.terms, 4.0).into_iter().enumerate().collect();
        keep_best(&mut files, 2);
        self.add_files(&files, first, DocumentKind::Test);
    }

    pub fn pages(&mut self) {
        let first = self.codebase.tree.with_role(FileRole::Document).start;
        let mut files: Vec<(usize, f32)> =
            self.codebase.tree.documents().score(&self.question.terms, 4.0).into_iter().enumerate().collect();
        keep_best(&mut files, PAGES);
        self.add_files(&files, first, DocumentKind::Page);
    }

    fn add_files(&mut self, files: &[(usize, f32)], first: usize, kind: DocumentKind) {
        let best = files.first().map_or(1.0, |file| file.1);
        for &(at, score) in files {
            let number = (first + at) as FileNum;
            // A test or setting with a name of its own need not be listed again as a file.
            let tells = |known: DocumentKind| known == kind || known == DocumentKind::Config;
            if self.found.iter().any(|known| tells(known.document.kind) && known.files.contains(&number)) {
                continue;
            }
            let path = self.codebase.tree.path(number).to_owned();
            let said = self.texts.lines(&path).join("\n").trim().to_owned();
            let tie = EXPLAINS * score / best;
            let postings =
                if kind == DocumentKind::Test { self.codebase.tree.tests() } else { self.codebase.tree.documents() };
            let what = has_words(&self.words_of(postings, at as u32));
            let document = Document {
                id: format!("{}:{path}", kind.name()),
                kind,
                name: path.clone(),
                lines: None,
                line: None,
                text: String::new(),
                citation: None,
                written_by: WrittenBy::Others,
                entity: self.codebase.tree.entities_of(number).next(),
                path: Some(path),
            };
            let chain = vec![document_link(&document, CausalRelationship::Contextualizes, tie, &what)];
            self.add(DocumentCandidate::of_text(document, tie, Way::Semantic, chain, vec![number], said));
        }
    }

    /// Past changes whose message is most similar to the question.
    pub fn commits(&mut self) {
        let mut ranked: Vec<(usize, f32)> =
            matching_commits(self.codebase, self.question).into_iter().enumerate().collect();
        keep_best(&mut ranked, COMMITS);
        for (at, score) in ranked {
            let Some(commit) = self.codebase.past.commit(at as u32).filter(|_| score > 0.35) else { continue };
            let files: Vec<FileNum> = self.codebase.files_of_commit(at as u32).collect();
            let document = Document {
                id: format!("commit:{}", hex(&commit.id)),
                kind: DocumentKind::Commit,
                name: format!("{} {}", &hex(&commit.id)[..12], commit.subject),
                path: None,
                lines: None,
                line: None,
                text: commit.subject.to_owned(),
                citation: None,
                written_by: WrittenBy::Others,
                entity: None,
            };
            let changed =
                files.iter().take(2).map(|file| self.codebase.tree.path(*file)).collect::<Vec<_>>().join(", ");
            let what =
                if commit.is_fix { "an earlier fix with such words" } else { "an earlier change with such words" };
            let tie = EXPLAINS * score.min(1.0);
            let link = document_link(
                &document,
                CausalRelationship::Contextualizes,
                tie,
                &format!("{what}; it changed {changed}"),
            );
            let said = commit.subject.to_owned();
            self.add(DocumentCandidate::of_text(document, tie, Way::History, vec![link], files, said));
        }
    }

    fn words_in(&self, name: &str) -> usize {
        let name = name.to_lowercase();
        self.question.words.iter().filter(|(word, _)| word.len() > 3 && name.contains(&word.to_lowercase())).count()
    }
}
