//! The interface of embedding models, and their errors.

use std::path::PathBuf;

/// Something that turns texts into vectors.
pub trait Embedder {
    /// A stable id: a name and the first 8 hex digits of the BLAKE3 hash of the weights.
    fn model(&self) -> &str;
    /// Dimensions of the vectors.
    fn dim(&self) -> usize;
    /// Unit-length vectors, one per text; an empty or unknown text gives zeros.
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why an embedding model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file of the model is missing or unreadable.
    #[error("cannot read {}: {source}; a model folder needs config.json, model.safetensors and vocab.txt or tokenizer.json", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A file of the model has invalid contents.
    #[error("{} is damaged or of another kind: {reason}; download the model again", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// The model is of an unsupported kind.
    #[error("{} describes a model that is not supported: {reason}", path.display())]
    Unsupported { path: PathBuf, reason: String },
    /// The program was built without support for such models.
    #[error("{}: this program was built without the feature `sentence-model`", path.display())]
    NotBuilt { path: PathBuf },
    /// A table file has another layout than this version reads.
    #[error("not a table of word vectors: {reason}; make it again with `backstory-eval embedding make`")]
    BadTable { reason: String },
    /// Vectors can only be compared with vectors of the same length.
    #[error("{model} gave vectors of {found} dimensions, where {expected} were expected")]
    Dimensions { model: String, expected: usize, found: usize },
    /// An external model failed, for the given reason.
    #[error("{0}")]
    NoAnswer(String),
}
