//! Stated probabilities, and their outcomes.

use backstory_engine::Memory;
use backstory_engine::model::{Retrieval, RetrievedDocument, Timestamp};

use crate::env::{TestEnv, TestResult};

/// An answer with two documents, as recorded by a command.
fn answered(env: &TestEnv, stated: f32, minute: i64) -> TestResult<String> {
    let document = |path: &str| RetrievedDocument {
        id: path.to_owned(),
        kind: "file".to_owned(),
        path: Some(path.to_owned()),
        lines: None,
        name: None,
        score: 1.0,
        stated: 0.3,
    };
    let retrieval = Retrieval {
        verb: "why".to_owned(),
        project: None,
        session: None,
        mode: "cause".to_owned(),
        stated: Some(stated),
        documents: vec![document("src/cart.ts"), document("src/vat.ts")],
    };
    let mut memory = Memory::open(&env.path("memory"))?;
    Ok(memory.log().append_retrieval(Timestamp(minute * 60_000), "why is it NaN", &retrieval)?.to_string())
}

#[test]
fn what_answers_state_is_held_against_what_came() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    assert!(!env.run(&["status", "-v"]).ok()?.contains("Answers"), "nothing was stated");
    let first = answered(&env, 0.9, 1)?;
    let second = answered(&env, 0.7, 2)?;
    let status = env.run(&["status", "-v"]).ok()?;
    assert!(status.contains("2 answers") && status.contains("2 without an outcome"), "{status}");

    let outcome = |args: &[&str]| env.run(&[&["outcome"], args].concat());
    let said = outcome(&["helpful", "--retrieval", &first[..8], "--cause", "2"]).ok()?;
    assert_eq!(said, "user_confirmed_helpful, document 2 was the cause for the answer to \"why is it NaN\"\n");
    outcome(&["corrected", "--retrieval", &second[..8], "none", "of", "them"]).ok()?;
    let told = env.run(&["status", "--json"]).json()?["calibration"].clone();
    assert_eq!((&told["by_hand"], &told["without_outcome"]), (&2.into(), &0.into()), "{told:#}");
    assert_eq!(told["overall"]["observed"], 0.5, "{told:#}");
    assert_eq!(told["buckets"].as_array().map(Vec::len), Some(2), "{told:#}");
    let status = env.run(&["status", "-v"]).ok()?;
    assert!(status.contains("0.80 stated, 0.50 came true; Brier score 0.250"), "{status}");

    for (args, code, words) in [
        (vec!["helpful", "--retrieval", "ffffffff"], 1, "no retrieval matches"),
        (vec!["helpful", "--retrieval", &first, "--cause", "3"], 2, "that answer has 2 documents"),
        (vec!["success", "--retrieval", &first], 2, "helpful or corrected"),
        (vec!["helpful"], 2, "<ID>"),
        (vec!["helpful", "--session", "61146108", "--retrieval", &first], 2, "cannot be used with"),
    ] {
        let screen = outcome(&args);
        assert!(screen.code == Some(code) && screen.text().contains(words), "{args:?}: {}", screen.text());
    }
    Ok(())
}
