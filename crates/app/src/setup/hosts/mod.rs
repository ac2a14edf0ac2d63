//! Which agents are on this machine, and where are their settings?

pub mod claude;
pub mod codex;
mod host;
mod settings;

pub use super::toml_file::{has_hooks_off, trusts};
pub use host::{Host, Level};
pub use settings::{Settings, SettingsKind};
