//! The options of a question.

use crate::locate::Weights;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Balanced,
    /// Few documents, and only strong ones.
    Precision,
    /// Many documents, including weak ones.
    Recall,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Balanced => "balanced",
            Mode::Precision => "precision",
            Mode::Recall => "recall",
        }
    }
}

/// The weight of each part of the score, relative to their sum.
///
/// On real bug reports, the information and counterfactual terms rank the cause neither higher nor lower than the tie
/// to the question alone; they detect copies, and explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelevanceWeights {
    pub information_contribution: f32,
    pub counterfactual_impact: f32,
    /// How strongly the question leads to it, along its chain.
    pub causal_chain_strength: f32,
}

impl Default for RelevanceWeights {
    fn default() -> Self {
        Self { information_contribution: 0.05, counterfactual_impact: 0.05, causal_chain_strength: 0.9 }
    }
}

impl RelevanceWeights {
    /// From 0 to 1, whatever the sum of the weights.
    pub fn score(&self, information: f32, counterfactual: f32, chain: f32) -> f32 {
        let sum = self.information_contribution + self.counterfactual_impact + self.causal_chain_strength;
        let weighed = self.information_contribution * information
            + self.counterfactual_impact * counterfactual
            + self.causal_chain_strength * chain;
        if sum > 0.0 { weighed / sum } else { 0.0 }
    }
}

#[derive(Clone, Debug)]
pub struct RetrievalOptions {
    /// None: the default of the mode.
    pub max_docs: Option<usize>,
    pub min_relevance: Option<f32>,
    pub weights: RelevanceWeights,
    pub signals: Weights,
    pub include_explanations: bool,
    pub mode: Mode,
}

impl Default for RetrievalOptions {
    fn default() -> Self {
        Self {
            max_docs: None,
            min_relevance: None,
            weights: RelevanceWeights::default(),
            signals: Weights::default(),
            include_explanations: true,
            mode: Mode::Balanced,
        }
    }
}

impl RetrievalOptions {
    pub fn max_docs(&self) -> usize {
        self.max_docs.unwrap_or(match self.mode {
            Mode::Balanced => 5,
            Mode::Precision => 3,
            Mode::Recall => 30,
        })
    }

    pub fn min_relevance(&self) -> f32 {
        self.min_relevance.unwrap_or(match self.mode {
            Mode::Balanced => 0.2,
            Mode::Precision => 0.5,
            Mode::Recall => 0.05,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RelevanceWeights;

    #[test]
    fn weights_are_shares_of_their_sum() {
        let of = |information_contribution, counterfactual_impact, causal_chain_strength| RelevanceWeights {
            information_contribution,
            counterfactual_impact,
            causal_chain_strength,
        };
        assert!((of(1.0, 1.0, 1.0).score(1.0, 1.0, 1.0) - 1.0).abs() < 1e-6);
        assert!((of(0.2, 0.0, 0.0).score(0.5, 0.0, 0.0) - 0.5).abs() < 1e-6);
        assert_eq!(of(0.0, 0.0, 0.0).score(1.0, 1.0, 1.0), 0.0);
    }
}
