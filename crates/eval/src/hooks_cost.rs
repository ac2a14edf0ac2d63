//! The cost of a hook for its session: whole processes, as a host starts them.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::model::{CardAct, CardKind, CardSource, EventKind, ProjectId, Scope, Timestamp, digest_of};
use backstory_engine::retrieve::totals;
use backstory_engine::store::CardFilter;
use serde_json::{Value, json};

use crate::growth::{chunks_per_copy, fill};
use crate::program::Program;
use crate::shaped::Shaped;
use crate::stats::{percentile, verdict};

/// Cards of each kind and repository: below the limit of a scope.
const PER_SCOPE: usize = 100;
const KINDS: [CardKind; 2] = [CardKind::Constraint, CardKind::Commitment];
const ROUNDS: usize = 100;
const AT_ONCE: usize = 16;
/// The 95th percentile may be this many milliseconds above `--version`.
const SESSION_START: f64 = 40.0;
const PRE_TOOL_USE: f64 = 20.0;

/// `keep`: the folder of a new or an existing memory.
pub fn run(cards: usize, chunks: u64, data: &Path, keep: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let home = keep.map_or_else(|| scratch.path().join("home"), Path::to_owned);
    let repository = scratch.path().join("shop");
    make_repository(&repository)?;
    if !home.join("log.sqlite").exists() {
        let shaped = Shaped::survey(data)?;
        let per_copy = chunks_per_copy(&shaped, scratch.path())?;
        fill(&shaped, chunks, per_copy, &home, scratch.path())?;
        remember(&home, cards, &[])?;
    }
    let large = largest_project(&home)?;
    remember(&home, 2 * PER_SCOPE, &[project_of(&home, &large)?])?;
    remember(&home, 20, &[project_of(&home, &repository)?])?;
    let mut memory = Memory::open(&home)?;
    let held = memory.views().read().cards(&CardFilter::default())?.len();
    let (log, views) = memory.parts();
    println!("{held} cards, {} chunks; {ROUNDS} processes each, wall ms", totals(log, views)?.chunks);
    drop(memory);
    for file in crate::phase::files(&home) {
        std::fs::File::open(file)?.sync_all()?;
    }
    let transcript = scratch.path().join("projects/shop/measured.jsonl");
    measure(&Program::beside_this_one(&home)?, &large, &repository, &transcript)
}

/// One call of a hook.
struct Call<'a> {
    name: &'a str,
    event: &'a str,
    input: Value,
    target: Option<f64>,
    /// The number of lines added to the session before each call.
    grows: usize,
}

fn measure(program: &Program, large: &Path, repository: &Path, transcript: &Path) -> Result<(), Box<dyn Error>> {
    // A kept memory contains the sessions of earlier runs.
    let session = format!("measured-{}", std::process::id());
    let input = |folder: &Path, more: Value| {
        let mut input =
            json!({"session_id": session, "cwd": folder, "transcript_path": transcript, "source": "startup"});
        if let (Some(fields), Some(more)) = (input.as_object_mut(), more.as_object()) {
            fields.extend(more.clone());
        }
        input
    };
    let bash =
        |folder: &Path, command: &str| input(folder, json!({"tool_name": "Bash", "tool_input": {"command": command}}));
    let call = |name, event, input, target| Call { name, event, input, target, grows: 0 };
    let start = Some(SESSION_START);
    let before = Some(PRE_TOOL_USE);
    let forbidden = "paint0 the door0 of house0 in colour0";
    let calls = [
        call("session-start, largest project", "session-start", input(large, json!({})), start),
        call("session-start, a repository", "session-start", input(repository, json!({})), start),
        call("pre-tool-use, nothing", "pre-tool-use", bash(large, "ls -la"), before),
        call("pre-tool-use, a check, nothing", "pre-tool-use", bash(large, "make lint"), before),
        call("pre-tool-use, forbidden, noted", "pre-tool-use", bash(large, forbidden), before),
        call("pre-tool-use, a repository", "pre-tool-use", bash(repository, forbidden), before),
        call("user-prompt-submit (off)", "user-prompt-submit", input(large, json!({"prompt": "paint the door"})), None),
        Call { grows: 20, ..call("session-end, 20 new lines", "session-end", input(repository, json!({})), None) },
        call("session-end, nothing new", "session-end", input(repository, json!({})), None),
    ];
    let (path, folder) = (transcript.to_owned(), repository.to_owned());
    let mut session = Growing { path, folder, session: session.clone(), records: 0 };
    session.grow(2)?;
    let mut version = Vec::new();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); calls.len()];
    for _ in 0..ROUNDS {
        version.push(plain(program)?);
        for (call, times) in calls.iter().zip(&mut times) {
            session.grow(call.grows)?;
            times.push(one(program, call)?.0);
        }
    }
    let base = percentile(&version, 95);
    println!("  {:<32} {:>8} {:>8}", "", "50 %", "95 %");
    println!("  {:<32} {:>8.2} {base:>8.2}", "--version", percentile(&version, 50));
    for (call, times) in calls.iter().zip(&times) {
        println!("  {:<32} {:>8.2} {:>8.2}", call.name, percentile(times, 50), percentile(times, 95));
    }
    for (call, times) in calls.iter().zip(&times) {
        if let Some(target) = call.target {
            verdict(&format!("  {}", call.name), percentile(times, 95) - base, target, " ms above --version");
        }
    }
    at_once(program, &calls)
}

fn plain(program: &Program) -> Result<f64, Box<dyn Error>> {
    Ok(crate::program::run(&mut program.command(&["--version"]))?.ms)
}

fn start(program: &Program, call: &Call<'_>) -> Result<Child, Box<dyn Error>> {
    let mut command = program.command(&["hook", call.event]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(call.input.to_string().as_bytes())?;
    }
    Ok(child)
}

/// The milliseconds and the output. Anything on standard error is a failure.
fn one(program: &Program, call: &Call<'_>) -> Result<(f64, Vec<u8>), Box<dyn Error>> {
    let begun = Instant::now();
    let output = start(program, call)?.wait_with_output()?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("{}: {}", call.name, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok((ms, output.stdout))
}

fn at_once(program: &Program, calls: &[Call<'_>]) -> Result<(), Box<dyn Error>> {
    let mut slowest: f64 = 0.0;
    for _ in 0..5 {
        let begun = Instant::now();
        let mut children = Vec::new();
        for at in 0..AT_ONCE {
            children.push(start(program, &calls[at % 6])?);
        }
        for child in children {
            let output = child.wait_with_output()?;
            if !output.status.success() || !output.stderr.is_empty() {
                return Err(format!("at once: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
        }
        slowest = slowest.max(begun.elapsed().as_secs_f64() * 1e3);
    }
    println!("  {AT_ONCE} at once, 5 times: no error; the slowest five of them took {slowest:.0} ms for all");
    Ok(())
}

/// A session that goes on.
struct Growing {
    path: PathBuf,
    folder: PathBuf,
    session: String,
    records: usize,
}

impl Growing {
    fn grow(&mut self, lines: usize) -> Result<(), Box<dyn Error>> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        for _ in 0..lines {
            self.records += 1;
            let (number, session) = (self.records, &self.session);
            let (kind, said) = match number % 2 {
                0 => {
                    let said = format!("The hinge {number} of {session} is oiled and the lock {number} turns again.");
                    ("assistant", said)
                }
                _ => ("user", format!("please look at hinge {number} of {session}")),
            };
            let record = json!({
                "type": kind, "uuid": format!("{session}-{number}"), "parentUuid": format!("{session}-{}", number - 1), "sessionId": session,
                "cwd": self.folder, "timestamp": format!("2026-02-03T{:02}:{:02}:00Z", number / 60 % 24, number % 60),
                "message": {"role": kind, "content": said},
            });
            writeln!(file, "{record}")?;
        }
        Ok(())
    }
}

/// Cards in these projects, or spread over others.
fn remember(home: &Path, cards: usize, projects: &[ProjectId]) -> Result<(), Box<dyn Error>> {
    let mut memory = Memory::open(home)?;
    let scopes = cards.div_ceil(PER_SCOPE * KINDS.len());
    let other = |number: usize| ProjectId(digest_of("project", &[b"measured", &number.to_le_bytes()]));
    for number in 0..cards {
        let kind = KINDS[number % KINDS.len()];
        let place = number / KINDS.len();
        let project = if projects.is_empty() { other(place % scopes) } else { projects[place % projects.len()] };
        let act = CardAct::add(kind, Scope::repo(project), CardSource::Remembered);
        let text =
            format!("Never paint{number} the door{} of house{} in colour{}.", number % 97, number % 89, number % 83);
        memory.log().append_of_cards(EventKind::User, Timestamp(number as i64), text, &act)?;
    }
    memory.refresh(&mut |_| {})?;
    Ok(())
}

/// The folder with the most sessions.
fn largest_project(home: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let rows = Memory::open(home)?.log().store().projects()?;
    let largest = rows.into_iter().max_by_key(|row| row.episodes).ok_or("the memory is empty")?;
    Ok(PathBuf::from(largest.project.path))
}

fn project_of(home: &Path, folder: &Path) -> Result<ProjectId, Box<dyn Error>> {
    Ok(Memory::open(home)?.projects()?.of_folder(&folder.to_string_lossy()).id)
}

fn make_repository(folder: &Path) -> Result<(), Box<dyn Error>> {
    let repository = git2::Repository::init(folder)?;
    let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_700_000_000, 0))?;
    let tree = repository.find_tree(repository.index()?.write_tree()?)?;
    repository.commit(Some("HEAD"), &who, &who, "first", &tree, &[])?;
    repository.remote("origin", "https://example.com/ada/shop.git")?;
    Ok(())
}
