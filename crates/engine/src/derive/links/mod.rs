//! Which intent had which consequence, and what was never answered?
//!
//! lines -> [`mask`] (which lines count?) and `cast` (who asks, who answers?)
//! -> intents -> candidates with scores by a [`kernel`] -> `claim`.

pub mod agent;
pub mod kernel;
pub mod lines;
pub mod mask;
mod stage;

pub use kernel::{Candidate, Input, Intent, Kernel, Params};
pub use lines::{Line, Part};
pub(super) use stage::fold;

pub const NAME: &str = "links";
pub const VERSION: u32 = 1;
