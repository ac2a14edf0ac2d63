//! The proposal that is shown before asking.

use crate::error::AppError;
use crate::setup::entries::{self, EVENTS, Program};
use crate::setup::{self, Brought, Change, Host, Level, Parts, Plan};
use crate::{environment, home, terminal};

/// Everything that was detected before asking.
pub struct Proposal {
    pub hosts: Vec<Host>,
    pub level: Level,
    pub program: Program,
    pub plan: Plan,
    pub brought: Brought,
    pub parts: Parts,
    pub sessions: Vec<setup::HostSessions>,
}

impl Proposal {
    pub fn unread(&self) -> u64 {
        self.sessions.iter().map(|sessions| sessions.unread.files).sum()
    }

    pub fn found(&self) -> Result<String, AppError> {
        let folders = home::host_folders()?;
        let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "Found"));
        for host in &self.hosts {
            let folder = folders.of(*host);
            let sessions = self.sessions.iter().find(|sessions| sessions.host == *host).map(|sessions| sessions.all);
            let detail = match sessions {
                Some(all) if all.files > 0 => {
                    format!("{}, {}", terminal::count(all.files, "session file"), terminal::bytes(all.bytes))
                }
                _ if !folder.is_dir() => "not there yet".to_owned(),
                Some(_) | None => String::new(),
            };
            out.push_str(format!("  {:<12} {}  {detail}", host.name(), home::short(folder)).trim_end());
            out.push('\n');
        }
        if let Level::Project(root) = &self.level {
            let kind =
                if root.join(".git").exists() { "" } else { " (no repository: the folder itself is the project)" };
            out.push_str(&format!("  {:<12} {}{kind}\n", "Project", home::short(root)));
        }
        Ok(out)
    }

    pub fn reading(&self) -> Result<String, AppError> {
        let (files, bytes) = self
            .sessions
            .iter()
            .fold((0, 0), |(files, bytes), sessions| (files + sessions.unread.files, bytes + sessions.unread.bytes));
        if files == 0 {
            return Ok(String::new());
        }
        let what = format!("{} ({})", terminal::count(files, "session file"), terminal::bytes(bytes));
        Ok(format!("  {:<7} {what} into {}; known secrets are blanked\n", "read", home::short(&home::memory_home()?)))
    }

    pub fn program_line(&self) -> String {
        let heading = terminal::paint(terminal::BOLD, "Entries call");
        match &self.level {
            Level::User { .. } => format!("{heading} {}\n", self.program.0),
            Level::Project(_) => format!("{heading} `backstory` from the search path: these files may be shared\n"),
        }
    }

    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for change in &self.plan.changes {
            let file = home::short(&change.settings.path);
            notes.extend(change.edited.notes.iter().map(|note| format!("{file}: {note}")));
        }
        if !self.plan.is_none() && environment::is_moved() {
            notes.push("BACKSTORY_HOME is set: agents use this memory only if they are started with it too".to_owned());
        }
        if matches!(self.level, Level::User { .. }) && self.program.is_in_build_folder() {
            notes.push(
                "this program is in a build folder and is deleted when that is cleaned: install it first".to_owned(),
            );
        }
        let has_entries = !self.plan.changes.is_empty();
        if matches!(self.level, Level::Project(_)) && has_entries && entries::on_path().is_none() {
            notes.push("`backstory` is not on the search path: the entries will not work until it is".to_owned());
        }
        if self.plan.changes.iter().any(|change| change.settings.host == Host::Codex && !change.is_none()) {
            notes.push("Codex runs hooks only after you have trusted them: type /hooks there".to_owned());
        }
        notes.extend(self.hosts.iter().filter_map(|host| self.had_by_person(*host)));
        notes.extend(self.doubled_here());
        if let Some(host) = self.brought.plugin.filter(|host| self.hosts.contains(host)) {
            let name = host.name();
            notes.push(format!("the plugin is on in {name} and has server and hooks: they are not registered again"));
            if entries::on_path().is_none() {
                notes.push("`backstory` is not on the search path: the plugin does not work until it is".to_owned());
            }
        }
        notes
    }

    /// Project entries that are unnecessary because the person's own settings have them.
    fn had_by_person(&self, host: Host) -> Option<String> {
        let Brought { plugin, server, hooks } = &self.brought;
        let has = |wanted: bool, hosts: &[Host]| wanted && *plugin != Some(host) && hosts.contains(&host);
        let what = match (has(self.parts.mcp, server), has(self.parts.hooks, hooks)) {
            (true, true) => "server and hooks of",
            (true, false) => "the server of",
            (false, true) => "the hooks of",
            (false, false) => return None,
        };
        Some(format!("your own settings have {what} {} for all projects: not registered again here", host.name()))
    }

    /// Entries of the current project that duplicate those for all projects.
    fn doubled_here(&self) -> Option<String> {
        let (Level::User { .. }, true, Ok(root)) = (&self.level, self.parts.hooks, crate::code_index::project_root())
        else {
            return None;
        };
        let here = setup::brought_by(&self.hosts, &Level::Project(root.clone()));
        let is_doubled = here.hooks.iter().any(|host| self.brought.plugin != Some(*host));
        let root = home::short(&root);
        is_doubled.then(|| {
            format!("{root} has hooks of its own, which would run twice: `backstory init --project` removes them there")
        })
    }

    pub fn describe_change(&self, change: &Change) -> String {
        let file = home::short(&change.settings.path);
        if change.is_none() {
            return format!("  {:<7} {file}: all of it is there already\n", "keep");
        }
        let verb = if change.before.is_some() { "change" } else { "create" };
        let mut parts = Vec::new();
        let taken = match self.brought.plugin == Some(change.settings.host) {
            true => "take out what the plugin brings:",
            false => "take out what your own settings have:",
        };
        for (verb, entries) in [
            ("add", &change.edited.added),
            ("let name this program:", &change.edited.updated),
            (taken, &change.edited.removed),
        ] {
            let (hooks, others): (Vec<&String>, Vec<&String>) =
                entries.iter().partition(|entry| EVENTS.iter().any(|event| event.name == entry.as_str()));
            let named = |list: Vec<&String>| list.iter().map(|entry| entry.as_str()).collect::<Vec<_>>().join(", ");
            if !others.is_empty() {
                parts.push(format!("{verb} {}", named(others)));
            }
            if !hooks.is_empty() {
                parts.push(format!("{verb} {} ({})", terminal::count(hooks.len() as u64, "hook"), named(hooks)));
            }
        }
        format!("  {verb:<7} {file}: {}\n", parts.join("; "))
    }
}

/// What agents get, in plain words.
pub fn given(parts: Parts) -> String {
    let mut rows = Vec::new();
    if parts.hooks {
        rows.push("at the start of a session: what must be respected here and what was left open, in few words");
        rows.push("before a command or an edit: a warning if it failed or was refused before; nothing otherwise");
        rows.push("before a compaction and at the end: nothing; what is new in the session is read");
    }
    if parts.mcp {
        rows.push("when they ask: answers from your sessions, through the tools of the server");
    }
    let heading = terminal::paint(terminal::BOLD, "What agents are given");
    let rows: String = rows.iter().map(|row| format!("  {row}\n")).collect();
    format!("{heading}\n{rows}  `config.toml` turns hooks off one by one. Nothing leaves this machine.\n")
}
