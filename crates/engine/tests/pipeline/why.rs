//! The conversation behind a line.

use backstory_engine::fixture::World;
use backstory_engine::retrieve::{LineQuestion, LineStory, Proof, RetrieveError, why_line};

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
