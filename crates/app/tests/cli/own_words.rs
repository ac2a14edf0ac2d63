//! Backstory's own output in a session is not learned again.

use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

/// Words that only one session of the sample contains.
const TOLD: &str = "wrapping paper";
/// A command whose output is recognised by its markers alone.
const SCRIPT: &str = "./recall.sh";

#[test]
fn what_is_printed_for_others_is_marked() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["sessions", "--all-projects"][..],
        &["reconstruct", "--session", "19562422"],
        &["log", "show", "--session", "19562422"],
    ] {
        let text = env.run(args).ok()?;
        assert!(text.starts_with("<backstory-memory verb=\""), "{args:?}: {text}");
        assert!(text.ends_with("</backstory-memory>\n"), "{args:?}: {text}");
    }
    for args in [&["sessions", "--all-projects", "--json"][..], &["status", "--json"], &["log", "show", "--json"]] {
        assert!(env.run(args).ok()?.starts_with("{\"backstory\":"), "{args:?}");
    }
    Ok(())
}

/// A session in which an agent ran this command and saw these outputs.
fn session_that_saw(name: &str, command: &str, outputs: &[String]) -> String {
    let record = |kind: &str, uuid: String, content: Value| {
        json!({
            "type": kind, "uuid": uuid, "sessionId": name, "cwd": "/nowhere/shop",
            "timestamp": "2026-02-28T10:00:00.000Z", "message": {"role": kind, "content": content},
        })
    };
    let mut records = vec![record("user", format!("{name}-0"), json!(format!("{name}: what did we do about gifts?")))];
    for (n, output) in outputs.iter().enumerate() {
        let id = format!("toolu_{name}_{n}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        records.push(record("assistant", format!("{name}-call-{n}"), json!([call])));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output});
        records.push(record("user", format!("{name}-result-{n}"), json!([result])));
    }
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Everything that is shown of one session.
fn told(env: &TestEnv, session: &str) -> TestResult<String> {
    env.run(&["reconstruct", "--session", session, "--json"]).ok()
}

#[test]
fn recalled_text_is_not_learned_again() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let mut outputs = Vec::new();
    for args in [
        &["reconstruct", "--session", "19562422"][..],
        &["reconstruct", "--session", "19562422", "--json"],
        &["log", "show", "--session", "19562422"],
        &["log", "show", "--session", "19562422", "--json"],
    ] {
        let text = env.run(args).ok()?;
        assert!(text.contains(TOLD), "{args:?} would prove nothing");
        outputs.push(text);
    }
    // Hosts cut long output, and agents print around it.
    outputs.push(outputs[0][..outputs[0].len() - 60].to_owned());
    outputs.push(format!("$ backstory reconstruct\n{}\ndone\n", outputs[0]));
    for (n, output) in outputs.iter().enumerate() {
        let name = format!("reader-{n}");
        env.write(
            &format!("claude/projects/-nowhere-shop/{name}.jsonl"),
            session_that_saw(&name, SCRIPT, std::slice::from_ref(output)),
        )?;
        env.run(&["ingest", "--quiet"]).ok()?;
        let told = told(&env, &name)?;
        assert!(told.contains("gifts"), "the session itself is there");
        assert!(!told.contains(TOLD), "output {n} was learned again:\n{}", &output[..output.len().min(200)]);
    }
    Ok(())
}

/// `log show` prints an event that contains marked output itself.
#[test]
fn recalled_text_within_recalled_text_is_not_learned_again() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let recalled = env.run(&["reconstruct", "--session", "19562422"]).ok()?;
    let first = session_that_saw("first", SCRIPT, &[format!("{recalled}\nthe {TOLD} is blue\n")]);
    env.write("claude/projects/-nowhere-shop/first.jsonl", first)?;
    env.run(&["ingest", "--quiet"]).ok()?;
    let shown = env.run(&["log", "show", "--session", "first"]).ok()?;
    env.write("claude/projects/-nowhere-shop/second.jsonl", session_that_saw("second", SCRIPT, &[shown]))?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert!(!told(&env, "second")?.contains(TOLD));
    Ok(())
}

/// `--plain` has no markers, nor has filtered JSON: the command is the proof.
#[test]
fn output_without_markers_is_recognised_by_its_command() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let plain = env.run(&["reconstruct", "--session", "19562422", "--plain"]).ok()?;
    assert!(plain.contains(TOLD) && !plain.contains("<backstory-memory"), "{plain}");
    for (name, command, is_learned) in [
        ("plain", "backstory reconstruct --session 19562422 --plain | head -90", false),
        ("file", "cat answer.txt", true),
    ] {
        let session = session_that_saw(name, command, std::slice::from_ref(&plain));
        env.write(&format!("claude/projects/-nowhere-shop/{name}.jsonl"), session)?;
        env.run(&["ingest", "--quiet"]).ok()?;
        assert_eq!(told(&env, name)?.contains(TOLD), is_learned, "{command}");
    }
    Ok(())
}
