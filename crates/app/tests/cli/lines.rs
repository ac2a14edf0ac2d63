//! Stories of lines and commits on a repository whose files are renamed, moved and deleted.

use std::fs;

use serde_json::{Value, json};

use crate::answers::commit;
use crate::env::{TestEnv, TestResult};

const CART: &str = "import { Item } from './item';\n\n\
    export function roundCents(value: number): number {\n  return Math.round(value * 100) / 100;\n}\n\n\
    export function calculateTotal(items: Item[]): number {\n  let total = 0;\n\
    \x20 for (const item of items) {\n    total += item.price * item.quantity;\n  }\n\
    \x20 return roundCents(total);\n}\n";

const API: &str = "export const ADDRESS = 'https://shop.example';\n";

/// A session of prompts, each with the file written for it.
fn session(env: &TestEnv, steps: &[(&str, &str, &str)]) -> TestResult<String> {
    let folder = fs::canonicalize(env.path("work"))?;
    let mut records: Vec<Value> = Vec::new();
    for (prompt, path, text) in steps {
        let id = format!("toolu_{}", records.len());
        let call =
            json!({"type": "tool_use", "id": id, "name": "Write", "input": {"file_path": path, "content": text}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "created"});
        for (kind, content) in [("user", json!(prompt)), ("assistant", json!([call])), ("user", json!([result]))] {
            let at = records.len();
            records.push(json!({
                "type": kind, "uuid": format!("record-{at}"), "sessionId": "one", "cwd": folder,
                "timestamp": format!("2026-02-03T10:{at:02}:00.000Z"), "message": {"role": kind, "content": content},
            }));
        }
    }
    Ok(records.iter().map(|record| format!("{record}\n")).collect())
}

/// A cart that a session wrote, in a repository.
fn shop() -> TestResult<TestEnv> {
    let env = TestEnv::new()?;
    let steps = [("write the cart, in euros", "src/cart.ts", CART), ("write the client of the api", "src/api.ts", API)];
    let file = env.write("sessions/one.jsonl", session(&env, &steps)?)?;
    env.run(&["ingest", "--quiet", &file.to_string_lossy()]).ok()?;
    env.write("work/src/cart.ts", CART)?;
    env.write("work/src/api.ts", API)?;
    commit(&env, "Begin", "2026-02-03T11:00:00Z")?;
    Ok(env)
}

fn why(env: &TestEnv, args: &[&str]) -> TestResult<String> {
    env.run(&[&["why", "--all-projects"], args].concat()).ok()
}

#[test]
fn a_line_is_followed_through_renames_and_moves() -> TestResult {
    let env = shop()?;
    fs::create_dir(env.path("work/src/basket"))?;
    fs::rename(env.path("work/src/cart.ts"), env.path("work/src/basket/basket.ts"))?;
    commit(&env, "Rename the cart", "2026-02-04T10:00:00Z")?;
    let (head, function) = CART.split_at(CART.find("export function calculateTotal").ok_or("no function")?);
    let (import, round) = head.split_at(head.find("export function roundCents").ok_or("no function")?);
    env.write("work/src/basket/basket.ts", format!("{import}{function}\n{round}"))?;
    let moved = commit(&env, "Move roundCents down", "2026-02-05T10:00:00Z")?;

    let told = why(&env, &["src/basket/basket.ts:12"])?;
    for part in [
        "return Math.round(value",
        "Move roundCents down",
        "first in",
        "Begin</untrusted> · in src/cart.ts",
        "in euros",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = why(&env, &[&moved])?;
    for part in ["write the cart, in euros", "Only moved", "within src/basket/basket.ts"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("Cannot prove"), "{told}");
    for args in [&["--impact", "roundCents"][..], &["why does roundCents give a wrong total"]] {
        let told = why(&env, args)?;
        assert!(told.contains("write the cart, in euros"), "{args:?}: {told}");
    }

    let screen = env.run(&["why", "src/cart.ts:4", "--all-projects"]);
    let text = screen.text();
    assert!(screen.code == Some(1) && text.contains("renamed it to src/basket/basket.ts"), "{text}");
    assert!(text.contains("(Rename the cart)"), "{text}");
    Ok(())
}

#[test]
fn a_commit_that_deletes_tells_whose_lines_they_were() -> TestResult {
    let env = shop()?;
    fs::remove_file(env.path("work/src/api.ts"))?;
    commit(&env, "Remove the api", "2026-02-04T10:00:00Z")?;
    let told = why(&env, &["HEAD"])?;
    assert!(told.contains("Reverts") && told.contains("write the client of the api"), "{told}");
    assert!(!told.contains("Cannot prove"), "{told}");
    let screen = env.run(&["why", "src/api.ts:1", "--all-projects"]).text();
    assert!(screen.contains("(Remove the api) deleted it"), "{screen}");
    Ok(())
}

#[test]
fn several_lines_are_told_by_who_wrote_them() -> TestResult {
    let env = shop()?;
    env.write("work/src/cart.ts", CART.replace("let total = 0;", "let total = 0; // by hand"))?;
    let told = why(&env, &["src/cart.ts:6-9"])?;
    assert!(told.contains("src/cart.ts:7, 9") && told.contains("src/cart.ts:8\n"), "{told}");
    assert!(told.contains("Not committed yet") && told.contains("of this file did not put this line in"), "{told}");
    let told = env.run(&["why", "--all-projects", "src/cart.ts:6-9", "--json"]).json()?;
    assert_eq!(told["stories"][0]["lines"], json!([7, 9]), "{told:#}");
    let told = why(&env, &["src/cart.ts:2"])?;
    assert!(told.contains("says too little") && !told.contains("Asked for"), "{told}");
    for wrong in ["src/cart.ts:9-6", "src/cart.ts:0-3", "src/cart.ts:3-99"] {
        assert_eq!(env.run(&["why", wrong]).code, Some(2), "{wrong}");
    }
    env.write("work/src/new.ts", "export const fresh = true;\n")?;
    let told = why(&env, &["src/new.ts:1"])?;
    assert!(told.contains("Not committed yet"), "git does not know the file: {told}");
    assert!(!told.contains("Depends on it now"), "nobody does: {told}");
    Ok(())
}
