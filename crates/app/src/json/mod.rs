//! One JSON shape per verb, the same on every surface.
//!
//! Every answer starts with the key `backstory`, so that an answer in a later session is recognised as Backstory's own
//! output.

mod answers;
mod calibration;
mod cards;
mod causes;
mod code;
mod config;
mod envelope;
mod fixes;
mod ingest;
mod links;
mod log;
mod sessions;
mod status;
mod why;

pub use answers::{case, case_list, case_story, cases, episodic, explained, found};
pub use cards::{card, card_evidence, card_hit, ledger_row, pack, packed};
pub use causes::{causes, explained_causes, impact};
pub use code::{calls, index_report};
pub use config::config;
pub use envelope::print;
pub use fixes::{fixes, warnings};
pub use ingest::{problem, report};
pub use links::{KeptLinks, link_item, linked, metrics, open_loop, outline};
pub use log::{ForgetShare, Forgetting, event, forget_plan, unreadable, verified};
pub use sessions::{cluster_members, clusters, project, session, story};
pub use status::{status, status_without_memory};
pub use why::{Dependent, LineAnswer, commit_story, file_story, line_stories, line_story};

use backstory_engine::model::Timestamp;

/// A time in RFC 3339, as in every answer.
pub fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
