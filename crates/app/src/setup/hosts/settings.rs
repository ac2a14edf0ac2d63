//! How are entries put into a settings file of a host, and taken out?

use std::path::PathBuf;

use crate::setup::entries::{Parts, Program};
use crate::setup::{Damage, Edited, Registered, json_file, toml_file};

use super::Host;

/// A file of a host in which entries of ours may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub host: Host,
    pub path: PathBuf,
    pub kind: SettingsKind,
    /// Others may have it too: it must not name a place on this machine.
    pub shared: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsKind {
    /// `mcpServers` in JSON.
    Servers,
    /// `hooks` in JSON.
    Hooks,
    /// Codex's `config.toml`, with or without `notify`.
    Toml { notify: bool },
}

impl Settings {
    /// With our entries. Text that is no settings file is damage.
    pub fn add(&self, text: &str, program: &Program, parts: Parts) -> Result<Edited, Damage> {
        let program = if self.shared { &Program::by_name() } else { program };
        let mut edited = Edited::new(text);
        match self.kind {
            SettingsKind::Servers if parts.mcp => edited = json_file::add_server(text, program)?,
            SettingsKind::Hooks if parts.hooks => edited = json_file::add_hooks(text, program, self.host.flavour())?,
            SettingsKind::Toml { notify } => {
                if parts.hooks && notify {
                    edited = toml_file::add_notify(text, program)?;
                }
                if parts.mcp {
                    let next = toml_file::add_server(&edited.text, program)?;
                    edited = edited.then(next);
                }
            }
            SettingsKind::Servers | SettingsKind::Hooks => {}
        }
        Ok(edited)
    }

    /// Without them.
    pub fn remove(&self, text: &str, created: Option<&[String]>) -> Result<Edited, Damage> {
        match self.kind {
            SettingsKind::Servers => json_file::remove_server(text, created),
            SettingsKind::Hooks => json_file::remove_hooks(text, created),
            SettingsKind::Toml { .. } => {
                let edited = toml_file::remove_server(text)?;
                let next = toml_file::remove_notify(&edited.text)?;
                Ok(edited.then(next))
            }
        }
    }

    /// Can its host read it?
    pub fn check(&self, text: &str) -> Result<(), Damage> {
        match self.kind {
            SettingsKind::Toml { .. } => Ok(()),
            SettingsKind::Servers | SettingsKind::Hooks => json_file::strictly(text),
        }
    }

    pub fn registered(&self, text: &str) -> Result<Vec<Registered>, Damage> {
        match self.kind {
            SettingsKind::Toml { .. } => toml_file::registered(text),
            SettingsKind::Servers | SettingsKind::Hooks => json_file::registered(text),
        }
    }

    /// Is there nothing left of a file that was made for our entries?
    pub fn is_void(text: &str) -> bool {
        matches!(text.trim(), "" | "{}")
    }
}
