//! Which turns are one piece of work, and which findings does it have?

use backstory_engine::fixture::World;
use backstory_engine::ingest::CommitMessage;
use backstory_engine::model::{CaseId, Timestamp};
use backstory_engine::retrieve::{
    CASE_BUDGET, CASE_LINES, CaseAnswer, CaseState, Extent, RetrieveError, Search, search_cases,
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
            0-1 why does the cart lose its items after the login of a customer?
              cause The root cause: the cart is cleared on every login.
              decision yes, fix it
              result Fixed: the cart is now kept at login.
            2-2 please translate the manual of the shop into French before the release of next week
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
    let extent = Extent { lines: CASE_LINES, columns: None, tokens: CASE_BUDGET, cases: 10 };
    search_cases(&mut world.log, &world.views, &mut StaticTable::shipped(), &Search::new(text), &[], extent)
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

#[test]
fn a_case_says_what_was_done_and_how_it_ended() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   round the tax of every item in the checkout
  edit   src/tax.rs  -floor +round
  run    cargo test  -> fail  1 failed
  edit   src/tax.rs  -round +bankers
  run    cargo test  -> ok  all passed
  run    git commit -am tax  -> ok  [main 1a2b3c4] Round the tax of items
  say    Every item is rounded half to even now.
session s2 claude_code 2026-01-05
  user   the printer of the shop shall cut the receipt of the checkout
  edit   src/printer.rs  -feed +cut
  run    cargo test  -> fail  1 failed
  say    The cut of the receipt is sent, one test of the printer still fails.
",
    );
    let answer = ask(&mut world, "how is the tax of items rounded in the checkout?")?;
    let tax = &answer.cases[0];
    assert_eq!(tax.state, CaseState::Done);
    assert_eq!(tax.work.files[0].path, "src/tax.rs");
    assert_eq!((tax.work.checks[0].failed_before, tax.work.checks[0].passed), (true, true));
    assert_eq!(tax.work.commits[0].subject, "Round the tax of items");
    let answer = ask(&mut world, "does the printer cut the receipt?")?;
    assert_eq!(answer.cases[0].state, CaseState::Failed);
    Ok(())
}

/// One decision, and a later one about the same subject.
pub const LOGS: &str = "
session s1 claude_code 2026-01-03
  user   how long do we keep the rotated log files of the lantern daemon?
  say    Nothing rotates them yet. Shall I keep five log files?
  user   yes, five rotated files, never compressed
  say    Five rotated log files then, uncompressed.
  user   and rotate only when the lantern daemon starts
  say    Rotation happens at the start of the daemon.
  user   ok
  say    Written down.
  user   commit
  say    Committed.
session s2 claude_code 2026-01-20
  user   the rotated log files of the lantern daemon were gone after an hour
  say    Five rotated files are too few for debug logs. Keep them by age?
  user   yes, keep rotated log files nine days, the number does not matter
  say    Nine days by age, uncompressed as before.
  user   still only at the start of the daemon
  say    Unchanged.
  user   good
  say    Written down.
  user   commit
  say    Committed.
";

#[test]
fn what_was_decided_later_comes_first_and_marks_the_old() -> Result<(), RetrieveError> {
    let mut world = World::new(LOGS);
    let answer = ask(&mut world, "how long do we keep rotated log files?")?;
    let sessions: Vec<&str> = answer.cases.iter().map(|case| case.session.as_str()).collect();
    assert_eq!(sessions, ["s2", "s1"]);
    assert_eq!(answer.cases[1].superseded_by, Some(answer.cases[0].id));
    assert_eq!(answer.cases[1].state, CaseState::Superseded);
    Ok(())
}

#[test]
fn a_cause_that_was_taken_back_is_marked() -> Result<(), StoreError> {
    check(
        "
session s1 claude_code 2026-01-03
  user   the upload fails at night, why?
  say    The cause is the backup that locks the table.
  user   hm, the backup runs at noon
  say    You're right, that contradicts it. The certificate of the proxy is renewed at two.
  user   ok
  say    The renewal restarts the proxy, so uploads break off.
  user   retry then
  say    A retry after ten seconds is in.
  user   ship
  say    Pushed.
",
        expect![[r#"
            0-4 talk the upload fails at night, why?
              refuted The cause is the backup that locks the table.
              decision hm, the backup runs at noon
              accepted You're right, that contradicts it. The certificate of the proxy is renewed at two.
              decision ok
              accepted The renewal restarts the proxy, so uploads break off.
              decision retry then
              accepted A retry after ten seconds is in.
              decision ship
        "#]],
    )
}

#[test]
fn lines_that_later_work_took_out_are_counted() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   why is the tax of the checkout rounded twice?
  edit   src/tax.rs  +round_half_up⏎tax_of_item⏎total_of_tax⏎tax_table
  say    The root cause: the tax of the checkout was rounded for each item.
session s2 claude_code 2026-01-09
  user   read the tax table from the settings
  edit   src/tax.rs  -round_half_up⏎tax_of_item⏎total_of_tax +settings_of_tax
  say    Done: the settings hold the table.
",
    );
    let answer = ask(&mut world, "why is the tax of the checkout rounded twice?")?;
    let changed = answer.cases[0].work.changed_since.ok_or_else(|| not_found("changed lines"))?;
    let by = case_of(&mut world, "s2")?;
    assert_eq!((changed.lines, changed.of, changed.by), (3, 4, by));
    let later = ask(&mut world, "read the tax table from the settings")?;
    assert_eq!(later.cases[0].work.changed_since, None);
    Ok(())
}

fn not_found(what: &'static str) -> RetrieveError {
    RetrieveError::NotFound { what, asked: String::new() }
}

fn case_of(world: &mut World, session: &str) -> Result<Option<CaseId>, RetrieveError> {
    for (episode, _) in world.views.read().runs()? {
        let episode = EpisodeNum(episode.0);
        let is_it = world.log.store().episode(episode)?.is_some_and(|episode| episode.key.session == session);
        if is_it {
            return Ok(world.views.read().cases_of(episode)?.first().map(|row| row.case.id));
        }
    }
    Ok(None)
}

#[test]
fn a_commit_that_answers_is_shown_with_the_case_that_made_it() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   the printer cuts receipts in the middle
  edit   src/printer.rs  +feed_lines
  run    git commit -m feed  -> ok  [main 1a2b3c4] Feed paper before the cut
  say    The printer feeds paper now.
",
    );
    let commit = |id: &str, subject: &str, body: &str| CommitMessage {
        id: id.to_owned(),
        time: Timestamp(0),
        author: "Ada".to_owned(),
        subject: subject.to_owned(),
        body: body.to_owned(),
    };
    let commits = [
        commit(
            "1a2b3c4d5e6f",
            "Feed paper before the cut",
            "The printer cuts receipts two lines late.\n\nSigned-off-by: A",
        ),
        commit("99aa88bb77cc", "Translate the manual", "Into French."),
    ];
    let extent = Extent { lines: CASE_LINES, columns: None, tokens: CASE_BUDGET, cases: 10 };
    let question = Search::new("how late does the printer cut receipts?");
    let model = &mut StaticTable::shipped();
    let answer = search_cases(&mut world.log, &world.views, model, &question, &commits, extent)?;
    let shown: Vec<(&str, &[String])> =
        answer.commits.iter().map(|hit| (hit.id.as_str(), hit.lines.as_slice())).collect();
    assert_eq!(shown, [("1a2b3c4d5e6f", &["The printer cuts receipts two lines late.".to_owned()][..])]);
    assert_eq!(answer.commits[0].case, Some(answer.cases[0].id));
    Ok(())
}

#[test]
fn an_interruption_is_no_refusal() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   start the server of the checkout in the background
  call   Bash  serve
  say    The server of the checkout is starting.
  stop
session s2 claude_code 2026-01-04
  user   rename the coupon table of the warehouse
  refuse src/coupon.rs  -coupons +vouchers
  stop
",
    );
    assert_eq!(ask(&mut world, "start the server of the checkout")?.cases[0].state, CaseState::Open);
    assert_eq!(ask(&mut world, "rename the coupon table of the warehouse")?.cases[0].state, CaseState::Refused);
    Ok(())
}

#[test]
fn on_a_narrow_screen_wrapped_lines_count() -> Result<(), RetrieveError> {
    let mut world = World::new(SHOP);
    let mut statements = |columns| -> Result<usize, RetrieveError> {
        let extent = Extent { lines: 8, columns, tokens: CASE_BUDGET, cases: 10 };
        let question = Search::new("why were items of the cart lost at login?");
        let model = &mut StaticTable::shipped();
        let answer = search_cases(&mut world.log, &world.views, model, &question, &[], extent)?;
        Ok(answer.cases.iter().map(|case| case.findings.len()).sum())
    };
    assert!(statements(Some(30))? < statements(None)?);
    Ok(())
}

#[test]
fn a_passage_of_a_sub_agent_counts_for_the_case_that_started_it() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   find out how the warehouse labels its pallets
  spawn  scout  read the docs of the warehouse
  say    The labels are described in the docs.
agent scout of s1
  user   read the docs of the warehouse
  say    Pallets get a Codabar label with eleven digits and a checksum.
",
    );
    let answer = ask(&mut world, "Codabar label with eleven digits and a checksum")?;
    assert!(!answer.only_passages);
    assert_eq!(answer.cases[0].session, "s1");
    Ok(())
}
