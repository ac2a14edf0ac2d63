//! What does each document say about the answer, and what is its score?

use crate::locate::{CodeRanking, Codebase, FILE_SIGNALS, FUNCTION_SIGNALS, Weights};

use super::analysis::QuestionIntent;
use super::assess::{CounterfactualImpact, InformationContribution, counterfactual, information};
use super::candidates::{DocumentCandidate, Way};
use super::chain::CausalChainLink;
use super::confidence::ConfidenceValue;
use super::document::DocumentKind;
use super::model::{Answer, AnswerModel, Fact, ModelError};
use super::options::RetrievalOptions;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CausalRelevance {
    /// Was the answer model asked about it? If not, the next two fields are unset.
    pub assessed: bool,
    pub information: InformationContribution,
    pub counterfactual: CounterfactualImpact,
    pub chain: Vec<CausalChainLink>,
    pub score: f32,
    pub confidence: ConfidenceValue,
}

/// At most this many places can be the answer.
const ANSWERS: usize = 12;

/// The most likely causes, and the reasons that each document gives for them.
pub struct AnswerSpace {
    pub answers: Vec<Answer>,
    /// The answer of each candidate; copies of one text are one answer.
    pub answer_of: Vec<Option<usize>>,
    pub facts: Vec<Vec<Fact>>,
}

impl AnswerSpace {
    pub fn of(
        codebase: &Codebase<'_>,
        ranking: &CodeRanking,
        weights: &Weights,
        candidates: &[DocumentCandidate],
    ) -> Self {
        let (owners, answer_of) = answers(codebase, candidates);
        let own: Vec<Vec<(&'static str, f32)>> =
            owners.iter().map(|at| reasons(ranking, weights, &candidates[*at])).collect();
        let facts = candidates.iter().zip(&answer_of).map(|(candidate, answer)| match *answer {
            Some(answer) => own[answer].iter().map(|&(reason, weight)| Fact { reason, answer, weight }).collect(),
            // A possible cause that is not among the answers says nothing about them.
            None if candidate.document.kind.can_be_cause() => Vec::new(),
            None => about(candidates, &owners, candidate)
                .into_iter()
                .map(|answer| said_by(candidate, answer, &own[answer]))
                .collect(),
        });
        let facts = facts.collect();
        let answers = owners.iter().map(|at| &candidates[*at].document).map(|document| Answer {
            name: document.name.clone(),
            path: document.path.clone().unwrap_or_default(),
            lines: document.lines.unwrap_or_default(),
        });
        AnswerSpace { answers: answers.collect(), answer_of, facts }
    }
}

/// The candidate of each answer, and the answer of each candidate.
fn answers(codebase: &Codebase<'_>, candidates: &[DocumentCandidate]) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut owners: Vec<usize> = Vec::new();
    let mut answer_of: Vec<Option<usize>> = vec![None; candidates.len()];
    for (at, candidate) in candidates.iter().enumerate() {
        if !candidate.document.kind.can_be_cause() {
            continue;
        }
        let same = owners.iter().position(|owner| is_copy(codebase, &candidates[*owner], candidate));
        answer_of[at] = same.or_else(|| {
            (owners.len() < ANSWERS).then(|| {
                owners.push(at);
                owners.len() - 1
            })
        });
    }
    (owners, answer_of)
}

/// The answers that an explaining document is about: by its files or its chain.
fn about(candidates: &[DocumentCandidate], owners: &[usize], candidate: &DocumentCandidate) -> Vec<usize> {
    let is_on_chain = |id: &String| candidate.chain.iter().any(|link| link.from.id == *id || link.to.id == *id);
    let is_meant = |owner: &DocumentCandidate| {
        owner.files.iter().any(|file| candidate.files.contains(file)) || is_on_chain(&owner.document.id)
    };
    (0..owners.len()).filter(|answer| is_meant(&candidates[owners[*answer]])).collect()
}

/// The reason that an explaining document gives for an answer.
fn said_by(candidate: &DocumentCandidate, answer: usize, own: &[(&'static str, f32)]) -> Fact {
    let part = |reason: &str| own.iter().filter(|known| known.0 == reason).map(|known| known.1).sum::<f32>();
    let (reason, weight) = match candidate.document.kind {
        DocumentKind::Commit => ("close-commits", part("close-commits")),
        DocumentKind::Session | DocumentKind::Decision | DocumentKind::Failure | DocumentKind::Card => {
            ("memory", 0.3 * candidate.tie)
        }
        DocumentKind::Test => ("tests", part("tests").max(0.1 * candidate.tie)),
        DocumentKind::Page | DocumentKind::Code | DocumentKind::Config => ("words", 0.3 * part("words")),
    };
    Fact { reason, answer, weight }
}

/// The reasons for a place on its own.
fn reasons(ranking: &CodeRanking, weights: &Weights, candidate: &DocumentCandidate) -> Vec<(&'static str, f32)> {
    let Some(function) = candidate.function else { return vec![("tie", 2.0 * candidate.tie)] };
    let best_file = ranking.files.first().map_or(1.0, |file| file.score).max(f32::MIN_POSITIVE);
    let of_function = ranking.parts_of_function(function).take(FUNCTION_SIGNALS.len());
    let file = candidate.files.first().map_or(0, |file| *file as usize);
    let of_file = ranking.parts_of_file(file).take(FILE_SIGNALS.len());
    let scaled = of_file.map(|(name, part)| {
        // Words of the function and words of its file are separate reasons.
        let name = if name == "words" { "words-of-file" } else { name };
        (name, part * weights.file_of_function / best_file)
    });
    of_function.chain(scaled).filter(|(_, weight)| *weight > 0.0).collect()
}

/// The same name and the same signals: a copy, as in vendored or generated code.
fn is_copy(codebase: &Codebase<'_>, a: &DocumentCandidate, b: &DocumentCandidate) -> bool {
    let (Some(a), Some(b)) = (a.function, b.function) else { return false };
    let vector = |at: usize| {
        let dim = backstory_language::embed::DIM;
        codebase.tree.vectors().get(at * dim..(at + 1) * dim).unwrap_or_default()
    };
    let names =
        codebase.tree.function(a).zip(codebase.tree.function(b)).is_some_and(|(a, b)| {
            a.qualified == b.qualified && a.last_line - a.first_line == b.last_line - b.first_line
        });
    a != b && names && crate::locate::cosine(vector(a), vector(b)) > 0.98
}

/// Scores each candidate; the model is asked about only the first `assessed`.
///
/// The gain over others is known only once those are chosen: see `choose`.
pub fn weigh(
    model: &mut dyn AnswerModel,
    candidates: &[DocumentCandidate],
    known: &AnswerSpace,
    assessed: usize,
    intent: QuestionIntent,
    options: &RetrievalOptions,
) -> Result<Vec<CausalRelevance>, ModelError> {
    let all: Vec<usize> = (0..assessed).collect();
    let most = (known.answers.len().max(2) as f32).log2();
    let distribution = model.distribution(&all)?;
    let mut weighed = Vec::with_capacity(candidates.len());
    for (at, candidate) in candidates.iter().enumerate() {
        let (information, counterfactual) = match at < assessed {
            true => (information(model, at, &[])?, counterfactual(model, at, &all)?),
            false => Default::default(),
        };
        let gained = (information.mutual_information / most).clamp(0.0, 1.0);
        weighed.push(CausalRelevance {
            assessed: at < assessed,
            score: options.weights.score(gained, counterfactual.change_probability, candidate.tie),
            information,
            counterfactual,
            chain: candidate.chain.clone(),
            confidence: confidence(candidate, known.answer_of[at], &distribution, intent),
        });
    }
    Ok(weighed)
}

fn confidence(
    candidate: &DocumentCandidate,
    answer: Option<usize>,
    distribution: &[f32],
    intent: QuestionIntent,
) -> ConfidenceValue {
    if intent.asks_for_users() && candidate.ways.contains(&Way::Graph) {
        let steps: Vec<ConfidenceValue> = candidate.chain.iter().skip(1).map(CausalChainLink::confidence).collect();
        return ConfidenceValue::in_sequence(&steps);
    }
    match answer {
        Some(answer) => ConfidenceValue::Derived {
            value: distribution.get(answer).copied().unwrap_or(0.0),
            formula: "share of the answer distribution given all documents",
            inputs: vec![("answers", distribution.len() as f32)],
        },
        None if candidate.document.kind.can_be_cause() => {
            ConfidenceValue::absent("not among the places that the answer is chosen from")
        }
        None => ConfidenceValue::absent("it can explain, but is no cause"),
    }
}
