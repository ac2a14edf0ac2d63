//! Which intent had which consequence, and what was never answered?
//!
//! lines -> [`mask`] (which lines count?) and `cast` (who asks, who answers?)
//! -> intents -> candidates with scores by a [`kernel`] -> `claim`.

mod default_kernel;
pub mod kernel;
pub mod lines;
pub mod mask;
pub mod reply;

pub use default_kernel::DefaultKernel;
pub use kernel::{Candidate, Input, Intent, Kernel, Params};
pub use lines::{Line, Part};
