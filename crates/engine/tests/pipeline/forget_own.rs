//! Forgetting covers events of Backstory itself, and survives an interruption at any step.

use std::error::Error;
use std::fs;
use std::path::Path;

use backstory_engine::ForgetStep;
use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::log::Selector;
use backstory_engine::model::{
    CARDS_SESSION, CardAct, CardKind, CardSource, Channel, EventKind, Exposure, HandOutcome, Meta, OutcomeKind,
    ProjectId, Retrieval, RetrievalOutcome, Scope, Timestamp, card_id,
};
use backstory_engine::retrieve::{LOOPS_SESSION, Loops, loops};
use backstory_engine::store::UnfinishedForget;

use super::forgetting::{WORD, found_in, write_session};

type TestResult<T = ()> = Result<T, Box<dyn Error>>;

const WHEN: &str = "2026-01-05T09:00";

/// A home with a session of the project, and with every kind of event that Backstory itself writes
/// about it. Only these contain the word.
fn home_with_own_events(folder: &Path) -> TestResult<Memory> {
    let (sessions, home) = (folder.join("sessions"), folder.join("home"));
    fs::create_dir_all(&sessions)?;
    write_session(&sessions, "shop-one", "nothing special here ")?;
    write_session(&sessions, "open-one", "please mend the door of the shop now. ")?;
    let mut memory = Memory::open(&home)?;
    let found = find(&[InputPlace::Given(sessions)], None);
    memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;

    let project = project(&mut memory)?;
    let at = |minute: i64| Timestamp::parse(WHEN).map_or(Timestamp(0), |start| Timestamp(start.0 + minute * 60_000));
    let long = |what: &str| format!("{what} {}", format!("{WORD} and more words that fill pages. ").repeat(60));
    let (log, _) = memory.parts();
    let scope = Scope::repo(project);
    let statement = format!("Never touch the {WORD} drawer.");
    let card = card_id(CardKind::Constraint, &scope, &statement);
    log.append_of_cards(
        EventKind::User,
        at(0),
        statement,
        &CardAct::add(CardKind::Constraint, scope, CardSource::Remembered),
    )?;
    log.append_of_cards(
        EventKind::Judgement,
        at(1),
        format!("Never open the {WORD} drawer."),
        &CardAct::Edit { card },
    )?;
    log.append_of_cards(EventKind::Judgement, at(2), long("disputed:"), &CardAct::Dispute { card, evidence: None })?;
    let session = Some("shop-one".to_owned());
    let exposure = Exposure { channel: Channel::AutoPack, cards: vec![card], session: session.clone(), surface: None };
    log.append_of_cards(EventKind::Exposure, at(3), long("task:"), &exposure)?;
    let exposure = Exposure { session: None, ..exposure };
    log.append_of_cards(EventKind::Exposure, at(4), format!("what of {WORD}?"), &exposure)?;
    let outcome = HandOutcome { outcome: OutcomeKind::ToolFailure, session: "shop-one".to_owned(), surface: None };
    log.append_of_cards(EventKind::Outcome, at(5), format!("noted: {WORD}"), &outcome)?;
    let retrieval = Retrieval {
        verb: "why".to_owned(),
        project: Some(project),
        session,
        mode: "cause".to_owned(),
        stated: Some(0.5),
        documents: Vec::new(),
    };
    let retrieval = log.append_retrieval(at(6), &long("why"), &retrieval)?;
    let outcome = RetrievalOutcome { retrieval, outcome: OutcomeKind::UserCorrected, cause: None };
    log.append_retrieval_outcome(at(7), format!("no, {WORD}"), &outcome)?;
    let open = {
        let (log, views) = memory.parts();
        loops(log, views, &Loops::default())?.into_iter().find(|open| open.session == "open-one").ok_or("no loop")?
    };
    let meta = Meta { record: Some(open.id.to_string()), ..Meta::default() };
    memory.log().append_own(LOOPS_SESSION, EventKind::Judgement, at(8), format!("done\n{WORD}"), meta)?;
    memory.refresh(&mut |_| {})?;

    for (name, text) in
        [("hooks.log", WORD), ("hooks/told", WORD), ("views/code/shop-1/texts", WORD), ("views/next/x", WORD)]
    {
        fs::create_dir_all(home.join(name).parent().ok_or("no folder")?)?;
        fs::write(home.join(name), text)?;
    }
    assert_eq!(
        memory.log().store().episodes_of_session(backstory_engine::model::SourceKind::Backstory, CARDS_SESSION)?.len(),
        1
    );
    Ok(memory)
}

fn project(memory: &mut Memory) -> TestResult<ProjectId> {
    Ok(memory.log().store().known_projects()?.first().ok_or("no project")?.id)
}

const OWN: usize = 9;

#[test]
fn own_events_are_forgotten_by_words_project_time_and_session() -> TestResult {
    let words = Selector { query: Some(WORD.to_uppercase()), ..Selector::default() };
    for (name, selector, expected) in [
        ("words", words.clone(), OWN),
        ("time", Selector { from: Timestamp::parse("2026-01-05"), ..Selector::default() }, OWN),
        ("project", Selector::default(), OWN + 6),
        ("words in a project", words.clone(), OWN),
    ] {
        let folder = tempfile::tempdir()?;
        let home = folder.path().join("home");
        let mut memory = home_with_own_events(folder.path())?;
        assert!(found_in(&home, WORD.as_bytes()), "the test would prove nothing otherwise");
        let project = name.contains("project").then(|| project(&mut memory)).transpose()?;
        let plan = memory.plan_forget(&Selector { project, ..selector })?;
        assert_eq!(plan.events(), expected, "{name}: {:?}", plan.projects);
        memory.forget(&plan, Timestamp(0))?;
        assert_gone(&mut memory, name)?;
        drop(memory);
        assert!(!found_in(&home, WORD.as_bytes()), "{name}");
    }
    Ok(())
}

/// Forgetting a session includes its exposures, outcomes and questions.
#[test]
fn own_events_of_a_session_go_with_it() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut memory = home_with_own_events(folder.path())?;
    let plan = memory.plan_forget(&Selector { session: Some("shop-one".to_owned()), ..Selector::default() })?;
    let own = |name: &str| plan.projects.values().filter_map(|sessions| sessions.get(name)).sum::<u64>();
    assert_eq!((own("cards"), own("retrievals"), own("loops"), own("shop-one")), (2, 2, 0, 3), "{:?}", plan.projects);
    let plan = memory.plan_forget(&Selector { session: Some("open-one".to_owned()), ..Selector::default() })?;
    assert_eq!((plan.events(), plan.sessions()), (4, 2), "{:?}", plan.projects);
    Ok(())
}

#[test]
fn another_project_keeps_its_own() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut memory = home_with_own_events(folder.path())?;
    let other = ProjectId(backstory_engine::model::digest_of("project", &[b"another"]));
    let selector = Selector { project: Some(other), ..Selector::default() };
    assert_eq!(memory.plan_forget(&selector)?.events(), 0);
    let words = Selector { query: Some(WORD.to_owned()), ..selector };
    assert_eq!(memory.plan_forget(&words)?.events(), 0, "all are of the one project");
    Ok(())
}

/// Neither an export nor a derived row contains the word, which may be compressed on the disk.
fn assert_gone(memory: &mut Memory, what: &str) -> TestResult {
    let mut export = Vec::new();
    memory.log().export(&mut export)?;
    assert!(!String::from_utf8(export)?.contains(WORD), "{what}: the export");
    assert!(!memory.views().read().dump()?.concat().contains(WORD), "{what}: the views");
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_folder(&path, &target)? } else { _ = fs::copy(&path, &target)? }
    }
    Ok(())
}

/// A copy of the files at each step is what a kill would leave.
#[test]
fn cut_off_after_any_step_it_is_finished() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let mut memory = home_with_own_events(folder.path())?;
    memory.make_clusters("static", &mut |_| {}).ok();
    let plan = memory.plan_forget(&Selector { query: Some(WORD.to_owned()), ..Selector::default() })?;
    let mut cut: Vec<(ForgetStep, std::path::PathBuf)> = Vec::new();
    let mut failed = None;
    memory.forget_in_steps(&plan, Timestamp(7), &mut |step| {
        let copy = folder.path().join(format!("{step:?}"));
        failed = failed.take().or(copy_folder(&home, &copy).err());
        cut.push((step, copy));
    })?;
    assert!(failed.is_none(), "{failed:?}");
    let expected = memory.views().read().dump()?;
    let events = memory.log().store().head()?.pos;
    drop(memory);
    assert_eq!(cut.len(), 11, "{cut:?}");
    let said = cut.iter().filter(|(_, copy)| found_in(copy, WORD.as_bytes())).count();
    assert!(said > 2, "only {said} of the steps leave something to finish");
    for (step, copy) in cut {
        let is_done = step == ForgetStep::Done;
        assert_eq!(UnfinishedForget::is_in(&copy), !is_done, "{step:?}");
        // `open_fast` fails until then: it must not show text that is to be forgotten.
        let log = backstory_engine::log::Log::open(&copy.join("log.sqlite"))?;
        let found = Memory::open_fast(&copy, log, std::time::Duration::from_secs(1));
        assert_eq!(found.is_ok(), is_done, "{step:?}");
        let mut memory = Memory::open(&copy)?;
        assert_eq!(memory.notice().is_some(), !is_done, "{step:?}");
        memory.refresh(&mut |_| {})?;
        assert!(!UnfinishedForget::is_in(&copy), "{step:?}");
        assert_gone(&mut memory, &format!("{step:?}"))?;
        let (verified, citations) = memory.verify()?;
        assert_eq!((verified.fault, verified.forgotten, citations.fault), (None, OWN as u64, None), "{step:?}");
        assert_eq!(memory.log().store().head()?.pos, events, "{step:?}: it is noted once");
        assert_eq!(memory.views().read().dump()?, expected, "{step:?}");
        let again = memory.plan_forget(&Selector { query: Some(WORD.to_owned()), ..Selector::default() })?;
        assert!(again.is_empty(), "{step:?}");
        drop(memory);
        assert!(!found_in(&copy, WORD.as_bytes()), "{step:?}");
    }
    Ok(())
}

/// If the list of what to forget is lost, this is reported, and the forget does not count as finished.
#[test]
fn a_list_that_cannot_be_read_is_told() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let mut memory = home_with_own_events(folder.path())?;
    let events = memory.log().store().head()?.pos;
    drop(memory);
    fs::write(home.join("forgetting.json"), r#"{"begun":7,"events":[[1,"#)?;
    let mut memory = Memory::open(&home)?;
    let told = memory.notice().unwrap_or_default().to_owned();
    assert!(told.contains("unreadable") && told.contains("`backstory log forget` again"), "{told}");
    assert!(!UnfinishedForget::is_in(&home));
    assert_eq!(memory.log().store().head()?.pos, events, "nothing is noted as forgotten");

    let plan = memory.plan_forget(&Selector { query: Some(WORD.to_owned()), ..Selector::default() })?;
    assert!(!plan.is_empty());
    memory.forget(&plan, Timestamp(8))?;
    drop(memory);
    assert!(!found_in(&home, WORD.as_bytes()));
    assert_eq!(Memory::open(&home)?.notice(), None);
    Ok(())
}

/// A server that has the memory open finishes it, too.
#[test]
fn a_refresh_finishes_it() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let mut memory = home_with_own_events(folder.path())?;
    let mut plan = memory.plan_forget(&Selector { query: Some(WORD.to_owned()), ..Selector::default() })?;
    plan.bytes = 0;
    plan.marker(Timestamp(7)).write(&home)?;
    let text = fs::read_to_string(home.join("forgetting.json"))?;
    assert!(!text.contains(WORD) && !text.contains("work"), "{text}");
    memory.refresh(&mut |_| {})?;
    drop(memory);
    assert!(!found_in(&home, WORD.as_bytes()));
    assert!(!UnfinishedForget::is_in(&home));
    Ok(())
}
