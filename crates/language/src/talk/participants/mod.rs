//! Who asks, and who answers?
//!
//! Told by a person (responders, a [`Registry`]), or found: by a name such as
//! "GM", or by behaviour. Where nobody leads, everybody does both.

mod behaviour;
mod names;
mod registry;
mod roles;

pub use registry::{Actor, ActorRole, Registry, RegistryError};
pub use roles::{FoundBy, NoLinks, ParticipantHints, Participants, Speaker};
