//! Sessions in which a command fails with a code, something is changed, and the command passes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::super::EvalResult;

pub struct Needle {
    /// Occurs once in the session: in the output of the failing command.
    pub code: String,
    /// Occurs only in the change that fixed it.
    pub fix: String,
    /// It is in the middle of a long log.
    pub deep: bool,
}

/// The topic of sessions; each is written once per style of code.
struct Scene {
    prompt: &'static str,
    command: &'static str,
    /// The output of the command, with `CODE`.
    failure: &'static str,
    guess: &'static str,
    file: &'static str,
    setting: &'static str,
    passed: &'static str,
    summary: &'static str,
}

const SCENES: [Scene; 12] = [
    Scene {
        prompt: "the nightly upload stops halfway, please look into it",
        command: "make upload-nightly",
        failure: "upload: bucket refused part 7: CODE (limit reached)",
        guess: "The parts are too large for the new limit.",
        file: "config/upload.yaml",
        setting: "part_size_kb",
        passed: "uploaded 12 of 12 parts",
        summary: "The upload goes through with smaller parts.",
    },
    Scene {
        prompt: "login on the tablet fails since yesterday",
        command: "npm run test:login",
        failure: "Error: session rejected, CODE at verifyDevice (auth/device.ts:88)",
        guess: "The clock of the device is off, so the token looks too old.",
        file: "src/auth/device.ts",
        setting: "allowedSkewMs",
        passed: "9 passed",
        summary: "Tablets may now be a little late.",
    },
    Scene {
        prompt: "the release build breaks on the arm machines only",
        command: "cargo build --release --target aarch64-unknown-linux-gnu",
        failure: "ld: CODE: stack segment exceeds what the loader accepts",
        guess: "The linker script asks for more stack than there is.",
        file: "link/arm.ld",
        setting: "STACK_BYTES",
        passed: "Finished release profile",
        summary: "The arm build links again.",
    },
    Scene {
        prompt: "customers report that cards are declined although they are fine",
        command: "pytest tests/test_cards.py",
        failure: "gateway answered CODE for a card that is valid",
        guess: "We ask the gateway twice and it takes the second call for fraud.",
        file: "payments/gateway.py",
        setting: "retry_after_ms",
        passed: "14 passed in 2.1s",
        summary: "The second call waits long enough now.",
    },
    Scene {
        prompt: "migrations hang in staging",
        command: "alembic upgrade head",
        failure: "FATAL CODE: could not obtain lock on relation invoices",
        guess: "The report job keeps the table locked while it reads.",
        file: "migrations/env.py",
        setting: "lock_timeout_ms",
        passed: "Running upgrade, done",
        summary: "Migrations give up early and try again.",
    },
    Scene {
        prompt: "why does the map stay grey on old phones",
        command: "gradle connectedCheck",
        failure: "GL driver says CODE: texture atlas rejected",
        guess: "Old drivers accept smaller textures only.",
        file: "app/src/main/res/values/map.xml",
        setting: "atlasEdge",
        passed: "BUILD SUCCESSFUL",
        summary: "The atlas is small enough for old drivers.",
    },
    Scene {
        prompt: "can you make the docs build work offline again",
        command: "mkdocs build --strict",
        failure: "plugin 'search' raised CODE while fetching the theme",
        guess: "The theme is loaded from the network although we ship a copy.",
        file: "mkdocs.yml",
        setting: "theme_revision",
        passed: "Documentation built",
        summary: "The copy of the theme is used.",
    },
    Scene {
        prompt: "the mail queue grows and grows",
        command: "bin/drain-queue --once",
        failure: "smtp: relay closed the connection, CODE, 41 messages kept",
        guess: "We open more connections than the relay lets us.",
        file: "config/mail.toml",
        setting: "per_relay",
        passed: "queue is empty",
        summary: "Fewer connections, and the queue drains.",
    },
    Scene {
        prompt: "ci is red on windows, I have no windows here",
        command: "ctest -R paths",
        failure: "paths_test: CODE: the file name is too long for this volume",
        guess: "The temporary folder adds more than the volume allows.",
        file: "cmake/testing.cmake",
        setting: "PATH_BUDGET",
        passed: "100% tests passed",
        summary: "Tests use a shorter temporary folder.",
    },
    Scene {
        prompt: "the sensor in hall three sends nothing",
        command: "python -m probe --hall 3",
        failure: "modbus exception CODE from unit 19",
        guess: "The register moved with the new firmware.",
        file: "probe/registers.py",
        setting: "TEMP_REGISTER",
        passed: "unit 19: 21.4 C",
        summary: "Hall three reports again.",
    },
    Scene {
        prompt: "videos have no sound after the update",
        command: "make check-media",
        failure: "decoder: CODE in stream 1 (audio)",
        guess: "The new library wants the sample rate said.",
        file: "media/decode.c",
        setting: "SAMPLE_RATE",
        passed: "all streams decoded",
        summary: "The rate is said, sound is back.",
    },
    Scene {
        prompt: "the type check complains about generated files",
        command: "npx tsc --noEmit",
        failure: "gen/api.ts(211,9): error CODE: this alias refers to itself",
        guess: "The generator nests unions without end.",
        file: "tools/generate.ts",
        setting: "maxDepth",
        passed: "no errors",
        summary: "The generator stops at a depth.",
    },
];

const STYLES: usize = 5;
const WORDS: [&str; 12] =
    ["QUOTA", "SKEW", "STACK", "CARD", "LOCK", "ATLAS", "THEME", "RELAY", "PATH", "UNIT", "AUDIO", "ALIAS"];

/// Writes one file per needle.
pub fn plant(folder: &Path) -> EvalResult<Vec<Needle>> {
    let mut needles = Vec::new();
    for (scene_number, scene) in SCENES.iter().enumerate() {
        for style in 0..STYLES {
            let number = scene_number * STYLES + style;
            let fix = format!("7{:03}3", number * 13 % 1000);
            let needle = Needle { code: code(style, scene_number, number), fix, deep: number.is_multiple_of(3) };
            let session = id(&format!("session {number}"));
            fs::write(folder.join(format!("{session}.jsonl")), transcript(scene, &needle, &session, number))?;
            needles.push(needle);
        }
    }
    Ok(needles)
}

fn code(style: usize, scene: usize, number: usize) -> String {
    let digits = 1000 + number * 7919 % 9000;
    match style {
        0 => format!("E_{}_{digits}", WORDS[scene]),
        1 => format!("ERR-{digits}"),
        2 => format!("TS9{digits}"),
        3 => format!("0x8007{:04X}", number * 40_503 % 65_536),
        _ => {
            let word = WORDS[scene].to_lowercase();
            format!("{}{}Declined#{}", word[..1].to_uppercase(), &word[1..], 10 + number)
        }
    }
}

fn transcript(scene: &Scene, needle: &Needle, session: &str, number: usize) -> String {
    let mut file = Transcript::new(session, number);
    let failure = scene.failure.replace("CODE", &needle.code);
    let failure = if needle.deep { in_long_log(&failure) } else { failure };
    file.prompt(scene.prompt);
    file.say("I'll run it first to see what happens.");
    file.call("Bash", json!({ "command": scene.command }), &format!("Exit code 1\n{failure}"), true);
    file.say(scene.guess);
    let (old, new) = (format!("{} = 1000", scene.setting), format!("{} = {}", scene.setting, needle.fix));
    let path = format!("/home/dev/project/{}", scene.file);
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    file.call("Edit", edit, "The file has been updated.", false);
    file.call("Bash", json!({ "command": scene.command }), scene.passed, false);
    file.say(scene.summary);
    file.prompt("good, commit it");
    file.call("Bash", json!({ "command": "git commit -qam 'Adjust the setting'" }), "", false);
    file.say("Committed.");
    file.lines
}

fn in_long_log(failure: &str) -> String {
    let step = |at: usize| format!("[{at:>3}] step {at} of 180 took {} ms", 20 + at * 37 % 400);
    let before = (1..=120).map(step);
    let after = (121..=180).map(step);
    before.chain([failure.to_owned()]).chain(after).collect::<Vec<_>>().join("\n")
}

/// A session file in Claude Code's format.
struct Transcript {
    session: String,
    day: usize,
    records: usize,
    parent: Option<String>,
    lines: String,
}

impl Transcript {
    fn new(session: &str, number: usize) -> Self {
        Transcript { session: session.to_owned(), day: number % 28, records: 0, parent: None, lines: String::new() }
    }

    fn prompt(&mut self, text: &str) {
        self.record("user", json!({ "role": "user", "content": text }));
    }

    fn say(&mut self, text: &str) {
        self.record("assistant", json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] }));
    }

    fn call(&mut self, tool: &str, input: Value, output: &str, failed: bool) {
        let call = id(&format!("{} call {}", self.session, self.records));
        let used = json!({ "type": "tool_use", "id": call, "name": tool, "input": input });
        self.record("assistant", json!({ "role": "assistant", "content": [used] }));
        let result = json!({ "type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed });
        self.record("user", json!({ "role": "user", "content": [result] }));
    }

    fn record(&mut self, kind: &str, message: Value) {
        let uuid = id(&format!("{} record {}", self.session, self.records));
        let time = format!("2026-03-{:02}T10:{:02}:00.000Z", self.day + 1, self.records);
        let record = json!({
            "parentUuid": self.parent, "isSidechain": false, "userType": "external", "cwd": "/home/dev/project",
            "sessionId": self.session, "version": "2.1.2", "gitBranch": "main",
            "type": kind, "message": message, "uuid": uuid, "timestamp": time,
        });
        self.lines.push_str(&format!("{record}\n"));
        self.parent = Some(uuid);
        self.records += 1;
    }
}

/// An id in the form of real session ids.
fn id(name: &str) -> String {
    let hex = blake3::hash(name.as_bytes()).to_hex();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hit must be in the needle's own session.
    #[test]
    fn a_code_and_its_cure_stand_in_one_session() -> EvalResult<()> {
        let folder = tempfile::tempdir()?;
        let needles = plant(folder.path())?;
        let mut all = String::new();
        for file in fs::read_dir(folder.path())? {
            all.push_str(&fs::read_to_string(file?.path())?);
        }
        assert_eq!(needles.len(), SCENES.len() * STYLES);
        for needle in needles {
            assert_eq!(all.matches(&needle.code).count(), 1, "{}", needle.code);
            assert_eq!(all.matches(&format!("= {}", needle.fix)).count(), 1, "{}", needle.fix);
        }
        Ok(())
    }
}
