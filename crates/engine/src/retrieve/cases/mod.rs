//! Which pieces of work answer a question, and what did they come to?
//!
//! - [`turn_index`]: how much of the question does each turn have?
//! - [`turn_rank`]: which turns answer it best?
//! - [`stated`]: which of them state something about it?
//! - [`titled`]: which sessions have a title that answers it, where no turn does?
//! - [`standing`]: what came later about the same subject?
//! - [`select`]: which statements are shown, within lines and tokens?
//! - [`work_done`]: what was done in a case, how was it proven, and how did it end?
//! - [`changed`]: how many of its lines did later work take out again?
//! - [`commits`]: which commits of the repository answer?
//! - [`answer`]: a question in, cases out.
//! - [`headline`]: which statement says best what a case came to?
//! - [`list`]: which cases does a session or a span of time have?
//! - [`story`]: what led to the best case, how did it go, and what followed?

mod answer;
mod changed;
mod commits;
mod headline;
mod list;
mod select;
mod standing;
mod stated;
mod story;
mod titled;
mod turn_index;
mod turn_rank;
mod work_done;

pub use answer::{CASE_BUDGET, CASE_LINES, CaseAnswer, Extent, ToldCase, ToldFinding, search_cases};
pub use changed::ChangedSince;
pub use commits::CommitHit;
pub use list::{CaseAndLater, CaseList, case_of_commit, case_of_event, find_case, list_cases, one_case, session_cases};
pub use select::CASES_WITH_WORK;
pub use story::{CaseStory, STORY_BUDGET, STORY_LINES, StoryAnswer, recall_case};
pub use work_done::{CaseState, CaseWork, CheckEnd, FileChanged};
