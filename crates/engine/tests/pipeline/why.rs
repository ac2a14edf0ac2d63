//! The conversation behind a line, and those behind a commit.

use backstory_engine::fixture::World;
use backstory_engine::ingest::{ChangedFile, Commit, NewLine};
use backstory_engine::model::{Act, CardKind, CardSource, EventKind, ProjectId, Scope, Timestamp, digest_of};
use backstory_engine::retrieve::{
    CommitQuestion, CommitStory, LineQuestion, LineStory, PlaceQuestion, Proof, Relation, RetrieveError, why_commit,
    why_line, why_place,
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
    assert_eq!((story.written, story.proof), (None, Proof::None));
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

/// Each line of the commit stands alone.
fn ask_commit(files: &[(&str, &[&str])], made: &str) -> Result<CommitStory, RetrieveError> {
    let file = |(path, lines): &(&str, &[&str])| ChangedFile {
        path: (*path).to_owned(),
        added: lines.len(),
        hunks: lines.iter().map(|text| vec![NewLine { number: 1, text: (*text).to_owned(), is_added: true }]).collect(),
        ..ChangedFile::default()
    };
    let at = Timestamp::parse(made).unwrap_or(Timestamp(0));
    let commit = Commit {
        id: "1a2b3c4d5e6f".to_owned(),
        subject: "Hold carts".to_owned(),
        author: "Ada".to_owned(),
        authored: at,
        committed: at,
        parents: 1,
        files: files.iter().map(file).collect(),
    };
    let mut world = World::new(HOLDS);
    why_commit(&mut world.log, &world.views, &CommitQuestion { commit, project: None })
}

/// Prompt, lines, files.
fn parts(story: &CommitStory) -> Vec<(&str, usize, Vec<&str>)> {
    let told = story.parts.iter().map(|part| {
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
    assert_eq!((story.added, story.telling, story.looked_for, story.proven), (5, 4, 4, 3));
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
        let act = Act::add(CardKind::Constraint, Scope::repo(project), CardSource::Remembered);
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
    let troubles: Vec<_> = story.troubles.iter().map(|here| (here.trouble.rule.as_deref(), here.relation)).collect();
    assert_eq!(troubles, [(Some("errcheck"), Relation::Resolved)]);
    let before = ask("openDoor(door)")?;
    let troubles: Vec<_> = before.troubles.iter().map(|here| here.relation).collect();
    assert_eq!(troubles, [Relation::Shown], "the line as it was complained about");
    assert_eq!(ask("package doors")?.troubles, []);
    let door = PlaceQuestion {
        paths: vec!["src/door.go".to_owned()],
        lines: vec!["func open(door Door) {".to_owned(), "\tcheck(openDoor(door))".to_owned(), "}".to_owned()],
        names: vec!["openDoor".to_owned()],
        project: Some(shop),
    };
    let story = why_place(&mut world.log, &world.views, &door)?;
    assert_eq!(story.troubles.iter().map(|here| here.relation).collect::<Vec<_>>(), [Relation::Resolved]);
    assert_eq!(story.cards.len(), 2, "those that name it or its file: {:?}", story.cards);
    assert_eq!(story.decisions.iter().map(|decision| decision.lines).collect::<Vec<_>>(), [1]);
    Ok(())
}

#[test]
fn a_place_leads_to_the_prompts_whose_lines_stand_there() -> Result<(), RetrieveError> {
    let mut world = World::new(HOLDS);
    let lines = ["const HOLD_MS = 20 * 60_000;", "closing.on(shop, releaseHolds);", "const byHand = true;", "}"];
    let question = PlaceQuestion {
        paths: vec!["src/hold.ts".to_owned()],
        lines: lines.map(str::to_owned).to_vec(),
        ..PlaceQuestion::default()
    };
    let story = why_place(&mut world.log, &world.views, &question)?;
    let told = |decision: &backstory_engine::retrieve::Decision| {
        let prompt = decision.written.prompt.as_ref().map_or("", |prompt| &prompt.text);
        (prompt.to_owned(), decision.lines)
    };
    let decisions: Vec<(String, usize)> = story.decisions.iter().map(told).collect();
    let expected = [("twenty minutes, not fifteen", 1), ("and release them when the shop closes", 1)];
    assert_eq!(decisions, expected.map(|(prompt, lines)| (prompt.to_owned(), lines)));
    assert_eq!(story.telling, 3);
    let elsewhere = PlaceQuestion { paths: vec!["lib/hold.ts".to_owned()], ..question };
    assert_eq!(why_place(&mut world.log, &world.views, &elsewhere)?.decisions, [], "another file of that name");
    Ok(())
}
