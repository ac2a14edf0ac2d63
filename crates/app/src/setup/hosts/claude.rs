//! Claude Code: servers in `.claude.json`, hooks in `settings.json`.

use std::path::{Path, PathBuf};

use backstory_files as files;

use super::{Host, Level, Settings, SettingsKind};

/// The maximum size of a settings file.
const LARGEST_PLUGIN_SETTINGS: u64 = 16 << 20;
/// The plugin with the same entries.
const PLUGIN: &str = "backstory@";

pub fn settings(level: &Level) -> Vec<Settings> {
    match level {
        Level::User { folders } => {
            vec![
                file(folders.claude_main.clone(), SettingsKind::Servers),
                file(folders.claude.join("settings.json"), SettingsKind::Hooks),
            ]
        }
        // `.mcp.json` is meant to be shared. Hooks run a program on the machine of everybody who opens the project, so
        // each person must decide: they go to the unshared file.
        Level::Project(root) => vec![
            Settings { shared: true, ..file(root.join(".mcp.json"), SettingsKind::Servers) },
            Settings { shared: true, ..file(root.join(".claude").join("settings.local.json"), SettingsKind::Hooks) },
        ],
    }
}

/// A project's shared settings. They may have hooks; Backstory never writes there.
pub fn shared_settings(root: &Path) -> Settings {
    Settings { shared: true, ..file(root.join(".claude").join("settings.json"), SettingsKind::Hooks) }
}

fn file(path: PathBuf, kind: SettingsKind) -> Settings {
    Settings { host: Host::Claude, path, kind, shared: false }
}

/// The default number of days without a change after which it deletes a session.
pub const CLEANUP_DAYS: u64 = 30;

/// The settings that we need.
pub struct HostSettings {
    pub cleanup_days: u64,
    /// All hooks are disabled.
    pub hooks_off: bool,
}

pub fn host_settings(folder: &Path) -> HostSettings {
    let settings = read(&folder.join("settings.json"));
    HostSettings {
        cleanup_days: settings["cleanupPeriodDays"].as_u64().unwrap_or(CLEANUP_DAYS),
        hooks_off: settings["disableAllHooks"].as_bool() == Some(true),
    }
}

/// Is our plugin enabled, for this person or in this project? The setting nearer to the project counts.
pub fn has_plugin(folder: &Path, project: Option<&Path>) -> bool {
    let of_project = |name: &str| project.map(|root| root.join(".claude").join(name));
    let files = [of_project("settings.local.json"), of_project("settings.json"), Some(folder.join("settings.json"))];
    let said = files.into_iter().flatten().find_map(|file| {
        let settings = read(&file);
        let mut ours = settings["enabledPlugins"].as_object()?.iter().filter(|(name, _)| name.starts_with(PLUGIN));
        ours.next().map(|(_, on)| on.as_bool() == Some(true))
    });
    said.unwrap_or(false)
}

/// An unreadable file counts as missing, as for the host.
fn read(file: &Path) -> serde_json::Value {
    let text = files::read_text(file, LARGEST_PLUGIN_SETTINGS).unwrap_or_default();
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}
