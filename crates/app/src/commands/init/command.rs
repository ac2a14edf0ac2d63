//! `backstory init`: sets up agents after asking once.

use std::path::Path;
use std::time::Instant;

use backstory_engine::Memory;
use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::progress::Show;
use crate::setup::entries::{Program, is_backstory};
use crate::setup::{self, Applied, Host, Level, Parts, Record};
use crate::{embedding, home, json, terminal};

use crate::commands::{ask, ingest, uninstall};

use super::proposal::Proposal;
use super::{first_steps, proposal};

/// Set up the agents on this machine and read their sessions
///
/// Finds Claude Code and Codex, shows a plan and asks once. Then it reads the existing
/// sessions and registers the MCP server and the hooks in the settings of each host.
/// Existing settings stay, and a copy of each changed file is kept beside it. Running
/// it again updates the entries. `backstory uninstall` reverts everything.
///
/// Without a terminal nothing is changed unless --yes is given.
#[derive(clap::Args)]
pub struct InitCommand {
    /// Set up all your projects (the default)
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Set up only the project of the current folder
    #[arg(long)]
    project: bool,
    /// Set up only this host (may be repeated)
    #[arg(long, value_name = "HOST")]
    host: Vec<Host>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Show the plan and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not read existing sessions
    #[arg(long)]
    no_ingest: bool,
    /// Do not register the MCP server
    #[arg(long)]
    no_mcp: bool,
    /// Do not register hooks
    #[arg(long)]
    no_hooks: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl InitCommand {
    pub fn run(self) -> Result<(), AppError> {
        let proposal = self.propose()?;
        if !self.json {
            self.say(&self.describe(&proposal)?)?;
        }
        let nothing = proposal.plan.is_none() && proposal.unread() == 0;
        if self.dry_run || nothing {
            return self.end_without_change(&proposal, nothing);
        }
        if !self.yes && (self.json || !home::may_ask()) {
            if self.json {
                json::print("init", self.report(&proposal, None))?;
            }
            return Err(ask::nobody_to_ask("backstory init"));
        }
        if !self.yes && !ask::agreed()? {
            return terminal::print("Nothing was changed.\n");
        }
        self.carry_out(proposal)
    }

    /// With --yes the plan is executed even if nobody reads the output.
    fn say(&self, text: &str) -> Result<(), AppError> {
        match terminal::print(text) {
            Err(error) if self.yes && error.kind == ErrorKind::BrokenPipe => Ok(()),
            printed => printed,
        }
    }

    fn parts(&self) -> Parts {
        Parts { mcp: !self.no_mcp, hooks: !self.no_hooks }
    }

    fn propose(&self) -> Result<Proposal, AppError> {
        let folders = home::host_folders()?;
        let level = if self.project {
            Level::Project(crate::code_index::project_root()?)
        } else {
            Level::User { folders: folders.clone() }
        };
        let is_there = |host: &Host| folders.of(*host).is_dir();
        let hosts: Vec<Host> = Host::ALL
            .into_iter()
            .filter(|host| if self.host.is_empty() { is_there(host) } else { self.host.contains(host) })
            .collect();
        if hosts.is_empty() {
            let looked = format!("Looked for {} and {}.", home::short(&folders.claude), home::short(&folders.codex));
            return Err(AppError::new(ErrorKind::NotFound, "no agent was found on this machine").hint(format!(
                "{looked} `--host claude` or `--host codex` sets one up anyway; `backstory ingest PATH` reads transcripts."
            )));
        }
        let program = Program::running()?;
        if !self.project {
            refuse_another_name(&program)?;
        }
        let project = if let Level::Project(root) = &level { Some(root.as_path()) } else { None };
        let plugin = setup::hosts::claude::has_plugin(&folders.claude, project).then_some(Host::Claude);
        let own = match &level {
            Level::Project(_) => setup::brought_by(&hosts, &Level::User { folders: folders.clone() }),
            Level::User { .. } => setup::Brought::default(),
        };
        let brought = setup::Brought { plugin, ..own };
        let record = Record::load(&home::memory_home()?);
        let plan = setup::plan_init(&hosts, &level, &program, self.parts(), &brought, &record)?;
        let mut sessions = Vec::new();
        if !self.no_ingest {
            let mut memory = known_memory()?;
            sessions = setup::sessions(memory.as_mut().map(Memory::log))?;
            sessions.retain(|sessions| hosts.contains(&sessions.host));
        }
        Ok(Proposal { hosts, level, program, plan, brought, parts: self.parts(), sessions })
    }

    fn end_without_change(&self, proposal: &Proposal, nothing: bool) -> Result<(), AppError> {
        if self.json {
            return json::print("init", self.report(proposal, nothing.then_some(&[][..])));
        }
        terminal::print(if nothing {
            "Nothing to do: everything is set up. `backstory doctor` checks it.\n"
        } else {
            "Nothing was changed (--dry-run).\n"
        })
    }

    fn carry_out(&self, proposal: Proposal) -> Result<(), AppError> {
        let memory_home = home::memory_home()?;
        let applied = setup::apply(&proposal.plan, &memory_home)?;
        if !self.json {
            self.say(&done(&applied))?;
        }
        let read = if proposal.unread() > 0 { Some(self.read_sessions(&proposal)?) } else { None };
        if self.json {
            let mut report = self.report(&proposal, Some(&applied));
            report["ingest"] = read.map_or(Value::Null, |report| json::report(&report));
            return json::print("init", report);
        }
        terminal::print(&first_steps::first_steps(&proposal)?)
    }

    fn read_sessions(&self, proposal: &Proposal) -> Result<backstory_engine::ingest::IngestReport, AppError> {
        let started = Instant::now();
        let show = if self.json { Show::Nothing } else { Show::bar() };
        let mut memory = home::open_without_refresh()?;
        let tasks: Vec<_> = proposal.sessions.iter().flat_map(|sessions| sessions.found.tasks.clone()).collect();
        let problems = proposal.sessions.iter().flat_map(|sessions| sessions.found.problems.clone()).collect();
        let report = ingest::ingest_files(&mut memory, &tasks, problems, show)?;
        ingest::refresh(&mut memory, report.appended.new, show)?;
        let embedded = embedding::try_to_catch_up(&mut memory, show);
        if let Some(embedded) = embedded.filter(|_| report.appended.new > ingest::LARGE) {
            ingest::cluster(&mut memory, &embedded.model, show);
        }
        if !self.json {
            let mut out = ingest::summary(&report, started.elapsed().as_secs_f64());
            out.push_str(&ingest::problems(&report.problems, 3));
            out.push_str(&ingest::totals(&mut memory)?);
            terminal::print(&out)?;
        }
        Ok(report)
    }

    /// The whole proposal, as shown before the question.
    fn describe(&self, proposal: &Proposal) -> Result<String, AppError> {
        let mut out = proposal.found()?;
        let files: String = proposal.plan.changes.iter().map(|change| proposal.describe_change(change)).collect();
        out.push_str(&format!("{}\n{}{files}", terminal::paint(terminal::BOLD, "Plan"), proposal.reading()?));
        if !proposal.plan.is_none() {
            out.push_str(&proposal.program_line());
            out.push_str(&proposal::given(self.parts()));
        }
        for note in proposal.notes() {
            out.push_str(&format!("  {} {note}\n", terminal::paint(terminal::WARN, "!")));
        }
        Ok(out)
    }

    fn report(&self, proposal: &Proposal, applied: Option<&[Applied]>) -> Value {
        let sessions: Vec<Value> = proposal.sessions.iter().map(sessions_json).collect();
        let files: Vec<Value> = proposal.plan.changes.iter().map(uninstall::change_json).collect();
        json!({
            "done": applied.is_some(),
            "level": if self.project { "project" } else { "user" },
            "hosts": proposal.hosts.iter().map(|host| host.id()).collect::<Vec<_>>(),
            "program": proposal.program.0,
            "sessions": sessions,
            "files": files,
            "notes": proposal.notes(),
        })
    }
}

fn done(applied: &[Applied]) -> String {
    let mut out = String::new();
    for file in applied {
        let path = home::short(&file.path);
        out.push_str(&match &file.fate {
            setup::FileOutcome::Made => format!("{} {path}\n", terminal::paint(terminal::BOLD, "Created")),
            setup::FileOutcome::Changed { backup } => {
                let name = backup.file_name().unwrap_or_default().to_string_lossy().into_owned();
                format!("{} {path} (as it was: {name})\n", terminal::paint(terminal::BOLD, "Changed"))
            }
            setup::FileOutcome::Restored { .. } => format!("{} {path}\n", terminal::paint(terminal::BOLD, "Changed")),
            setup::FileOutcome::Removed => format!("{} {path}\n", terminal::paint(terminal::BOLD, "Removed")),
        });
    }
    out
}

fn sessions_json(sessions: &setup::HostSessions) -> Value {
    json!({
        "host": sessions.host.id(),
        "folder": sessions.folder,
        "files": sessions.all.files,
        "bytes": sessions.all.bytes,
        "unread_files": sessions.unread.files,
        "unread_bytes": sessions.unread.bytes,
    })
}

/// Entries are recognised by the program's name: under another name, the next `init` would add them again, and
/// `uninstall` would leave them.
fn refuse_another_name(program: &Program) -> Result<(), AppError> {
    if is_backstory(&program.0) {
        return Ok(());
    }
    let name = Path::new(&program.0).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(AppError::new(ErrorKind::Usage, format!("nothing was changed: this program is called `{name}`")).hint(
        "Name it `backstory`, or put a link of that name on the search path: the entries in the settings are known by it.",
    ))
}

/// The memory, if it exists: looking must not create one.
pub fn known_memory() -> Result<Option<Memory>, AppError> {
    if home::has_memory()? { home::open_without_refresh().map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_name_is_not_registered() {
        for path in ["/usr/bin/backstory", "backstory", "C:\\tools\\backstory.exe"] {
            assert!(refuse_another_name(&Program(path.to_owned())).is_ok(), "{path}");
        }
        let refused = refuse_another_name(&Program("/opt/backstory-x86_64".to_owned())).err();
        assert!(refused.is_some_and(|error| error.message.ends_with("is called `backstory-x86_64`")));
    }
}
