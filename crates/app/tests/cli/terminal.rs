//! Whatever the memory contains, no command sends a control character to a terminal, into a pipe or into JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

/// Writes to the clipboard, clears the screen, reverses text, hides letters.
const NASTY: &str = "\x1b]52;c;aGFja2Vk\x07\x1b[2J\x1b[5m\u{9b}2J\u{9d}52;c;eA==\u{9c}\u{202e}\u{2066}\u{200f}\u{200b}\u{e0041}\r\x08\x7f";
/// The same where git allows no control characters.
const TURNED: &str = "\u{202e}\u{2066}\u{200b}\u{9b}";
/// Our own colours.
const STYLES: [&str; 10] =
    ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[36m"];

/// Characters of Unicode that are invisible or change the text direction, listed again: the test must not rely on the
/// code under test.
fn is_forbidden(c: char) -> bool {
    let c = u32::from(c);
    (c < 0x20 && c != 0x0a && c != 0x09)
        || (0x7f..=0x9f).contains(&c)
        || [0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff, 0xad].contains(&c)
        || (0x202a..=0x202e).contains(&c)
        || (0x2060..=0x206f).contains(&c)
        || (0xe0000..=0xe0fff).contains(&c)
}

fn assert_harmless(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some((at, c)) = text.char_indices().find(|(_, c)| is_forbidden(*c)) {
        let from = text.floor_char_boundary(at.saturating_sub(60));
        panic!("{what}: U+{:04X} after {:?}", u32::from(c), &text[from..at]);
    }
}

struct World {
    env: TestEnv,
    folder: PathBuf,
    /// A card, a session, a chunk, a commit, an open loop.
    ids: BTreeMap<&'static str, String>,
}

impl World {
    fn new() -> TestResult<Self> {
        let env = TestEnv::new()?;
        let folder = env.path(&format!("shop{NASTY}"));
        fs::create_dir(&folder)?;
        let file = format!("cart{TURNED}.js");
        fs::write(folder.join(&file), format!("// {NASTY}\nfunction total(x) {{\n  return sum(x);\n}}\n"))?;
        fs::write(folder.join("README.md"), format!("# Cart total {NASTY}\nThe cart total is summed.\n"))?;
        let commit = commit(&folder)?;
        let session = format!("s{NASTY}1");
        env.write(&format!("claude/projects/x/{NASTY}.jsonl"), records(&folder, &session, &file))?;
        env.write("claude/projects/x/broken.jsonl", format!("{{\"type\":\"user\",\"{NASTY}\n"))?;
        let mut world = World { env, folder, ids: BTreeMap::from([("COMMIT", commit), ("SESSION", session)]) };
        world.run(&["ingest", "--quiet"])?;
        let card = world.json(&["remember", &format!("Never {NASTY} sum the cart twice"), "--everywhere"])?;
        world.keep("CARD", &card["card"]["id"]);
        let found = world.json(&["search", "cart total", "--all-projects"])?;
        world.keep("CHUNK", &found["items"][0]["chunk"]);
        let digest = world.json(&["digest", "--days", "3000", "--all-projects"])?;
        world.keep("CASE", &digest["items"][0]["id"]);
        let loops = world.json(&["loops", "--all-projects"])?;
        world.keep("LOOP", &loops["items"][0]["id"]);
        Ok(world)
    }

    fn keep(&mut self, name: &'static str, id: &Value) {
        self.ids.insert(name, id.as_str().unwrap_or("0000").to_owned());
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        command.current_dir(&self.folder).env("TERM", "xterm-256color").env_remove("NO_COLOR");
        command
    }

    fn run(&self, args: &[&str]) -> TestResult<std::process::Output> {
        let output = self.command(args).output()?;
        match output.status.success() {
            true => Ok(output),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
        }
    }

    fn json(&self, args: &[&str]) -> TestResult<Value> {
        Ok(serde_json::from_slice(&self.run(&[args, &["--json"]].concat())?.stdout)?)
    }
}

fn commit(folder: &Path) -> TestResult<String> {
    let repository = git2::Repository::init(folder)?;
    let mut index = repository.index()?;
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None)?;
    index.write()?;
    let tree = repository.find_tree(index.write_tree()?)?;
    let who = git2::Signature::new(&format!("Ada{TURNED}"), "ada@example.com", &git2::Time::new(1_767_000_000, 0))?;
    let subject = format!("Sum the cart total {NASTY}");
    Ok(repository.commit(Some("HEAD"), &who, &who, &subject, &tree, &[])?.to_string())
}

/// A session in which every text is nasty.
fn records(folder: &Path, session: &str, file: &str) -> String {
    let path = folder.join(file);
    let record = |number: u32, kind: &str, content: Value| {
        json!({
            "type": kind, "uuid": format!("u{number}{NASTY}"), "sessionId": session, "cwd": folder,
            "gitBranch": format!("b{NASTY}"), "version": NASTY,
            "timestamp": format!("2026-02-28T10:{number:02}:00.000Z"), "message": {"role": kind, "content": content},
        })
    };
    let call =
        |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let result = |id: &str, text: String, is_error: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]);
    let test = format!("npm test -- cart{NASTY}");
    let failed = format!(
        "Exit code 1\n{NASTY}\nsrc/cart.js:2:3 - error TS2322: the cart total {NASTY} is not a number\n1 failed"
    );
    let records = [
        record(1, "user", json!(format!("why is the cart total {NASTY} wrong? Please fix it."))),
        record(2, "assistant", call("t1", "Bash", json!({"command": test}))),
        record(3, "user", result("t1", failed.clone(), true)),
        record(
            4,
            "assistant",
            call(
                "t2",
                "Edit",
                json!({"file_path": path, "old_string": format!("a{NASTY}"), "new_string": format!("  return sum(x); // {NASTY}")}),
            ),
        ),
        record(5, "user", result("t2", format!("edited {NASTY}"), false)),
        record(6, "assistant", call("t3", "Bash", json!({"command": test}))),
        record(7, "user", result("t3", format!("ok {NASTY} 12 passed"), false)),
        record(8, "assistant", json!([{"type": "text", "text": format!("The cart total {NASTY} is right now.")}])),
        record(9, "user", json!(format!("<bash-stdout>{NASTY} out</bash-stdout><bash-stderr></bash-stderr>"))),
        record(10, "user", json!(format!("now also {NASTY} write the docs of the cart"))),
        record(11, "assistant", call("t4", "Bash", json!({"command": test}))),
        record(12, "user", result("t4", failed, true)),
        json!({"type": "custom-title", "customTitle": format!("Cart {NASTY} title"), "sessionId": session}),
        json!({"type": "summary", "summary": format!("Cart {NASTY} total"), "leafUuid": format!("u8{NASTY}")}),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// The forms of each command. An argument in capitals is replaced by an id of that name, `NASTY` by the text; forms may
/// fail, and some are meant to.
const FORMS: &[(&str, &[&[&str]])] = &[
    ("", &[&["NASTY"], &["help", "NASTY"], &["--config", "NASTY", "status"]]),
    ("demo", &[&[]]),
    ("init", &[&["--dry-run"], &["--host", "NASTY"]]),
    ("uninstall", &[&["--dry-run"]]),
    ("ingest", &[&[], &["NASTY"], &["/NASTY/x"]]),
    ("watch", &[&["--once"], &["--once", "NASTY"]]),
    ("search", &[&["cart total", "--all-projects"], &["cart", "--project", "NASTY"], &["cart NASTY"]]),
    ("recall", &[&["how was the cart total fixed", "--all-projects"], &["x", "--agent", "NASTY"]]),
    ("predict", &[&["npm test cart", "--all-projects"]]),
    (
        "why",
        &[
            &["why is the cart total wrong"],
            &["COMMIT"],
            &["FILE:3"],
            &["--impact", "total"],
            &["--impact", "NASTY"],
            &["NASTY:1"],
            &["why NASTY"],
        ],
    ),
    ("index-code", &[&[], &["NASTY"]]),
    ("callers", &[&["sum"], &["NASTY"]]),
    ("callees", &[&["total"], &["NASTY"]]),
    (
        "explain",
        &[&["search", "cart total", "--all-projects"], &["why", "why is the cart total wrong"], &["NASTY", "x"]],
    ),
    ("fix", &[&["src/cart.js:2:3 - error TS2322: the cart total is not a number", "--all-projects"], &["NASTY"]]),
    ("check", &[&["npm test -- cart", "--all-projects"], &["sum the cart twice NASTY"]]),
    ("sessions", &[&[], &["--all-projects"], &["--all-projects", "--plain"], &["--project", "NASTY"]]),
    (
        "digest",
        &[
            &["--days", "3000", "--all-projects"],
            &["--days", "3000", "--all-projects", "--plain"],
            &["--days", "3000", "--all-projects", "--md"],
            &["--branch", "NASTY"],
        ],
    ),
    ("agents", &[&["--all-projects"], &["--all-projects", "--plain"], &["--project", "NASTY"]]),
    ("show", &[&["SESSION"], &["CASE"], &["CARD"], &["CHUNK"], &["LOOP"], &["COMMIT"], &["NASTY"]]),
    ("help", &[&["--all"], &["search"], &["NASTY"]]),
    ("list", &[&["sessions", "--all-projects"], &["projects"], &["agents", "--all-projects"], &["NASTY"]]),
    (
        "reconstruct",
        &[&["SESSION"], &["--session", "SESSION"], &["--session", "NASTY"], &["--from", "NASTY"], &["--days", "3000"]],
    ),
    ("links", &[&[], &["SESSION"], &["NASTY"]]),
    ("loops", &[&["--all-projects", "--closed"]]),
    ("loops done", &[&["LOOP", "NASTY"], &["NASTY"]]),
    ("loops reopen", &[&["LOOP"], &["NASTY"]]),
    ("loops drop", &[&["LOOP", "NASTY"], &["NASTY"]]),
    ("pack", &[&["sum the cart total"], &["NASTY", "--all-projects"]]),
    ("summary", &[&[], &["--project", "NASTY"]]),
    ("remember", &[&["The NASTY cart is blue"], &["x", "--project", "NASTY"]]),
    ("cards", &[&["--all", "--all-projects"], &["--all", "--all-projects", "--plain"]]),
    ("cards list", &[&["--all", "--all-projects"]]),
    ("cards review", &[&[], &["--all-projects"]]),
    ("cards show", &[&["CARD"], &["NASTY"]]),
    ("cards add", &[&["Carts NASTY are red"], &["x", "--kind", "NASTY"]]),
    ("cards edit", &[&["NASTY", "x"]]),
    ("cards dispute", &[&["CARD", "NASTY"], &["NASTY", "x"]]),
    ("cards confirm", &[&["CARD"], &["NASTY"]]),
    ("cards promote", &[&["CARD"], &["NASTY"]]),
    ("cards archive", &[&["CARD"], &["NASTY"]]),
    ("cards restore", &[&["CARD"], &["NASTY"]]),
    ("cards ledger", &[&[], &["--all-projects"]]),
    ("cards explain", &[&["CARD"], &["NASTY"]]),
    ("cards gates", &[&[]]),
    ("cards export", &[&["cards-NASTY.toml"], &["/NASTY/cards.toml"]]),
    ("cards import", &[&["cards-NASTY.toml"], &["NASTY"]]),
    ("outcome", &[&["helpful", "--session", "SESSION", "NASTY"], &["helpful", "--session", "NASTY"], &["NASTY"]]),
    ("clusters", &[&[], &["NASTY"]]),
    ("projects", &[&[]]),
    ("projects rename", &[&[".", "NASTY shop"], &["NASTY", "x"]]),
    ("projects merge", &[&[".", "NASTY"], &["NASTY", "."]]),
    ("projects split", &[&["."], &[".", "NASTY"], &["NASTY"]]),
    ("projects changes", &[&[]]),
    ("projects undo", &[&[], &["NASTY"]]),
    ("status", &[&[], &["-v"], &["--problems"]]),
    ("doctor", &[&[]]),
    ("mcp", &[&[], &["NASTY"]]),
    ("serve", &[&["--port", "NASTY"], &["--port", "0", "--token-file", "/NASTY/token"]]),
    ("hook", &[&["session-start"], &["NASTY"]]),
    ("config", &[&[], &["NASTY"], &["--config", "NASTY"], &["--config", "search.budget=NASTY"]]),
    ("config show", &[&[]]),
    ("config example", &[&[]]),
    ("maintain", &[&[]]),
    ("rebuild", &[&[], &["NASTY"]]),
    ("log", &[&[]]),
    ("log show", &[&[], &["CHUNK"], &["NASTY"], &["--session", "SESSION"], &["--session", "NASTY"]]),
    ("log verify", &[&[]]),
    ("log export", &[&[], &["/NASTY/x"]]),
    ("log import", &[&["NASTY"], &["claude/NASTY"]]),
    ("log forget", &[&["--session", "SESSION"], &["--session", "NASTY"], &["--query", "NASTY"], &["--from", "NASTY"]]),
    ("completions", &[&["bash"], &["NASTY"]]),
    ("man", &[&[]]),
];

/// Commands that show the memory's contents, so that the test checks something.
const TELLING: [&str; 14] = [
    "search", "recall", "why", "sessions", "digest", "list", "reconstruct", "cards list", "cards show", "projects",
    "log show", "log forget", "status", "check",
];

#[test]
fn no_command_prints_a_control_character() -> TestResult {
    let world = World::new()?;
    let known: BTreeSet<&str> = FORMS.iter().map(|(command, _)| *command).collect();
    let all = all_commands(&world, "")?;
    for command in &all {
        assert!(known.contains(command.as_str()), "`{command}` is not in the table of this test");
    }
    let mut telling = BTreeSet::new();
    for (command, forms) in FORMS {
        let words: Vec<&str> = command.split_whitespace().collect();
        let takes_json = help(&world, &words)?.contains("--json");
        let unknown: &[&str] = &["--NASTY"];
        for form in forms.iter().chain([&unknown]) {
            let args: Vec<String> = words.iter().chain(form.iter()).map(|word| world.filled(word)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut printed = vec![on_a_terminal(&world, &args)?, piped(&world, &args)?];
            if takes_json {
                printed.push(as_json(&world, &[&words[..], &["--json"], &args[words.len()..]].concat())?);
            }
            for output in printed {
                assert_harmless(&format!("{command} {form:?}: stdout"), &output.0);
                assert_harmless(&format!("{command} {form:?}: stderr"), &output.1);
                if String::from_utf8_lossy(&output.0).contains('␛') {
                    telling.insert(*command);
                }
            }
        }
    }
    for command in TELLING {
        assert!(telling.contains(command), "`{command}` showed nothing of what is nasty: {telling:?}");
    }
    Ok(())
}

impl World {
    fn filled(&self, word: &str) -> String {
        let word = word.replace("NASTY", NASTY).replace("FILE", &format!("cart{TURNED}.js"));
        self.ids.iter().fold(word, |word, (name, id)| if word == *name { id.clone() } else { word })
    }
}

/// Every command that the program lists.
fn all_commands(world: &World, above: &str) -> TestResult<Vec<String>> {
    let words: Vec<&str> = above.split_whitespace().collect();
    let help = match words.is_empty() {
        true => String::from_utf8(world.command(&["help", "--all"]).output()?.stdout)?,
        false => help(world, &words)?,
    };
    let listed = if words.is_empty() { &help } else { help.split_once("Commands:\n").map_or("", |(_, rest)| rest) };
    let is_listed = |line: &&str| line.starts_with("  ");
    let listed: Vec<&str> = match words.is_empty() {
        true => listed.lines().filter(is_listed).collect(),
        false => listed.lines().take_while(is_listed).collect(),
    };
    let mut all = Vec::new();
    for name in listed.into_iter().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let command = format!("{above} {name}").trim().to_owned();
        all.extend(all_commands(world, &command)?);
        all.push(command);
    }
    Ok(all)
}

fn help(world: &World, words: &[&str]) -> TestResult<String> {
    let output = world.command(&[words, &["-h"]].concat()).output()?;
    assert_harmless("help", &output.stdout);
    Ok(String::from_utf8(output.stdout)?)
}

type Printed = (Vec<u8>, Vec<u8>);

fn piped(world: &World, args: &[&str]) -> TestResult<Printed> {
    let output = world.command(args).output()?;
    Ok((output.stdout, output.stderr))
}

fn as_json(world: &World, args: &[&str]) -> TestResult<Printed> {
    let (stdout, stderr) = piped(world, args)?;
    for line in String::from_utf8_lossy(&stdout).lines() {
        serde_json::from_str::<Value>(line).map_err(|error| format!("{args:?}: {error}: {line}"))?;
    }
    Ok((stdout, stderr))
}

/// The bytes that a terminal receives, without our colours and with its own line ends.
fn on_a_terminal(world: &World, args: &[&str]) -> TestResult<Printed> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = ptsname(&master, Vec::new())?.into_string()?;
    let slave = fs::OpenOptions::new().read(true).write(true).open(slave)?;
    let mut command = world.command(args);
    command.stdout(slave).stderr(Stdio::piped()).stdin(Stdio::null());
    let mut child = command.spawn()?;
    // Our copies of the ends would keep the terminal open.
    drop(command);
    let mut errors = child.stderr.take().ok_or("no errors")?;
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.read_to_end(&mut bytes).map(|_| bytes)
    });
    let mut bytes = Vec::new();
    // Linux reports an error when the other end is closed.
    let _ = fs::File::from(master).read_to_end(&mut bytes);
    child.wait()?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let text = STYLES.iter().fold(text, |text, style| text.replace(style, ""));
    Ok((text.into_bytes(), errors.join().map_err(|_| "the reader failed")??))
}

/// Answers, errors and progress of the server, as bytes on its pipe and as what they decode to.
#[test]
fn the_server_sends_no_control_character() -> TestResult {
    let world = World::new()?;
    let mut raw = crate::mcp::raw::Raw::begin(world.command(&["mcp"]))?;
    let calls = [
        ("search", json!({"query": "cart total", "all_projects": true})),
        ("recall", json!({"query": format!("cart {NASTY} total"), "all_projects": true})),
        ("predict", json!({"query": "npm test", "all_projects": true})),
        ("reconstruct", json!({"session": world.ids["SESSION"]})),
        ("reconstruct", json!({"session": NASTY})),
        ("why", json!({"query": "why is the cart total wrong"})),
        ("why", json!({"query": world.ids["COMMIT"]})),
        ("why", json!({"query": format!("cart{TURNED}.js:3")})),
        ("why", json!({"query": format!("{NASTY}:3")})),
        ("why", json!({"impact": "total"})),
        (
            "check",
            json!({"action": "npm test -- cart", "error": format!("error TS2322: the cart total {NASTY} is not a number")}),
        ),
        ("pack", json!({"task": "sum the cart", "all_projects": true})),
        ("remember", json!({"text": format!("Carts {NASTY} are green"), "everywhere": true})),
        ("outcome", json!({"outcome": "helpful", "session": NASTY})),
        ("explain", json!({"verb": "search", "query": "cart total", "all_projects": true})),
        ("loops", json!({"all_projects": true})),
        ("list", json!({"what": "sessions", "all_projects": true})),
        ("list", json!({"what": NASTY})),
        ("forget", json!({"session": world.ids["SESSION"], "all_projects": true})),
        (NASTY, json!({NASTY: 1})),
        ("search", json!({NASTY: 1})),
    ];
    let (mut id, mut shown) = (0, 0);
    let mut check = |answer: &Value, what: &str| {
        each_text(answer, &mut |text| assert_harmless(what, text.as_bytes()));
        shown += usize::from(answer.to_string().contains('␛'));
    };
    for (tool, arguments) in &calls {
        id += 1;
        raw.call(id, tool, arguments)?;
        check(&raw.answer_to(id)?["result"], tool);
    }
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": format!("backstory://session/{}", world.ids["SESSION"])})),
        ("resources/read", json!({"uri": format!("backstory://card/{}", world.ids["CARD"])})),
        ("resources/read", json!({"uri": NASTY})),
        ("prompts/get", json!({"name": "resume", "arguments": {"task": NASTY}})),
        ("prompts/get", json!({"name": "debug", "arguments": {"error": NASTY}})),
        ("prompts/get", json!({"name": NASTY})),
        (NASTY, json!({})),
    ] {
        id += 1;
        raw.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let answer = raw.answer_to(id)?;
        // The address of a resource is returned as requested.
        let contents = answer["result"]["contents"][0]["text"].clone();
        check(&if contents.is_null() { answer["result"].clone() } else { contents }, method);
        check(&answer["error"], method);
    }
    assert!(shown > 12, "only {shown} answers had anything to show");
    Ok(())
}

fn each_text(value: &Value, check: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => check(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, check)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            check(name);
            each_text(value, check);
        }),
        _ => {}
    }
}

/// Only one file writes to standard output and standard error, and it filters its output.
#[test]
fn one_file_writes_to_the_terminal() -> TestResult {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src)? {
        if file.ends_with("src/terminal/output.rs") {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        if file.ends_with("src/terminal/display.rs") {
            // It queries standard output, and writes nothing.
            assert!(!text.contains("write_all") && !text.contains("lock()"), "{}", file.display());
            continue;
        }
        for word in ["println!", "print!(", "io::stdout()", "io::stderr()", "anstream::", "dbg!(", ".exit()"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
        let is_progress = file.ends_with("src/progress.rs");
        assert!(is_progress || !text.contains(".set_message("), "{}: use progress::say", file.display());
    }
    Ok(())
}

fn rust_files(folder: &Path) -> TestResult<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}
