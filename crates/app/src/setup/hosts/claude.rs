//! Claude Code: servers in `.claude.json`, hooks in `settings.json`.

use std::path::{Path, PathBuf};

use super::{Host, Kind, Level, Settings};

/// The plugin that brings the same entries.
const PLUGIN: &str = "backstory@";

pub fn settings(level: &Level) -> Vec<Settings> {
    match level {
        Level::User { folders } => {
            vec![
                file(folders.claude_main.clone(), Kind::Servers),
                file(folders.claude.join("settings.json"), Kind::Hooks),
            ]
        }
        // `.mcp.json` is made to be shared. Hooks run a program on the machine of
        // whoever opens the project, which is for each to choose: they go to the
        // file that is not shared.
        Level::Project(root) => vec![
            Settings { shared: true, ..file(root.join(".mcp.json"), Kind::Servers) },
            Settings { shared: true, ..file(root.join(".claude").join("settings.local.json"), Kind::Hooks) },
        ],
    }
}

fn file(path: PathBuf, kind: Kind) -> Settings {
    Settings { host: Host::Claude, path, kind, shared: false }
}

/// After so many days without a change it deletes a session.
pub const CLEANUP_DAYS: u64 = 30;

/// What of its settings concerns us.
pub struct Chosen {
    pub cleanup_days: u64,
    /// Our plugin is installed and on.
    pub plugin: bool,
    /// Hooks were turned off altogether.
    pub hooks_off: bool,
}

pub fn chosen(folder: &Path) -> Chosen {
    let text = std::fs::read_to_string(folder.join("settings.json")).unwrap_or_default();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let plugins = settings["enabledPlugins"].as_object();
    let is_on = |(name, on): (&String, &serde_json::Value)| name.starts_with(PLUGIN) && on.as_bool() == Some(true);
    Chosen {
        cleanup_days: settings["cleanupPeriodDays"].as_u64().unwrap_or(CLEANUP_DAYS),
        hooks_off: settings["disableAllHooks"].as_bool() == Some(true),
        plugin: plugins.is_some_and(|plugins| plugins.iter().any(is_on)),
    }
}
