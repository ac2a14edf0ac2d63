//! Which cases are listed for a session or a time span?

use backstory_engine::fixture::World;
use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::{
    CaseList, RetrieveError, SessionQuery, ToldCase, find_case, list_cases, one_case, session_cases, sessions,
};
use expect_test::expect;

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
    let known = sessions(&mut world.log, &world.views, &SessionQuery::default())?;
    let first = known.iter().find(|info| info.session == "s1").expect("the session");
    let cases = session_cases(&mut world.log, &world.views, first, 2)?;
    expect![[r#"
        s1 done: why does the cart lose its items after the login of a customer?
          cause The root cause: the cart is cleared on every login.
          result Fixed: the cart is now kept at login.
          changed src/login.rs
        s1 done: please translate the manual of the shop into French before the release of next week
          result Done. The manual is translated, only the glossary is left.
    "#]]
    .assert_eq(&told(&cases));
    Ok(())
}

#[test]
fn a_span_of_time_is_told_newest_first() -> Result<(), RetrieveError> {
    let mut world = World::new(WEEK);
    let all = CaseList { findings: 1, ..CaseList::default() };
    let cases = list_cases(&mut world.log, &world.views, &all)?;
    expect![[r#"
        s2 failed: implement the export of the monthly invoices as a table for the accountant
          open Two tests of the export still fail.
          changed src/export.rs
        s1 done: please translate the manual of the shop into French before the release of next week
          result Done. The manual is translated, only the glossary is left.
        s1 done: why does the cart lose its items after the login of a customer?
          result Fixed: the cart is now kept at login.
          changed src/login.rs
    "#]]
    .assert_eq(&told(&cases));
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
        let told = one_case(&mut world.log, &world.views, id, 9)?.expect("a case").case;
        assert_eq!((told.id, told.session), (case.id, case.session));
    }
    assert!(matches!(find_case(&world.views, "ffffffff"), Err(RetrieveError::NotFound { .. })));
    Ok(())
}
