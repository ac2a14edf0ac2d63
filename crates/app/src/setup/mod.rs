//! How do agents come to use the memory, and how do they stop?
//!
//! Hosts keep their settings in files of their own. Our entries are put in and
//! taken out as text; every other byte of those files stays as it is.

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
pub use edited::{Damage, Edited, Registered};
pub use entries::Parts;
pub use hosts::{Host, Level, Settings};
pub use plan::{Brought, Change, Plan, brought_by, plan_init, plan_uninstall, settings_everywhere};
pub use record::Record;
pub use sessions::{HostSessions, sessions};
