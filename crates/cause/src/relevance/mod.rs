//! Documents by whether changing them would change the answer, not by likeness.
//!
//! 1. `analysis`: what is asked for, and about what?
//! 2. `candidates`: what could be shown, by words, by names, along the graph, from history and memory.
//! 3. `model`, `assess`, `weigh`: what does each add to the answer, what would change without it?
//! 4. `chain`: how does the question lead to it?
//! 5. `choose`: what is shown, and what is left out?
//! 6. `explanation`, `measured`: why does it matter, and how sure is that?

mod analysis;
mod assess;
mod candidates;
mod chain;
mod choose;
mod confidence;
mod document;
mod explanation;
mod measured;
mod model;
mod options;
mod retrieve;
mod symptom;
mod weigh;
mod why_not;

pub use analysis::{AnswerType, NamedEntity, QueryAnalysis, QuestionIntent, QuotedError, entities_named};
pub use assess::{
    AnswerChange, ChangeSeverity, CounterfactualImpact, InformationContribution, counterfactual, information,
};
pub use candidates::Way;
pub use chain::{CausalChainLink, CausalNode, CausalRelationship, NodeType, chain_strength};
pub use choose::DocumentFate;
pub use confidence::ConfidenceValue;
pub use document::{CodeLocation, Document, DocumentKind, MemoryLookup, Remembered, WrittenBy};
pub use model::{Answer, AnswerModel, Fact, FactModel, ModelError, OutsideModel, entropy};
pub use options::{Mode, Options, RelevanceWeights};
pub use retrieve::{CausalRetrieval, LeftOut, RankedDocument, RankedFile, STATED_OF, retrieve};
pub use weigh::CausalRelevance;
pub use why_not::{RetrievalExplanation, explain_other, explain_retrieval};
