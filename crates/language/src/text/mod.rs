//! Text -> the terms of its words.
//!
//! - [`Tokenizer`]: identifiers, paths, flags and error codes whole and in parts.
//! - [`IdentifierTerms`], [`identifiers`]: the rules for source code and questions about it.
//! - [`clip`], [`one_line`]: shorten a text for display.
//! - [`is_boilerplate`], [`is_import`]: is a line of code boilerplate?
//! - [`is_stop_word`], [`is_report_stop_word`]: words without information.

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
