//! Forgotten text is gone from every byte of the home.

use std::fs;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::log::{Selector, Subjects};
use backstory_engine::model::Timestamp;

pub const WORD: &str = "xylophone-quartz";

pub fn write_session(folder: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let record = |uuid: &str, kind: &str, content: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"{name}-{uuid}\",\"sessionId\":\"{name}\",\"cwd\":\"/work/shop\",\
             \"timestamp\":\"2026-01-03T10:00:00.000Z\",\"message\":{{\"id\":\"m-{name}-{uuid}\",\"role\":\"{kind}\",\"content\":{content}}}}}\n"
        )
    };
    let long = text.repeat(40);
    let lines = [
        record("1", "user", &format!("\"{text}\"")),
        record("2", "assistant", &format!("[{{\"type\":\"text\",\"text\":\"{long}\"}}]")),
        record(
            "3",
            "assistant",
            &format!(
                "[{{\"type\":\"tool_use\",\"id\":\"t-{name}\",\"name\":\"Bash\",\"input\":{{\"command\":\"ls\",\"description\":\"{text}\"}}}}]"
            ),
        ),
    ];
    fs::write(folder.join(format!("{name}.jsonl")), lines.concat())
}

pub fn found_in(folder: &Path, needle: &[u8]) -> bool {
    let mut files = vec![folder.to_owned()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle)) {
            return true;
        }
    }
    false
}

#[test]
fn no_byte_of_it_is_left() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (sessions, home) = (folder.path().join("sessions"), folder.path().join("home"));
    fs::create_dir_all(&sessions)?;
    write_session(&sessions, "secret-one", &format!("the {WORD} affair "))?;
    write_session(&sessions, "other", "nothing special here ")?;

    let ingest = |memory: &mut Memory| -> Result<u64, Box<dyn std::error::Error>> {
        let found = find(&[InputPlace::Given(sessions.clone())], None);
        let report = memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        Ok(report.appended.new)
    };
    let mut memory = Memory::open(&home)?;
    assert_eq!(ingest(&mut memory)?, 6);
    assert!(found_in(&home, WORD.as_bytes()), "the test would prove nothing otherwise");

    let selector = Selector { query: Some(WORD.to_uppercase()), ..Selector::default() };
    let plan = memory.plan_forget(&selector)?;
    assert_eq!(plan.events(), 3);
    assert!(found_in(&home, WORD.as_bytes()), "planning changes nothing");
    memory.forget(&plan, Timestamp(0))?;
    drop(memory);
    assert!(!found_in(&home, WORD.as_bytes()));

    let mut memory = Memory::open(&home)?;
    let (verified, citations) = memory.verify()?;
    assert_eq!((verified.fault, verified.forgotten, citations.fault), (None, 3, None));
    fs::write(sessions.join("touch.jsonl"), "")?;
    write_session(&sessions, "secret-one", &format!("the {WORD} affair "))?;
    assert_eq!(ingest(&mut memory)?, 0, "reading it again does not bring it back");
    drop(memory);
    assert!(!found_in(&home, WORD.as_bytes()));
    Ok(())
}

#[test]
fn selectors_add_up_and_none_selects_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = backstory_engine::fixture::World::new(
        "
session s1 claude_code 2026-01-03
  user   apples
  user   pears
session s2 claude_code 2026-01-04
  user   apples
",
    );
    let mut planned =
        |selector: Selector| world.log.plan_forget(&selector, Subjects::default()).map(|plan| plan.events());
    assert_eq!(planned(Selector::default())?, 0);
    assert_eq!(planned(Selector { session: Some("s1".into()), ..Selector::default() })?, 2);
    assert_eq!(planned(Selector { query: Some("APPLES".into()), ..Selector::default() })?, 2);
    assert_eq!(
        planned(Selector { session: Some("s1".into()), query: Some("apples".into()), ..Selector::default() })?,
        1
    );
    assert_eq!(planned(Selector { from: Timestamp::parse("2026-01-04"), ..Selector::default() })?, 1);
    assert_eq!(planned(Selector { to: Timestamp::parse("2026-01-04"), ..Selector::default() })?, 2);
    Ok(())
}

#[test]
fn a_plan_names_the_projects() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = backstory_engine::fixture::World::new(
        "
session s1 claude_code 2026-01-03 shop
  user   apples
  user   more apples
session s2 claude_code 2026-01-04 shop
  user   apples
session s3 claude_code 2026-01-05 barn
  user   apples
",
    );
    let everywhere = Selector { query: Some("apples".into()), ..Selector::default() };
    let plan = world.log.plan_forget(&everywhere, Subjects::default())?;
    let told: Vec<Vec<(&str, u64)>> = plan
        .projects
        .values()
        .map(|sessions| sessions.iter().map(|(session, events)| (session.as_str(), *events)).collect())
        .collect();
    assert_eq!(plan.sessions(), 3);
    assert!(told.contains(&vec![("s1", 2), ("s2", 1)]) && told.contains(&vec![("s3", 1)]), "{told:?}");
    let barn = plan.projects.iter().find(|(_, sessions)| sessions.contains_key("s3")).and_then(|(id, _)| *id);
    let plan = world.log.plan_forget(&Selector { project: barn, ..everywhere }, Subjects::default())?;
    assert_eq!((plan.events(), plan.projects.len()), (1, 1));
    Ok(())
}
