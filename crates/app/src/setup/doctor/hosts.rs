//! Do the hosts call us, and do they call this program?

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::AppError;
use crate::home;
use crate::setup::entries::{self, NAME, events};
use crate::setup::hosts::{SettingsKind, claude, has_hooks_off, trusts};
use crate::setup::{Host, Level, Record, Registered, Settings, file, settings_everywhere};

use super::Check;
use super::doubles::{Plugin, Whose, beside_each_other, beside_plugin};

const FIX: &str = "`backstory init` corrects it.";

/// The entries of one file.
struct Looked {
    settings: Settings,
    whose: Whose,
    text: String,
    entries: Vec<Registered>,
}

/// The files of one host.
struct SettingsSeen {
    host: Host,
    /// The host's own folder.
    folder: PathBuf,
    files: Vec<Looked>,
    /// The kinds of unreadable settings files.
    damaged: Vec<SettingsKind>,
    /// Where the plugin, which has server and hooks, is enabled.
    plugin: Plugin,
}

pub fn hosts() -> Result<Vec<Check>, AppError> {
    let folders = home::host_folders()?;
    let project = crate::code_index::project_root().ok();
    let mut checks = Vec::new();
    let mut levels = vec![Level::User { folders: folders.clone() }];
    levels.extend(project.clone().map(Level::Project));
    let mut all = settings_everywhere(&levels, &Record::load(&home::memory_home()?));
    let shared = project.as_deref().map(claude::shared_settings);
    all.extend(shared.clone());
    let whose = |settings: &Settings| {
        let is_of = |level: &Level| settings.host.settings(level).iter().any(|one| one.path == settings.path);
        match levels.iter().find(|level| is_of(level)) {
            Some(Level::User { .. }) => Whose::Person,
            Some(Level::Project(_)) => Whose::Project,
            None if shared.as_ref().is_some_and(|shared| shared.path == settings.path) => Whose::Shared,
            None => Whose::Elsewhere,
        }
    };
    for host in Host::ALL.into_iter().filter(|host| folders.of(*host).is_dir()) {
        let is_on = |project| host == Host::Claude && claude::has_plugin(&folders.claude, project);
        let plugin = match (is_on(project.as_deref()), is_on(None)) {
            (false, _) => Plugin::Off,
            (true, false) => Plugin::Here,
            (true, true) => Plugin::Everywhere,
        };
        let folder = folders.of(host).to_owned();
        let mut seen = SettingsSeen { host, folder, files: Vec::new(), damaged: Vec::new(), plugin };
        for settings in all.iter().filter(|settings| settings.host == host) {
            match look(settings, whose(settings)) {
                Ok(looked) => seen.files.extend(looked),
                Err(fault) => {
                    seen.damaged.push(settings.kind);
                    checks.push(fault);
                }
            }
        }
        checks.extend(server(&seen));
        checks.extend(hooks(&seen));
        checks.extend(programs(&seen));
        checks.extend(switches(host, &seen.files, &folders.claude));
    }
    if checks.is_empty() {
        let fix = "Install Claude Code or Codex, then run `backstory init`.";
        checks.push(Check::note("agents", "neither Claude Code nor Codex was found", fix));
    }
    Ok(checks)
}

/// None if the file does not exist.
fn look(settings: &Settings, whose: Whose) -> Result<Option<Looked>, Check> {
    let text = match file::read(&settings.path) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(error) => return Err(Check::fault("settings", error.message, how_to_repair(settings))),
    };
    let inside = file::split_mark(&text).1;
    let entries = settings.check(inside).and_then(|()| settings.registered(inside));
    match entries {
        Ok(entries) => Ok(Some(Looked { settings: settings.clone(), whose, text, entries })),
        Err(damage) => {
            let told = format!("{}:{}: {}", home::short(&settings.path), damage.line, damage.message);
            Err(Check::fault("settings", told, how_to_repair(settings)))
        }
    }
}

fn how_to_repair(settings: &Settings) -> String {
    let copies = "copies that `backstory init` made are beside it, named *.backstory-backup";
    format!("Correct the file: {} ignores all of it, including hooks ({copies}).", settings.host.name())
}

impl SettingsSeen {
    /// The files with such an entry.
    fn with(&self, is: impl Fn(&Registered) -> bool) -> Vec<&Looked> {
        self.files.iter().filter(|file| file.entries.iter().any(&is)).collect()
    }

    fn has_plugin(&self) -> bool {
        self.plugin != Plugin::Off
    }

    /// Those of these files that duplicate the plugin.
    fn doubled<'a>(&self, files: &[&'a Looked]) -> Vec<&'a Looked> {
        let is_where_the_plugin_is = |file: &Looked| match self.plugin {
            Plugin::Off => false,
            Plugin::Here => file.whose != Whose::Elsewhere,
            Plugin::Everywhere => true,
        };
        files.iter().copied().filter(|file| is_where_the_plugin_is(file)).collect()
    }

    /// The files that apply together: a person's own, and those of one project.
    fn together(&self) -> Vec<Vec<&Looked>> {
        let (own, others): (Vec<&Looked>, Vec<&Looked>) =
            self.files.iter().partition(|file| file.settings.path.starts_with(&self.folder));
        let root = |file: &Looked| file.settings.path.ancestors().nth(2).map(Path::to_owned);
        let mut roots: Vec<Option<PathBuf>> = others.iter().map(|file| root(file)).collect();
        roots.sort_unstable();
        roots.dedup();
        let with = |place: &Option<PathBuf>| {
            own.iter().chain(others.iter().filter(|file| root(file) == *place)).copied().collect()
        };
        if roots.is_empty() { vec![own] } else { roots.iter().map(with).collect() }
    }

    /// The maximum number of our hooks that run at an event.
    fn runs(&self, event: &str) -> usize {
        let run = |files: &Vec<&Looked>| {
            let of_event = files.iter().flat_map(|file| &file.entries).filter(|entry| entry.what == event);
            let mut commands: Vec<&str> = of_event.map(|entry| entry.command.as_str()).collect();
            if self.host == Host::Claude {
                // Claude Code runs the same command once, wherever it is registered; Codex does not.
                commands.sort_unstable();
                commands.dedup();
            }
            commands.len()
        };
        self.together().iter().map(run).max().unwrap_or(0)
    }
}

fn places(files: &[&Looked]) -> String {
    files.iter().map(|file| home::short(&file.settings.path)).collect::<Vec<_>>().join(" and ")
}

fn paths<'a>(files: &[&'a Looked]) -> Vec<(Whose, &'a Path)> {
    files.iter().map(|file| (file.whose, file.settings.path.as_path())).collect()
}

fn server(seen: &SettingsSeen) -> Option<Check> {
    let name = by_host(seen.host, "Claude Code server", "Codex server");
    let with = seen.with(|entry| entry.what == "mcp");
    let is_damaged = seen.damaged.iter().any(|kind| matches!(kind, SettingsKind::Servers | SettingsKind::Toml { .. }));
    let doubled = seen.doubled(&with);
    if !doubled.is_empty() {
        let told = format!("registered twice: in {} and by the plugin", places(&doubled));
        return Some(Check::note(name, told, beside_plugin(seen.plugin, &paths(&doubled))));
    }
    Some(match (with.is_empty(), seen.has_plugin()) {
        // The damage is reported already.
        (true, false) if is_damaged => return None,
        (true, false) => Check::note(name, "the MCP server is not registered", "`backstory init` registers it."),
        (_, true) => Check::well(name, "registered by the plugin"),
        (false, false) => Check::well(name, format!("registered in {}", places(&with))),
    })
}

fn hooks(seen: &SettingsSeen) -> Option<Check> {
    let name = by_host(seen.host, "Claude Code hooks", "Codex hooks");
    let with = seen.with(Registered::is_hook);
    let by_plugin = seen.doubled(&with);
    if !by_plugin.is_empty() {
        let told = format!("every hook runs twice: {} and the plugin have them", places(&by_plugin));
        return Some(Check::fault(name, told, beside_plugin(seen.plugin, &paths(&by_plugin))));
    }
    if with.is_empty() || seen.has_plugin() {
        return match seen.has_plugin() {
            true => Some(Check::well(name, "registered by the plugin")),
            false if seen.damaged.contains(&SettingsKind::Hooks) => None,
            false => Some(Check::note(name, "no hooks are registered", "`backstory init` registers them.")),
        };
    }
    let places = places(&with);
    let named = |is: &dyn Fn(usize) -> bool| -> Vec<&str> {
        events(seen.host.flavour()).map(|event| event.name).filter(|event| is(seen.runs(event))).collect()
    };
    let (missing, doubled) = (named(&|count| count == 0), named(&|count| count > 1));
    Some(if !doubled.is_empty() {
        let told = format!("run twice: {} ({places})", doubled.join(", "));
        Check::fault(name, told, beside_each_other(&paths(&with)))
    } else if !missing.is_empty() {
        let told = format!("not registered in {places}: {}", missing.join(", "));
        Check::note(name, told, "`backstory init` adds them.")
    } else {
        Check::well(name, format!("registered in {places}"))
    })
}

/// Do the entries name an existing program of this version?
fn programs(seen: &SettingsSeen) -> Vec<Check> {
    let name = by_host(seen.host, "Claude Code program", "Codex program");
    let of = |file: &Looked| if file.whose == Whose::Person { NamedBy::Person } else { NamedBy::Project };
    let entries = seen.files.iter().flat_map(|file| file.entries.iter().map(move |entry| (file, entry)));
    let mut named: Vec<(&str, NamedBy)> = entries.map(|(file, entry)| (entry.program.as_str(), of(file))).collect();
    named.extend(seen.has_plugin().then_some((NAME, NamedBy::Person)));
    named.sort_unstable();
    // The person comes first.
    named.dedup_by_key(|(program, _)| *program);
    named.into_iter().map(|(program, by)| one_program(name, program, by)).collect()
}

/// Who chose a program. A project's files come with its repository and are untrusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NamedBy {
    Person,
    Project,
}

fn one_program(name: &'static str, program: &str, by: NamedBy) -> Check {
    let found = if Path::new(program).is_absolute() { Some(PathBuf::from(program)) } else { entries::on_path() };
    let Some(path) = found.filter(|path| path.is_file()) else {
        let told = match Path::new(program).is_absolute() {
            true => format!("{program} is not there any more"),
            false => format!("`{program}` is not on the search path"),
        };
        let fix = match Path::new(program).is_absolute() {
            true => FIX,
            false => "Put the folder of `backstory` on the search path that the host has.",
        };
        return Check::fault(name, told, fix);
    };
    let same = std::env::current_exe().ok().and_then(|exe| exe.canonicalize().ok()) == path.canonicalize().ok();
    if same {
        return Check::well(name, format!("{program}, this one"));
    }
    if by == NamedBy::Project && Path::new(program).is_absolute() {
        let told =
            format!("{program} is another file than this one, named by a project's settings; it was not started");
        return Check::note(name, told, "See what it is; `backstory init --project` names this one.");
    }
    let this = format!("backstory {}", env!("CARGO_PKG_VERSION"));
    match version(&path) {
        Some(version) if version == this => Check::well(name, format!("{program}, another copy of this version")),
        Some(version) => Check::fault(name, format!("{program} is {version}, this is {this}"), FIX),
        None => Check::fault(name, format!("{program} does not run"), FIX),
    }
}

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Settings that keep a host from running registered hooks.
fn switches(host: Host, files: &[Looked], claude_folder: &Path) -> Vec<Check> {
    let hooks = files.iter().find(|file| file.entries.iter().any(Registered::is_hook));
    let Some(hooks) = hooks else { return Vec::new() };
    let off = |fix: &str| {
        vec![Check::note(by_host(host, "Claude Code hooks", "Codex hooks"), "all hooks are turned off", fix)]
    };
    if host == Host::Claude {
        return match claude::host_settings(claude_folder).hooks_off {
            true => off("Take `disableAllHooks` out of Claude Code's settings.json."),
            false => Vec::new(),
        };
    }
    let config = files.iter().find(|file| file.settings.path.ends_with("config.toml")).map_or("", |file| &file.text);
    let path = hooks.settings.path.canonicalize().unwrap_or_else(|_| hooks.settings.path.clone());
    if has_hooks_off(config) {
        off("Take `hooks = false` out of [features] in Codex's config.toml.")
    } else if ![&path, &hooks.settings.path].iter().any(|path| trusts(config, &path.to_string_lossy())) {
        let fix = "Type /hooks in Codex, look at them, and trust them.";
        vec![Check::note("Codex hooks", "Codex runs hooks only after you have trusted them", fix)]
    } else {
        Vec::new()
    }
}

fn by_host(host: Host, claude: &'static str, codex: &'static str) -> &'static str {
    match host {
        Host::Claude => claude,
        Host::Codex => codex,
    }
}
