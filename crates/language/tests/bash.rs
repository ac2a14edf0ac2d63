//! Does the parser see every command that bash runs? Scripts are generated from a grammar and from random tokens, and
//! run with programs that only record how they were called. The test does nothing on a machine without bash.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use backstory_language::shell::{ScriptReading, line_of, runs};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const BASH: &str = "/bin/bash";
/// Programs that start others, from the machine.
const REAL: [&str; 6] = ["env", "nohup", "timeout", "xargs", "find", "cat"];
const NOTED: [&str; 4] = ["c1", "c2", "c3", "no"];

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() }
}

/// A folder of programs that write their arguments into a file.
fn programs(folder: &Path) -> std::io::Result<()> {
    fs::create_dir(folder.join("bin"))?;
    fs::create_dir(folder.join("work"))?;
    for name in NOTED {
        let code = u8::from(name == "no");
        let text = format!(
            "#!{BASH}\nprintf '%s\\0' \"${{0##*/}}\" \"$@\" $'\\1' >> '{}'\nexit {code}\n",
            folder.join("trace").display()
        );
        let file = folder.join("bin").join(name);
        fs::write(&file, text)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    for name in REAL {
        let found = ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
        if let Some(path) = found {
            symlink(path, folder.join("bin").join(name))?;
        }
    }
    for name in ["bash", "sh"] {
        symlink(BASH, folder.join("bin").join(name))?;
    }
    Ok(())
}

/// The calls that bash makes, with their arguments.
fn ran_by_bash(folder: &Path, script: &str) -> std::io::Result<Vec<Vec<String>>> {
    let trace = folder.join("trace");
    fs::write(&trace, "")?;
    // Wait for background commands.
    let script = format!("{script}\nwait");
    let mut command = Command::new(BASH);
    command.args(["--norc", "--noprofile", "-c", &script]).current_dir(folder.join("work")).env_clear();
    command.env("PATH", folder.join("bin")).env("FUNCNEST", "4").env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let text = String::from_utf8_lossy(&fs::read(&trace)?).into_owned();
    let calls = text.split("\u{1}\0").filter(|call| !call.is_empty());
    Ok(calls.map(|call| call.split_terminator('\0').map(str::to_owned).collect()).collect())
}

/// Is this call among the parsed ones? An unknown argument may be any number of arguments.
fn is_among(call: &[String], reading: &ScriptReading) -> bool {
    reading.runs.iter().any(|run| {
        let is_open = run.words.iter().any(|word| word.is_open());
        let words: Vec<&str> = run.words.iter().map(|word| word.text.as_str()).collect();
        let same_program = words.first() == call.first().map(String::as_str).as_ref();
        words == *call || is_open && same_program
    })
}

fn check(script: &str, may_be_unread: bool) -> Result<(), TestCaseError> {
    let reading = runs(script);
    if may_be_unread && !reading.unread.is_empty() {
        return Ok(());
    }
    prop_assert!(reading.unread.is_empty(), "unread: {:?}\n{script}", reading.unread);
    let folder = tempfile::tempdir().and_then(|folder| programs(folder.path()).map(|()| folder));
    let folder = folder.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let calls = ran_by_bash(folder.path(), script).map_err(|error| TestCaseError::fail(error.to_string()))?;
    for call in calls {
        prop_assert!(is_among(&call, &reading), "bash ran {call:?}, read were {:#?}\n{script}", reading.runs);
    }
    Ok(())
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "-x", "'b c'", "\"d e\"", "f\\ g", "h\"i\"'j'", "it\\'s", "$'k\\nl'", "''", "\"\\\"\"", "'\"'", "m#n",
        "\\#o", "{p,q}", "\"$((1+2))\"", "r=s", "\"t;u\"", "'v && w'", "\\;", "\"`c2 x`\"", "\"$(c3 y)\"",
        "$(c3 'z)')", "é", "\"a\\\nb\"", "\\$x", "'$(c1)'", "\"\\$(c1)\"", "~x", "%", "[a", "a]", "x{", "}y", "!",
    ])
    .prop_map(str::to_owned)
}

fn call() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "c1",
        "c2",
        "c\\3",
        "'c1'",
        "c\"2\"",
        "X=1 c3",
        "X='a b' Y=$(c1) c2",
        "env X=1 c1",
        "nohup c2",
        "timeout 5 c3",
        "exec c1",
        "command c2",
        "! c3",
        "time c1",
        "echo u | xargs c1",
        "v=c2; $v",
        "find . -maxdepth 0 -exec c3 w",
    ]);
    (
        name,
        prop::collection::vec(word(), 0..3),
        prop::sample::select(vec!["", " 2>&1", " >/dev/null", " <<< x", " 2> e"]),
    )
        .prop_map(|(name, words, behind)| {
            let words: String = words.iter().map(|word| format!(" {word}")).collect();
            match name.starts_with("find") {
                true => format!("{name} \\;"),
                false => format!("{name}{words}{behind}"),
            }
        })
}

/// A script of up to several lines.
fn script() -> impl Strategy<Value = String> {
    call().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["; ", " && ", " || ", " | ", " & ", "\n", " |\n", " &&\n # c\n", ";"]),
                inner.clone()
            )
                .prop_map(|(a, join, b)| match a.ends_with('\n') {
                    true => format!("{a}{b}"),
                    false => format!("{a}{join}{b}"),
                }),
            inner.clone().prop_map(|list| format!("({list}\n)")),
            inner.clone().prop_map(|list| format!("{{ {list}\n}} 2>&1")),
            inner.clone().prop_map(|list| format!("echo \"$({list}\n)\"")),
            inner.clone().prop_map(|list| format!("cat <({list}\n)")),
            inner.clone().prop_map(|list| line_of(&["bash", "-x", "-c", &list])),
            inner.clone().prop_map(|list| format!("eval {}", line_of(&["x", &list]).trim_start_matches("x "))),
            inner.clone().prop_map(|list| format!("sh <<'E{0}'\n{list}\nE{0}\n", list.len())),
            inner.clone().prop_map(|list| format!("cat <<-E{0} >&2\n\tc1 $({list}\n)\n\tE{0}\n", list.len())),
            inner.clone().prop_map(|list| format!("f() {{ {list}\n}}; f")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if {a}\nthen {b}\nelse {a}\nfi")),
            inner.clone().prop_map(|list| format!("for i in a 'b c'; do {list}\ndone")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("while no; do {a}\ndone; until c1; do {b}\ndone")),
            inner.clone().prop_map(|list| format!("case a in b|c) no;; (a) {list}\n;; esac")),
            inner.clone().prop_map(|list| format!("# it's\n{list}")),
            inner.prop_map(|list| format!("[[ a < b ]] && {{ {list}\n}}")),
        ]
    })
}

/// Random tokens: mostly not a valid script.
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "c1", "c2", "c3", " ", " ", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{ ", "; }", "'", "\"", "\\", "`",
        "$(", ")", "$'", "${x", "}", "$((", "))", "<<E\n", "\nE\n", "<<'E'\n", "<<-E", "<<< ", "<(", "#", "if ",
        "; then ", "; fi", "for i in a; do ", "; done", "case a in ", "a) ", ";;", " esac", "[[ ", " ]]", "((", "!",
        "x=", "x=(", "f() ", "function f ", "\\\n", "bash -c ", "eval ", "a", "\t", "{a,b}", "sh", "2>&1 ", "é",
    ]);
    prop::collection::vec(token, 1..24).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn every_command_of_a_script_is_read(script in script()) {
        if Path::new(BASH).exists() {
            check(&script, false)?;
        }
    }

    #[test]
    fn nothing_runs_unseen(script in soup()) {
        if Path::new(BASH).exists() {
            check(&script, true)?;
        }
    }
}
