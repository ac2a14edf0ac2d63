//! Who asks, and who answers?
//!
//! Given by a person (responders, a [`Registry`]), or detected by a name such as "GM" or by behaviour. Without a
//! leader, everybody has both roles.

mod behaviour;
mod names;
mod registry;
mod roles;

pub use registry::{Actor, ActorRole, Registry, RegistryError};
pub use roles::{FoundBy, NoLinks, ParticipantHints, Participants, Speaker};
