//! Codex: servers and `notify` in `config.toml`, hooks in `hooks.json`.

use super::{Host, Level, Settings, SettingsKind};

pub fn settings(level: &Level) -> Vec<Settings> {
    let (folder, shared) = match level {
        Level::User { folders } => (folders.codex.clone(), false),
        Level::Project(root) => (root.join(".codex"), true),
    };
    let file = |name: &str, kind| Settings { host: Host::Codex, path: folder.join(name), kind, shared };
    // Only the user's own file may name a program to notify.
    vec![file("config.toml", SettingsKind::Toml { notify: !shared }), file("hooks.json", SettingsKind::Hooks)]
}
