//! What was asked for and never came to an end?
//!
//! - [`deferred`]: what did a person put off?
//! - [`ends`]: how did sessions end: without an answer, stopped, refused, with failing tests?
//! - [`tasks`]: what did agents write down and not do?
//! - [`later`]: what did later sessions take up again?
//! - [`judged`]: what did a person say is done or dropped?

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
