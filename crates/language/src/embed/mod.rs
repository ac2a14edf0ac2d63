//! Text -> vector: how close in meaning are two texts?
//!
//! 1. `words`, `vocabulary`, `wordpiece`: text -> word pieces, as BERT (uncased) cuts them.
//! 2. `table`: the layout of a table file, used in place; nothing is unpacked at start-up.
//! 3. `static_table`: the embedding that ships with the binary: the mean of a text's table rows.
//! 4. `sentence`: an optional full sentence model from a local folder.
//!
//! The vectors of two models must never be compared: [`Embedder::model`] distinguishes them.

mod embedder;
#[cfg(feature = "sentence-model")]
mod sentence;
#[cfg(not(feature = "sentence-model"))]
#[path = "without_sentence.rs"]
mod sentence;
mod static_table;
mod table;
mod vocabulary;
mod word_cache;
mod wordpiece;
mod words;

pub use embedder::{EmbedError, Embedder};
pub use sentence::SentenceModel;
pub use static_table::{StaticTable, to_unit_length};
pub use table::{TableParts, WordVectors};
pub use vocabulary::PieceVocabulary;
pub use wordpiece::WordPiece;

/// Dimensions of the shipped table.
pub const DIM: usize = 256;
