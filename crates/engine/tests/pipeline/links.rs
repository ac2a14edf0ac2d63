//! What followed each request, and what was left open?

use backstory_engine::fixture::World;
use backstory_engine::model::{EventKind, Meta, OutcomeKind, Timestamp};
use backstory_engine::retrieve::{
    Judgement, KernelName, LOOPS_SESSION, LinkSessionError, LinkedSession, Links, LoopKind, Loops, RetrieveError,
    Verdict, link_session, links, loops,
};
use backstory_language::talk::{Detail, annotate};

type TestResult = Result<(), RetrieveError>;

/// The links of one session.
fn session(world: &mut World, name: &str) -> Result<LinkedSession, LinkSessionError> {
    link_session(&mut world.log, &world.views, name, KernelName::Default, &Default::default())
}

/// `intent -> consequence` of every link.
fn told(world: &mut World, question: &Links) -> Result<Vec<String>, RetrieveError> {
    let found = links(&mut world.log, &world.views, question)?;
    let line = |item: &backstory_engine::retrieve::LinkItem| {
        let answer = item.row.link.consequence.as_ref().map_or("nothing", |found| &found.text);
        format!("{} -> {answer}", item.row.link.intent_text)
    };
    Ok(found.iter().map(line).collect())
}

fn open(world: &mut World) -> Result<Vec<(LoopKind, String)>, RetrieveError> {
    let found = loops(&mut world.log, &world.views, &Loops::default())?;
    Ok(found.into_iter().map(|open| (open.kind, open.text)).collect())
}

const SHOP: &str = "
session s1 claude_code 2026-01-03
  user   why does the cart lose its items?
  say    Let me look.
  read   src/cart.rs  fn clear
  say    The cart is cleared on every login.
  user   keep the items at login. rename the basket button to cart
  edit   src/login.rs  -clear +keep the items at login
  edit   src/button.rs  -basket +cart
  run    cargo test  -> ok  all passed
  say    Done: nothing is lost and it has its new name.
  user   yes
  say    Committed.
";

#[test]
fn a_prompt_is_answered_by_what_is_said_last() -> TestResult {
    let mut world = World::new(SHOP);
    let all = told(&mut world, &Links::default())?;
    assert_eq!(
        all,
        [
            "why does the cart lose its items? -> The cart is cleared on every login.",
            "keep the items at login. -> edited",
            "rename the basket button to cart -> edited",
            "yes -> Committed.",
        ]
    );
    let of_file = told(&mut world, &Links { file: Some("button.rs".to_owned()), ..Links::default() })?;
    assert_eq!(of_file.len(), 2, "{of_file:?}");
    let none = told(&mut world, &Links { claimed: Some(false), ..Links::default() })?;
    assert!(none.is_empty(), "{none:?}");
    let from = Timestamp::parse("2026-01-04");
    assert!(told(&mut world, &Links { from, ..Links::default() })?.is_empty());
    Ok(())
}

#[test]
fn a_chunk_is_named_by_the_beginning_of_its_id_alone() -> TestResult {
    let mut world = World::new(SHOP);
    let all = links(&mut world.log, &world.views, &Links::default())?;
    let first = all[0].intent_chunk.expect("a chunk");
    let mut of_chunk = |asked: &str| told(&mut world, &Links { chunk: Some(asked.to_owned()), ..Links::default() });
    assert_eq!(of_chunk(&format!("[{}]", first.short()))?.len(), 1);
    assert!(matches!(of_chunk(""), Err(RetrieveError::Ambiguous { what: "chunk", .. })), "it fits all");
    assert!(matches!(of_chunk("none"), Err(RetrieveError::NotFound { what: "chunk", .. })));
    Ok(())
}

#[test]
fn the_parts_of_a_prompt_keep_their_order_and_are_all_told() -> Result<(), LinkSessionError> {
    let parts: Vec<String> = (1..9).map(|n| format!("make wall number {n} red.")).collect();
    let talk = format!("session s1 claude_code 2026-01-03\n  user {}\n  say They are red.\n", parts.join(" "));
    let mut world = World::new(&talk);
    let found = links(&mut world.log, &world.views, &Links::default())?;
    let intents: Vec<&str> = found.iter().map(|item| item.row.link.intent_text.as_str()).collect();
    assert_eq!(intents, parts);
    let linked = session(&mut world, "s1")?;
    let mut page = String::new();
    assert!(annotate(&linked.lines(), &linked.linked, Detail::Links, &mut page).is_ok());
    for part in parts {
        assert!(page.contains(&format!("→ strong request “{part}”, ")), "{part}: {page}");
    }
    Ok(())
}

#[test]
fn what_waited_in_the_queue_is_asked_where_it_was_delivered() -> Result<(), LinkSessionError> {
    let queue = "
session s1 claude_code 2026-01-03
  user   paint the header blue
  say    On it.
  queued make the footer red
  edit   src/header.rs  -green +blue
  say    The header is blue.
  user   make the footer red
  say    The footer is red.
  queued and hide the menu
  say    It is hidden.
";
    let expected = [
        "paint the header blue -> The header is blue.",
        "make the footer red -> The footer is red.",
        "and hide the menu -> It is hidden.",
    ];
    for slices in [&[][..], &[3], &[7]] {
        let mut world = World::in_slices(queue, slices);
        assert_eq!(told(&mut world, &Links::default())?, expected, "{slices:?}");
        let linked = session(&mut world, "s1")?;
        let lines = linked.lines.iter().filter(|line| line.text == "make the footer red");
        assert_eq!((linked.linked.links.len(), lines.count()), (3, 1));
    }
    Ok(())
}

#[test]
fn what_backstory_printed_is_neither_asked_nor_answered() -> TestResult {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   which colour did we want?
  run    backstory search colour  -> ok  <backstory-memory verb=search> the door is blue </backstory-memory>
  user   <backstory-memory verb=search> that works. paint every door now </backstory-memory> take the green one
  say    Green. <backstory-memory verb=search> the door is blue </backstory-memory>
  user   so be it
  say    It is done.
  say    <backstory-memory verb=search> the door is blue </backstory-memory>
",
    );
    let expected = [
        "which colour did we want? -> backstory search colour",
        "take the green one -> Green. ",
        "so be it -> It is done.",
    ];
    assert_eq!(told(&mut world, &Links::default())?, expected);
    for (num, _) in world.log.store().episodes()? {
        let outcomes = world.views.read().outcomes_of(num)?;
        assert!(outcomes.iter().all(|row| row.outcome.kind == OutcomeKind::ToolSuccess), "{outcomes:?}");
    }
    Ok(())
}

#[test]
fn outcomes_are_what_calls_and_words_show() -> TestResult {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   make the tests pass
  run    cargo test  -> fail  1 failed
  run    cargo test | tail  -> ok  test result: FAILED. 1 failed
  run    rm -rf /  -> reject  The tool use was rejected. To tell you how to proceed, the user said: never do that
  say    I stop here.
  user   yes
  say    Going on.
  user   no, that is the wrong file
  say    Sorry.
",
    );
    let mut kinds = Vec::new();
    for (num, _) in world.log.store().episodes()? {
        kinds.extend(world.views.read().outcomes_of(num)?.into_iter().map(|row| row.outcome.kind));
    }
    use OutcomeKind::{ToolFailure, UserCorrected};
    assert_eq!(kinds, [ToolFailure, ToolFailure, ToolFailure, UserCorrected, UserCorrected]);
    Ok(())
}

#[test]
fn what_ends_in_the_middle_stays_open_until_it_is_taken_up() -> TestResult {
    let left = "
session s1 claude_code 2026-01-03
  user   translate the manual into French
  run    cat manual.txt  -> ok  words
  stop
session s2 claude_code 2026-01-04
  user   paint the header blue
  todo   pending measure the width of every column
  run    cargo test  -> fail  boom
  say    The header is blue.
session s3 claude_code 2026-01-05
  user   which colour has the footer?
";
    let mut world = World::new(left);
    let task = "measure the width of every column".to_owned();
    assert_eq!(
        open(&mut world)?,
        [
            (LoopKind::Unanswered, "which colour has the footer?".to_owned()),
            (LoopKind::Task, task.clone()),
            (LoopKind::Failing, "paint the header blue".to_owned()),
            (LoopKind::Interrupted, "translate the manual into French".to_owned()),
        ]
    );
    let taken_up = format!(
        "{left}session s4 claude_code 2026-01-06
  user   translate the manual into French, please
  todo   completed measure the width of every column
  run    cargo test  -> ok  fine
  say    Done.
"
    );
    let mut world = World::new(&taken_up);
    assert_eq!(open(&mut world)?, [(LoopKind::Unanswered, "which colour has the footer?".to_owned())]);
    Ok(())
}

#[test]
fn tests_fail_until_they_are_run_again_in_the_project() -> TestResult {
    let failed = "
session s1 claude_code 2026-01-03
  user   mend the tap
  run    go test ./...  -> fail  drip
  run    npm test  -> fail  drop
  run    npm test  -> ok
  say    Nearly.
session s2 claude_code 2026-01-04 other
  user   mend the roof
  run    go test ./...  -> ok
  say    Mended.
";
    assert_eq!(open(&mut World::new(failed))?, [(LoopKind::Failing, "mend the tap".to_owned())]);
    let again = format!("{failed}session s3 codex 2026-01-05\n  user try it\n  run go test .  -> ok\n  say It runs.\n");
    assert_eq!(open(&mut World::new(&again))?, []);
    Ok(())
}

#[test]
fn a_refusal_with_words_is_a_loop_with_them() -> TestResult {
    let refused = "
session s1 claude_code 2026-01-03
  user   tidy the attic
  run    rm -rf attic  -> reject  The tool use was rejected. To tell you how to proceed, the user said: keep the chairs
";
    let mut world = World::new(refused);
    let found = loops(&mut world.log, &world.views, &Loops::default())?;
    let told: Vec<_> = found.iter().map(|open| (open.kind, open.text.as_str(), open.last.as_deref())).collect();
    assert_eq!(told, [(LoopKind::Rejected, "tidy the attic", Some("keep the chairs"))]);
    let mut world = World::new(&format!("{refused}  say    The chairs stay.\n"));
    assert_eq!(open(&mut world)?, [], "it was taken up");
    Ok(())
}

#[test]
fn a_list_is_given_up_when_nobody_looks_at_it() -> TestResult {
    let planned = "
session s1 claude_code 2026-01-03
  user   plan the party
  call   TaskCreate {\"subject\":\"order the cake\"}
  call   TaskCreate {\"subject\":\"invite the band\"}
  say    Planned.
  user   one
  say    I.
  user   two
  say    II.
  user   three
  say    III.
  user   four
  say    IV.
";
    assert_eq!(open(&mut World::new(planned))?, []);
    let update =
        |status: &str| format!("{planned}  call TaskUpdate {{\"taskId\":\"1\",\"status\":\"{status}\"}}\n  say Yes.\n");
    let (cake, band) = ((LoopKind::Task, "order the cake".to_owned()), (LoopKind::Task, "invite the band".to_owned()));
    assert_eq!(open(&mut World::new(&update("completed")))?, std::slice::from_ref(&band));
    let mut world = World::new(&update("in_progress"));
    assert_eq!(open(&mut world)?, [band, cake], "newest first");
    for open in loops(&mut world.log, &world.views, &Loops::default())? {
        assert_eq!(world.log.resolve(&open.evidence[0]).ok(), Some(open.text), "where it was written down");
    }
    Ok(())
}

#[test]
fn a_list_is_what_it_was_where_a_rewind_went_back_to() -> TestResult {
    let rewound = "
session s1 claude_code 2026-01-03
  user   plan the party
  todo   pending order the cake
  say    Planned.
  user   what about the music?
  todo   pending invite the band
  say    Noted.
  rewind 2
  user   what about the light?
  say    There is enough.
";
    assert_eq!(open(&mut World::new(rewound))?, [(LoopKind::Task, "order the cake".to_owned())]);
    Ok(())
}

#[test]
fn a_judgement_closes_a_loop_and_another_opens_it() -> TestResult {
    let mut world = World::new("session s1 claude_code 2026-01-03\n  user   find the lost key\n");
    let found = loops(&mut world.log, &world.views, &Loops::default())?;
    assert_eq!(found.len(), 1);
    let judge = |world: &mut World, verdict, time| {
        let meta = Meta { record: Some(found[0].id.to_string()), ..Meta::default() };
        let text = Judgement::text(verdict, Some("it was in the coat"));
        world.log.append_own(LOOPS_SESSION, EventKind::Judgement, Timestamp(time), text, meta).is_ok()
    };
    assert!(judge(&mut world, Verdict::Done, 1));
    world.refresh();
    assert!(open(&mut world)?.is_empty());
    let closed = loops(&mut world.log, &world.views, &Loops { closed: true, ..Loops::default() })?;
    let note = closed[0].judgement.as_ref().and_then(|judgement| judgement.note.as_deref());
    assert_eq!(note, Some("it was in the coat"));
    assert!(judge(&mut world, Verdict::Reopened, 2));
    assert_eq!(open(&mut world)?.len(), 1);
    Ok(())
}

#[test]
fn a_transcript_is_talk_wherever_its_first_line_stands() -> Result<(), LinkSessionError> {
    let mut late = "session s1 transcript 2026-01-03\n".to_owned();
    (0..40).for_each(|n| late.push_str(&format!("  user   go on with step {n}\n  say    step {n} is done\n")));
    let lines = "  line   Ann: where is the key?\n  line   Bo: the key is under the mat.\n";
    for (lines, by_structure) in [("", true), (lines, false)] {
        let mut world = World::in_slices(&format!("{late}{lines}"), &[70]);
        let linked = session(&mut world, "s1")?;
        assert_eq!(linked.by_structure, by_structure);
        let stored = links(&mut world.log, &world.views, &Links::default())?;
        let stored: Vec<_> = stored.iter().map(|item| item.row.link.id).collect();
        let read: Vec<_> = linked.linked.links.iter().map(|link| link.id).collect();
        assert_eq!(stored, read);
    }
    Ok(())
}

#[test]
fn a_transcript_is_linked_as_a_whole_in_any_slices() -> TestResult {
    let talk = "
session night transcript 2026-01-03
  line   Ann: Can I open the door?
  line   GM: You can, the door is not locked.
  line   Bo: Is there light in the room?
  line   GM: There is a small light in the room.
  line   Ann: Bo, did you bring the rope?
";
    let mut whole = World::new(talk);
    let mut sliced = World::in_slices(talk, &[1, 1, 2]);
    let found = told(&mut whole, &Links::default())?;
    assert_eq!(found, told(&mut sliced, &Links::default())?);
    assert!(found.contains(&"Can I open the door? -> You can, the door is not locked.".to_owned()), "{found:?}");
    assert_eq!(open(&mut whole)?, [], "what players ask each other waits for no answer");
    let chat = "
session chat transcript 2026-01-03
  line   Ann: where is the key?
  line   Bo: the key is under the mat.
  line   Ann: did you bring the rope?
";
    assert_eq!(open(&mut World::new(chat))?, [(LoopKind::Unanswered, "did you bring the rope?".to_owned())]);
    Ok(())
}

#[test]
fn tests_that_pass_under_another_name_do_not_fail_any_more() -> TestResult {
    let failed = "
session s1 claude_code 2026-01-03
  user   mend the tap
  run    npm test  -> fail  drip
  edit   src/tap.ts -a +b
";
    for (later, open_after) in [("npx vitest run", 0), ("pnpm test", 0), ("npm run test:unit", 0), ("npm run lint", 1)]
    {
        let mut world = World::new(&format!("{failed}  run    {later}  -> ok  3 passed\n  say    Mended.\n"));
        assert_eq!(open(&mut world)?.len(), open_after, "{later}");
    }
    Ok(())
}

#[test]
fn what_a_person_puts_off_is_open_until_it_is_taken_up() -> TestResult {
    let left = "
session s1 claude_code 2026-01-03
  user   translate the manual into French
  say    It is long. Shall I?
  user   leave it for tomorrow
  say    Fine.
session s2 claude_code 2026-01-04
  user   paint the header blue
  say    Painted.
  user   great. let's write the release notes for the shop next time
  say    As you like.
";
    let notes = (LoopKind::Deferred, "let's write the release notes for the shop next time".to_owned());
    let manual = (LoopKind::Deferred, "leave it for tomorrow".to_owned());
    let mut world = World::new(left);
    assert_eq!(open(&mut world)?, [notes.clone(), manual]);
    let found = loops(&mut world.log, &world.views, &Loops::default())?;
    assert_eq!(found[1].last.as_deref(), Some("translate the manual into French"));
    let taken_up =
        format!("{left}session s3 claude_code 2026-01-05\n  user translate the manual into French\n  say Traduit.\n");
    assert_eq!(open(&mut World::new(&taken_up))?, [notes]);
    Ok(())
}

#[test]
fn a_question_that_was_only_looked_into_is_unanswered() -> TestResult {
    let asked = "
session s1 claude_code 2026-01-03
  user   which colour has the footer?
  say    Let me look.
  read   src/footer.css  grey
";
    assert_eq!(open(&mut World::new(asked))?, [(LoopKind::Unanswered, "which colour has the footer?".to_owned())]);
    assert_eq!(open(&mut World::new(&format!("{asked}  say It is grey.\n")))?, []);
    Ok(())
}
