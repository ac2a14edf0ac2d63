//! What is shown: strong enough, new, and not all from one file.

use super::assess::{information, moves_nothing};
use super::candidates::{DocumentCandidate, Way};
use super::model::{AnswerModel, ModelError};
use super::options::Options;
use super::weigh::{AnswerSpace, CausalRelevance};

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum DocumentFate {
    Retrieved {
        rank: usize,
    },
    /// Its score is too low.
    Weak {
        score: f32,
        least: f32,
    },
    /// Another says the same.
    Redundant {
        with: String,
    },
    /// Others of its file stand before it.
    SameFile,
    /// There were better ones.
    BeyondLimit {
        place: usize,
        limit: usize,
    },
    /// It explains, and enough of its kind or of all kinds do.
    Crowded {
        of_kind: usize,
        of_all: usize,
    },
}

/// So many documents of one file.
const PER_FILE: usize = 2;
/// More of one file, if they match nearly as well as the first document does.
const MOST_PER_FILE: usize = 4;
const NEARLY_BEST: f32 = 0.8;
/// Explaining documents beside the causes, and of one kind: tests and pages must not crowd out what was said before.
const EXPLAINING: usize = 8;
const EXPLAINING_OF_KIND: usize = 2;
/// What explains may be tied less to the question than what leads.
const LEAST_EXPLAINING: f32 = 0.5;
/// A method that matches so nearly as well as its type stands for it.
const NEARLY: f32 = 0.7;
/// Less information than this is none.
const NOTHING_NEW: f32 = 0.005;

/// Everything that a choice is made from.
pub struct Choice<'a> {
    pub candidates: &'a [DocumentCandidate],
    pub known: &'a AnswerSpace,
    /// Which of them lead, as opposed to those that explain.
    pub leads: &'a [bool],
    pub options: &'a Options,
}

impl Choice<'_> {
    /// Goes through the candidates in their order; says of each what became of it, and what it
    /// gains beside those chosen before it.
    pub fn make(
        &self,
        model: &mut dyn AnswerModel,
        order: &[usize],
        weighed: &mut [CausalRelevance],
    ) -> Result<Vec<DocumentFate>, ModelError> {
        // A type stands back for its method only if that is shown in the end.
        let mut in_their_own_right: Vec<usize> = Vec::new();
        loop {
            let fates = self.pass(model, order, weighed, &in_their_own_right)?;
            let is_shown = |id: &String| {
                let at = self.candidates.iter().position(|candidate| candidate.document.id == *id);
                at.is_some_and(|at| matches!(fates[at], DocumentFate::Retrieved { .. }))
            };
            let lost_its_pair = |at: &usize| matches!(&fates[*at], DocumentFate::Redundant { with } if !is_shown(with));
            let lost: Vec<usize> = order.iter().copied().filter(lost_its_pair).collect();
            if lost.is_empty() {
                return Ok(fates);
            }
            in_their_own_right.extend(lost);
        }
    }

    fn pass(
        &self,
        model: &mut dyn AnswerModel,
        order: &[usize],
        weighed: &mut [CausalRelevance],
        in_their_own_right: &[usize],
    ) -> Result<Vec<DocumentFate>, ModelError> {
        let mut fates = vec![DocumentFate::SameFile; self.candidates.len()];
        let mut chosen: Vec<usize> = Vec::new();
        for (place, &at) in order.iter().enumerate() {
            let before: Vec<usize> = chosen.iter().copied().filter(|other| weighed[*other].assessed).collect();
            let is_told = weighed[at].assessed && moves_nothing(model, at, &before)?;
            if weighed[at].assessed {
                weighed[at].information = information(model, at, &before)?;
            }
            let member = (!in_their_own_right.contains(&at)).then(|| self.member(order, weighed, at)).flatten();
            let same = member.or_else(|| self.same_as(&chosen, &weighed[at], at, is_told));
            fates[at] = match same {
                Some(with) => DocumentFate::Redundant { with: self.candidates[with].document.id.clone() },
                None => self.limits(&chosen, weighed, at, place),
            };
            if matches!(fates[at], DocumentFate::Retrieved { .. }) {
                chosen.push(at);
            }
        }
        Ok(fates)
    }

    /// A type says nothing beside its own method, if that matches nearly as well.
    fn member(&self, order: &[usize], weighed: &[CausalRelevance], at: usize) -> Option<usize> {
        let of = &self.candidates[at];
        let is_member = |other: &usize| {
            let document = &self.candidates[*other].document;
            let inside = document.name.strip_prefix(&of.document.name).is_some_and(|rest| rest.starts_with('.'));
            document.path == of.document.path && inside && weighed[*other].score >= NEARLY * weighed[at].score
        };
        (of.is_type && self.leads[at]).then(|| order.iter().copied().find(is_member)).flatten()
    }

    /// One that was chosen and says the same: of what leads, the same answer, so that knowing it
    /// too moves nothing; of what explains, the same words.
    fn same_as(&self, chosen: &[usize], relevance: &CausalRelevance, at: usize, is_told: bool) -> Option<usize> {
        let says = relevance.information.mutual_information > NOTHING_NEW;
        let document = &self.candidates[at].document;
        chosen.iter().copied().find(|other| {
            let known = &self.candidates[*other].document;
            let same_answer =
                self.known.answer_of[at].is_some() && self.known.answer_of[at] == self.known.answer_of[*other];
            let said = &self.candidates[*other].said;
            let same_text = known.kind == document.kind && !said.is_empty() && *said == self.candidates[at].said;
            (self.leads[at] && same_answer && says && is_told) || same_text
        })
    }

    fn limits(&self, chosen: &[usize], weighed: &[CausalRelevance], at: usize, place: usize) -> DocumentFate {
        let limit = self.options.max_docs();
        let score = weighed[at].score;
        let best = chosen.first().map_or(score, |first| weighed[*first].score);
        let most_of_file = if score >= NEARLY_BEST * best { MOST_PER_FILE } else { PER_FILE };
        let is_lead = self.leads[at];
        let document = &self.candidates[at].document;
        let least = self.options.min_relevance() * if is_lead { 1.0 } else { LEAST_EXPLAINING };
        let of_file = chosen
            .iter()
            .filter(|other| document.path.is_some() && self.candidates[**other].document.path == document.path);
        // What the question itself leads to is not crowded out by its neighbours.
        let is_named = is_lead && self.candidates[at].ways.contains(&Way::Structural);
        let leading = chosen.iter().filter(|other| self.leads[**other]).count();
        let explaining = chosen.len() - leading;
        let of_kind = chosen.iter().filter(|other| self.candidates[**other].document.kind == document.kind).count();
        if score < least {
            DocumentFate::Weak { score, least }
        } else if !is_named && of_file.count() >= most_of_file.max(limit / 5) {
            DocumentFate::SameFile
        } else if is_lead && leading >= limit {
            DocumentFate::BeyondLimit { place: place + 1, limit }
        } else if !is_lead && (explaining >= EXPLAINING || of_kind >= EXPLAINING_OF_KIND) {
            DocumentFate::Crowded { of_kind: EXPLAINING_OF_KIND, of_all: EXPLAINING }
        } else {
            DocumentFate::Retrieved { rank: chosen.len() + 1 }
        }
    }
}
