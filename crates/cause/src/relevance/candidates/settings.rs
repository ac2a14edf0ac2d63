//! Which settings can be the cause? A key of a configuration file that a likely place reads by its name.
//!
//! Changing a setting changes what the program does, so it can be the cause like the code that reads it.

use super::super::analysis::QuestionIntent;
use super::super::chain::{CausalRelationship, NodeType};
use super::{Gather, Way};
use crate::settings::{BY_NAME, is_telling};
use crate::terms::Term;
use crate::tree::{EntityNum, TreeEntity};
use backstory_language::text::identifiers;

/// At most this many of the likeliest places are read.
const PLACES: usize = 8;
/// At most this many settings are listed.
const MOST: usize = 3;
/// The factor for a setting, relative to the place that reads it.
const SETTING: f32 = 0.9;
/// The tie of a setting whose whole name is in the question: if the question asks for it, and otherwise.
const ASKED_FOR: f32 = 1.0;
const NAMED: f32 = 0.6;
/// A name that more keys have identifies none of them.
const MOST_NAMESAKES: usize = 3;

/// A place that reads a setting.
struct Reading {
    place: usize,
    key: EntityNum,
    line: u32,
}

impl Gather<'_, '_> {
    pub fn settings(&mut self) {
        let mut likely: Vec<usize> = (0..self.found.len()).filter(|at| self.found[*at].function.is_some()).collect();
        likely.sort_by(|a, b| self.found[*b].tie.total_cmp(&self.found[*a].tie).then(a.cmp(b)));
        let mut readings: Vec<Reading> = Vec::new();
        for place in likely.into_iter().take(PLACES) {
            for reading in self.read_by(place) {
                if !readings.iter().any(|known| known.key == reading.key) {
                    readings.push(reading);
                }
            }
        }
        for reading in readings.into_iter().take(MOST) {
            self.add_setting(&reading);
        }
        self.settings_by_name();
    }

    /// Settings whose section and key are words of the question: `tax.rate` for "the tax rate".
    fn settings_by_name(&mut self) {
        let tree = self.codebase.tree;
        // The last part of a key is one word of the question, or two adjacent ones.
        let said: Vec<&str> = self.question.words.iter().map(|(word, _)| word.as_str()).collect();
        let pairs = said.windows(2).map(|pair| format!("{}_{}", pair[0], pair[1]));
        let names: Vec<Term> = said
            .iter()
            .map(|word| Term::of_identifier(word))
            .chain(pairs.map(|pair| Term::of_identifier(&pair)))
            .collect();
        let mut keys: Vec<EntityNum> = Vec::new();
        for key in names.into_iter().flat_map(|name| tree.settings_named(name)) {
            let mut terms: Vec<Term> =
                identifiers(key.qualified).flat_map(|name| self.vocabulary.terms(name).to_vec()).collect();
            terms.sort_unstable();
            terms.dedup();
            // The whole of a compound name is not a word of a question.
            terms.retain(|term| !is_telling(key.name) || *term != Term::of_identifier(key.name));
            let is_asked = terms.len() > 1 && terms.iter().all(|term| self.question.terms.count(*term) > 0.0);
            if is_asked && !keys.contains(&key.number) {
                keys.push(key.number);
            }
        }
        if keys.len() > MOST_NAMESAKES {
            return;
        }
        let tie = if self.analysis.intent == QuestionIntent::Where { ASKED_FOR } else { NAMED };
        for key in keys.into_iter().filter_map(|number| tree.entity(number)) {
            let link = self.link(&key, CausalRelationship::Defines, tie, "the question has the words of its name");
            self.add_entity(&key, tie, Way::Structural, vec![link]);
        }
    }

    /// The settings that the lines of a place name, if the question shares a word with them.
    fn read_by(&mut self, place: usize) -> Vec<Reading> {
        let tree = self.codebase.tree;
        let document = &self.found[place].document;
        let (Some(path), Some((first, last))) = (document.path.clone(), document.lines) else { return Vec::new() };
        let lines = self.texts.lines(&path);
        let inside = (1u32..).zip(lines).skip(first.saturating_sub(1) as usize).take((1 + last - first) as usize);
        let mut found = Vec::new();
        for (line, text) in inside {
            // A plain word occurs everywhere.
            for name in identifiers(text).filter(|name| is_telling(name)) {
                let keys: Vec<TreeEntity<'_>> = tree.settings_named(Term::of_identifier(name)).collect();
                let is_asked = self.vocabulary.terms(name).iter().any(|term| self.question.terms.count(*term) > 0.0);
                if is_asked && keys.len() <= MOST_NAMESAKES {
                    found.extend(keys.iter().map(|key| Reading { place, key: key.number, line }));
                }
            }
        }
        found
    }

    fn add_setting(&mut self, reading: &Reading) {
        let Some(key) = self.codebase.tree.entity(reading.key) else { return };
        let reader = &self.found[reading.place];
        let (tie, mut chain) = (reader.tie, reader.chain.clone());
        let path = reader.document.path.clone().unwrap_or_default();
        let evidence =
            format!("{} reads {} ({path}:{}, by its name)", reader.document.name, key.qualified, reading.line);
        if let Some(last) = chain.last_mut() {
            last.to.kind = NodeType::Entity;
        }
        let mut link = self.link(&key, CausalRelationship::Constrains, BY_NAME, &evidence);
        link.unsure = true;
        if let Some(last) = chain.last() {
            link.from = last.to.clone();
        }
        chain.push(link);
        let why = format!("A setting that {} reads (line {}).", reader.document.name, reading.line);
        self.add_entity(&key, SETTING * tie, Way::Graph, chain);
        self.say(&key, &why, None);
    }
}
