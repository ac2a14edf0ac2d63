//! Text -> the terms that words are found by.
//!
//! - [`Tokenizer`]: identifiers, paths, flags and error codes whole and in parts.
//! - [`IdentifierTerms`], [`identifiers`]: the rules for source code and questions about it.
//! - [`clip`], [`one_line`]: a text for a screen.
//! - [`is_boilerplate`], [`is_import`]: does a line of code stand in any program?
//! - [`is_stop_word`], [`is_report_stop_word`]: words that tell nothing about what is meant.

mod boilerplate;
mod clip;
mod expand;
mod fold;
mod identifiers;
mod ngrams;
mod stem;
mod stop_words;
mod tokenizer;

pub use boilerplate::{is_boilerplate, is_import};
pub use clip::{clip, one_line};
pub use fold::{fold, is_ngram_script};
pub use identifiers::{IdentifierTerms, identifier_parts, identifiers, pairs_without_spaces};
pub use stop_words::{is_report_stop_word, is_stop_word};
pub use tokenizer::{TermId, Tokenizer};
