//! Endless files, pipes without a writer, links that leave the tree: none of them hangs a command, exhausts memory or
//! is read. The address space of a command is limited, so that reading all of such a file fails.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, mknodat};
use serde_json::{Value, json};

use crate::env::{Screen, TestEnv, TestResult};
use crate::host::{first_session, repository};
use crate::mcp::raw::Raw;

/// The address space limit in kB: many times what a command needs.
const MOST_MEMORY: u64 = 2 << 20;

/// The same command with a memory limit.
fn bounded(command: &Command, most: u64) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit -v {most} && exec \"$0\" \"$@\"")]).arg(command.get_program());
    shell.args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    // Each thread would reserve its own address space.
    shell.env("MALLOC_ARENA_MAX", "2").stdin(Stdio::null());
    shell
}

fn run(env: &TestEnv, args: &[&str]) -> TestResult<Screen> {
    feed(bounded(&env.command(args), MOST_MEMORY), "")
}

fn feed(mut command: Command, input: &str) -> TestResult<Screen> {
    use std::io::Write;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Screen { stdout: text(&output.stdout), stderr: text(&output.stderr), code: output.status.code() })
}

/// What may be in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trap {
    /// A link to an endless device.
    Endless,
    Pipe,
    /// 10 GB of zeros.
    Sparse,
    Folder,
    /// A link to a file outside.
    Outside,
}

const TRAPS: [Trap; 5] = [Trap::Endless, Trap::Pipe, Trap::Sparse, Trap::Folder, Trap::Outside];

impl Trap {
    fn set(self, at: &Path) -> TestResult {
        fs::create_dir_all(at.parent().ok_or("no folder")?)?;
        remove(at);
        match self {
            Trap::Endless => symlink("/dev/zero", at)?,
            Trap::Pipe => mknodat(CWD, at, FileType::Fifo, 0o600.into(), 0)?,
            Trap::Sparse => File::create(at)?.set_len(10 << 30)?,
            Trap::Folder => fs::create_dir(at)?,
            Trap::Outside => {
                let outside = at.ancestors().find(|folder| folder.ends_with("work")).and_then(Path::parent);
                let outside = outside.ok_or("not in the work folder")?.join("outside.txt");
                fs::write(&outside, "src\nmain\nrefs/heads/main\n[core]\n")?;
                symlink(outside, at)?;
            }
        }
        Ok(())
    }
}

fn remove(at: &Path) {
    let _ = fs::remove_file(at);
    let _ = fs::remove_dir_all(at);
}

/// A repository with code in it.
fn shop() -> TestResult<(TestEnv, PathBuf)> {
    let env = TestEnv::new()?;
    let work = repository(&env)?;
    env.write(
        "work/src/cart.ts",
        "import { tax } from './tax';\nexport function total(n: number) {\n  return n + tax(n);\n}\n",
    )?;
    env.write("work/src/tax.ts", "export function tax(n: number) {\n  return n / 10;\n}\n")?;
    // `why` needs a memory.
    env.run(&["rebuild"]).ok()?;
    Ok((env, work))
}

#[test]
fn rules_of_a_repository_cannot_eat_memory_or_hang() -> TestResult {
    let (env, work) = shop()?;
    for name in [".gitignore", ".ignore", "src/.gitignore", "src/.ignore", ".git/info/exclude", ".gitattributes"] {
        for trap in TRAPS {
            trap.set(&work.join(name))?;
            let what = format!("{name}: {trap:?}");
            let indexed = run(&env, &["index-code"])?;
            assert_eq!(indexed.code, Some(0), "{what}: {indexed:?}");
            let callers = run(&env, &["callers", "tax"])?;
            assert!(callers.code == Some(0) && callers.stdout.contains("total"), "{what}: {callers:?}");
            remove(&work.join(name));
        }
    }
    for trap in TRAPS {
        trap.set(&work.join(".gitignore"))?;
        let why = run(&env, &["why", "why is the total wrong"])?;
        assert!(why.code == Some(0) && why.stdout.contains("src/cart.ts"), "{trap:?}: {why:?}");
        // Uncommitted, so git is asked for its earlier name.
        let line = run(&env, &["why", "src/cart.ts:3"])?;
        assert!(line.stdout.contains("tax(n)"), "{trap:?}: {line:?}");
        let mut raw = Raw::begin(bounded(&env.command(&["mcp"]), MOST_MEMORY))?;
        raw.call(1, "why", &json!({"query": "why is the total wrong"}))?;
        assert!(raw.answer_to(1)?.to_string().contains("src/cart.ts"), "{trap:?}");
        remove(&work.join(".gitignore"));
    }
    Ok(())
}

#[test]
fn rules_still_hold() -> TestResult {
    let (env, work) = shop()?;
    let files =
        |env: &TestEnv| -> TestResult<Value> { Ok(env.run(&["index-code", "--json"]).json()?["files"].clone()) };
    let all = files(&env)?.as_u64().ok_or("no number")?;
    for (name, rule, fewer) in [
        (".gitignore", "tax.ts\n", 1),
        (".gitignore", "src/\n", 3),
        (".gitignore", "*.ts\n!tax.ts\n", 1),
        (".ignore", "/src/cart.ts\n", 1),
        ("src/.gitignore", "/cart.ts\n", 1),
        (".git/info/exclude", "cart.*\n", 1),
    ] {
        env.write(&format!("work/{name}"), rule)?;
        assert_eq!(files(&env)?, all - fewer, "{name}: {rule}");
        fs::remove_file(work.join(name))?;
    }
    // A link inside the tree is a file of the tree.
    env.write("work/rules.txt", "*.ts\n")?;
    symlink("rules.txt", work.join(".gitignore"))?;
    assert_eq!(files(&env)?, all - 2 + 1);
    Ok(())
}

#[test]
fn code_that_is_a_trap_is_not_read() -> TestResult {
    let (env, work) = shop()?;
    for trap in TRAPS {
        for name in ["src/trap.ts", "package.json", ".backstory.toml", "go.mod", "CLAUDE.md"] {
            trap.set(&work.join(name))?;
        }
        let why = run(&env, &["why", "why is the total wrong"])?;
        assert!(why.code == Some(0) && why.stdout.contains("src/cart.ts"), "{trap:?}: {why:?}");
        let line = run(&env, &["why", "src/trap.ts:1"])?;
        assert!(line.code != Some(0) && line.code.is_some(), "{trap:?}: {line:?}");
        assert!(!line.stdout.contains("refs/heads"), "{trap:?}: {line:?}");
        let summary = run(&env, &["summary", "--write", "CLAUDE.md"])?;
        assert!(summary.code.is_some_and(|code| code != 0), "{trap:?}: {summary:?}");
    }
    assert!(fs::read_to_string(env.path("outside.txt"))?.starts_with("src\n"));
    Ok(())
}

#[test]
fn a_repository_that_is_a_trap_is_not_opened() -> TestResult {
    let names = [
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/packed-refs",
        ".git/commondir",
        ".git/shallow",
        ".git/refs/heads/main",
        ".git/refs/heads/master",
        ".git/objects/info/alternates",
        ".git/objects/pack/pack-0000000000000000000000000000000000000000.idx",
        ".git",
    ];
    for trap in [Trap::Endless, Trap::Pipe, Trap::Sparse] {
        for name in names {
            let (env, work) = shop()?;
            trap.set(&work.join(name))?;
            let what = format!("{name}: {trap:?}");
            let file = session_with(&env, "s", &json!({"role": "user", "content": "total"}))?;
            let read = run(&env, &["ingest", "--quiet", &file])?;
            assert_eq!(read.code, Some(0), "{what}: {read:?}");
            let why = run(&env, &["why", "why is the total wrong"])?;
            assert!(why.code == Some(0) && why.stdout.contains("src/cart.ts"), "{what}: {why:?}");
        }
        // Files included by the configuration, and a bare repository inside the tree.
        let (env, work) = shop()?;
        trap.set(&work.join("trap"))?;
        let config = fs::read_to_string(work.join(".git/config"))?;
        fs::write(work.join(".git/config"), format!("{config}[include]\n\tpath = ../trap\n"))?;
        let why = run(&env, &["why", "why is the total wrong"])?;
        assert_eq!(why.code, Some(0), "include: {trap:?}: {why:?}");
        git2::Repository::init_bare(work.join("inner"))?;
        trap.set(&work.join("inner/config"))?;
        let file = session_with(&env, "s", &json!({"role": "user", "content": "total"}))?;
        env.run(&["ingest", "--quiet", &file]).ok()?;
        let mut command = env.command(&["search", "total", "--all-projects"]);
        let searched = feed(bounded(command.current_dir(work.join("inner")), MOST_MEMORY), "")?;
        assert_eq!(searched.code, Some(0), "inner: {trap:?}: {searched:?}");
    }
    Ok(())
}

#[test]
fn what_is_no_file_is_not_ingested_or_imported() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let before = env.event_ids("memory")?;
    for trap in [Trap::Endless, Trap::Pipe, Trap::Sparse, Trap::Folder] {
        let file = env.path("work/session.jsonl");
        trap.set(&file)?;
        let name = file.to_string_lossy().into_owned();
        let read = run(&env, &["ingest", &name])?;
        // An empty folder is not a fault.
        let told = match trap {
            Trap::Folder => "Read 0 files",
            Trap::Sparse => "larger than 2 GB",
            _ => "not a regular file",
        };
        assert!(format!("{}{}", read.stdout, read.stderr).contains(told), "{trap:?}: {read:?}");
        let imported = run(&env, &["log", "import", &name])?;
        assert!(imported.code.is_some_and(|code| code != 0), "{trap:?}: {imported:?}");
        assert!(imported.stderr.contains("session.jsonl") || trap == Trap::Sparse, "{trap:?}: {imported:?}");
        let cards = run(&env, &["cards", "import", &name])?;
        assert!(cards.code.is_some_and(|code| code != 0), "{trap:?}: {cards:?}");
    }
    assert_eq!(env.event_ids("memory")?, before);
    Ok(())
}

#[test]
fn a_hook_ends_whatever_its_transcript_is() -> TestResult {
    let env = TestEnv::new()?;
    let work = repository(&env)?;
    first_session(&env, &work)?;
    for trap in [Trap::Endless, Trap::Pipe, Trap::Sparse, Trap::Folder] {
        let transcript = work.join("trap/s2.jsonl");
        trap.set(&transcript)?;
        let input = json!({"session_id": "s2", "cwd": work, "transcript_path": transcript}).to_string();
        for event in ["session-end", "pre-compact", "stop"] {
            let screen = feed(bounded(&env.command(&["hook", event]), MOST_MEMORY), &input)?;
            assert_eq!((screen.stderr.as_str(), screen.code), ("", Some(0)), "{trap:?} {event}: {screen:?}");
        }
    }
    Ok(())
}

/// A session of two lines.
fn session_with(env: &TestEnv, name: &str, message: &Value) -> TestResult<String> {
    let record = |uuid: &str, kind: &str, message: &Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s9", "timestamp": "2026-01-03T10:00:00Z", "cwd": "/nowhere",
            "message": message})
        .to_string()
    };
    let first = record("a", "user", &json!({"role": "user", "content": "show it"}));
    let kind = message["role"].as_str().unwrap_or_default();
    let file = env.write(&format!("work/{name}.jsonl"), format!("{first}\n{}\n", record("b", kind, message)))?;
    Ok(file.to_string_lossy().into_owned())
}

#[test]
fn a_long_line_costs_a_few_times_its_length() -> TestResult {
    const LONG: usize = 24 << 20;
    let env = TestEnv::new()?;
    let text = "error: the cart has no total\n".repeat(LONG / 29);
    let small = vec![json!([1]); LONG / 6];
    let blocks = vec![json!({"type": "text", "text": "x"}); LONG / 28];
    let messages = [
        ("output", json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]})),
        (
            "values",
            json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "x", "input": {"a": small}}]}),
        ),
        ("blocks", json!({"role": "user", "content": blocks})),
    ];
    for (name, message) in messages {
        let file = session_with(&env, name, &message)?;
        // Including mapped and reserved memory. A value or a block may take 40 times its bytes.
        let screen = feed(bounded(&env.command_in(name, &["ingest", &file]), 400 << 10), "")?;
        assert_eq!(screen.code, Some(0), "{name}: {screen:?}");
        assert!(screen.stdout.contains("1 file"), "{name}: {screen:?}");
    }
    Ok(())
}

#[test]
fn everything_in_the_home_is_for_its_owner_only() -> TestResult {
    for umask in ["000", "027", "777"] {
        let (env, work) = shop()?;
        fs::write(
            env.path("work/s.jsonl"),
            fs::read(session_with(&env, "x", &json!({"role": "user", "content": "y"}))?)?,
        )?;
        let under = |args: &[&str]| -> TestResult<Screen> {
            let mut shell = bounded(&env.command(args), MOST_MEMORY);
            let script = format!("umask {umask} && exec \"$0\" \"$@\"");
            let words: Vec<_> = shell.get_args().map(ToOwned::to_owned).collect();
            let mut again = Command::new("/bin/sh");
            again.arg("-c").arg(script).args(&words[2..]).env_clear();
            again.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(&work);
            shell.stdin(Stdio::null());
            feed(again, &json!({"session_id": "s2", "cwd": work, "prompt": "push it"}).to_string())
        };
        for args in [
            &["ingest", "s.jsonl"][..],
            &["index-code"],
            &["why", "why is the total wrong"],
            &["hook", "session-start"],
            &["hook", "coffee-break"],
            &["remember", "Never push to main."],
            &["maintain"],
            &["log", "export", "export.jsonl"],
        ] {
            let screen = under(args)?;
            assert_eq!(screen.code, Some(0), "umask {umask} {args:?}: {screen:?}");
        }
        let open = open_to_others(&env.path("memory"))?;
        assert!(open.is_empty(), "umask {umask}: {open:?}");
        assert_eq!(fs::metadata(work.join("export.jsonl"))?.permissions().mode() & 0o777, 0o600);
    }
    Ok(())
}

#[test]
fn what_an_earlier_version_left_open_is_closed() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let home = env.path("memory");
    env.write("memory/hooks.log", "")?;
    fs::set_permissions(home.join("views"), PermissionsExt::from_mode(0o755))?;
    fs::set_permissions(home.join("hooks.log"), PermissionsExt::from_mode(0o644))?;
    env.run(&["maintain"]).ok()?;
    assert_eq!(open_to_others(&home)?, Vec::<PathBuf>::new());
    Ok(())
}

/// The files and folders in it that others can access.
fn open_to_others(folder: &Path) -> TestResult<Vec<PathBuf>> {
    let mut open = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.permissions().mode() & 0o077 != 0 {
            open.push(entry.path());
        }
        if metadata.is_dir() {
            open.extend(open_to_others(&entry.path())?);
        }
    }
    Ok(open)
}
