//! Question -> the files and functions that can be its cause.
//!
//! 1. `question`: parses a question.
//! 2. `signals`: scores each file.
//! 3. `functions`: scores each function.
//! 4. `rank`: the weighted sums; files and functions in order.

mod codebase;
mod functions;
mod question;
mod rank;
mod signals;

pub use codebase::{Codebase, cosine};
pub use functions::{FUNCTION_SIGNALS, function_signals};
pub use question::{FaultQuestion, StackFrame};
pub use rank::{CodeRanking, ScoredPlace, Weights, rank};
pub use signals::{FILE_SIGNALS, file_signals, files_meant_by, keep_best, to_unit_maximum};
