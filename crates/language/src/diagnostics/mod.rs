//! What does the output of a tool complain about, and when are two complaints the same?
//!
//! - [`output`]: the complaints in an output.
//! - [`fingerprint`]: what stays the same when places, numbers and names differ.

mod diagnostic;
pub mod fingerprint;
pub mod output;

pub use diagnostic::{Diagnostic, DiagnosticKind};
