//! How did an answering case begin, how did it go, and what followed?

use std::error::Error;

use backstory_engine::fixture::World;
use backstory_engine::retrieve::{
    Extent, RetrieveError, STORY_BUDGET, STORY_LINES, Search, StoryAnswer, ToldCase, recall_case,
};
use backstory_language::embed::StaticTable;
use expect_test::{Expect, expect};

use crate::cases::LOGS;

const SHOP: &str = "
session s1 claude_code 2026-01-03
  user   add a printer to the checkout that prints the receipt of a customer
  edit   src/printer.rs  +print
  run    cargo test  -> ok  all passed
  say    The receipt is printed after each payment.
session s2 claude_code 2026-01-05
  user   the totals of the coupon page are wrong since the currency became euro, why?
  read   src/coupon.rs  fn total
  say    I suspect the exchange rate: the cause is a stale rate in the cache.
  user   no, the rate is fresh
  edit   src/coupon.rs  -float +decimal
  run    cargo test  -> fail  1 failed
  edit   src/coupon.rs  -decimal +cents
  run    cargo test  -> ok  all passed
  say    The root cause: totals of coupons were added as floats. They are added as cents now.
session s3 claude_code 2026-01-09
  user   translate the manual of the shop into French before the next release
  edit   manual.md  +french
  say    Done: the manual of the shop is translated into French.
";

fn ask(world: &mut World, text: &str, extent: Extent) -> Result<StoryAnswer, RetrieveError> {
    recall_case(&mut world.log, &world.views, &mut StaticTable::shipped(), &Search::new(text), extent)
}

const DEFAULT: Extent = Extent { lines: STORY_LINES, columns: None, tokens: STORY_BUDGET, cases: 10 };

fn render(answer: &StoryAnswer) -> String {
    let line = |part: &str, case: &ToldCase| {
        let findings = case.findings.iter().map(|finding| format!("  {} {}\n", finding.role.name(), finding.text));
        format!("{part} {} {}\n{}", case.state.name(), case.asked, findings.collect::<String>())
    };
    let mut out = String::new();
    if let Some(story) = &answer.story {
        story.before.iter().for_each(|case| out.push_str(&line("before", case)));
        out.push_str(&line("case", &story.case));
        story.after.iter().for_each(|case| out.push_str(&line("after", case)));
    }
    answer.others.iter().for_each(|case| out.push_str(&line("also", case)));
    out
}

fn check(fixture: &str, question: &str, extent: Extent, expected: Expect) -> Result<(), RetrieveError> {
    expected.assert_eq(&render(&ask(&mut World::new(fixture), question, extent)?));
    Ok(())
}

#[test]
fn a_case_is_told_forward_with_what_came_before_and_after() -> Result<(), RetrieveError> {
    check(
        SHOP,
        "why were the totals of coupons wrong?",
        DEFAULT,
        expect![[r#"
            before done add a printer to the checkout that prints the receipt of a customer
              remark The receipt is printed after each payment.
            case done the totals of the coupon page are wrong since the currency became euro, why?
              refuted I suspect the exchange rate: the cause is a stale rate in the cache.
              cause The root cause: totals of coupons were added as floats. They are added as cents now.
            after done translate the manual of the shop into French before the next release
              result Done: the manual of the shop is translated into French.
        "#]],
    )
}

#[test]
fn what_superseded_a_case_is_told_after_it() -> Result<(), Box<dyn Error>> {
    let mut world = World::new(LOGS);
    let answer = ask(&mut world, "shall five rotated files be kept, never compressed?", DEFAULT)?;
    let story = answer.story.ok_or("no story")?;
    assert_eq!((story.case.session.as_str(), story.after[0].session.as_str()), ("s1", "s2"));
    assert_eq!(story.case.superseded_by, Some(story.after[0].id));
    assert!(story.after[0].findings.iter().any(|finding| finding.text.contains("nine days")), "{story:#?}");
    Ok(())
}

#[test]
fn a_story_takes_no_more_than_it_may() -> Result<(), Box<dyn Error>> {
    let mut world = World::new(SHOP);
    let question = "why were the totals of coupons wrong?";
    let one = ask(&mut world, question, Extent { cases: 1, ..DEFAULT })?;
    let story = one.story.ok_or("no story")?;
    assert!(story.before.is_empty() && story.after.is_empty() && one.others.is_empty());
    let small = ask(&mut world, question, Extent { tokens: 150, ..DEFAULT })?;
    assert!(render(&small).len() < 4 * 150, "{}", render(&small));
    Ok(())
}

#[test]
fn there_is_no_story_of_what_nobody_spoke_about() -> Result<(), RetrieveError> {
    let answer = ask(&mut World::new(SHOP), "which kernel driver crashed the camera in Oslo?", DEFAULT)?;
    assert_eq!((answer.story, answer.others), (None, Vec::new()));
    Ok(())
}
