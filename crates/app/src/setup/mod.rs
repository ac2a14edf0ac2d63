//! Sets up agents to use the memory, and reverts that.
//!
//! Hosts keep their settings in their own files. Our entries are added and removed as text; every other byte of those
//! files is kept.

mod apply;
pub mod doctor;
mod edited;
pub mod entries;
mod file;
pub mod hosts;
mod json_file;
mod plan;
mod record;
mod sessions;
mod splice;
mod toml_file;

#[cfg(test)]
mod tests;

pub use apply::{Applied, FileOutcome, apply, delete_data};
pub use edited::{Edited, Registered, SettingsDamage};
pub use entries::Parts;
pub use hosts::{Host, Level, Settings};
pub use plan::{Brought, Change, Plan, brought_by, plan_init, plan_uninstall, settings_everywhere};
pub use record::Record;
pub use sessions::{HostSessions, sessions};
