//! A separate environment for the trials: every path that a command could write to is in one folder.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use walkdir::WalkDir;

use super::Result;
use crate::program::Program;

pub struct TrialHome {
    root: TempDir,
    program: Program,
    ids: RefCell<BTreeMap<&'static str, String>>,
}

/// An id that a trial needs, the command that prints it, and its position in the answer.
const IDS: &[(&str, &[&str], &str)] = &[
    ("{session}", &["list", "sessions", "--all-projects", "-n", "1", "--json"], "/items/0/session"),
    ("{event}", &["log", "show", "-n", "1", "--json"], "/items/0/id"),
    ("{loop}", &["loops", "--all-projects", "-n", "1", "--json"], "/items/0/id"),
    ("{card}", &["remember", "Always run the tests before a push", "--json"], "/card/id"),
    ("{answer}", &["why", "why is the total of the cart wrong", "--json"], "/retrieval"),
];

const CODE: &str = "pub fn total(prices: &[f64]) -> f64 {\n    prices.iter().map(|raw| price(*raw)).sum()\n}\n\n\
                    pub fn price(raw: f64) -> f64 {\n    if raw.is_nan() { 0.0 } else { raw }\n}\n";

impl TrialHome {
    /// With the sessions of a folder at Claude Code's place.
    pub fn new(data: &Path) -> Result<Self> {
        let root = tempfile::tempdir()?;
        let program = Program::beside_this_one(&root.path().join("user/.backstory"))?;
        let world = TrialHome { root, program, ids: RefCell::default() };
        for folder in ["user/.codex/sessions", "tmp", "out", "project/src"] {
            fs::create_dir_all(world.path(folder))?;
        }
        copy(data, &world.path("user/.claude/projects"))?;
        // One session of the project, and those that hooks read later.
        for (folder, session) in [("projects/own", "own"), ("live", "live"), ("live", "served")] {
            let folder = world.path("user/.claude").join(folder);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{session}.jsonl")), world.session(session))?;
        }
        fs::write(world.path("project/src/cart.rs"), CODE)?;
        world.set_trap()?;
        commit(&world.path("project"))?;
        Ok(world)
    }

    /// A repository can name its own program in its settings.
    fn set_trap(&self) -> Result {
        let trap = self.path("project/backstory");
        fs::copy(self.program(), &trap)?;
        let server = json!({"mcpServers": {"backstory": {"command": trap, "args": ["mcp"]}}});
        Ok(fs::write(self.path("project/.mcp.json"), server.to_string())?)
    }

    /// A session in the project's folder, in Claude Code's format.
    fn session(&self, id: &str) -> String {
        let record = |kind: &str, text: &str, at: u32| {
            json!({"type": kind, "uuid": format!("{id}-{at}"), "parentUuid": null, "sessionId": id,
                   "cwd": self.path("project"), "timestamp": format!("2026-03-01T10:00:{at:02}Z"),
                   "message": {"role": kind, "content": text}})
        };
        let asked = record("user", "the total of the cart is NaN; never push to main before it is right", 1);
        let said = record("assistant", "`price` takes a raw value. I made it 0.0 where there is no number.", 2);
        format!("{asked}\n{said}\n")
    }

    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.path().join(inside)
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn memory(&self) -> PathBuf {
        self.path("user/.backstory")
    }

    pub fn program(&self) -> &Path {
        self.program.path()
    }

    /// The program in this environment, without a sandbox.
    pub fn unconfined(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program());
        command.args(arguments);
        self.set_up(&mut command);
        command
    }

    /// Hides the real machine except for its programs.
    pub fn set_up(&self, command: &mut Command) {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", self.path("tmp")).env("HOME", self.path("user"));
        for (name, folder) in
            [("CACHE", "cache"), ("CONFIG", "config"), ("DATA", "data"), ("STATE", "state"), ("RUNTIME", "run")]
        {
            let name = if name == "RUNTIME" { "XDG_RUNTIME_DIR".to_owned() } else { format!("XDG_{name}_HOME") };
            command.env(name, self.path("user").join(folder));
        }
        command.current_dir(self.path("project"));
    }

    /// Replaces the names of folders and ids.
    pub fn fill_in(&self, text: &str) -> Result<String> {
        let mut filled = text.to_owned();
        for folder in ["user", "project", "out"] {
            filled = filled.replace(&format!("{{{folder}}}"), &self.path(folder).to_string_lossy());
        }
        for (name, command, place) in IDS {
            if filled.contains(name) {
                filled = filled.replace(name, &self.id(name, command, place)?);
            }
        }
        Ok(filled)
    }

    fn id(&self, name: &'static str, command: &[&str], place: &str) -> Result<String> {
        if let Some(id) = self.ids.borrow().get(name) {
            return Ok(id.clone());
        }
        let output = self.unconfined(command).output()?;
        let answer: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{command:?}: {error}: {}", String::from_utf8_lossy(&output.stderr)))?;
        let id = answer.pointer(place).and_then(Value::as_str).ok_or(format!("{command:?} tells no {name}"))?;
        self.ids.borrow_mut().insert(name, id.to_owned());
        Ok(id.to_owned())
    }
}

fn copy(from: &Path, to: &Path) -> Result {
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(|error| format!("{}: {error}", from.display()))?;
        let target = to.join(entry.path().strip_prefix(from)?);
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

fn commit(folder: &Path) -> Result {
    let repository = git2::Repository::init(folder)?;
    let mut index = repository.index()?;
    index.add_path(Path::new("src/cart.rs"))?;
    index.write()?;
    let tree = repository.find_tree(index.write_tree()?)?;
    let author = git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(1_770_000_000, 0))?;
    repository.commit(Some("HEAD"), &author, &author, "Add up the prices of the cart", &tree, &[])?;
    Ok(())
}
