//! Which documents are shown? Strong and new ones, and not all from one file.

use super::assess::{information, moves_nothing};
use super::candidates::{DocumentCandidate, Way};
use super::model::{AnswerModel, ModelError};
use super::options::RetrievalOptions;
use super::weigh::{AnswerSpace, CausalRelevance};

/// The outcome for a candidate.
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
    /// Another document says the same.
    Redundant {
        with: String,
    },
    /// Enough other documents of its file rank before it.
    SameFile,
    /// The limit was reached by better ones.
    BeyondLimit {
        place: usize,
        limit: usize,
    },
    /// It explains, and there are enough of its kind or of all kinds.
    Crowded {
        of_kind: usize,
        of_all: usize,
    },
}

/// At most this many documents of one file.
const PER_FILE: usize = 2;
/// The limit if they match nearly as well as the first document.
const MOST_PER_FILE: usize = 4;
const NEARLY_BEST: f32 = 0.8;
/// Limits on explaining documents, in all and of one kind: tests and pages must not crowd out memories.
const EXPLAINING: usize = 8;
const EXPLAINING_OF_KIND: usize = 2;
/// The factor on the least score of an explaining document.
const LEAST_EXPLAINING: f32 = 0.5;
/// A method that scores this share of its type's score represents the type.
const NEARLY: f32 = 0.7;
/// Less information counts as none.
const NOTHING_NEW: f32 = 0.005;

/// The inputs of the choice.
pub struct Choice<'a> {
    pub candidates: &'a [DocumentCandidate],
    pub known: &'a AnswerSpace,
    /// Which candidates are answers, as opposed to explanations.
    pub leads: &'a [bool],
    pub options: &'a RetrievalOptions,
}

impl Choice<'_> {
    /// Goes through the candidates in order; decides the fate of each, and its gain over those chosen before it.
    pub fn make(
        &self,
        model: &mut dyn AnswerModel,
        order: &[usize],
        weighed: &mut [CausalRelevance],
    ) -> Result<Vec<DocumentFate>, ModelError> {
        // A type yields to its method only if the method is shown.
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

    /// A type adds nothing to its own method, if that matches nearly as well.
    fn member(&self, order: &[usize], weighed: &[CausalRelevance], at: usize) -> Option<usize> {
        let of = &self.candidates[at];
        let is_member = |other: &usize| {
            let document = &self.candidates[*other].document;
            let inside = document.name.strip_prefix(&of.document.name).is_some_and(|rest| rest.starts_with('.'));
            document.path == of.document.path && inside && weighed[*other].score >= NEARLY * weighed[at].score
        };
        (of.is_type && self.leads[at]).then(|| order.iter().copied().find(is_member)).flatten()
    }

    /// A chosen document that says the same: for answers, the same answer, so that adding it changes nothing; for
    /// explanations, the same words.
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
        // A document that the question itself leads to is not limited by others of its file.
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
