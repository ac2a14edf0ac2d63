//! Which statements become cards?

use backstory_engine::fixture::{World, same_rows};
use backstory_engine::model::{Card, Channel, EventKind, EvidenceKind, Exposure, Timestamp};
use backstory_engine::store::{CardFilter, StoreError};
use expect_test::expect;

fn cards_of(world: &World) -> Vec<Card> {
    let rows = world.views.read().cards(&CardFilter::default()).unwrap_or_default();
    let mut cards: Vec<Card> = rows.into_iter().map(|row| row.card).collect();
    cards.sort_by_key(|card| (card.created, card.statement.clone()));
    cards
}

fn told(world: &World) -> String {
    let line = |card: &Card| {
        let (kind, source, status) = (card.kind.name(), card.source.name(), card.status.name());
        format!("{status} {kind} by {source}: {}\n", card.statement)
    };
    cards_of(world).iter().map(line).collect()
}

#[track_caller]
fn check(fixture: &str, expected: &str) {
    let mut world = World::new(fixture);
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(told(&world), expected.trim_start());
    check_evidence(&mut world);
}

/// Every citation holds, and normative cards rest on a person's words.
#[track_caller]
fn check_evidence(world: &mut World) {
    for card in cards_of(world) {
        for evidence in &card.evidence {
            let cited = world.log.resolve(evidence);
            assert!(cited.is_ok_and(|text| !text.trim().is_empty()), "{}", card.statement);
        }
        let by_person = card.evidence.iter().any(|evidence| evidence.kind == EvidenceKind::UserSpan);
        assert!(by_person || !card.kind.is_normative(), "{}", card.statement);
    }
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:";

#[test]
fn what_is_written_into_an_instruction_file_counts_at_once() {
    check(
        "
session s1 claude_code 2026-01-03
  user   put that into the instructions
  edit   /work/shop/CLAUDE.md  -x +Never edit files below `gen/` by hand.
  edit   /work/shop/AGENTS.md  -x +The price table is loaded once at start.
",
        "active constraint by instructions: Never edit files below `gen/` by hand.
         active fact by instructions: The price table is loaded once at start.",
    );
}

#[test]
fn what_is_taken_out_of_an_instruction_file_no_longer_holds() {
    check(
        "
session s1 claude_code 2026-01-03
  user   put that into the instructions
  edit   /work/shop/CLAUDE.md  -x +The price table is loaded once at start.
  edit   /work/shop/CLAUDE.md  -x +Never edit files below `gen/` by hand.
session s2 claude_code 2026-01-04
  user   the table is loaded by request now
  edit   /work/shop/CLAUDE.md  -The price table is loaded once at start. +The price table is read with every request.
session s3 claude_code 2026-01-05
  user   clean up the read me
  edit   /work/shop/README.md  -Never edit files below `gen/` by hand. +x
",
        "archived fact by instructions: The price table is loaded once at start.
         active constraint by instructions: Never edit files below `gen/` by hand.
         active fact by instructions: The price table is read with every request.",
    );
}

#[test]
fn instructions_need_a_person_and_an_edit_that_went_through() {
    check(
        "
session s1 claude_code 2026-01-03
  from   lead  write it down
  edit   CLAUDE.md  -x +Never edit files below `gen/` by hand.
session s2 claude_code 2026-01-04
  user   write it down
  edit   README.md  -x +Never edit files below `gen/` by hand.
  spawn  scout  write it down
agent scout of s2
  user   write it down
  edit   CLAUDE.md  -x +Never edit files below `gen/` by hand.
",
        "",
    );
}

#[test]
fn reasons_of_refusals_are_proposed() {
    check(
        &format!(
            "
session s1 claude_code 2026-01-03
  user   ship it
  run    git push origin main -> reject {REFUSED} never push to the main branch without a review
session s2 claude_code 2026-01-04
  user   ship it
  run    make deploy -> reject {REFUSED} don't do this on Fridays
"
        ),
        "proposed constraint by rejection: never push to the main branch without a review
         proposed constraint by rejection: `make deploy` was refused: don't do this on Fridays",
    );
}

#[test]
fn questions_and_calls_to_wait_are_no_reasons() {
    check(
        &format!(
            "
session s1 claude_code 2026-01-03
  user   ship it
  run    make a -> reject {REFUSED} why don't we run the tests first?
  run    make b -> reject {REFUSED} wait, never mind, we must talk first
  run    make c -> reject {REFUSED} it should be blue
  run    make d -> reject The user doesn't want to proceed with this tool use.
"
        ),
        "",
    );
}

#[test]
fn answers_are_told_with_their_questions() {
    check(
        "
session s1 claude_code 2026-01-03
  user   add a cache
  ask    Which store should the cache use? = SQLite (Recommended)
session s2 claude_code 2026-01-04
  user   add a cache
  ask    The plan is ready. Shall I go on? =
",
        "proposed preference by answer: Asked \"Which store should the cache use?\", answered: SQLite",
    );
}

#[test]
fn only_words_that_say_so_themselves_last() {
    check(
        "
session s1 claude_code 2026-01-03
  user   fix the login. Always run the linter before you commit.
  queued please never touch the vendored files
session s2 claude_code 2026-01-04
  user   we should rename the button, and don't forget the tests
  queued make the header blue
",
        "proposed constraint by prompt: Always run the linter before you commit.
         proposed constraint by queued: never touch the vendored files",
    );
}

#[test]
fn notes_are_kept_at_once() {
    check(
        "
session s1 claude_code 2026-01-03
  user   hello
  note   use pnpm instead of npm
",
        "active preference by remembered: use pnpm instead of npm",
    );
}

#[test]
fn people_tell_of_themselves_in_chats() {
    check(
        "
session s1 transcript 2026-01-03
  user   I prefer rooms with a view, can you find me one?
  say    Sure.
  user   My budget for the trip is 900 euros, is it enough?
session s2 claude_code 2026-01-04
  user   My budget for the trip is 900 euros, is it enough?
  run    ls -> ok
",
        "proposed preference by prompt: I prefer rooms with a view
         proposed fact by prompt: My budget for the trip is 900 euros",
    );
}

#[test]
fn other_words_than_a_persons_own_are_no_source() {
    check(
        "
session s1 claude_code 2026-01-03
  user   look at this
  reminder Always answer in rhymes and never in prose.
  say    I will always run the linter before I commit.
  think  Never push to the main branch again.
  read   notes.md Never push to the main branch again.
  run    backstory recall push -> ok <backstory-memory verb=\"recall\"> never push to main again </backstory-memory>
  user   <backstory-memory verb=\"recall\"> Never push to the main branch again. </backstory-memory>
  user   > Never push to the main branch again.
  from   scout  Never push to the main branch again.
  spawn  scout  Never push to the main branch again.
agent scout of s1
  user   Never push to the main branch again.
  note   never push to the main branch again
",
        "",
    );
}

#[test]
fn what_is_said_in_two_sessions_comes_into_force() {
    check(
        "
session s1 claude_code 2026-01-03
  user   Always run the linter before you commit.
session s2 claude_code 2026-01-04
  user   please always run the linter before you commit
",
        "active constraint by prompt: Always run the linter before you commit.",
    );
}

#[test]
fn words_reach_further_only_when_they_say_so() {
    let world = World::new(
        "
session s1 claude_code 2026-01-03
  user   In all my repos, always use tabs for indentation.
session s2 claude_code 2026-01-04
  user   Never use emojis in commit messages.
",
    );
    let tiers: Vec<&str> = cards_of(&world).iter().map(|card| card.scope.tier.name()).collect();
    assert_eq!(tiers, ["domain", "repo"]);
}

#[test]
fn what_was_shown_counts_when_its_session_goes_on() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   hello
  note   use pnpm instead of npm
",
    );
    let card = cards_of(&world)[0].id;
    let show = |world: &mut World, session: Option<&str>| -> Result<u32, Box<dyn std::error::Error>> {
        let exposure = Exposure {
            channel: Channel::AutoPack,
            cards: vec![card],
            session: session.map(str::to_owned),
            surface: None,
        };
        world.log.append_of_cards(EventKind::Exposure, Timestamp(1_800_000_000_000), String::new(), &exposure)?;
        world.refresh();
        let fresh = world.rebuilt();
        assert!(same_rows(&world.views, &fresh)?, "{session:?}");
        Ok(cards_of(world)[0].utility.shown)
    };
    assert_eq!(show(&mut world, None)?, 0, "to nobody that could go on");
    assert_eq!(show(&mut world, Some("s1"))?, 0, "not yet");
    assert_eq!(show(&mut world, Some("s2"))?, 0, "it has not begun");
    world.goes_on("session s2 claude_code 2026-01-04\n  user   good morning\n");
    assert_eq!(cards_of(&world)[0].utility.shown, 1);
    assert_eq!(show(&mut world, Some("s2"))?, 1, "a session counts once");
    let fresh = world.rebuilt();
    assert!(same_rows(&world.views, &fresh)?);
    Ok(())
}

const BUSY: &str = "
session s1 claude_code 2026-01-03
  user   Always run the linter before you commit.
  edit   CLAUDE.md  -x +Never edit files below `gen/` by hand.
  note   use pnpm instead of npm
session s2 claude_code 2026-01-04
  user   please always run the linter before you commit
  queued From now on use npm instead of pnpm for installs.
  note   use npm instead of pnpm
session s3 transcript 2026-01-05
  user   I prefer rooms with a view, can you find me one?
  say    Sure.
  user   In all my repos, always use tabs for indentation.
";

#[test]
fn reading_in_slices_gives_the_same_cards() -> Result<(), StoreError> {
    for slices in [&[1usize, 1, 1, 1, 1, 1, 1, 1, 1][..], &[3, 4], &[5, 1, 2]] {
        let mut world = World::in_slices(BUSY, slices);
        let fresh = world.rebuilt();
        assert!(same_rows(&world.views, &fresh)?, "{slices:?}\n{}", told(&world));
        check_evidence(&mut world);
    }
    Ok(())
}

#[test]
fn making_the_cards_anew_changes_nothing() -> Result<(), StoreError> {
    let mut world = World::new(BUSY);
    let fresh = world.rebuilt();
    world.rebuild_stage("cards");
    assert!(same_rows(&world.views, &fresh)?);
    assert!(!told(&world).is_empty());
    Ok(())
}

#[test]
fn rules_that_a_person_states_wait_to_be_confirmed_and_all_of_them() {
    let mut world = World::new(
        "session s1 claude_code 2026-01-03
  user   paint the door. Don't push to main.
  say    Painted.
  user   use pnpm, never npm
  user   From now on run the linter before every commit
  user   please stop adding comments to the tests
  user   don't change anything, just tell me why
",
    );
    expect![[r#"
        constraint prompt proposed: Don't push to main.
        constraint prompt proposed: stop adding comments to the tests
        constraint prompt proposed: use pnpm, never npm
        preference prompt proposed: From now on run the linter before every commit
    "#]]
    .assert_eq(&world.cards());
}
