//! Ranks documents by whether changing them would change the answer, not by similarity.
//!
//! 1. `analysis`: what does the question ask for, and about which entities?
//! 2. `candidates`: which documents could be shown, by words, names, graph, history and memory?
//! 3. `model`, `assess`, `weigh`: what does each add to the answer, and what would change without it?
//! 4. `chain`: how does the question lead to it?
//! 5. `choose`: which are shown, and which are left out?
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
pub use options::{Mode, RelevanceWeights, RetrievalOptions};
pub use retrieve::{CausalRetrieval, LeftOut, RankedDocument, RankedFile, STATED_OF, retrieve};
pub use weigh::CausalRelevance;
pub use why_not::{RetrievalExplanation, explain_other, explain_retrieval};
