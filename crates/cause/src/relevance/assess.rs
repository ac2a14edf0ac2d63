//! What does a document add to the answer, and would the answer differ without it?

use super::model::{AnswerModel, ModelError, entropy};

/// The information of a document, in bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct InformationContribution {
    /// H(A | Q) - H(A | Q, D): its information on its own.
    pub mutual_information: f32,
    /// H(A | Q, S) - H(A | Q, S, D): its information given the documents shown before it.
    pub information_gain: f32,
    /// The part of its information that was known already.
    pub redundancy: f32,
    /// The information that only this document has.
    pub unique_contribution: f32,
    /// H(A | Q) - H(A | Q, S, D): how much it and the documents before it reduce the uncertainty.
    pub entropy_reduction: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerChange {
    /// A different answer.
    Complete,
    /// Some of the best answers differ.
    Partial,
    /// The same answers with other probabilities.
    Confidence,
    #[default]
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSeverity {
    #[default]
    Negligible,
    Minor,
    Significant,
    Critical,
}

/// The effect of leaving a document out.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct CounterfactualImpact {
    pub would_change_answer: bool,
    pub change_probability: f32,
    pub change: AnswerChange,
    pub severity: ChangeSeverity,
    /// The best answer without it, by its number.
    #[serde(skip)]
    pub instead: Option<usize>,
}

/// Answers that agree less than this are different.
const SAME_ANSWER: f32 = 0.9;
/// This many of the best answers are compared.
const BEST: usize = 3;
/// A smaller change is not noticeable.
const NOTICEABLE: f32 = 0.02;
/// Answers whose difference is smaller are the same.
const NOT_MOVED: f32 = 0.005;

/// `before`: the documents chosen before it.
pub fn information(
    model: &mut dyn AnswerModel,
    document: usize,
    before: &[usize],
) -> Result<InformationContribution, ModelError> {
    let with = |set: &[usize]| {
        let mut all = set.to_vec();
        if !all.contains(&document) {
            all.push(document);
        }
        all
    };
    let base = entropy(&model.distribution(&[])?);
    let with_document = entropy(&model.distribution(&[document])?);
    let with_before = entropy(&model.distribution(before)?);
    let with_both = entropy(&model.distribution(&with(before))?);
    let (mutual, gain) = (base - with_document, with_before - with_both);
    Ok(InformationContribution {
        mutual_information: mutual,
        information_gain: gain,
        redundancy: mutual - gain,
        unique_contribution: gain,
        entropy_reduction: base - with_both,
    })
}

/// Is the answer the same with and without the document?
pub fn moves_nothing(model: &mut dyn AnswerModel, document: usize, before: &[usize]) -> Result<bool, ModelError> {
    let with: Vec<usize> = before.iter().copied().chain([document]).collect();
    let (with, without) = (model.distribution(&with)?, model.distribution(before)?);
    Ok(1.0 - agreement(&with, &without) < NOT_MOVED)
}

fn agreement(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a.min(*b)).sum()
}

/// `all`: all known documents, including this one.
pub fn counterfactual(
    model: &mut dyn AnswerModel,
    document: usize,
    all: &[usize],
) -> Result<CounterfactualImpact, ModelError> {
    let rest: Vec<usize> = all.iter().copied().filter(|other| *other != document).collect();
    let mut whole = rest.clone();
    whole.push(document);
    let with = model.distribution(&whole)?;
    let without = model.distribution(&rest)?;
    let agreement = agreement(&with, &without);
    let change_probability = (1.0 - agreement).clamp(0.0, 1.0);
    let (best, instead) = (best(&with), best(&without));
    Ok(CounterfactualImpact {
        would_change_answer: agreement < SAME_ANSWER,
        change_probability,
        change: classify(&best, &instead, change_probability),
        severity: severity(change_probability),
        instead: instead.first().copied().filter(|instead| best.first() != Some(instead)),
    })
}

fn best(distribution: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..distribution.len()).collect();
    order.sort_by(|a, b| distribution[*b].total_cmp(&distribution[*a]).then(a.cmp(b)));
    order.truncate(BEST);
    order
}

fn classify(with: &[usize], without: &[usize], change: f32) -> AnswerChange {
    if change < NOTICEABLE {
        AnswerChange::None
    } else if with.first() != without.first() {
        AnswerChange::Complete
    } else if with.iter().any(|answer| !without.contains(answer)) {
        AnswerChange::Partial
    } else {
        AnswerChange::Confidence
    }
}

fn severity(change: f32) -> ChangeSeverity {
    match change {
        change if change >= 0.5 => ChangeSeverity::Critical,
        change if change >= 0.2 => ChangeSeverity::Significant,
        change if change >= 0.05 => ChangeSeverity::Minor,
        _ => ChangeSeverity::Negligible,
    }
}
