//! Which agents are on this machine, and where are their settings?

pub mod claude;
pub mod codex;

use std::path::{Path, PathBuf};

use crate::home::Folders;

use super::entries::{Flavour, Program};
use super::{Damage, Edited, Registered, json_file, toml_file};

pub use toml_file::{has_hooks_off, trusts};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Host {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

impl Host {
    pub const ALL: [Host; 2] = [Host::Claude, Host::Codex];

    pub fn name(self) -> &'static str {
        match self {
            Host::Claude => "Claude Code",
            Host::Codex => "Codex",
        }
    }

    /// As it is typed and written in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
        }
    }

    pub fn flavour(self) -> Flavour {
        match self {
            Host::Claude => Flavour::Claude,
            Host::Codex => Flavour::Codex,
        }
    }

    /// The files that hold entries of ours at a level.
    pub fn settings(self, level: &Level) -> Vec<Settings> {
        match self {
            Host::Claude => claude::settings(level),
            Host::Codex => codex::settings(level),
        }
    }
}

/// For whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// All projects of this person; the folder in which the host keeps its things.
    User { folders: Folders },
    /// One project, by the root of its tree.
    Project(PathBuf),
}

impl Folders {
    pub fn of(&self, host: Host) -> &Path {
        match host {
            Host::Claude => &self.claude,
            Host::Codex => &self.codex,
        }
    }
}

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
    pub fn add(&self, text: &str, program: &Program, mcp: bool, hooks: bool) -> Result<Edited, Damage> {
        let program = if self.shared { &Program::by_name() } else { program };
        let mut edited = Edited::new(text);
        match self.kind {
            SettingsKind::Servers if mcp => edited = json_file::add_server(text, program)?,
            SettingsKind::Hooks if hooks => edited = json_file::add_hooks(text, program, self.host.flavour())?,
            SettingsKind::Toml { notify } => {
                if hooks && notify {
                    edited = toml_file::add_notify(text, program)?;
                }
                if mcp {
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
