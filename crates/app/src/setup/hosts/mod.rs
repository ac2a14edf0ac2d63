//! The agents on this machine and their settings.

pub mod claude;
pub mod codex;
mod host;
mod settings;

pub use super::toml_file::{has_hooks_off, trusts};
pub use crate::host::Host;
pub use host::Level;
pub use settings::{Settings, SettingsKind};
