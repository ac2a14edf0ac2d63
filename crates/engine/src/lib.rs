//! Backstory's memory: reads what agents did into an append-only log, derives
//! chunks and a causal graph from it, and answers questions with citations.
//!
//! Reading order follows the pipeline:
//!
//! 1. [`model`]: the words. What is an event, a chunk, an edge, evidence?
//! 2. [`store`]: the files on disk. The only place that speaks SQL.
//! 3. [`log`]: ground truth. Append (redacted, hash-chained), verify, export, import, forget.
//! 4. [`ingest`]: bytes of foreign formats -> events + problems.
//! 5. [`derive`]: events -> chunks -> edges -> words and vectors; a fold that can be thrown away and repeated.
//! 6. [`retrieve`]: one function per question.
//!
//! The engine is synchronous and knows no terminal, environment, home folder,
//! clock or network: they come in as arguments.

pub mod derive;
pub mod fixture;
pub mod ingest;
pub mod log;
pub mod model;
pub mod retrieve;
pub mod store;

mod memory;
pub use memory::{Citations, Embedded, Flaws, ForgetStep, HomeFile, Memory, MemoryError, ingest_into};
