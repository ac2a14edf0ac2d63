//! `backstory why`. One file per kind of question.

mod answer;
mod command;
mod commit;
mod explained;
mod file;
mod impact;
mod line;
mod line_page;
mod memory;
mod page;
mod question;
mod sources;

pub use command::{WhyCommand, named_commit, reply_of_commit};
pub use explained::explain_causes;

use sources::{index, index_of, project_or_hint};
