//! Which intent had which consequence, and what was never answered?
//!
//! lines -> [`cast`] (who asks, who answers?) and [`mask`] (which lines count?)
//! -> [`intent`] (who wants what?) -> candidates with scores by a [`kernel`]
//! -> [`claim`]. [`link`] is all of it. Then: [`hierarchy`] (what belongs
//! together?), [`metrics`] (how much, how far?), [`annotate`] (how does it read?).
//! The seed's kernel and the default one, which scores replies ([`reply`]), are kernels.

pub mod annotate;
pub mod cast;
pub mod claim;
pub mod consequence;
mod default_kernel;
mod error;
pub mod hierarchy;
pub mod intent;
pub mod kernel;
pub mod lines;
mod link;
pub mod mask;
pub mod metrics;
pub mod ordinals;
mod params;
pub mod reply;
mod run;
mod seed_kernel;
#[cfg(test)]
mod tests;
mod words;

pub use annotate::{Detail, annotate};
pub use cast::{Cast, NoLinks};
pub use claim::{Broken, Fate, Trace, Weighed};
pub use default_kernel::{DefaultKernel, ReplyKernel};
pub use error::LinksError;
pub use hierarchy::{Bars, Beat, Scene, hierarchy};
pub use kernel::{Candidate, Input, Intent, Kernel, Params};
pub use lines::{Line, Part, Setting};
pub use link::{CausalLink, Consequence, ConsequenceType, IntentType, LinkId, Strength, link_id};
pub use mask::EligibilityMask;
pub use metrics::{Metrics, Rate};
pub use run::{Linked, Options, Request, link};
pub use seed_kernel::SeedKernel;
