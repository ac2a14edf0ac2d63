//! Adds entries to a host's settings file, and removes them.

use std::path::PathBuf;

use crate::setup::entries::{Parts, Program};
use crate::setup::{Edited, Registered, SettingsDamage, json_file, toml_file};

use super::Host;

/// A host's file that may contain our entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub host: Host,
    pub path: PathBuf,
    pub kind: SettingsKind,
    /// Other people may use it: it must not contain a local path.
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
    /// Adds our entries. Invalid text is damage.
    pub fn add(&self, text: &str, program: &Program, parts: Parts) -> Result<Edited, SettingsDamage> {
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

    /// Removes our entries.
    pub fn remove(&self, text: &str, created: Option<&[String]>) -> Result<Edited, SettingsDamage> {
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
    pub fn check(&self, text: &str) -> Result<(), SettingsDamage> {
        match self.kind {
            SettingsKind::Toml { .. } => Ok(()),
            SettingsKind::Servers | SettingsKind::Hooks => json_file::strictly(text),
        }
    }

    pub fn registered(&self, text: &str) -> Result<Vec<Registered>, SettingsDamage> {
        match self.kind {
            SettingsKind::Toml { .. } => toml_file::registered(text),
            SettingsKind::Servers | SettingsKind::Hooks => json_file::registered(text),
        }
    }

    /// Is nothing left of a file that was created for our entries?
    pub fn is_void(text: &str) -> bool {
        matches!(text.trim(), "" | "{}")
    }
}
