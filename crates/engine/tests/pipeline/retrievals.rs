//! Which answers were given, what were their outcomes, and were the stated probabilities right?

use std::error::Error;

use backstory_engine::fixture::World;
use backstory_engine::log::{Log, LogError, Selector, Subjects};
use backstory_engine::model::{
    Digest, EventId, OutcomeKind, ProjectId, Retrieval, RetrievalOutcome, RetrievedDocument, Timestamp, digest_of,
};
use backstory_engine::retrieve::{Calibration, Retrievals, calibration, find_retrieval, retrievals};

type TestResult = Result<(), Box<dyn Error>>;

const SHOP: &str = "
session s1 claude_code 2026-01-03T10:00
  user   why is the total NaN?
  read   /home/ada/shop/src/cart.ts
  edit   /home/ada/shop/src/cart.ts  -x +toCents(raw.price)
session s2 claude_code 2026-01-03T11:00
  user   and the receipts?
  edit   /home/ada/shop/src/receipt.ts  -x +receiptOf(order)
session blog claude_code 2026-01-05T10:00 blog
  user   write about it
  edit   /home/ada/blog/src/cart.ts  -x +posts
";

fn shop() -> ProjectId {
    ProjectId(digest_of("project", &[b"path", b"/work/shop"]))
}

fn answer(stated: f32, paths: &[&str]) -> Retrieval {
    let document = |path: &&str| RetrievedDocument {
        id: format!("code:{path}"),
        kind: "function".to_owned(),
        path: (!path.is_empty()).then(|| (*path).to_owned()),
        lines: Some((3, 9)),
        name: None,
        score: 1.5,
        stated: 0.2,
    };
    Retrieval {
        verb: "why".to_owned(),
        project: Some(shop()),
        session: None,
        mode: "cause".to_owned(),
        stated: Some(stated),
        documents: paths.iter().map(document).collect(),
    }
}

fn ask(log: &mut Log, time: &str, answer: &Retrieval) -> Result<EventId, LogError> {
    log.append_retrieval(Timestamp::parse(time).unwrap_or(Timestamp(0)), "why is the total NaN", answer)
}

#[test]
fn a_retrieval_is_read_back_as_it_was_noted() -> TestResult {
    let mut world = World::new(SHOP);
    let before = world.views.read().chunk_and_edge_count()?;
    let mut first = answer(0.8, &["src/cart.ts", ""]);
    first.session = Some("61146108-8f3f-4b1c-9e43-0d4ad4a4e2b5".to_owned());
    let id = ask(&mut world.log, "2026-01-03T09:00", &first)?;
    let token = format!("ghp_{}", "x7Kq2mZ9rT4vB1nW8pL5sD3fG6hJ0cYaQeUi");
    let question = format!("why does {token} fail");
    let second =
        world.log.append_retrieval(Timestamp(1), &question, &Retrieval { project: None, ..answer(0.1, &[]) })?;
    world.refresh();

    let all = retrievals(&mut world.log, &Retrievals::default())?;
    assert_eq!(all.iter().map(|info| info.event).collect::<Vec<_>>(), [second, id], "the newest first");
    assert!(!all[0].question.contains(&token), "{}", all[0].question);
    assert_eq!((&all[1].retrieval, all[1].question.as_str()), (&first, "why is the total NaN"));
    let of_shop = Retrievals { project: Some(shop()), limit: Some(1) };
    assert_eq!(retrievals(&mut world.log, &of_shop)?.len(), 1);
    assert_eq!(find_retrieval(&mut world.log, &id.to_string()[..8])?.event, id);
    assert!(find_retrieval(&mut world.log, "").is_err());

    assert_eq!(world.views.read().chunk_and_edge_count()?, before, "nothing is learned from it");
    assert_eq!(world.views.read().dump()?, world.rebuilt().read().dump()?);
    assert_eq!(world.log.verify()?.fault, None);

    let mut export = Vec::new();
    world.log.export(&mut export)?;
    let mut copy = Log::open_in_memory()?;
    let imported = copy.import("export", &mut export.as_slice())?;
    assert_eq!(imported.problems, []);
    assert_eq!(retrievals(&mut copy, &Retrievals::default())?, all);
    Ok(())
}

#[test]
fn questions_are_forgotten_with_what_they_speak_of() -> TestResult {
    let mut world = World::new(SHOP);
    let id = ask(&mut world.log, "2026-01-04", &answer(0.8, &["src/cart.ts"]))?;
    let outcome = RetrievalOutcome { retrieval: id, outcome: OutcomeKind::UserCorrected, cause: None };
    world.log.append_retrieval_outcome(Timestamp(1), "NaN again".to_owned(), &outcome)?;
    let mut planned = |selector: Selector| -> Result<u64, LogError> {
        let plan = world.log.plan_forget(&selector, Subjects::default())?;
        Ok(plan.projects.values().filter_map(|sessions| sessions.get("retrievals")).sum())
    };
    assert_eq!(planned(Selector { query: Some("nan".into()), ..Selector::default() })?, 2);
    assert_eq!(planned(Selector { project: Some(shop()), ..Selector::default() })?, 2, "and what was said of it");
    assert_eq!(planned(Selector { project: Some(ProjectId(Digest([7; 16]))), ..Selector::default() })?, 0);
    assert_eq!(planned(Selector { session: Some("s1".into()), ..Selector::default() })?, 0);
    let plan =
        world.log.plan_forget(&Selector { query: Some("nan".into()), ..Selector::default() }, Subjects::default())?;
    world.log.blank(&plan.marker(Timestamp(2)))?;
    assert_eq!(retrievals(&mut world.log, &Retrievals::default())?, []);
    assert_eq!(world.log.verify()?.fault, None);
    Ok(())
}

/// The number of retrievals with an outcome, and of correct ones.
fn seen(told: &Calibration) -> (usize, f64) {
    let overall = told.overall.map_or(0.0, |overall| overall.observed);
    (told.by_edits, overall * (told.by_edits + told.by_hand) as f64)
}

#[test]
fn what_is_edited_next_is_the_outcome() -> TestResult {
    let told = |time: &str, session: Option<&str>, paths: &[&str]| -> Result<(usize, f64), Box<dyn Error>> {
        let mut world = World::new(SHOP);
        let asked = Retrieval { session: session.map(str::to_owned), ..answer(0.9, paths) };
        ask(&mut world.log, time, &asked)?;
        Ok(seen(&calibration(&mut world.log, &world.views)?))
    };
    let cart = ["src/order.ts", "src/cart.ts"];
    assert_eq!(told("2026-01-03T09:00", None, &cart)?, (1, 1.0));
    assert_eq!(told("2026-01-03T09:00", None, &["src/receipt.ts"])?, (1, 0.0), "the first session decides");
    assert_eq!(told("2026-01-03T09:00", Some("s2"), &["src/receipt.ts"])?, (1, 1.0), "or the one that asked");
    assert_eq!(told("2026-01-03T10:30", None, &cart)?, (1, 0.0), "what was edited before does not count");
    assert_eq!(told("2026-01-03T02:00", None, &cart)?, (0, 0.0), "nor what comes too late");
    assert_eq!(told("2026-01-05T09:00", None, &cart)?, (0, 0.0), "nor another project");
    assert_eq!(told("2026-01-03T09:00", None, &[""])?, (0, 0.0), "no file was named");
    let sixth = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "src/cart.ts"];
    assert_eq!(told("2026-01-03T09:00", None, &sixth)?, (1, 0.0), "only the first five count");
    Ok(())
}

#[test]
fn a_persons_word_counts_before_what_was_edited() -> TestResult {
    let mut world = World::new(SHOP);
    let id = ask(&mut world.log, "2026-01-03T09:00", &answer(0.9, &["src/cart.ts"]))?;
    ask(&mut world.log, "2026-01-03T09:01", &answer(0.7, &["src/cart.ts"]))?;
    ask(&mut world.log, "2026-01-09", &answer(0.7, &["src/cart.ts"]))?;
    let mut say = |time: i64, outcome, cause| {
        let outcome = RetrievalOutcome { retrieval: id, outcome, cause };
        world.log.append_retrieval_outcome(Timestamp(time), String::new(), &outcome).map(drop)
    };
    say(1, OutcomeKind::UserConfirmedHelpful, Some(1))?;
    say(2, OutcomeKind::UserCorrected, None)?;
    let told = calibration(&mut world.log, &world.views)?;
    assert_eq!((told.retrievals, told.by_hand, told.by_edits, told.without_outcome()), (3, 1, 1, 1));
    assert_eq!(told.overall.map(|overall| overall.observed), Some(0.5), "the last word counts");
    let buckets: Vec<(usize, f64)> = told.buckets.iter().map(|bucket| (bucket.count, bucket.observed)).collect();
    assert_eq!(buckets, [(1, 1.0), (1, 0.0)]);
    Ok(())
}
