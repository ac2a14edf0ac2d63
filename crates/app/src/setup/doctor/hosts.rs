//! Do the hosts call us, and do they call this program?

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Check;
use crate::error::AppError;
use crate::home;
use crate::setup::entries::{self, EVENTS};
use crate::setup::hosts::{claude, has_hooks_off, trusts};
use crate::setup::{Host, Level, Record, Registered, Settings, file, settings_everywhere};

const FIX: &str = "`backstory init` sets it right.";

/// What stands in one file.
struct Looked {
    settings: Settings,
    text: String,
    entries: Vec<Registered>,
}

pub fn hosts() -> Result<Vec<Check>, AppError> {
    let folders = home::host_folders()?;
    let mut checks = Vec::new();
    let mut levels = vec![Level::User { folders: folders.clone() }];
    levels.extend(crate::cli::init::project_root().ok().map(Level::Project));
    let all = settings_everywhere(&levels, &Record::load(&home::memory_home()?));
    for host in Host::ALL.into_iter().filter(|host| folders.of(*host).is_dir()) {
        let files: Vec<Looked> =
            all.iter().filter(|settings| settings.host == host).filter_map(|file| look(file, &mut checks)).collect();
        let plugin = host == Host::Claude && claude::chosen(&folders.claude).plugin;
        checks.extend(server(host, &files, plugin));
        checks.extend(hooks(host, &files, plugin));
        checks.extend(programs(host, &files));
        checks.extend(switches(host, &files, &folders.claude));
    }
    if checks.is_empty() {
        let fix = "Install Claude Code or Codex, then run `backstory init`.";
        checks.push(Check::note("agents", "neither Claude Code nor Codex was found", fix));
    }
    Ok(checks)
}

fn look(settings: &Settings, checks: &mut Vec<Check>) -> Option<Looked> {
    let fault = |told: String| Check::fault("settings", told, "Mend the file: its host cannot read it either.");
    let text = match file::read(&settings.path) {
        Ok(text) => text?,
        Err(error) => {
            checks.push(fault(error.message));
            return None;
        }
    };
    match settings.registered(file::split_mark(&text).1) {
        Ok(entries) => Some(Looked { settings: settings.clone(), text, entries }),
        Err(damage) => {
            checks.push(fault(format!("{}:{}: {}", home::short(&settings.path), damage.line, damage.message)));
            None
        }
    }
}

fn server(host: Host, files: &[Looked], plugin: bool) -> Vec<Check> {
    let name = by_host(host, "Claude Code server", "Codex server");
    let with: Vec<String> = files
        .iter()
        .filter(|file| file.entries.iter().any(|entry| entry.what == "mcp"))
        .map(|file| home::short(&file.settings.path))
        .collect();
    vec![match (with.is_empty(), plugin) {
        (true, false) => Check::note(name, "the MCP server is not registered", "`backstory init` registers it."),
        (true, true) => Check::well(name, "registered by the plugin"),
        (false, true) => Check::note(
            name,
            format!("registered in {} and by the plugin", with.join(", ")),
            "Use one: `backstory uninstall`, or turn the plugin off with /plugin in Claude Code.",
        ),
        (false, false) => Check::well(name, format!("registered in {}", with.join(", "))),
    }]
}

fn hooks(host: Host, files: &[Looked], plugin: bool) -> Vec<Check> {
    let name = by_host(host, "Claude Code hooks", "Codex hooks");
    let has = |file: &Looked, event: &str| file.entries.iter().any(|entry| entry.what == event);
    let with: Vec<&Looked> = files.iter().filter(|file| EVENTS.iter().any(|event| has(file, event.argument))).collect();
    let missing: Vec<&str> = EVENTS
        .iter()
        .filter(|event| !with.iter().any(|file| has(file, event.argument)))
        .map(|event| event.name)
        .collect();
    let places: Vec<String> = with.iter().map(|file| home::short(&file.settings.path)).collect();
    let places = places.join(" and ");
    vec![match (with.len(), plugin) {
        (0, true) => Check::well(name, "registered by the plugin"),
        (0, false) => Check::note(name, "no hooks are registered", "`backstory init` registers them."),
        (_, true) => Check::fault(
            name,
            format!("every hook runs twice: {places} and the plugin have them"),
            "Use one: `backstory uninstall`, or turn the plugin off with /plugin in Claude Code.",
        ),
        (2.., false) => Check::fault(
            name,
            format!("hooks run twice: {places} have them"),
            "`backstory uninstall` takes all of them out; then `backstory init` once, for you or for the project.",
        ),
        (1, false) if !missing.is_empty() => Check::note(
            name,
            format!("not registered in {places}: {}", missing.join(", ")),
            "`backstory init` adds them.",
        ),
        (1, false) => Check::well(name, format!("registered in {places}")),
    }]
}

/// Do the entries name a program that is there, and of this version?
fn programs(host: Host, files: &[Looked]) -> Vec<Check> {
    let name = by_host(host, "Claude Code program", "Codex program");
    let mut named: Vec<&str> =
        files.iter().flat_map(|file| file.entries.iter().map(|entry| entry.program.as_str())).collect();
    named.sort_unstable();
    named.dedup();
    named.into_iter().map(|program| one_program(name, program)).collect()
}

fn one_program(name: &'static str, program: &str) -> Check {
    let found = if Path::new(program).is_absolute() { Some(PathBuf::from(program)) } else { entries::on_path() };
    let Some(path) = found.filter(|path| path.is_file()) else {
        let told = match Path::new(program).is_absolute() {
            true => format!("{program} is not there any more"),
            false => format!("`{program}` is not on the search path"),
        };
        return Check::fault(name, told, FIX);
    };
    let same = std::env::current_exe().ok().and_then(|exe| exe.canonicalize().ok()) == path.canonicalize().ok();
    if same {
        return Check::well(name, format!("{program}, this one"));
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

/// What keeps a host from running hooks that are registered.
fn switches(host: Host, files: &[Looked], claude_folder: &Path) -> Vec<Check> {
    let hooks = files
        .iter()
        .find(|file| file.entries.iter().any(|entry| EVENTS.iter().any(|event| event.argument == entry.what)));
    let Some(hooks) = hooks else { return Vec::new() };
    let off = |fix: &str| {
        vec![Check::note(by_host(host, "Claude Code hooks", "Codex hooks"), "all hooks are turned off", fix)]
    };
    if host == Host::Claude {
        return match claude::chosen(claude_folder).hooks_off {
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
