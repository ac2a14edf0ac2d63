//! Text -> the terms that words are found by.
//!
//! - [`Tokenizer`]: identifiers, paths, flags and error codes whole and in parts.
//! - [`clip`], [`one_line`]: a text for a screen.
//! - [`is_stop_word`]: words that tell nothing about what is meant.

mod clip;
mod expand;
mod fold;
mod stop_words;
mod tokenizer;

pub use clip::{clip, one_line};
pub use fold::{fold, is_ngram_script};
pub use stop_words::is_stop_word;
pub use tokenizer::{TermId, Tokenizer};
