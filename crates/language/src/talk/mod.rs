//! Which intent had which consequence, and what was never answered?
//!
//! lines -> [`participants`] (who asks, who answers?) and [`mask`] (which lines are eligible?) -> [`intent`] (who
//! requests what?) -> candidates with scores by a [`kernel`] -> [`claim`]. [`link`] runs all of it. Then: [`hierarchy`]
//! (which links belong together?), [`metrics`] (how many, how far?), [`annotate`] (rendered as text). The seed's kernel
//! and the default one, which scores replies ([`reply`]), are kernels.

pub mod annotate;
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
pub mod participants;
pub mod reply;
mod run;
mod seed_kernel;
#[cfg(test)]
mod tests;
mod words;

pub use annotate::{Detail, annotate};
pub use claim::{Broken, LinkFate, Trace, Weighed};
pub use default_kernel::{DefaultKernel, ReplyKernel};
pub use error::LinksError;
pub use hierarchy::{Bars, Beat, Scene, hierarchy};
pub use kernel::{Intent, Kernel, KernelInput, Params, ReplyCandidate};
pub use lines::{Setting, SpeakerPart, TalkLine};
pub use link::{CausalLink, Consequence, ConsequenceType, IntentType, LinkId, Strength, link_id};
pub use mask::EligibilityMask;
pub use metrics::{Metrics, Rate};
pub use participants::{NoLinks, Participants};
pub use run::{LinkOptions, Linked, Request, link};
pub use seed_kernel::SeedKernel;
