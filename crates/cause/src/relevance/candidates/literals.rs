//! Where in the code is a text that the question quotes?
//!
//! A message need not be where it is raised: it may be a constant or composed of parts. So the files with its words are
//! read, and the longest run of its words counts.

use backstory_code::CodeEdgeKind;

use super::super::chain::CausalRelationship;
use super::{Gather, Way};
use crate::locate::keep_best;
use crate::tree::{EntityNum, FileNum};
use backstory_language::text::identifiers;

/// At most this many files with its words are read.
const FILES: usize = 24;
/// A shorter run of words is not a quotation.
const LEAST_RUN: usize = 3;
/// A run must have this share of the words; the rest may be filled in at run time.
const LEAST_SHARE: f32 = 0.6;
/// A question that is not marked as a message must be found in the code nearly whole.
const LEAST_SHARE_UNMARKED: f32 = 0.8;
const PLACES: usize = 3;
/// At most this many functions that use a constant are listed.
const USERS: usize = 3;
/// The factor for users of a constant, relative to the constant itself.
const USES: f32 = 0.95;

/// A run of words of a message in a file: its length, and the line on which it begins.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Run {
    words: usize,
    line: u32,
}

impl Gather<'_, '_> {
    /// Returns whether the question is hardly more than a text in the code.
    pub fn literals(&mut self) -> bool {
        let mut is_exact = false;
        for (message, least) in self.messages() {
            let said: Vec<String> = words_of(&message).collect();
            let needed = ((said.len() as f32 * least).ceil() as usize).max(LEAST_RUN);
            let is_bare = self.question.words.len() <= 2 * said.len() + 4;
            for (file, run) in self.places(&message, &said, needed) {
                let share = run.words as f32 / said.len() as f32;
                is_exact |= self.add_place(file, run, share, is_bare) && is_bare;
            }
        }
        is_exact
    }

    /// The texts that may be quotations, with the share of each that must be in the code.
    fn messages(&self) -> Vec<(String, f32)> {
        let marked =
            self.analysis.errors.iter().map(|error| error.message.clone()).filter(|message| !message.is_empty());
        let mut messages: Vec<(String, f32)> = marked.take(4).map(|message| (message, LEAST_SHARE)).collect();
        if messages.is_empty() && self.question.lines == 1 {
            messages.push((self.analysis.text.clone(), LEAST_SHARE_UNMARKED));
        }
        messages
    }

    /// The best places, longest run first.
    fn places(&mut self, message: &str, said: &[String], needed: usize) -> Vec<(FileNum, Run)> {
        if said.len() < LEAST_RUN {
            return Vec::new();
        }
        let terms = self.vocabulary.bag(message);
        let scores = self.codebase.tree.fields().score(&terms, 1.2);
        let mut files: Vec<(usize, f32)> =
            scores.into_iter().take(self.codebase.tree.sources()).enumerate().filter(|file| file.1 > 0.0).collect();
        keep_best(&mut files, FILES);
        let mut found: Vec<(FileNum, Run)> = Vec::new();
        for (file, _) in files {
            let lines = self.texts.lines(self.codebase.tree.path(file as FileNum));
            found.extend(longest_run(lines, said).filter(|run| run.words >= needed).map(|run| (file as FileNum, run)));
        }
        found.sort_by(|a, b| b.1.words.cmp(&a.1.words).then(a.0.cmp(&b.0)));
        let most = found.first().map_or(0, |place| place.1.words);
        found.retain(|place| place.1.words == most);
        found.truncate(PLACES);
        found
    }

    /// Adds the entity that contains the text; for a constant also its users.
    fn add_place(&mut self, file: FileNum, run: Run, share: f32, is_bare: bool) -> bool {
        let tree = self.codebase.tree;
        let Some(entity) = tree.entity_at(file, run.line).filter(|entity| self.is_source(entity)) else { return false };
        let why = format!("The quoted text stands here (line {}).", run.line);
        let tie = if is_bare { share } else { 0.5 * share };
        let link = self.link(&entity, CausalRelationship::Answers, tie, &why);
        self.add_entity(&entity, tie, Way::Structural, vec![link.clone()]);
        self.say(&entity, &why, Some(run.line));
        if is_bare {
            self.mark_exact(&entity, tie);
        }
        let mut users: Vec<(EntityNum, u32)> = tree
            .edges_to(entity.number)
            .filter(|edge| matches!(edge.kind, CodeEdgeKind::Reads | CodeEdgeKind::Uses) && !edge.is_unsure())
            .map(|edge| (edge.from, edge.line))
            .collect();
        users.dedup_by_key(|user| user.0);
        let is_used = entity.parent.is_some() && entity.function.is_none();
        for (user, line) in users.into_iter().take(if is_used { USERS } else { 0 }) {
            let Some(user) = tree.entity(user).filter(|user| self.is_source(user) && user.function.is_some()) else {
                continue;
            };
            let why = format!("It uses the quoted text, {} (line {line}).", entity.qualified);
            let mut first = link.clone();
            first.to.kind = super::super::chain::NodeType::Entity;
            let mut second = self.link(&user, CausalRelationship::Constrains, 1.0, &why);
            second.from = first.to.clone();
            second.against = true;
            self.add_entity(&user, tie * USES, Way::Structural, vec![first, second]);
            self.say(&user, &why, Some(line));
            if is_bare {
                self.mark_exact(&user, tie * USES);
            }
        }
        true
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    identifiers(text).map(str::to_lowercase).filter(|word| word.chars().any(|c| c.is_alphabetic()))
}

/// The longest run of consecutive words of `said` in the lines. Quotes, line ends and signs between
/// the words do not count.
fn longest_run(lines: &[String], said: &[String]) -> Option<Run> {
    let numbered = (1..).zip(lines).flat_map(|(number, line)| words_of(line).map(move |word| (number, word)));
    // The length of the run that ends at each word of `said`, and where it began, as of the previous word.
    let mut before: Vec<Run> = vec![Run { words: 0, line: 0 }; said.len()];
    let mut best: Option<Run> = None;
    for (line, word) in numbered {
        let mut now = vec![Run { words: 0, line: 0 }; said.len()];
        for (at, wanted) in said.iter().enumerate().filter(|(_, wanted)| **wanted == word) {
            let run = match at.checked_sub(1).map(|at| before[at]) {
                Some(earlier) if earlier.words > 0 => Run { words: earlier.words + 1, line: earlier.line },
                _ => Run { words: 1, line },
            };
            debug_assert_eq!(wanted, &word);
            now[at] = run;
            if best.is_none_or(|best| run.words > best.words) {
                best = Some(run);
            }
        }
        before = now;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_over_line_ends_and_quotes() {
        let text = "const A: u8 = 1;\nconst NO_TILL: &str = \"there is no till, \\\n    open one first\";\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let said: Vec<String> = words_of("there is no till, open one first").collect();
        assert_eq!(longest_run(&lines, &said), Some(Run { words: 7, line: 2 }));
        let said: Vec<String> = words_of("there is no cart").collect();
        assert_eq!(longest_run(&lines, &said).map(|run| run.words), Some(3));
    }
}
