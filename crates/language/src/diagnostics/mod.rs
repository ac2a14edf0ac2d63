//! Which errors and warnings does a tool's output contain, and when are two the same?
//!
//! - [`output`]: the diagnostics in an output.
//! - [`fingerprint`]: what stays the same when places, numbers and names differ.

mod diagnostic;
pub mod fingerprint;
pub mod output;
mod quoted;

pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use quoted::PastedText;
