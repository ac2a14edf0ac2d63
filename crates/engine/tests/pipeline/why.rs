//! The conversations behind a line and behind a commit.

use backstory_engine::fixture::World;
use backstory_engine::ingest::{ChangedFile, Commit, HunkLine};
use backstory_engine::model::{CardAct, CardKind, CardSource, EventKind, ProjectId, Scope, Timestamp, digest_of};
use backstory_engine::retrieve::{
    CommitPart, CommitQuestion, CommitStory, Committed, FileLine, FileQuestion, GuessGround, LineQuestion, LineStory,
    LocationQuestion, Proof, Relation, RetrieveError, why_commit, why_file, why_line, why_location,
};

const SHOP: &str = "
session s1 claude_code 2026-01-03
  user   charge gift wrap once per order
  run    npm test -> fail 1 failing: expected 500, got 1000
  edit   /home/ada/shop/src/cart.ts  -total = plus(total, wrap); +total = wrapOnce(total, order);
  run    npm test -> ok 12 passing
session s2 claude_code 2026-01-05
  user   move the cart into its own folder
  edit   /home/ada/shop/src/cart/cart.ts  -x +import { wrapOnce } from './wrap';
session s3 claude_code 2026-01-07
  user   wrap twice again, marketing wants it
  edit   /home/ada/shop/src/cart.ts  -total = wrapOnce(total, order); +total = wrapTwice(total, order);
  spawn  scout  look for other places
agent scout of s3
  user   look for other places
  edit   /home/ada/shop/src/order.ts  -x +const wrapped = wrapTwice(order);
";

fn ask(path: &str, text: &str) -> Result<LineStory, RetrieveError> {
    let mut world = World::new(SHOP);
    let question = LineQuestion { paths: vec![path.to_owned()], text: text.to_owned(), ..LineQuestion::default() };
    why_line(&mut world.log, &world.views, &question)
}

#[track_caller]
fn asked(story: &LineStory) -> (&str, &str) {
    let written = story.written.as_ref();
    let prompt = written.and_then(|written| written.prompt.as_ref()).map_or("", |prompt| &prompt.text);
    (written.map_or("", |written| &written.session), prompt)
}

#[test]
fn a_line_leads_to_the_words_behind_it() -> Result<(), RetrieveError> {
    let story = ask("src/cart.ts", "    total = wrapOnce(total, order);")?;
    assert_eq!(asked(&story), ("s1", "charge gift wrap once per order"));
    assert_eq!(story.proof, Proof::OnlyEdit);
    assert_eq!(story.failed.as_ref().map(|ran| ran.command.as_str()), Some("npm test"));
    assert_eq!(story.passed.as_ref().map(|ran| ran.command.as_str()), Some("npm test"));
    let later: Vec<&str> = story.later.iter().map(|edit| edit.session.as_str()).collect();
    assert_eq!(later, ["s3"], "the line was replaced since");
    Ok(())
}

#[test]
fn paths_are_matched_by_their_ends() -> Result<(), RetrieveError> {
    let story = ask("src/cart/cart.ts", "import { wrapOnce } from './wrap';")?;
    assert_eq!(asked(&story), ("s2", "move the cart into its own folder"));
    let elsewhere = ask("src/cart/cart.ts", "total = wrapOnce(total, order);")?;
    assert_eq!(elsewhere.written, None, "another file's line is not this one's");
    Ok(())
}

#[test]
fn spaces_do_not_hide_a_line_and_little_proves_nothing() -> Result<(), RetrieveError> {
    let story = ask("src/cart.ts", "total=wrapOnce( total,order );")?;
    assert_eq!((asked(&story).0, story.proof), ("s1", Proof::Spacing));
    let story = ask("src/cart.ts", "}")?;
    assert_eq!((story.written, story.proof), (None, Proof::TooLittle));
    Ok(())
}

#[test]
fn an_agents_edit_leads_to_the_person_behind_the_agent() -> Result<(), RetrieveError> {
    let story = ask("src/order.ts", "const wrapped = wrapTwice(order);")?;
    let prompt = story.written.as_ref().and_then(|written| written.prompt.as_ref());
    assert_eq!(prompt.map(|prompt| prompt.text.as_str()), Some("wrap twice again, marketing wants it"));
    assert_eq!(prompt.map(|prompt| prompt.session.as_str()), Some("s3"));
    Ok(())
}

const HOLDS: &str = "
session s1 claude_code 2026-01-03
  user   hold carts for fifteen minutes
  run    npm test -> fail 1 failing: holds
  refuse /home/ada/shop/src/hold.ts  -x +const HOLD_FOREVER = true;
  edit   /home/ada/shop/src/hold.ts  -x +const HOLD_MS = 15 * 60_000;
  spawn  scout  write the tests
agent scout of s1
  user   write the tests
  edit   /home/ada/shop/test/hold.ts  -x +expect(holdsOf(cart)).toBe(HOLD_MS);
session s1 claude_code 2026-01-03T01:00
  run    npm test -> ok 12 passing
  user   and release them when the shop closes
  edit   /home/ada/shop/src/hold.ts  -x +closing.on(shop, releaseHolds);
  run    git commit -am holds -> ok [main 1a2b3c4] Hold carts⏎ 2 files changed
session s2 claude_code 2026-01-09
  user   twenty minutes, not fifteen
  edit   /home/ada/shop/src/hold.ts  -const HOLD_MS = 15 * 60_000; +const HOLD_MS = 20 * 60_000;
  edit   /home/ada/blog/src/hold.ts  -x +import { clock } from './clock';
";

/// Each line of the commit is a hunk of its own.
fn ask_commit(files: &[(&str, &[&str])], made: &str) -> Result<CommitStory, RetrieveError> {
    ask_change(HOLDS, &files.iter().map(|(path, lines)| changed(path, lines, &[])).collect::<Vec<_>>(), made)
}

fn changed(path: &str, added: &[&str], removed: &[&str]) -> ChangedFile {
    let alone = |text: &&str| vec![HunkLine { number: 1, text: (*text).to_owned(), is_changed: true }];
    ChangedFile {
        path: path.to_owned(),
        added: added.len(),
        removed: removed.len(),
        hunks: added.iter().map(alone).collect(),
        old_hunks: removed.iter().map(alone).collect(),
        ..ChangedFile::default()
    }
}

fn ask_change(world: &str, files: &[ChangedFile], made: &str) -> Result<CommitStory, RetrieveError> {
    let at = Timestamp::parse(made).unwrap_or(Timestamp(0));
    let commit = Commit {
        id: "1a2b3c4d5e6f".to_owned(),
        subject: "Hold carts".to_owned(),
        body: String::new(),
        author: "Ada".to_owned(),
        authored: at,
        committed: at,
        parents: 1,
        files: files.to_vec(),
    };
    let mut world = World::new(world);
    why_commit(&mut world.log, &world.views, &CommitQuestion { commit, project: None })
}

/// Prompt, lines, files.
fn parts(story: &CommitStory) -> Vec<(&str, usize, Vec<&str>)> {
    told_parts(&story.parts)
}

fn told_parts(parts: &[CommitPart]) -> Vec<(&str, usize, Vec<&str>)> {
    let told = parts.iter().map(|part| {
        let prompt = part.prompt.as_ref().map_or("", |prompt| prompt.text.as_str());
        (prompt, part.lines, part.files.iter().map(|file| file.path.as_str()).collect())
    });
    told.collect()
}

#[test]
fn a_commit_leads_to_the_prompts_that_wrote_it() -> Result<(), RetrieveError> {
    let hold =
        ["const HOLD_MS = 15 * 60_000;", "closing.on(shop, releaseHolds);", "export default somethingElse;", "}"];
    let test = ["expect( holdsOf(cart) ).toBe(HOLD_MS);"];
    let story = ask_commit(&[("src/hold.ts", &hold), ("test/hold.ts", &test)], "2026-01-03T01:06")?;
    assert_eq!(
        parts(&story),
        [
            ("hold carts for fifteen minutes", 2, vec!["src/hold.ts", "test/hold.ts"]),
            ("and release them when the shop closes", 1, vec!["src/hold.ts"]),
        ]
    );
    assert_eq!((story.added, story.distinctive, story.looked_for, story.proven), (5, 4, 4, 3));
    assert_eq!(
        story.unproven.iter().map(|file| (file.path.as_str(), file.lines)).collect::<Vec<_>>(),
        [("src/hold.ts", 1)]
    );
    let first = &story.parts[0];
    assert_eq!(first.failed.as_ref().map(|ran| ran.command.as_str()), Some("npm test"));
    assert_eq!(first.edits[1].written.agent.as_deref(), Some("scout"));
    assert!(first.edits.iter().all(|edit| edit.written.record.is_some()));
    let refused: Vec<&str> = story.refused.iter().flat_map(|edit| &edit.added).map(String::as_str).collect();
    assert_eq!(refused, ["const HOLD_FOREVER = true;"]);
    let later: Vec<(&str, usize)> =
        story.later.iter().map(|edit| (edit.written.session.as_str(), edit.lines)).collect();
    assert_eq!(later, [("s2", 1)]);
    Ok(())
}

#[test]
fn the_call_that_made_a_commit_is_found_by_what_git_printed() -> Result<(), RetrieveError> {
    let story = ask_commit(&[("src/hold.ts", &["written by hand, all of it"])], "2026-01-03T01:05")?;
    let made = story.made.as_ref().map(|made| (made.session.as_str(), made.command.as_str()));
    assert_eq!(made, Some(("s1", "git commit -am holds")));
    let prompt = story.made.as_ref().and_then(|made| made.prompt.as_ref()).map(|prompt| prompt.text.as_str());
    assert_eq!(prompt, Some("and release them when the shop closes"));
    assert_eq!((parts(&story), story.proven, story.unproven.len()), (Vec::new(), 0, 1));
    let another_time = ask_commit(&[], "2026-01-08T01:05")?;
    assert_eq!(another_time.made, None);
    Ok(())
}

#[test]
fn nobody_writes_a_line_of_a_commit_after_it() -> Result<(), RetrieveError> {
    let lines: &[&str] = &["const HOLD_MS = 20 * 60_000;", "import { clock } from './clock';"];
    let before = ask_commit(&[("src/hold.ts", lines)], "2026-01-08")?;
    assert_eq!((before.proven, before.parts.len()), (0, 0));
    let after = ask_commit(&[("src/hold.ts", lines)], "2026-01-10")?;
    assert_eq!(parts(&after), [("twenty minutes, not fifteen", 2, vec!["src/hold.ts"])]);
    let elsewhere = ask_commit(&[("shop/src/hold.ts", &lines[1..])], "2026-01-10")?;
    assert_eq!(elsewhere.proven, 0, "another folder's file is another file");
    Ok(())
}

#[test]
fn lines_are_followed_where_a_commit_moved_them() -> Result<(), RetrieveError> {
    let line = ["closing.on(shop, releaseHolds);"];
    let moved = [changed("src/closing.ts", &line, &[]), changed("src/hold.ts", &[], &line)];
    let story = ask_change(HOLDS, &moved, "2026-01-08")?;
    assert_eq!(parts(&story), [("and release them when the shop closes", 1, vec!["src/closing.ts"])]);
    let from: Vec<(&str, &str, usize)> =
        story.moved.iter().map(|moved| (moved.path.as_str(), moved.from.as_str(), moved.lines)).collect();
    assert_eq!(from, [("src/closing.ts", "src/hold.ts", 1)]);
    assert_eq!((story.removed, story.removed_of.len(), story.unproven.len()), (0, 0, 0), "it is still there");

    let mut renamed = changed("src/keep.ts", &line, &line);
    assert_eq!(ask_change(HOLDS, &[renamed.clone()], "2026-01-08")?.proven, 0);
    renamed.earlier = vec!["src/hold.ts".to_owned()];
    assert_eq!(ask_change(HOLDS, &[renamed], "2026-01-08")?.proven, 1, "under its earlier name");
    Ok(())
}

#[test]
fn a_commit_that_only_takes_lines_out_tells_whose_they_were() -> Result<(), RetrieveError> {
    let gone = changed("src/hold.ts", &[], &["const HOLD_MS = 15 * 60_000;", "const byHand = true;"]);
    let story = ask_change(HOLDS, &[gone], "2026-01-10")?;
    assert_eq!((story.removed, story.looked_for_removed, story.parts.len()), (2, 2, 0));
    assert_eq!(told_parts(&story.removed_of), [("hold carts for fifteen minutes", 1, vec!["src/hold.ts"])]);
    assert_eq!(told_parts(&story.removed_by), [("twenty minutes, not fifteen", 1, vec!["src/hold.ts"])]);
    Ok(())
}

const ROUNDING: &str = "
session s1 claude_code 2026-01-03
  user   write the cart
  edit   /work/shop/src/cart.ts  +return Math.round(value * 100) / 100;
  run    npm test -> fail 1 failing: expected 6
  refuse /work/shop/src/cart.ts  -return Math.round(value * 100) / 100; +return Number(value.toFixed(2));
  user   no toFixed, use an epsilon
  edit   /work/shop/src/cart.ts  -return Math.round(value * 100) / 100; +return Math.round((value + EPSILON) * 100) / 100;
  run    git commit -am round -> ok
  run    npm test -> ok 2 passing
  user   now the form
  refuse /work/shop/src/cart.ts  -const name = 'cart'; +const name = 'basket';
  edit   /work/shop/src/form.ts  +export const submitButton = { label, onClick };
  run    git commit -am form -> ok
  user   now the checkout in python
  run    python -m pytest -> ok 2 passed
";

fn ask_cart(path: &str, text: &str) -> Result<LineStory, RetrieveError> {
    let mut world = World::new(ROUNDING);
    let question = LineQuestion { paths: vec![path.to_owned()], text: text.to_owned(), ..LineQuestion::default() };
    why_line(&mut world.log, &world.views, &question)
}

#[test]
fn what_was_refused_in_the_stead_of_a_line_is_told() -> Result<(), RetrieveError> {
    let refused = |story: &LineStory| -> Vec<String> { story.refused.iter().flat_map(|it| it.added.clone()).collect() };
    let story = ask_cart("src/cart.ts", "  return Math.round((value + EPSILON) * 100) / 100;")?;
    assert_eq!(asked(&story), ("s1", "no toFixed, use an epsilon"));
    assert_eq!(refused(&story), ["return Number(value.toFixed(2));"]);
    assert_eq!(
        (story.considered, story.failed_attempts.len()),
        (2, 0),
        "refused edits are none that could have written it"
    );
    let story = ask_cart("src/cart.ts", "return Number(value.toFixed(2));")?;
    assert_eq!((story.written.is_some(), refused(&story).len()), (false, 1), "the refused line itself");
    Ok(())
}

#[test]
fn only_checks_of_the_same_prompt_prove_something() -> Result<(), RetrieveError> {
    let passed = |story: LineStory| story.passed.map(|ran| ran.command);
    let cart = ask_cart("src/cart.ts", "return Math.round((value + EPSILON) * 100) / 100;")?;
    assert_eq!(cart.failed.as_ref().map(|ran| ran.command.as_str()), Some("npm test"));
    assert_eq!(passed(cart).as_deref(), Some("npm test"), "a commit is no check");
    let form = ask_cart("src/form.ts", "export const submitButton = { label, onClick };")?;
    assert_eq!(passed(form), None, "another prompt's check says nothing");
    Ok(())
}

#[test]
fn a_line_that_says_nothing_is_not_proven_by_its_neighbours() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   write the cart
  edit   /work/shop/src/a.ts  +const first = 1;
  edit   /work/shop/src/b.ts  +if (x) return;
",
    );
    let mut ask = |text: &str| {
        let around = ["const first = 1;", "const second = 2;"].map(str::to_owned).to_vec();
        let question = LineQuestion {
            paths: vec!["src/a.ts".to_owned()],
            text: text.to_owned(),
            around,
            ..LineQuestion::default()
        };
        why_line(&mut world.log, &world.views, &question)
    };
    for nothing in ["", "  ", "}", "});"] {
        let story = ask(nothing)?;
        assert_eq!((story.proof, story.written), (Proof::TooLittle, None), "{nothing:?}");
    }
    assert_eq!(ask("fi")?.proof, Proof::None);
    Ok(())
}

const DOORS: &str = "
session s1 claude_code 2026-01-03
  user   tidy the doors
  run    make lint -> fail src/door.go:12:3: result of open is not checked (errcheck)⏎\topenDoor(door)⏎\t^⏎1 issues:
  edit   /work/shop/src/door.go  -openDoor(door) +check(openDoor(door))
  run    make lint -> ok
";

#[test]
fn a_line_is_told_with_what_must_be_respected_and_what_went_wrong_there() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(DOORS);
    let shop = ProjectId(digest_of("project", &[b"path", b"/work/shop"]));
    let blog = ProjectId(digest_of("project", &[b"path", b"/work/blog"]));
    for (project, statement) in [
        (shop, "never call openDoor without check"),
        (shop, "src/door.go must not use the network"),
        (shop, "the shop closes at eight"),
        (blog, "openDoor is a nice name"),
    ] {
        let act = CardAct::add(CardKind::Constraint, Scope::repo(project), CardSource::Remembered);
        world.log.append_of_cards(EventKind::User, Timestamp(1), statement.to_owned(), &act)?;
    }
    world.refresh();
    let mut ask = |text: &str| {
        let question = LineQuestion {
            paths: vec!["src/door.go".to_owned()],
            text: text.to_owned(),
            project: Some(shop),
            ..LineQuestion::default()
        };
        why_line(&mut world.log, &world.views, &question)
    };
    let story = ask("\tcheck(openDoor(door))")?;
    let cards: Vec<&str> = story.cards.iter().map(|here| here.card.statement.as_str()).collect();
    assert_eq!(cards, ["never call openDoor without check", "src/door.go must not use the network"]);
    let failures: Vec<_> = story.failures.iter().map(|here| (here.failure.rule.as_deref(), here.relation)).collect();
    assert_eq!(failures, [(Some("errcheck"), Relation::Resolved)]);
    let before = ask("openDoor(door)")?;
    let failures: Vec<_> = before.failures.iter().map(|here| here.relation).collect();
    assert_eq!(failures, [Relation::Shown], "the line as it was complained about");
    assert_eq!(ask("package doors")?.failures, []);
    let door = LocationQuestion {
        paths: vec!["src/door.go".to_owned()],
        lines: vec!["func open(door Door) {".to_owned(), "\tcheck(openDoor(door))".to_owned(), "}".to_owned()],
        names: vec!["openDoor".to_owned()],
        project: Some(shop),
    };
    let story = why_location(&mut world.log, &world.views, &door)?;
    assert_eq!(story.failures.iter().map(|here| here.relation).collect::<Vec<_>>(), [Relation::Resolved]);
    assert_eq!(story.cards.len(), 2, "those that name it or its file: {:?}", story.cards);
    assert_eq!(story.decisions.iter().map(|decision| decision.lines).collect::<Vec<_>>(), [1]);
    Ok(())
}

#[test]
fn a_place_leads_to_the_prompts_whose_lines_stand_there() -> Result<(), RetrieveError> {
    let mut world = World::new(HOLDS);
    let lines = ["const HOLD_MS = 20 * 60_000;", "closing.on(shop, releaseHolds);", "const byHand = true;", "}"];
    let question = LocationQuestion {
        paths: vec!["src/hold.ts".to_owned()],
        lines: lines.map(str::to_owned).to_vec(),
        ..LocationQuestion::default()
    };
    let story = why_location(&mut world.log, &world.views, &question)?;
    let told = |decision: &backstory_engine::retrieve::Decision| {
        let prompt = decision.written.prompt.as_ref().map_or("", |prompt| &prompt.text);
        (prompt.to_owned(), decision.lines)
    };
    let decisions: Vec<(String, usize)> = story.decisions.iter().map(told).collect();
    let expected = [("twenty minutes, not fifteen", 1), ("and release them when the shop closes", 1)];
    assert_eq!(decisions, expected.map(|(prompt, lines)| (prompt.to_owned(), lines)));
    assert_eq!(story.distinctive, 3);
    let elsewhere = LocationQuestion { paths: vec!["lib/hold.ts".to_owned()], ..question };
    assert_eq!(why_location(&mut world.log, &world.views, &elsewhere)?.decisions, [], "another file of that name");
    Ok(())
}

const TALKED_OVER: &str = "
session s1 claude_code 2026-01-03
  user   the receipts of the shop show wrong totals for carts with a coupon, please look into it
  say    The root cause: the coupon is taken off after the rounding. I would round last. Shall I change `round_total`?
  user   yes
  edit   /work/shop/src/receipt.rs  -before(); +let total = round_total(items, coupon);
  edit   /work/shop/src/receipt.rs  +if err != nil {
  say    Fixed: the total is now rounded last.
session s2 claude_code 2026-01-20
  user   print the receipts in two columns
  edit   /work/shop/src/receipt.rs  -let width = 40; +let columns = two_columns(width);
";

fn ask_receipt(text: &str, around: &[&str], committed: Option<&str>) -> Result<LineStory, RetrieveError> {
    let mut world = World::new(TALKED_OVER);
    let committed = committed.and_then(Timestamp::parse).map(|time| Committed { id: "1a2b3c4d".to_owned(), time });
    let question = LineQuestion {
        paths: vec!["src/receipt.rs".to_owned()],
        text: text.to_owned(),
        around: around.iter().map(|line| (*line).to_owned()).collect(),
        committed,
        ..LineQuestion::default()
    };
    why_line(&mut world.log, &world.views, &question)
}

#[test]
fn a_mere_yes_leads_to_what_it_accepts_and_to_the_request() -> Result<(), RetrieveError> {
    let story = ask_receipt("let total = round_total(items, coupon);", &[], None)?;
    assert_eq!(asked(&story), ("s1", "yes"));
    let Some(case) = story.written.and_then(|written| written.reason) else { panic!("no case") };
    assert!(case.asked.text.starts_with("the receipts of the shop"), "{case:?}");
    let accepted: Vec<&str> = case.accepted.iter().map(|quote| quote.text.as_str()).collect();
    assert!(accepted.iter().any(|text| text.contains("Shall I change `round_total`?")), "{accepted:?}");
    Ok(())
}

#[test]
fn an_edit_after_the_commit_is_never_the_author() -> Result<(), RetrieveError> {
    let line = "let columns = two_columns(width);";
    let story = ask_receipt(line, &[], Some("2026-01-10"))?;
    assert_eq!((story.written, story.proof), (None, Proof::TooLate));
    let grounds: Vec<GuessGround> = story.guesses.iter().map(|guess| guess.ground).collect();
    assert_eq!(grounds, [GuessGround::EditedLast], "the work that edited the file before the commit");
    assert_eq!(ask_receipt(line, &[], Some("2026-01-21"))?.proof, Proof::OnlyEdit);
    Ok(())
}

#[test]
fn what_stands_in_any_program_proves_nothing_by_itself() -> Result<(), RetrieveError> {
    let story = ask_receipt("if err != nil {", &[], None)?;
    assert_eq!((story.written.is_some(), story.proof), (false, Proof::None));
    let story = ask_receipt("a new line of the receipt", &["let columns = two_columns(width);"], None)?;
    let grounds: Vec<GuessGround> = story.guesses.iter().map(|guess| guess.ground).collect();
    assert_eq!(grounds, [GuessGround::WroteAround(1)]);
    Ok(())
}

#[test]
fn a_file_is_told_by_the_work_behind_its_ranges() -> Result<(), RetrieveError> {
    let mut world = World::new(TALKED_OVER);
    let lines =
        ["by hand, all of it", "", "let total = round_total(items, coupon);", "}", "let columns = two_columns(width);"];
    let lines = lines.map(|text| FileLine { text: text.to_owned(), committed: None }).to_vec();
    let question = FileQuestion { paths: vec!["src/receipt.rs".to_owned()], lines, project: None };
    let story = why_file(&mut world.log, &world.views, &question)?;
    let ranges: Vec<(usize, usize, Option<usize>)> =
        story.ranges.iter().map(|range| (range.first, range.last, range.work)).collect();
    assert_eq!(ranges, [(1, 1, None), (3, 3, Some(0)), (5, 5, Some(1))]);
    let sessions: Vec<&str> = story.works.iter().map(|work| work.written.session.as_str()).collect();
    assert_eq!((sessions, story.telling, story.proven), (vec!["s1", "s2"], 3, 2));
    Ok(())
}
