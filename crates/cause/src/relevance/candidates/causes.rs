//! Candidates for the cause: matches, the targets of traces and errors, and entities reached from them.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::super::analysis::QuestionIntent;
use super::super::chain::{CallerSteps, CausalRelationship, NodeType, Reach, entity_id};
use super::{BY_WORDS, Gather, Way};
use crate::locate::StackFrame;
use crate::path_names::file_name;
use crate::terms::{Term, TermVocabulary};
use crate::tree::{EntityNum, FileNum, TreeEntity, TreeIndex};
use backstory_language::text::identifiers;

const FILES: usize = 12;
const ANCHORS: usize = 3;
const ALONG_GRAPH: usize = 12;
const DEPTH: u32 = 3;
/// The tie of a place that the question only leads to, relative to one that matches it: a frame of its stack trace, a
/// place that raises its error, a constant or field that it names.
const FRAME: f32 = 0.6;
/// The deduction for each step from the raise site.
const TRACE_STEP: f32 = 0.1;
const RAISES: f32 = 0.5;
const MOST_RAISING: usize = 6;
/// The factor for mere matches, if the question leads to an exact place.
const BEHIND_EXACT: f32 = 0.85;
const NAMED: f32 = 0.4;
/// Reached entities are tied less than matches.
const REACHED: f32 = 0.6;
/// The factor for entities reached from one that the question names: changing them changes the named one.
const REACHED_FROM_NAMED: f32 = 0.85;
/// The extra share of the file's score in the order of functions: the file is known better than the place in it.
const FILE_SHARE: f32 = 0.4;
/// The weight of the file's score for the function that represents it.
const OF_FILE: f32 = 1.0;

impl Gather<'_, '_> {
    /// Adds the candidates for the cause; returns the entities that the question is about.
    pub fn causes(&mut self) -> Vec<(EntityNum, f32)> {
        let best = self.ranking.functions.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        for at in 0..self.ranking.functions.len().min(BY_WORDS) {
            let ranked = self.ranking.functions[at];
            if let Some(entity) = self.codebase.tree.function(ranked.at).filter(|_| self.matches(ranked.at)) {
                let tie = (1.0 - FILE_SHARE) * ranked.score / best + FILE_SHARE * self.share_of_file(entity.file);
                self.add_entity(&entity, tie, Way::Semantic, Vec::new());
            }
        }
        self.best_of_files();
        let mut anchors: Vec<(EntityNum, f32)> = Vec::new();
        for number in self.named().collect::<Vec<_>>() {
            let Some(entity) = self.codebase.tree.entity(number) else { continue };
            // If the question asks for exactly this, it is the answer; otherwise the search starts there.
            let tie = match self.analysis.intent {
                QuestionIntent::Where | QuestionIntent::Safe | QuestionIntent::How => 1.0,
                _ => entity.function.map_or(NAMED, |function| self.score_of(function as usize) / best),
            };
            self.add_entity(&entity, tie, Way::Structural, Vec::new());
            anchors.push((number, tie.max(0.5)));
        }
        let are_exact = self.frames() | self.raise_sites() | self.literals();
        if are_exact {
            self.put_behind_exact();
        }
        if anchors.is_empty() {
            let most = if self.analysis.intent == QuestionIntent::How { 1 } else { ANCHORS };
            let top = self.ranking.functions.iter().filter(|ranked| self.matches(ranked.at)).take(most);
            let entities =
                top.filter_map(|ranked| Some((*self.codebase.tree.functions().get(ranked.at)?, ranked.score / best)));
            anchors = entities.collect();
        }
        self.along_the_graph(&anchors);
        self.settings();
        anchors
    }

    /// Does the function or its file share anything with the question? Similarity and size alone prove nothing.
    fn matches(&self, function: usize) -> bool {
        let has = |name: &str, part: f32| matches!(name, "words" | "named" | "frame") && part > 0.0;
        let file = self.codebase.tree.function(function).map_or(0, |entity| entity.file as usize);
        self.ranking.parts_of_function(function).any(|(name, part)| has(name, part)) || self.file_matches(file)
    }

    fn file_matches(&self, file: usize) -> bool {
        self.ranking.parts_of_file(file).any(|(name, part)| name != "close-commits" && part > 0.0)
    }

    /// The score of a file relative to the best one.
    fn share_of_file(&self, file: FileNum) -> f32 {
        let best = self.ranking.files.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        let found = self.ranking.files.iter().find(|ranked| ranked.at == file as usize);
        found.map_or(0.0, |ranked| ranked.score / best)
    }

    fn score_of(&self, function: usize) -> f32 {
        self.ranking.functions.iter().find(|ranked| ranked.at == function).map_or(0.0, |ranked| ranked.score)
    }

    /// Each of the best files is represented by its best function; a file without functions (settings, tables, scripts)
    /// represents itself.
    fn best_of_files(&mut self) {
        let best = self.ranking.files.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        for at in 0..self.ranking.files.len().min(FILES) {
            let ranked = self.ranking.files[at];
            if !self.file_matches(ranked.at) {
                continue;
            }
            let inside = self.codebase.tree.functions_of(ranked.at as FileNum);
            let best_inside = self.ranking.functions.iter().find(|function| inside.contains(&function.at));
            let entity = match best_inside {
                Some(function) => self.codebase.tree.functions().get(function.at).copied(),
                None => self.codebase.tree.entities_of(ranked.at as FileNum).next(),
            };
            let entity = entity.and_then(|number| self.codebase.tree.entity(number));
            if let Some(entity) = entity.filter(|entity| best_inside.is_some() || self.says_something(entity.path)) {
                self.add_entity(&entity, ranked.score / best * OF_FILE, Way::Semantic, Vec::new());
            }
        }
    }

    /// An empty file cannot be a cause, whatever its path matches.
    fn says_something(&mut self, path: &str) -> bool {
        self.root.is_none() || self.texts.lines(path).iter().any(|line| !line.trim().is_empty())
    }

    /// Returns whether the question is hardly more than a trace that leads here.
    fn frames(&mut self) -> bool {
        // Such a question asks where the error was raised.
        let is_trace = 3 * self.analysis.frames.len() >= self.question.lines;
        let mut here = 0;
        for frame in self.analysis.frames.iter().take(12) {
            let mut files = self.codebase.tree.paths().ending_like(&frame.path);
            files
                .retain(|(file, agreed)| is_same_path(&frame.path, self.codebase.tree.path(*file), *agreed, self.root));
            let longest = files.iter().map(|file| file.1).max().unwrap_or(0);
            for (file, _) in files.into_iter().filter(|file| file.1 == longest).take(2) {
                let Some(entity) = meant_by(self.codebase.tree, frame, file) else { continue };
                let what = if here == 0 { "raised here" } else { "on the way to the error" };
                let tie =
                    if is_trace { (1.0 - TRACE_STEP * here as f32).max(0.3) } else { FRAME / (1.0 + here as f32) };
                let why = format!("The stack trace has it: {what} ({}:{}).", file_name(&frame.path), frame.line);
                let link = self.link(&entity, CausalRelationship::Answers, tie, &why);
                self.add_entity(&entity, tie, Way::Structural, vec![link]);
                if is_trace {
                    self.mark_exact(&entity, tie);
                }
                // In another version the line is elsewhere.
                let is_inside = (entity.first_line..=entity.last_line).contains(&frame.line);
                self.say(&entity, &why, Some(frame.line).filter(|_| is_inside));
                here += 1;
            }
        }
        is_trace && here > 0
    }

    /// Ranks mere matches behind the places that the question leads to exactly.
    fn put_behind_exact(&mut self) {
        for candidate in self.found.iter_mut().filter(|candidate| candidate.exact.is_none()) {
            candidate.tie *= BEHIND_EXACT;
        }
        for candidate in &mut self.found {
            candidate.tie = candidate.exact.unwrap_or(candidate.tie);
        }
    }

    /// Adds the places that raise an error that the question quotes. Returns whether the question is hardly more than
    /// that error.
    fn raise_sites(&mut self) -> bool {
        let mut is_exact = false;
        for error in self.analysis.errors.iter().take(4) {
            let asked = bag_of(self.vocabulary, &error.message);
            if asked.len() < 2 && error.kind.is_empty() {
                continue;
            }
            let only_kind = asked.is_empty();
            let is_bare = self.question.words.len() <= 2 * asked.len() + 4;
            let mut sites: Vec<(f32, EntityNum, u32)> = Vec::new();
            for raise in self.codebase.tree.raises() {
                let said = bag_of(self.vocabulary, raise.message);
                let shared = asked.iter().filter(|term| said.contains(term)).count() as f32;
                let kind = f32::from(u8::from(!error.kind.is_empty() && raise.what.contains(&error.kind)));
                let agreement = shared / said.len().max(3) as f32;
                if agreement >= 0.6 || (only_kind && kind > 0.0) {
                    sites.push((agreement.max(0.6) + 0.3 * kind, raise.entity, raise.line));
                }
            }
            // A type that is raised in many places leads nowhere.
            if only_kind && sites.len() > MOST_RAISING {
                continue;
            }
            sites.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            // If one site matches the whole message, sites that match a part of it are other errors.
            let best = sites.first().map_or(0.0, |site| site.0);
            sites.retain(|site| site.0 >= best - 0.05);
            for (agreement, number, line) in sites.into_iter().take(3) {
                let Some(entity) = self.codebase.tree.entity(number).filter(|entity| self.is_source(entity)) else {
                    continue;
                };
                let what = if agreement >= 0.95 { "the quoted error" } else { "an error like the quoted one" };
                let why = format!("It raises {what} (line {line}).");
                let link = self.link(&entity, CausalRelationship::Answers, agreement.min(0.9), &why);
                // A question that is hardly more than the error asks where it comes from.
                let tie = if is_bare { agreement.min(1.0) } else { RAISES * agreement.min(1.0) };
                self.add_entity(&entity, tie, Way::Structural, vec![link]);
                self.say(&entity, &why, Some(line));
                if is_bare && agreement >= 0.95 {
                    self.mark_exact(&entity, tie);
                    is_exact = true;
                }
            }
        }
        is_exact
    }

    fn along_the_graph(&mut self, anchors: &[(EntityNum, f32)]) {
        let callers = if self.analysis.intent == QuestionIntent::Why { CallerSteps::One } else { CallerSteps::None };
        let reach = Reach::from(self.codebase.tree, anchors, DEPTH, callers);
        let anchor_numbers: Vec<EntityNum> = anchors.iter().map(|anchor| anchor.0).collect();
        let named: FxHashSet<EntityNum> = self.named().collect();
        let mut added = 0;
        for (number, strength) in reach.reached() {
            let Some(entity) = self.codebase.tree.entity(number).filter(|entity| self.is_source(entity)) else {
                continue;
            };
            let is_new = !self.by_id.contains_key(&entity_id(self.codebase.tree, &entity));
            if (is_new && added >= ALONG_GRAPH) || entity.parent.is_none() || anchor_numbers.contains(&number) {
                continue;
            }
            added += usize::from(is_new);
            let (anchor, mut links) = reach.links(self.codebase.tree, number);
            if let Some(anchor) = self.codebase.tree.entity(anchor) {
                let tie = anchors.iter().find(|known| known.0 == anchor.number).map_or(0.5, |known| known.1);
                links.insert(0, self.anchor_link(&anchor, tie));
            }
            if let Some(link) = links.last_mut() {
                link.to.kind = NodeType::Document;
            }
            let share = if named.contains(&anchor) { REACHED_FROM_NAMED } else { REACHED };
            self.add_entity(&entity, share * strength, Way::Graph, links);
        }
    }
}

/// The entity of a frame in a file: the one at its line, if the names agree; otherwise the one with its name.
fn meant_by<'t>(tree: &'t TreeIndex, frame: &StackFrame, file: FileNum) -> Option<TreeEntity<'t>> {
    let on_line = tree.entity_at(file, frame.line);
    let Some(name) = frame.function.as_deref() else { return on_line };
    let is_it = |entity: &TreeEntity<'_>| entity.name == name || (name.starts_with('<') && entity.parent.is_none());
    let owned = |entity: &TreeEntity<'_>| {
        frame.owner.as_ref().is_some_and(|owner| entity.qualified.rsplit('.').nth(1) == Some(owner))
    };
    let named = || tree.entities_of(file).filter_map(|number| tree.entity(number)).filter(|entity| entity.name == name);
    on_line.filter(is_it).or_else(|| named().find(owned)).or_else(|| named().next())
}

/// Is the file of a frame the file of the tree? At least two trailing components must agree, or one path must be a
/// suffix of the other: a library's `utils.py` is not ours.
fn is_same_path(frame: &str, file: &str, agreed: usize, root: Option<&Path>) -> bool {
    let parts: Vec<&str> = frame.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    // A file at the root of the tree is in a folder with the tree's name.
    let folder = root.and_then(|root| root.file_name()).and_then(|name| name.to_str());
    let at_root = !file.contains('/') && parts.iter().rev().nth(1).copied() == folder;
    agreed >= 2 || (agreed == 1 && (parts.len() == 1 || at_root))
}

fn bag_of(vocabulary: &mut TermVocabulary, text: &str) -> FxHashSet<Term> {
    identifiers(text).flat_map(|word| vocabulary.terms(word).to_vec()).collect()
}
