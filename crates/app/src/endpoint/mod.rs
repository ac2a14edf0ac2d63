//! OpenAI-compatible services on the network. Off unless `config.toml` names one; nothing else in Backstory uses a
//! network.
//!
//! - `client`: one question, one answer, and the failures.
//! - `embeddings`: texts -> vectors.
//! - `labels`: a cluster's words and excerpts -> its name.
//! - `answers`: a question and documents -> the probability of each answer.

mod answers;
mod client;
mod embeddings;
mod labels;

pub use answers::AnswerService;
pub use client::{Client, Timeout};
pub use embeddings::Endpoint;
pub use labels::name_clusters;
