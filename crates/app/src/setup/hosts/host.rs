//! Where do hosts keep their settings?

use std::path::{Path, PathBuf};

use crate::home::Folders;
use crate::host::Host;
use crate::setup::entries::Flavour;

use super::{Settings, claude, codex};

impl Host {
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
