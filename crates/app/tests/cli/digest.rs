//! What was asked, and what came of it: `show` of a session and of a case, `digest`.

use expect_test::expect;

use crate::env::{Outcome, TestEnv, check};

#[test]
fn a_session_is_its_cases_on_one_screen() -> Outcome {
    check(&["show", "cf25"], expect![[""]])
}

#[test]
fn a_case_is_told_with_the_role_of_each_statement() -> Outcome {
    let env = TestEnv::with_demo_read()?;
    let json = env.run(&["show", "cf25", "--json"]).json()?;
    let id = json.pointer("/cases/0/id").and_then(|id| id.as_str()).ok_or("a case")?.to_owned();
    expect![[""]].assert_eq(&env.run(&["show", &id[..8]]).text());
    let json = env.run(&["show", &id, "--json"]).json()?;
    assert_eq!(json["case"]["id"], id);
    let time = json["case"]["time"].as_str().unwrap_or_default();
    assert!(time.starts_with("2026-01-12T"), "{json}");
    Ok(())
}

#[test]
fn a_digest_is_newest_first() -> Outcome {
    check(&["digest", "--project", "lantern-shop"], expect![[""]])
}

#[test]
fn a_digest_in_markdown() -> Outcome {
    check(&["digest", "--md", "--plain", "--days", "60", "--all-projects", "--limit", "5"], expect![[""]])
}

#[test]
fn a_digest_of_one_branch() -> Outcome {
    let env = TestEnv::with_demo_read()?;
    let all = env.run(&["digest", "--days", "90", "--all-projects", "--json"]).json()?;
    let items = all["items"].as_array().cloned().unwrap_or_default();
    let branch = items.iter().find_map(|item| item["branch"].as_str()).ok_or("a branch")?.to_owned();
    let on_branch = env.run(&["digest", "--days", "90", "--all-projects", "--branch", &branch, "--json"]).json()?;
    let on_branch = on_branch["items"].as_array().cloned().unwrap_or_default();
    let asked_there = items.iter().filter(|item| item["branch"] == branch.as_str()).count();
    assert!(on_branch.len() >= asked_there && asked_there > 0, "{branch}: {on_branch:?}");
    Ok(())
}

#[test]
fn a_transcript_of_people_is_shown_as_it_went() -> Outcome {
    let env = TestEnv::new()?;
    env.write("work/night.txt", "Ana: is the kettle on?\nBo: it is now\n")?;
    env.run(&["ingest", "night.txt", "--quiet"]).ok()?;
    let screen = env.run(&["show", "night"]).ok()?;
    assert!(screen.contains("is the kettle on?") && screen.contains("it is now"), "{screen}");
    Ok(())
}
