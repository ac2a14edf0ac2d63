//! What could be shown? By words and meaning, by names, along the graph, from history and memory.

use backstory_code::{EdgeKind, EntityKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{Intent, QueryAnalysis};
use super::chain::{
    CausalChainLink, CausalNode, CausalRelationship, NodeType, Reach, entity_id, entity_node, query_node,
};
use super::document::{Document, DocumentKind, Remembered};
use crate::impact::impact;
use crate::locate::{Place, Question, Ranking, keep_best};
use crate::past::hex;
use crate::postings::Postings;
use crate::role::Role;
use crate::tree::{EntityNum, FileNum, TreeEntity, file_name};
use crate::words::{Term, Words, identifiers, parts};

/// By which way a document was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Words and meaning.
    Semantic,
    /// The question names it, or a frame or an error of the question leads there.
    Structural,
    /// Along calls, reads and writes.
    Graph,
    History,
    Memory,
}

/// What could be shown.
pub struct Candidate {
    pub document: Document,
    /// How strongly it is tied to the question, from 0 to 1.
    pub tie: f32,
    pub ways: Vec<Way>,
    pub chain: Vec<CausalChainLink>,
    /// Its place among the functions of the tree.
    pub function: Option<usize>,
    /// A type, whose methods say more.
    pub is_type: bool,
    /// Files it speaks of.
    pub files: Vec<FileNum>,
    /// What besides the chain speaks for it, as a sentence.
    pub why: String,
}

pub struct Found {
    pub candidates: Vec<Candidate>,
    /// How many things were scored to find them.
    pub considered: usize,
}

const BY_WORDS: usize = 40;
const FILES: usize = 12;
const ANCHORS: usize = 3;
const ALONG_GRAPH: usize = 12;
const TESTS: usize = 4;
const PAGES: usize = 4;
const COMMITS: usize = 5;
const DEPTH: u32 = 3;
/// Longer words are keys and hashes.
const LONGEST_WORD: usize = 40;
/// Users of users.
const STEPS: u32 = 2;
/// What the question only leads to, beside what matches it: a frame of its stack trace, a place that
/// raises its error, a constant or field that it names.
const FRAME: f32 = 0.6;
/// What each step from the raise site takes off.
const TRACE_STEP: f32 = 0.1;
const RAISES: f32 = 0.5;
const NAMED: f32 = 0.4;
/// What is only reached is tied less than what matches.
const REACHED: f32 = 0.6;
/// What the file counts once more in the order of functions: it is known better than the place in it.
const FILE_SHARE: f32 = 0.4;
/// What the file's score counts for the function that stands for it.
const OF_FILE: f32 = 1.0;
/// What explains stands behind what can be the cause.
const EXPLAINS: f32 = 0.5;

pub struct Gather<'a, 'p> {
    pub place: &'a Place<'p>,
    pub question: &'a Question,
    pub analysis: &'a QueryAnalysis,
    pub ranking: &'a Ranking,
    pub memory: &'a [Remembered],
    pub words: &'a mut Words,
    pub by_id: FxHashMap<String, usize>,
    pub found: Vec<Candidate>,
}

impl Gather<'_, '_> {
    pub fn run(mut self) -> Found {
        let anchors = match self.analysis.intent {
            Intent::WhatCalls | Intent::WhatItCalls if self.named().next().is_some() => {
                self.calls();
                Vec::new()
            }
            Intent::Impact if self.named().next().is_some() => {
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
        self.memories();
        let tree = self.place.tree;
        let considered = tree.functions().len()
            + (tree.file_count() - tree.sources())
            + self.place.past.commit_count()
            + self.memory.len();
        Found { candidates: self.found, considered }
    }

    fn named(&self) -> impl Iterator<Item = EntityNum> {
        self.analysis.entities.iter().flat_map(|named| named.entities.iter().copied())
    }

    /// What can be the cause; gives the entities that the question is about.
    fn causes(&mut self) -> Vec<(EntityNum, f32)> {
        let best = self.ranking.functions.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        for at in 0..self.ranking.functions.len().min(BY_WORDS) {
            let ranked = self.ranking.functions[at];
            if let Some(entity) = self.place.tree.function(ranked.at).filter(|_| self.matches(ranked.at)) {
                let tie = (1.0 - FILE_SHARE) * ranked.score / best + FILE_SHARE * self.share_of_file(entity.file);
                self.add_entity(&entity, tie, Way::Semantic, Vec::new());
            }
        }
        self.best_of_files();
        let mut anchors: Vec<(EntityNum, f32)> = Vec::new();
        for number in self.named().collect::<Vec<_>>() {
            let Some(entity) = self.place.tree.entity(number) else { continue };
            // Where exactly this is asked for, it is the answer; otherwise it is where the search starts.
            let tie = match self.analysis.intent {
                Intent::Where | Intent::Safe | Intent::How => 1.0,
                _ => entity.function.map_or(NAMED, |function| self.score_of(function as usize) / best),
            };
            self.add_entity(&entity, tie, Way::Structural, Vec::new());
            anchors.push((number, tie.max(0.5)));
        }
        self.frames();
        self.raise_sites();
        if anchors.is_empty() {
            let most = if self.analysis.intent == Intent::How { 1 } else { ANCHORS };
            let top = self.ranking.functions.iter().filter(|ranked| self.matches(ranked.at)).take(most);
            let entities =
                top.filter_map(|ranked| Some((*self.place.tree.functions().get(ranked.at)?, ranked.score / best)));
            anchors = entities.collect();
        }
        self.along_the_graph(&anchors);
        anchors
    }

    /// Has it or its file anything of the question? Closeness and size alone say nothing.
    fn matches(&self, function: usize) -> bool {
        let has = |name: &str, part: f32| matches!(name, "words" | "named" | "frame") && part > 0.0;
        let file = self.place.tree.function(function).map_or(0, |entity| entity.file as usize);
        self.ranking.parts_of_function(function).any(|(name, part)| has(name, part)) || self.file_matches(file)
    }

    fn file_matches(&self, file: usize) -> bool {
        self.ranking.parts_of_file(file).any(|(name, part)| name != "close-commits" && part > 0.0)
    }

    /// The score of a file beside that of the best one.
    fn share_of_file(&self, file: FileNum) -> f32 {
        let best = self.ranking.files.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        let found = self.ranking.files.iter().find(|ranked| ranked.at == file as usize);
        found.map_or(0.0, |ranked| ranked.score / best)
    }

    fn score_of(&self, function: usize) -> f32 {
        self.ranking.functions.iter().find(|ranked| ranked.at == function).map_or(0.0, |ranked| ranked.score)
    }

    /// Of each of the best files the best function stands for the file; of a file without functions
    /// (settings, tables, scripts) the file itself.
    fn best_of_files(&mut self) {
        let best = self.ranking.files.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        for at in 0..self.ranking.files.len().min(FILES) {
            let ranked = self.ranking.files[at];
            if !self.file_matches(ranked.at) {
                continue;
            }
            let inside = self.place.tree.functions_of(ranked.at as FileNum);
            let best_inside = self.ranking.functions.iter().find(|function| inside.contains(&function.at));
            let entity = match best_inside {
                Some(function) => self.place.tree.functions().get(function.at).copied(),
                None => self.place.tree.entities_of(ranked.at as FileNum).next(),
            };
            if let Some(entity) = entity.and_then(|number| self.place.tree.entity(number)) {
                self.add_entity(&entity, ranked.score / best * OF_FILE, Way::Semantic, Vec::new());
            }
        }
    }

    fn frames(&mut self) {
        // A question that is hardly more than a trace asks for where it was raised.
        let is_trace = 3 * self.analysis.frames.len() >= self.question.lines;
        let mut here = 0;
        for frame in self.analysis.frames.iter().take(12) {
            let files = self.place.tree.paths().ending_like(&frame.path);
            let longest = files.iter().map(|file| file.1).max().unwrap_or(0);
            for (file, _) in files.into_iter().filter(|file| file.1 == longest).take(2) {
                let entity = self.place.tree.entity_at(file, frame.line).filter(|entity| {
                    frame.function.as_deref().is_none_or(|name| name == entity.name || entity.parent.is_none())
                });
                let by_name = || {
                    let name = frame.function.as_deref()?;
                    let all = self.place.tree.entities_of(file).filter_map(|number| self.place.tree.entity(number));
                    all.into_iter().find(|entity| entity.name == name)
                };
                let Some(entity) = entity.or_else(by_name) else { continue };
                let what = if here == 0 { "raised here" } else { "on the way to the error" };
                let tie =
                    if is_trace { (1.0 - TRACE_STEP * here as f32).max(0.3) } else { FRAME / (1.0 + here as f32) };
                let why = format!("The stack trace has it: {what} ({}:{}).", file_name(&frame.path), frame.line);
                let link = self.link(&entity, CausalRelationship::Answers, tie, &why);
                self.add_entity(&entity, tie, Way::Structural, vec![link]);
                self.say(&entity, &why, Some(frame.line));
                here += 1;
            }
        }
    }

    /// Where an error that the question quotes is raised.
    fn raise_sites(&mut self) {
        for error in self.analysis.errors.iter().take(4) {
            let asked = bag_of(self.words, &error.message);
            if asked.len() < 2 && error.kind.is_empty() {
                continue;
            }
            let is_bare = self.question.words.len() <= 2 * asked.len() + 4;
            let mut sites: Vec<(f32, EntityNum, u32)> = Vec::new();
            for raise in self.place.tree.raises() {
                let said = bag_of(self.words, raise.message);
                let shared = asked.iter().filter(|term| said.contains(term)).count() as f32;
                let kind = f32::from(u8::from(!error.kind.is_empty() && raise.what.contains(&error.kind)));
                let agreement = shared / said.len().max(3) as f32;
                if agreement >= 0.6 {
                    sites.push((agreement + 0.3 * kind, raise.entity, raise.line));
                }
            }
            sites.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (agreement, number, line) in sites.into_iter().take(3) {
                let Some(entity) = self.place.tree.entity(number).filter(|entity| self.is_source(entity)) else {
                    continue;
                };
                let why = format!("It raises the quoted error (line {line}).");
                let link = self.link(&entity, CausalRelationship::Answers, agreement.min(0.9), &why);
                // A question that is hardly more than the error asks where it comes from.
                let tie = if is_bare { agreement.min(1.0) } else { RAISES * agreement.min(1.0) };
                self.add_entity(&entity, tie, Way::Structural, vec![link]);
                self.say(&entity, &why, Some(line));
            }
        }
    }

    fn along_the_graph(&mut self, anchors: &[(EntityNum, f32)]) {
        let to_callers = self.analysis.intent == Intent::Why;
        let reach = Reach::from(self.place.tree, anchors, DEPTH, to_callers);
        let anchor_numbers: Vec<EntityNum> = anchors.iter().map(|anchor| anchor.0).collect();
        let mut added = 0;
        for (number, strength) in reach.reached() {
            let Some(entity) = self.place.tree.entity(number).filter(|entity| self.is_source(entity)) else { continue };
            let is_new = !self.by_id.contains_key(&entity_id(&entity));
            if (is_new && added >= ALONG_GRAPH) || entity.parent.is_none() || anchor_numbers.contains(&number) {
                continue;
            }
            added += usize::from(is_new);
            let (anchor, mut links) = reach.links(self.place.tree, number);
            if let Some(anchor) = self.place.tree.entity(anchor) {
                let tie = anchors.iter().find(|known| known.0 == anchor.number).map_or(0.5, |known| known.1);
                links.insert(0, self.anchor_link(&anchor, tie));
            }
            if let Some(link) = links.last_mut() {
                link.to.kind = NodeType::Document;
            }
            self.add_entity(&entity, REACHED * strength, Way::Graph, links);
        }
    }

    /// Why the search starts at this entity.
    fn anchor_link(&self, entity: &TreeEntity<'_>, strength: f32) -> CausalChainLink {
        let named = self.analysis.entities.iter().find(|named| named.entities.contains(&entity.number));
        let evidence = match named {
            Some(named) => format!("the question names `{}`", named.text),
            None => self.matched_words(entity),
        };
        CausalChainLink {
            from: query_node(),
            to: entity_node(entity),
            relationship: relationship_of(entity.kind),
            strength,
            evidence,
            against: false,
        }
    }

    /// The words of the question that an entity has, the rarest first.
    fn matched_words(&self, entity: &TreeEntity<'_>) -> String {
        let words = self.shared_words(entity);
        if words.is_empty() { "close in meaning".to_owned() } else { format!("has the words {}", words.join(", ")) }
    }

    fn shared_words(&self, entity: &TreeEntity<'_>) -> Vec<String> {
        match entity.function {
            Some(function) => self.words_of(self.place.tree.function_words(), function),
            None => self.words_of(self.place.tree.fields(), entity.file),
        }
    }

    fn words_of(&self, postings: Postings<'_>, document: u32) -> Vec<String> {
        let has =
            |term: &Term| postings.list(*term).binary_search_by_key(&document, |posting| posting.document).is_ok();
        let mut shared: Vec<(f32, String)> = Vec::new();
        for (word, terms) in &self.question.words {
            // The last term of a compound name is the name itself; having a part of it is less.
            let parts = parts(word);
            match terms.last().filter(|whole| has(whole)) {
                Some(whole) => shared.push((postings.rarity(*whole), word.clone())),
                None if parts.len() == terms.len().saturating_sub(1) => {
                    let found = parts.into_iter().zip(terms).filter(|(_, term)| has(term));
                    shared.extend(found.map(|(part, term)| (postings.rarity(*term), part)));
                }
                None => {}
            }
        }
        shared.retain(|(_, word)| word.len() <= LONGEST_WORD);
        shared.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        shared.dedup_by(|a, b| a.1.eq_ignore_ascii_case(&b.1));
        shared.into_iter().take(4).map(|(_, word)| word).collect()
    }

    fn calls(&mut self) {
        let forwards = self.analysis.intent == Intent::WhatItCalls;
        for number in self.named().collect::<Vec<_>>() {
            let Some(asked) = self.place.tree.entity(number) else { continue };
            let edges: Vec<_> = match forwards {
                true => self.place.tree.edges_from(number).collect(),
                false => self.place.tree.edges_to(number).collect(),
            };
            for edge in edges.into_iter().filter(|edge| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Tests)) {
                let other = if forwards { edge.to } else { edge.from };
                let Some(entity) = self.place.tree.entity(other) else { continue };
                let anchor = self.anchor_link(&asked, 1.0);
                let (caller, callee) = if forwards { (&asked, &entity) } else { (&entity, &asked) };
                let sure = if edge.is_unsure() { ", by its name alone" } else { "" };
                let evidence =
                    format!("{} calls {} ({}:{}{sure})", caller.qualified, callee.qualified, caller.path, edge.line);
                let mut link = CausalChainLink {
                    from: entity_node(&asked),
                    to: entity_node(&entity),
                    relationship: CausalRelationship::Calls,
                    strength: edge.strength,
                    evidence,
                    against: !forwards,
                };
                link.to.kind = NodeType::Document;
                let tie = edge.strength * if self.is_source(&entity) { 1.0 } else { 0.7 };
                self.add_entity(&entity, tie, Way::Graph, vec![anchor, link]);
                if !forwards {
                    self.say(&entity, "", Some(edge.line));
                }
            }
        }
    }

    /// Who would notice if what the question names were changed.
    fn affected(&mut self) {
        let named: Vec<EntityNum> = self.named().collect();
        let found = impact(self.place, &named, STEPS);
        let Some(asked) = found.of.first().copied() else { return };
        for user in found.users.iter().chain(&found.tests).take(BY_WORDS) {
            let Some(entity) = self.place.tree.entity(user.entity) else { continue };
            let through = self.place.tree.entity(user.edge.to).map_or(asked.qualified, |entity| entity.qualified);
            let sure = if user.unsure { ", by its name alone" } else { "" };
            let place = format!("{}:{}{sure}", entity.path, user.edge.line);
            let mut link = CausalChainLink {
                from: entity_node(&asked),
                to: entity_node(&entity),
                relationship: CausalRelationship::of_edge(user.edge.kind),
                strength: user.strength,
                evidence: format!("{} {} {through} ({place})", entity.qualified, user.edge.kind.as_str()),
                against: true,
            };
            link.to.kind = NodeType::Document;
            let anchor = self.anchor_link(&asked, 1.0);
            let near = user.strength / user.depth as f32;
            let tie = if self.is_source(&entity) { near } else { EXPLAINS * near };
            self.add_entity(&entity, tie, Way::Graph, vec![anchor, link]);
            self.say(&entity, "", Some(user.edge.line));
        }
    }

    /// Tests that exercise what the question is about.
    fn tests(&mut self, anchors: &[(EntityNum, f32)]) {
        let mut found: Vec<(f32, EntityNum, EntityNum, u32)> = Vec::new();
        let anchored = anchors.iter().map(|anchor| anchor.0);
        for number in anchored {
            for edge in self.place.tree.edges_to(number) {
                let is_test = self.place.tree.entity(edge.from).is_some_and(|entity| !self.is_source(&entity));
                if edge.kind == EdgeKind::Tests || (edge.kind == EdgeKind::Calls && is_test) {
                    let words = self.place.tree.entity(edge.from).map_or(0, |entity| self.words_in(entity.name));
                    found.push((edge.strength + words as f32, edge.from, number, edge.line));
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.dedup_by_key(|test| test.1);
        let most = found.first().map_or(1.0, |test| test.0);
        for (score, test, of, line) in found.into_iter().take(TESTS) {
            let (Some(test), Some(of)) = (self.place.tree.entity(test), self.place.tree.entity(of)) else { continue };
            let evidence = format!("{} exercises {} ({}:{line})", test.qualified, of.qualified, test.path);
            let mut link = CausalChainLink {
                from: entity_node(&of),
                to: entity_node(&test),
                relationship: CausalRelationship::Contextualizes,
                strength: EXPLAINS,
                evidence,
                against: true,
            };
            link.to.kind = NodeType::Document;
            let anchor = self.anchor_link(&of, 1.0);
            self.add_entity(&test, EXPLAINS * score / most, Way::Graph, vec![anchor, link]);
        }
        let first = self.place.tree.sources();
        let mut files: Vec<(usize, f32)> =
            self.place.tree.tests().score(&self.question.terms, 4.0).into_iter().enumerate().collect();
        keep_best(&mut files, 2);
        self.add_files(&files, first, DocumentKind::Test);
    }

    fn pages(&mut self) {
        let first = self.place.tree.with_role(Role::Document).start;
        let mut files: Vec<(usize, f32)> =
            self.place.tree.documents().score(&self.question.terms, 4.0).into_iter().enumerate().collect();
        keep_best(&mut files, PAGES);
        self.add_files(&files, first, DocumentKind::Page);
    }

    fn add_files(&mut self, files: &[(usize, f32)], first: usize, kind: DocumentKind) {
        let best = files.first().map_or(1.0, |file| file.1);
        for &(at, score) in files {
            let number = (first + at) as FileNum;
            let path = self.place.tree.path(number).to_owned();
            let tie = EXPLAINS * score / best;
            let postings =
                if kind == DocumentKind::Test { self.place.tree.tests() } else { self.place.tree.documents() };
            let what = format!("has the words {}", self.words_of(postings, at as u32).join(", "));
            let document = Document {
                id: format!("{}:{path}", kind.name()),
                kind,
                name: path.clone(),
                lines: None,
                line: None,
                text: String::new(),
                citation: None,
                entity: self.place.tree.entities_of(number).next(),
                path: Some(path),
            };
            self.add(Candidate {
                chain: vec![document_link(&document, CausalRelationship::Contextualizes, tie, &what)],
                document,
                tie,
                ways: vec![Way::Semantic],
                function: None,
                is_type: false,
                files: vec![number],
                why: String::new(),
            });
        }
    }

    /// Past changes whose message is most like the question.
    fn commits(&mut self) {
        let words = self.place.past.by_commit().score(&self.question.terms, 1.2);
        let most = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let close = self.place.past.vectors().chunks_exact(backstory_engine::embed::DIM);
        let close: Vec<f32> = close.map(|vector| crate::locate::cosine(&self.question.title_vector, vector)).collect();
        let score = |at: usize| {
            let fix = if self.place.past.commit(at as u32).is_some_and(|commit| commit.is_fix) { 1.1 } else { 1.0 };
            (words[at] / most + close.get(at).copied().unwrap_or(0.0).max(0.0)) / 2.0 * fix
        };
        let mut ranked: Vec<(usize, f32)> = (0..words.len()).map(|at| (at, score(at))).collect();
        keep_best(&mut ranked, COMMITS);
        for (at, score) in ranked {
            let Some(commit) = self.place.past.commit(at as u32).filter(|_| score > 0.35) else { continue };
            let files: Vec<FileNum> = self.place.files_of_commit(at as u32).collect();
            let document = Document {
                id: format!("commit:{}", hex(&commit.id)),
                kind: DocumentKind::Commit,
                name: format!("{} {}", &hex(&commit.id)[..12], commit.subject),
                path: None,
                lines: None,
                line: None,
                text: commit.subject.to_owned(),
                citation: None,
                entity: None,
            };
            let changed = files.iter().take(2).map(|file| self.place.tree.path(*file)).collect::<Vec<_>>().join(", ");
            let what =
                if commit.is_fix { "an earlier fix with such words" } else { "an earlier change with such words" };
            let tie = EXPLAINS * score.min(1.0);
            let link = document_link(
                &document,
                CausalRelationship::Contextualizes,
                tie,
                &format!("{what}; it changed {changed}"),
            );
            let (chain, ways) = (vec![link], vec![Way::History]);
            self.add(Candidate {
                document,
                tie,
                ways,
                chain,
                function: None,
                is_type: false,
                files,
                why: String::new(),
            });
        }
    }

    fn memories(&mut self) {
        for remembered in self.memory {
            let document = Document {
                id: remembered.id.clone(),
                kind: remembered.kind,
                name: remembered.name.clone(),
                path: None,
                lines: None,
                line: None,
                text: remembered.text.clone(),
                citation: remembered.citation.clone(),
                entity: None,
            };
            let relationship = match remembered.constrains {
                true => CausalRelationship::Constrains,
                false => CausalRelationship::Contextualizes,
            };
            let files = self.files_said(remembered);
            let tie = EXPLAINS * remembered.score.clamp(0.0, 1.0);
            let what = if remembered.constrains { "must be respected" } else { "was said or done before" };
            let chain = vec![document_link(&document, relationship, tie, what)];
            self.add(Candidate {
                document,
                tie,
                ways: vec![Way::Memory],
                chain,
                function: None,
                is_type: false,
                files,
                why: String::new(),
            });
        }
    }

    /// The files that it touched or names.
    fn files_said(&self, remembered: &Remembered) -> Vec<FileNum> {
        let words = remembered.text.split(|c: char| c.is_whitespace() || "`'\"()[],;".contains(c));
        let said = words.filter(|word| word.contains('.') && word.len() < 200);
        let paths = remembered.files.iter().map(String::as_str).chain(said);
        let meant = paths.flat_map(|path| self.place.tree.paths().ending_like(path.trim_start_matches("./")));
        let mut files: Vec<FileNum> = meant.filter(|(_, agreed)| *agreed > 0).map(|(file, _)| file).collect();
        files.sort_unstable();
        files.dedup();
        files.truncate(8);
        files
    }

    fn words_in(&self, name: &str) -> usize {
        let name = name.to_lowercase();
        self.question.words.iter().filter(|(word, _)| word.len() > 3 && name.contains(&word.to_lowercase())).count()
    }

    fn is_source(&self, entity: &TreeEntity<'_>) -> bool {
        (entity.file as usize) < self.place.tree.sources() && entity.kind != EntityKind::Test
    }

    fn link(
        &self,
        entity: &TreeEntity<'_>,
        relationship: CausalRelationship,
        strength: f32,
        evidence: &str,
    ) -> CausalChainLink {
        let mut to = entity_node(entity);
        to.kind = NodeType::Document;
        let evidence = evidence.trim_end_matches('.').to_owned();
        CausalChainLink {
            from: query_node(),
            to,
            relationship,
            strength: strength.clamp(0.0, 1.0),
            evidence,
            against: false,
        }
    }

    fn say(&mut self, entity: &TreeEntity<'_>, why: &str, line: Option<u32>) {
        if let Some(&at) = self.by_id.get(&entity_id(entity)) {
            let candidate = &mut self.found[at];
            if candidate.why.is_empty() {
                candidate.why = why.to_owned();
            }
            candidate.document.line = candidate.document.line.or(line);
        }
    }

    fn add_entity(&mut self, entity: &TreeEntity<'_>, tie: f32, way: Way, chain: Vec<CausalChainLink>) {
        let kind = match entity.kind {
            EntityKind::ConfigKey => DocumentKind::Config,
            EntityKind::DocSection => DocumentKind::Page,
            EntityKind::Test => DocumentKind::Test,
            _ => match self.place.tree.role(entity.file) {
                Role::Test => DocumentKind::Test,
                Role::Document => DocumentKind::Page,
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
            id: entity_id(entity),
            kind,
            name: entity.qualified.to_owned(),
            path: Some(entity.path.to_owned()),
            lines: Some((entity.first_line, entity.last_line)),
            line: None,
            text: String::new(),
            citation: None,
            entity: Some(entity.number),
        };
        let function = entity.function.map(|function| function as usize);
        let is_type = entity.kind == EntityKind::Type;
        let files = vec![entity.file];
        self.add(Candidate { document, tie, ways: vec![way], chain, function, is_type, files, why: String::new() });
    }

    /// Something found twice keeps the stronger tie; a chain along the graph tells more than shared words.
    fn add(&mut self, candidate: Candidate) {
        // How something comes about is told along the calls, whether or not it is named.
        let about_names = self.analysis.intent == Intent::How
            || self.analysis.entities.iter().any(|named| !named.entities.is_empty());
        match self.by_id.get(&candidate.document.id) {
            Some(&at) => {
                let known = &mut self.found[at];
                let tells_more = match known.chain.len() {
                    1 if candidate.ways.contains(&Way::Structural) => true,
                    // What matches by itself need not be reached from what merely matches better.
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

/// What naming an entity says of it.
fn relationship_of(kind: EntityKind) -> CausalRelationship {
    if kind.is_callable() || kind == EntityKind::Route {
        CausalRelationship::Implements
    } else {
        CausalRelationship::Defines
    }
}

fn document_link(
    document: &Document,
    relationship: CausalRelationship,
    strength: f32,
    evidence: &str,
) -> CausalChainLink {
    let to = CausalNode { kind: NodeType::Document, id: document.id.clone(), label: document.name.clone() };
    CausalChainLink { from: query_node(), to, relationship, strength, evidence: evidence.to_owned(), against: false }
}

fn bag_of(words: &mut Words, text: &str) -> FxHashSet<Term> {
    identifiers(text).flat_map(|word| words.terms(word).to_vec()).collect()
}
