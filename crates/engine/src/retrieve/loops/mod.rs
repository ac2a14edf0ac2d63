//! Which requests were never finished?
//!
//! - [`deferred`]: what did a person postpone?
//! - [`ends`]: how did sessions end: without an answer, stopped, refused, with failing tests?
//! - [`tasks`]: which tasks did agents note and not do?
//! - [`later`]: what did later sessions resume?
//! - [`judged`]: what did a person mark as done or dropped?

mod deferred;
mod ends;
mod judged;
mod later;
mod open;
mod run;
mod tasks;

pub use judged::{Judgement, LOOPS_SESSION, Verdict};
pub use open::{LoopKind, Loops, OpenLoop, find_loop, loops};

use later::Later;
use run::Run;
