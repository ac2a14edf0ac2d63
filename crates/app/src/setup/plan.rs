//! Computes the changes to each file before anything is written.

use std::path::Path;

use super::entries::{Parts, Program};
use super::hosts::{Level, SettingsKind};
use super::{Edited, Host, Record, Registered, Settings, SettingsDamage, file};
use crate::error::{AppError, ErrorKind};

/// A file with its current and its planned text.
pub struct Change {
    pub settings: Settings,
    pub before: Option<String>,
    pub edited: Edited,
}

impl Change {
    pub fn is_none(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.edited.text
    }
}

#[derive(Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// Files that cannot be changed, with reasons. Only an uninstall skips them.
    pub refused: Vec<String>,
}

impl Plan {
    pub fn is_none(&self) -> bool {
        self.changes.iter().all(Change::is_none)
    }
}

/// The entries that agents have from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// The host whose plugin has server and hooks.
    pub plugin: Option<Host>,
    /// The hosts whose personal settings have them; set when a project's entries are planned.
    pub server: Vec<Host>,
    pub hooks: Vec<Host>,
}

impl Brought {
    /// Are all entries of this file brought already?
    fn has(&self, settings: &Settings) -> bool {
        let has = match settings.kind {
            SettingsKind::Servers | SettingsKind::Toml { .. } => &self.server,
            SettingsKind::Hooks => &self.hooks,
        };
        self.plugin == Some(settings.host) || has.contains(&settings.host)
    }
}

/// The entries in the settings of a level. Unreadable files bring nothing.
pub fn brought_by(hosts: &[Host], level: &Level) -> Brought {
    let mut brought = Brought::default();
    for settings in hosts.iter().flat_map(|host| host.settings(level)) {
        let text = file::read(&settings.path).ok().flatten().unwrap_or_default();
        let inside = file::split_mark(&text).1;
        let entries = settings.check(inside).and_then(|()| settings.registered(inside)).unwrap_or_default();
        if entries.iter().any(|entry| entry.what == "mcp") {
            brought.server.push(settings.host);
        }
        if entries.iter().any(Registered::is_hook) {
            brought.hooks.push(settings.host);
        }
    }
    brought
}

/// Entries brought from elsewhere are not registered again, and existing duplicates are removed. A project's server
/// stays beside a person's own: it has the same name, so the host starts one of them, and others may have that file
/// too.
pub fn plan_init(
    hosts: &[Host],
    level: &Level,
    program: &Program,
    parts: Parts,
    brought: &Brought,
    record: &Record,
) -> Result<Plan, AppError> {
    let mut plan = Plan::default();
    for settings in hosts.iter().flat_map(|host| host.settings(level)) {
        let wanted = match settings.kind {
            SettingsKind::Servers => parts.mcp,
            SettingsKind::Hooks => parts.hooks,
            SettingsKind::Toml { notify } => parts.mcp || (parts.hooks && notify),
        };
        if !wanted {
            continue;
        }
        if brought.has(&settings) {
            if brought.plugin == Some(settings.host) || settings.kind == SettingsKind::Hooks {
                plan.changes.extend(removal(&settings, record)?);
            }
        } else {
            let add = |text: &str| settings.add(text, program, parts);
            let mut change = change(&settings, add)?;
            let text = change.before.as_deref().unwrap_or_default();
            if let Err(damage) = settings.check(file::split_mark(text).1) {
                change.edited.notes.push(format!(
                    "{} passes over the whole file, because of line {}: {}",
                    settings.host.name(),
                    damage.line,
                    damage.message
                ));
            }
            plan.changes.push(change);
        }
    }
    Ok(plan)
}

/// A file that cannot be changed does not prevent the removal from the others.
pub fn plan_uninstall(all: &[Settings], record: &Record) -> Plan {
    let mut plan = Plan::default();
    for settings in all {
        match removal(settings, record) {
            Ok(change) => plan.changes.extend(change),
            Err(error) => plan.refused.push(error.message),
        }
    }
    plan
}

/// None if the file has none of our entries.
fn removal(settings: &Settings, record: &Record) -> Result<Option<Change>, AppError> {
    let created = record.of(&settings.path).map(|file| file.created.as_slice());
    let change = change(settings, |text| settings.remove(text, created))?;
    Ok(Some(change).filter(|change| change.before.is_some() && !change.edited.removed.is_empty()))
}

/// The files that may have our entries: those of this person, of this project, and all that `init` ever wrote.
pub fn settings_everywhere(levels: &[Level], record: &Record) -> Vec<Settings> {
    let mut all: Vec<Settings> =
        levels.iter().flat_map(|level| Host::ALL.iter().flat_map(|host| host.settings(level))).collect();
    let elsewhere = record.files.iter().filter_map(|file| by_name(&file.path));
    for settings in elsewhere {
        if !all.iter().any(|known| known.path == settings.path) {
            all.push(settings);
        }
    }
    all
}

fn by_name(path: &Path) -> Option<Settings> {
    let (host, kind) = match path.file_name()?.to_str()? {
        ".claude.json" | ".mcp.json" => (Host::Claude, SettingsKind::Servers),
        "settings.json" | "settings.local.json" => (Host::Claude, SettingsKind::Hooks),
        "config.toml" => (Host::Codex, SettingsKind::Toml { notify: true }),
        "hooks.json" => (Host::Codex, SettingsKind::Hooks),
        _ => return None,
    };
    Some(Settings { host, path: path.to_owned(), kind, shared: false })
}

fn change(settings: &Settings, edit: impl Fn(&str) -> Result<Edited, SettingsDamage>) -> Result<Change, AppError> {
    let before = file::read(&settings.path)?;
    let (mark, text) = file::split_mark(before.as_deref().unwrap_or_default());
    let mut edited = edit(text).map_err(|damage| {
        // At the place that `doctor` reports, which parses like the host.
        let damage = settings.check(text).err().unwrap_or(damage);
        let message = format!("{}:{}: {}", settings.path.display(), damage.line, damage.message);
        AppError::new(ErrorKind::Failed, message)
            .hint("Nothing was changed. Correct the file and try again, or choose the other host with --host.")
    })?;
    edited.text.insert_str(0, mark);
    let change = Change { settings: settings.clone(), before, edited };
    if !change.is_none() {
        file::refuse_read_only(&settings.path)?;
    }
    Ok(change)
}
