//! What is the answer, given these documents?
//!
//! The answer is a distribution over *answer candidates*: places in the code that can be the cause. Each document
//! contributes *facts*: a weighted reason for one candidate. A reason that two documents give counts once, so known
//! facts add nothing. A missing reason has its average weight. Entropy, information gain, redundancy and the effect of
//! leaving a document out are computed from the distribution.

use super::document::Document;

/// A place that can be the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Answer {
    pub name: String,
    pub path: String,
    pub lines: (u32, u32),
}

/// A reason for an answer, from one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Documents that give the same reason for the same answer are redundant.
    pub reason: &'static str,
    pub answer: usize,
    pub weight: f32,
}

#[derive(Debug, thiserror::Error)]
#[error("the answer model: {0}")]
pub struct ModelError(pub String);

/// Computes the probability of each answer from the chosen documents alone.
pub trait AnswerModel {
    /// The model's name, for the record.
    fn name(&self) -> &str;
    /// `chosen`: documents by number.
    fn distribution(&mut self, chosen: &[usize]) -> Result<Vec<f32>, ModelError>;
}

/// An external model that reads texts; it may fail.
pub trait OutsideModel {
    fn name(&self) -> &str;
    fn distribution(
        &mut self,
        question: &str,
        answers: &[Answer],
        documents: &[&Document],
    ) -> Result<Vec<f32>, ModelError>;
}

/// How much a reason of weight 1 raises an answer above one without it. Fitted on real bug reports, so that answers
/// with a probability of .6 are right in six of ten cases.
pub const SHARPNESS: f32 = 4.0;

/// The default model: local and deterministic, using only facts.
pub struct FactModel {
    answers: usize,
    /// Per document: the numbers of reason and answer, and the weight.
    facts: Vec<Vec<(usize, usize, f32)>>,
    /// The weight of each reason for the average answer.
    expected: Vec<f32>,
}

impl FactModel {
    pub fn new(answers: usize, facts: &[Vec<Fact>]) -> Self {
        let mut reasons: Vec<&'static str> = facts.iter().flatten().map(|fact| fact.reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let number_of = |reason: &str| reasons.binary_search(&reason).unwrap_or_default();
        let by_number = |fact: &Fact| (number_of(fact.reason), fact.answer, fact.weight);
        let facts = facts.iter().map(|of| of.iter().map(by_number).collect()).collect();
        let mut model = Self { answers, facts, expected: vec![0.0; reasons.len()] };
        let all: Vec<usize> = (0..model.facts.len()).collect();
        let strongest = model.strongest(&all);
        for (reason, expected) in model.expected.iter_mut().enumerate() {
            let known: f32 = strongest[reason * answers..(reason + 1) * answers].iter().flatten().sum();
            *expected = known / answers.max(1) as f32;
        }
        model
    }

    /// The weight of each reason for each answer; among several documents, the strongest counts.
    fn strongest(&self, chosen: &[usize]) -> Vec<Option<f32>> {
        let mut strongest: Vec<Option<f32>> = vec![None; self.expected.len() * self.answers];
        for &(reason, answer, weight) in chosen.iter().filter_map(|document| self.facts.get(*document)).flatten() {
            let known = &mut strongest[reason * self.answers + answer];
            *known = Some(known.map_or(weight, |known| known.max(weight)));
        }
        strongest
    }

    /// The sum of the reasons for each answer, known or expected.
    fn support(&self, chosen: &[usize]) -> Vec<f32> {
        let strongest = self.strongest(chosen);
        let known = |reason: usize, answer: usize| strongest[reason * self.answers + answer];
        let of = |answer: usize| {
            let reasons = self.expected.iter().enumerate();
            reasons.map(|(reason, expected)| known(reason, answer).unwrap_or(*expected)).sum()
        };
        (0..self.answers).map(of).collect()
    }
}

impl AnswerModel for FactModel {
    fn name(&self) -> &str {
        "facts"
    }

    fn distribution(&mut self, chosen: &[usize]) -> Result<Vec<f32>, ModelError> {
        Ok(softmax(&self.support(chosen), SHARPNESS))
    }
}

/// Asks an external model, once for each set of documents.
pub struct ServiceModel<'a> {
    pub outside: &'a mut dyn OutsideModel,
    pub question: &'a str,
    pub answers: &'a [Answer],
    pub documents: &'a [Document],
    pub known: Vec<(Vec<usize>, Vec<f32>)>,
}

impl AnswerModel for ServiceModel<'_> {
    fn name(&self) -> &str {
        self.outside.name()
    }

    fn distribution(&mut self, chosen: &[usize]) -> Result<Vec<f32>, ModelError> {
        let mut set = chosen.to_vec();
        set.sort_unstable();
        if let Some((_, known)) = self.known.iter().find(|(of, _)| *of == set) {
            return Ok(known.clone());
        }
        let documents: Vec<&Document> = set.iter().filter_map(|at| self.documents.get(*at)).collect();
        let mut given = self.outside.distribution(self.question, self.answers, &documents)?;
        given.resize(self.answers.len(), 0.0);
        let sum: f32 = given.iter().map(|share| share.max(0.0)).sum();
        let even = 1.0 / given.len().max(1) as f32;
        given.iter_mut().for_each(|share| *share = if sum > 0.0 { share.max(0.0) / sum } else { even });
        self.known.push((set, given.clone()));
        Ok(given)
    }
}

pub fn softmax(support: &[f32], sharpness: f32) -> Vec<f32> {
    let largest = support.iter().copied().fold(f32::MIN, f32::max);
    let raised: Vec<f32> = support.iter().map(|value| ((value - largest) * sharpness).exp()).collect();
    let sum: f32 = raised.iter().sum();
    raised.into_iter().map(|value| value / sum).collect()
}

/// In bits.
pub fn entropy(distribution: &[f32]) -> f32 {
    -distribution.iter().filter(|share| **share > 0.0).map(|share| share * share.log2()).sum::<f32>()
}
