//! Which turns are one piece of work, and what is told of it.

use backstory_engine::fixture::World;
use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::{
    CASE_BUDGET, CASE_LINES, CaseAnswer, CaseList, Extent, RetrieveError, Search, Sessions, ToldCase, find_case,
    list_cases, one_case, search_cases, session_cases, sessions,
};
use backstory_engine::store::{EpisodeNum, StoreError, ViewStore};
use backstory_language::embed::StaticTable;
use expect_test::{Expect, expect};

const SHOP: &str = "
session s1 claude_code 2026-01-03
  user   why does the cart lose its items after the login of a customer?
  say    Let me look.
  read   src/cart.rs  fn clear
  say    The root cause: the cart is cleared on every login.
  user   yes, fix it
  edit   src/login.rs  -clear +keep
  run    cargo test  -> ok  all passed
  say    Fixed: the cart is now kept at login.
  user   please translate the manual of the shop into French before the release of next week
  say    Done. The manual is translated, only the glossary is left.
";

/// Turns, request and findings of every case.
fn render(world: &mut World, views: &ViewStore) -> Result<String, StoreError> {
    let mut out = String::new();
    for (episode, _) in views.read().runs()? {
        for row in views.read().cases_of(episode)? {
            let case = &row.case;
            let mut text = |evidence: &backstory_engine::model::EvidenceRef| -> Result<String, StoreError> {
                let event = world.log.store().event(backstory_engine::model::EventId(evidence.id))?;
                let text = event.map(|event| event.text[evidence.start as usize..evidence.end as usize].to_owned());
                Ok(text.unwrap_or_default())
            };
            let talk = if case.is_talk { " talk" } else { "" };
            out.push_str(&format!("{}-{}{talk} {}\n", case.first_turn, case.last_turn, text(&case.asked)?));
            for finding in &case.findings {
                out.push_str(&format!("  {} {}\n", finding.role.name(), text(&finding.evidence)?));
            }
        }
    }
    Ok(out)
}

fn check(fixture: &str, expected: Expect) -> Result<(), StoreError> {
    let mut world = World::new(fixture);
    let views = world.rebuilt();
    expected.assert_eq(&render(&mut world, &views)?);
    Ok(())
}

#[test]
fn an_assent_continues_a_case_and_a_request_opens_one() -> Result<(), StoreError> {
    check(
        SHOP,
        expect![[r#"
        0-2 why does the cart lose its items after the login of a customer?
          cause The root cause: the cart is cleared on every login.
          decision yes, fix it
          result Fixed: the cart is now kept at login.
          decision please translate the manual of the shop into French before the release of next week
          result Done. The manual is translated, only the glossary is left.
    "#]],
    )
}

#[test]
fn a_conversation_is_one_case_with_what_the_person_decided() -> Result<(), StoreError> {
    check(
        "
session s1 claude_code 2026-01-03
  user   old branches pile up again, what can we do?
  say    I would delete each one that was created more than 30 days ago.
  user   no, the age counts from the last commit
  say    Then I read the date of the tip. Should I keep 30 days?
  user   19 days are enough for everybody
  say    One risk: (a) ask before deleting, (b) always spare the seven newest
  user   b
  say    Detached ones I would remove after a day.
  user   but please never touch detached ones
  say    Understood, they stay.
",
        expect![[r#"
            0-4 talk old branches pile up again, what can we do?
              decision no, the age counts from the last commit
              accepted Then I read the date of the tip. Should I keep 30 days?
              decision 19 days are enough for everybody
              accepted always spare the seven newest
              decision b
              decision but please never touch detached ones
        "#]],
    )
}

#[test]
fn cases_do_not_depend_on_how_a_session_was_read() -> Result<(), StoreError> {
    let mut live = World::in_slices(SHOP, &[1; 40]);
    let rebuilt = live.rebuilt();
    let views = |views: &ViewStore| -> Result<Vec<_>, StoreError> {
        let mut all = Vec::new();
        for (episode, _) in views.read().runs()? {
            all.extend(views.read().cases_of(EpisodeNum(episode.0))?);
        }
        Ok(all)
    };
    assert_eq!(views(&live.views)?, views(&rebuilt)?);
    assert!(!views(&rebuilt)?.is_empty());
    Ok(())
}

fn ask(world: &mut World, text: &str) -> Result<CaseAnswer, RetrieveError> {
    let extent = Extent { lines: CASE_LINES, tokens: CASE_BUDGET, cases: 10 };
    search_cases(&mut world.log, &world.views, &mut StaticTable::shipped(), &Search::new(text), extent)
}

#[test]
fn the_case_that_answers_comes_first_with_its_cause() -> Result<(), RetrieveError> {
    let mut world = World::new(SHOP);
    let answer = ask(&mut world, "why were items of the cart lost at login?")?;
    let first = answer.cases.first().map(|case| case.asked.clone()).unwrap_or_default();
    assert!(first.starts_with("why does the cart"), "{first}");
    let lines: Vec<&str> = answer.cases[0].findings.iter().map(|finding| finding.text.as_str()).collect();
    assert!(lines.iter().any(|line| line.contains("root cause")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("now kept at login")), "{lines:?}");
    Ok(())
}

#[test]
fn nothing_is_told_of_what_nobody_spoke_about() -> Result<(), RetrieveError> {
    let mut world = World::new(SHOP);
    assert!(ask(&mut world, "which kernel driver crashed the printer in Oslo?")?.cases.is_empty());
    Ok(())
}

const WEEK: &str = "
session s1 claude_code 2026-01-03
  user   why does the cart lose its items after the login of a customer?
  say    The root cause: the cart is cleared on every login.
  user   yes, fix it
  spawn  scout  write the fix
agent scout of s1
  user   write the fix
  edit   src/login.rs  -clear +keep
  run    cargo test  -> ok  all passed
  say    written
session s1 claude_code 2026-01-03T02:00
  report scout  the fix is in login.rs
  say    Fixed: the cart is now kept at login.
  user   please translate the manual of the shop into French before the release of next week
  say    Done. The manual is translated, only the glossary is left.
session s2 claude_code 2026-01-09
  user   implement the export of the monthly invoices as a table for the accountant
  edit   src/export.rs  -a +b
  run    cargo test  -> fail  2 failed
  say    Two tests of the export still fail.
";

fn told(cases: &[ToldCase]) -> String {
    let mut out = String::new();
    for case in cases {
        out.push_str(&format!("{} {}: {}\n", case.session, case.state.name(), case.asked));
        for finding in &case.findings {
            out.push_str(&format!("  {} {}\n", finding.role.name(), finding.text));
        }
        for file in &case.work.files {
            out.push_str(&format!("  changed {}\n", file.path));
        }
    }
    out
}

#[test]
fn a_session_is_told_as_its_cases_in_order() -> Result<(), RetrieveError> {
    let mut world = World::new(WEEK);
    let known = sessions(&mut world.log, &world.views, &Sessions::default())?;
    let first = known.iter().find(|info| info.session == "s1").expect("the session");
    let cases = session_cases(&mut world.log, &world.views, first, 2)?;
    expect![[""]].assert_eq(&told(&cases));
    Ok(())
}

#[test]
fn a_span_of_time_is_told_newest_first() -> Result<(), RetrieveError> {
    let mut world = World::new(WEEK);
    let all = CaseList { findings: 1, ..CaseList::default() };
    let cases = list_cases(&mut world.log, &world.views, &all)?;
    expect![[""]].assert_eq(&told(&cases));
    let day = |day: &str| day.parse::<jiff::Timestamp>().map(|at| Timestamp(at.as_millisecond())).ok();
    let last = CaseList { from: day("2026-01-08T00:00:00Z"), ..all.clone() };
    assert_eq!(told(&list_cases(&mut world.log, &world.views, &last)?), told(&cases[..1]));
    let before = CaseList { to: day("2026-01-08T00:00:00Z"), ..all.clone() };
    assert_eq!(told(&list_cases(&mut world.log, &world.views, &before)?), told(&cases[1..]));
    let branch = CaseList { branch: Some("none-such".to_owned()), ..all };
    assert!(list_cases(&mut world.log, &world.views, &branch)?.is_empty());
    Ok(())
}

#[test]
fn a_case_is_found_by_the_beginning_of_its_id() -> Result<(), RetrieveError> {
    let mut world = World::new(WEEK);
    let cases = list_cases(&mut world.log, &world.views, &CaseList::default())?;
    for case in cases {
        let id = find_case(&world.views, &case.id.to_string()[..8])?;
        let told = one_case(&mut world.log, &world.views, id, 9)?.expect("a case");
        assert_eq!((told.id, told.session), (case.id, case.session));
    }
    assert!(matches!(find_case(&world.views, "ffffffff"), Err(RetrieveError::NotFound { .. })));
    Ok(())
}
