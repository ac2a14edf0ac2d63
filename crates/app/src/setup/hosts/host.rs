//! Which hosts are supported, and where do they keep their settings?

use std::path::{Path, PathBuf};

use crate::home::Folders;
use crate::setup::entries::Flavour;

use super::{Settings, claude, codex};

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

    /// As typed, and as written in JSON.
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

    /// The files for our entries at a level.
    pub fn settings(self, level: &Level) -> Vec<Settings> {
        match self {
            Host::Claude => claude::settings(level),
            Host::Codex => codex::settings(level),
        }
    }
}

/// The extent of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// All projects of this person, with the hosts' folders.
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
