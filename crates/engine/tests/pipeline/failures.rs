//! Which failures occurred, how were they resolved, and what is answered when they recur?

use backstory_engine::fixture::World;
use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{Check, Fix, FixItem, KnownRemedy, RetrieveError, check, fix, projects};
use expect_test::{Expect, expect};

const COMPLAINT: &str = "src/door.go:12:3: result of open is not checked (errcheck)⏎\topen(door)⏎\t^⏎1 issues:";

/// A linter reports a line, the line is changed, the linter passes.
fn fixed() -> String {
    format!(
        "session s1 claude_code 2026-01-03
  user   tidy the doors
  run    make lint -> fail {COMPLAINT}
  edit   /work/shop/src/door.go -open(door) +check(open(door))
  run    make lint 2>&1 | tail -3 -> ok
"
    )
}

fn failures(fixture: &str, expected: Expect) {
    expected.assert_eq(&World::new(fixture).failures());
}

#[test]
fn a_diagnostic_goes_away_by_the_edit_of_its_line() {
    failures(
        &fixed(),
        expect![[r#"
            s1 `make lint` result of open is not checked (errcheck): line of 1
        "#]],
    );
}

#[test]
fn what_is_not_checked_again_stays_open() {
    failures(
        &format!(
            "session s1 claude_code 2026-01-03
  user   tidy
  run    make test && make lint -> fail {COMPLAINT}
  edit   src/door.go -open(door) +check(door)
  run    make lint -> ok
"
        ),
        expect![[r#"
            s1 `make test && make lint` result of open is not checked (errcheck): open
        "#]],
    );
}

#[test]
fn a_pipe_does_not_hide_a_failure_nor_a_warning_make_one() {
    failures(
        "session s1 claude_code 2026-01-03
  user   tidy
  run    go test ./... | tail -3 -> ok --- FAIL: TestDoor (0.00s)⏎FAIL
  edit   src/door.go -a +b
  run    go test ./... -> ok
  run    make lint -> ok warning: src/x.go:1:1: old style (style)
",
        expect![[r#"
            s1 `go test ./...` TestDoor: elsewhere of 1
        "#]],
    );
}

#[test]
fn an_attempt_leaves_the_diagnostic_where_it_was() {
    let fixture = format!(
        "session s1 claude_code 2026-01-03
  user   tidy
  run    make lint -> fail {COMPLAINT}
  edit   src/door.go -open(door) +open(door) // fine
  run    make lint -> fail src/door.go:12:3: result of open is not checked (errcheck)⏎\topen(door) // fine⏎\t^
  edit   src/door.go -open(door) // fine +check(open(door))
  run    make lint -> ok
"
    );
    failures(
        &fixture,
        expect![[r#"
            s1 `make lint` result of open is not checked (errcheck): line of 1, tried in vain
        "#]],
    );
    expect![[r#"
        negative_result attempt active: When `make lint` says "result of open is not checked" (errcheck): it does not help to append `// fine` to `open(door)` (so in door.go).
        tactic fix proposed: When `make lint` says "result of open is not checked" (errcheck): change `open(door) // fine` to `check(open(door))` (so in door.go).
    "#]]
    .assert_eq(&World::new(&fixture).cards());
}

#[test]
fn a_command_may_be_what_helps() {
    let fixture = "session s1 claude_code 2026-01-03
  user   commit it
  run    git commit -m one -> fail the code is not formatted, run the formatter
  run    mix format -> ok
  run    git commit -m one -> ok [main 1] one
";
    expect![[r#"
        tactic fix active: When `git commit` says "the code is not formatted, run the formatter": run `mix format`.
    "#]]
    .assert_eq(&World::new(fixture).cards());
}

#[test]
fn a_working_form_at_once_corrects_a_command() {
    let fixture = "session s1 claude_code 2026-01-03
  user   seed it
  run    python tools/seed.py -> fail bash: python: command not found
  run    python3 tools/seed.py -> ok seeded
";
    expect![[r#"
        fact correction active: `python tools/seed.py` fails here (bash: python: command not found); use `python3 tools/seed.py`.
    "#]]
    .assert_eq(&World::new(fixture).cards());
}

#[test]
fn a_check_of_three_sessions_is_the_project_s() {
    let session = |number: u32| {
        format!(
            "session s{number} claude_code 2026-01-0{number}\n  user go\n  run cd api && make test -> ok 3 passed\n"
        )
    };
    let fixture: String = (1..=3).map(session).collect();
    expect![[r#"
        fact check_command active: Check of this project: `make test`
    "#]]
    .assert_eq(&World::new(&fixture).cards());
}

fn ask(world: &mut World, error: &str, project: Option<ProjectId>) -> Result<Vec<FixItem>, RetrieveError> {
    let question = Fix { error: error.replace('⏎', "\n"), project, ..Fix::default() };
    Ok(fix(&mut world.log, &world.views, &question)?.items)
}

/// The id of a project by its folder's name.
fn project(world: &mut World, name: &str) -> Result<Option<ProjectId>, RetrieveError> {
    Ok(projects(&mut world.log)?.iter().find(|project| project.name == name).map(|project| project.id))
}

#[test]
fn the_same_diagnostic_elsewhere_is_answered_and_another_is_not() -> Result<(), RetrieveError> {
    let mut world = World::new(&fixed());
    let shop = project(&mut world, "shop")?;
    let found = ask(&mut world, "lib/gate.go:99:1: result of close is not checked (errcheck)", shop)?;
    assert_eq!(found.len(), 1);
    let KnownRemedy::Change(change) = &found[0].remedy else { panic!("{found:?}") };
    assert_eq!((change.removed[0].as_str(), change.added[0].as_str()), ("open(door)", "check(open(door))"));
    assert_eq!(found[0].session, "s1");
    for unknown in ["lib/gate.go:9:1: name is unused (unused)", "lib/gate.go:9:1: undefined: open", "all is well", ""] {
        assert_eq!(ask(&mut world, unknown, shop)?, [], "{unknown}");
    }
    Ok(())
}

#[test]
fn another_repository_s_past_stays_there() -> Result<(), RetrieveError> {
    let mut world = World::new(&format!("{}session s2 claude_code 2026-01-04 bank\n  user hello\n", fixed()));
    let bank = project(&mut world, "bank")?;
    assert!(bank.is_some());
    assert_eq!(ask(&mut world, COMPLAINT, bank)?, []);
    assert_eq!(ask(&mut world, COMPLAINT, None)?.len(), 1);
    let question = Check {
        action: "make lint".into(),
        error: Some(COMPLAINT.replace('⏎', "\n")),
        project: bank,
        ..Check::default()
    };
    assert!(check(&mut world.log, &world.views, &question)?.is_empty());
    Ok(())
}

#[test]
fn only_what_was_known_then_is_told() -> Result<(), RetrieveError> {
    let mut world = World::new(&fixed());
    let ask_before = |world: &mut World, before| -> Result<usize, RetrieveError> {
        let question = Fix { error: COMPLAINT.replace('⏎', "\n"), before, ..Fix::default() };
        Ok(fix(&mut world.log, &world.views, &question)?.items.len())
    };
    let day = |text: &str| backstory_engine::model::Timestamp::parse(text);
    assert_eq!(ask_before(&mut world, day("2026-01-02"))?, 0);
    assert_eq!(ask_before(&mut world, day("2026-01-04"))?, 1);
    Ok(())
}

#[test]
fn a_command_that_is_known_to_fail_is_told_before_it_runs() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "session s1 claude_code 2026-01-03
  user   seed it
  run    python tools/seed.py -> fail bash: python: command not found
  run    python3 tools/seed.py -> ok seeded
",
    );
    let shop = project(&mut world, "shop")?;
    let mut warned = |action: &str| -> Result<usize, RetrieveError> {
        let question = Check { action: action.into(), project: shop, ..Check::default() };
        Ok(check(&mut world.log, &world.views, &question)?.failed.len())
    };
    assert_eq!(warned("cd app && python tools/seed.py 2>&1")?, 1);
    assert_eq!(warned("python3 tools/seed.py")?, 0);
    assert_eq!(warned("ls tools")?, 0);
    Ok(())
}

const MISSING: &str = "ModuleNotFoundError: No module named 'shop'";

/// The cards of a session whose second command passed after the first failed.
fn corrected(first: &str, then: &str) -> String {
    World::new(&format!(
        "session s1 claude_code 2026-01-03
  user   run the tests
  run    {first} -> fail {MISSING}
  read   pyproject.toml [tool]
  run    ls src -> ok shop
  user   and now
  run    {then} -> ok 3 passed
"
    ))
    .cards()
}

#[test]
fn another_form_of_the_command_is_what_helped() {
    for (first, then) in [
        ("pytest", "PYTHONPATH=src pytest"),
        ("pytest", "export PYTHONPATH=src && pytest"),
        ("pytest -q", "python -m pytest"),
        ("pytest", "poetry run pytest"),
        ("vitest run", "npx vitest run"),
        ("pytest tests", ".venv/bin/pytest tests"),
    ] {
        let cards = corrected(first, then);
        let form = then.replace("export PYTHONPATH=src &&", "PYTHONPATH=src");
        let expected = format!(
            "fact correction active: `{}` fails here ({MISSING}); use `{form}`.\n",
            first.trim_end_matches(" -q")
        );
        assert_eq!(cards, expected, "{first} / {then}");
    }
    for (first, then) in [("pytest", "CI=1 pytest"), ("pytest", "pytest tests/one.py"), ("make test", "make lint")] {
        assert_eq!(corrected(first, then), "", "{first} / {then}");
    }
}

#[test]
fn only_the_failing_form_is_warned_of() -> Result<(), RetrieveError> {
    let mut world = World::new(&format!(
        "session s1 claude_code 2026-01-03
  user   run the tests
  run    pytest -> fail {MISSING}
  run    PYTHONPATH=src pytest -> ok 3 passed
"
    ));
    let shop = project(&mut world, "shop")?;
    let found = ask(&mut world, MISSING, shop)?;
    assert_eq!(
        found.iter().map(|item| &item.remedy).collect::<Vec<_>>(),
        [&KnownRemedy::Form("PYTHONPATH=src pytest".into())]
    );
    let mut warned = |action: &str| -> Result<usize, RetrieveError> {
        let question = Check { action: action.into(), project: shop, ..Check::default() };
        Ok(check(&mut world.log, &world.views, &question)?.failed.len())
    };
    assert_eq!(warned("cd app && pytest -q 2>&1 | tail")?, 1);
    assert_eq!(warned("pytest tests/test_door.py")?, 1, "the same environment is missing");
    assert_eq!(warned("PYTHONPATH=src pytest")?, 0);
    assert_eq!(warned("PYTHONPATH=src pytest tests/test_door.py")?, 0);
    assert_eq!(warned("export PYTHONPATH=src && pytest")?, 0);
    Ok(())
}

#[test]
fn a_form_that_works_without_more_is_not_warned_of() -> Result<(), RetrieveError> {
    let mut world = World::new(&format!(
        "session s1 claude_code 2026-01-03
  user   run the tests
  run    SHOP=1 pytest -> fail {MISSING}
  run    pytest -> ok 3 passed
"
    ));
    let shop = project(&mut world, "shop")?;
    let question = Check { action: "pytest".into(), project: shop, ..Check::default() };
    assert_eq!(check(&mut world.log, &world.views, &question)?.failed, []);
    Ok(())
}

#[test]
fn what_is_not_followed_leaves_no_trouble() -> Result<(), RetrieveError> {
    let mut world = World::new(
        "session s1 claude_code 2026-01-03
  user   go
  run    git pull -> fail fatal: not a git repository
",
    );
    let shop = project(&mut world, "shop")?;
    let question = Fix { error: "fatal: not a git repository".into(), project: shop, ..Fix::default() };
    assert_eq!(fix(&mut world.log, &world.views, &question)?.seen, []);
    Ok(())
}

#[test]
fn what_was_run_between_is_told_and_never_that_it_did_not_come_up() -> Result<(), RetrieveError> {
    let refused = "E   OperationalError: connection to server at localhost failed: Connection refused";
    let session = |between: &str| {
        format!(
            "session s1 claude_code 2026-01-03\n  user go\n  run npm test -> fail {refused}\n{between}  run npm test -> ok\n"
        )
    };
    let between = |commands: &[&str]| -> String {
        session(&commands.iter().map(|command| format!("  run {command} -> ok\n")).collect::<String>())
    };
    for (ran, told) in [
        (&["docker ps", "docker compose up -d db", "ls"][..], &["docker compose up -d db"][..]),
        (&["cat package.json", "npm install"], &["npm install"]),
        (&["make db-up"], &["make db-up"]),
        (&["./scripts/seed.sh", "npm run lint"], &["./scripts/seed.sh"]),
        (&["cp .env.example .env"], &["cp .env.example .env"]),
    ] {
        let mut world = World::new(&between(ran));
        let found = ask(&mut world, refused, None)?;
        let told = KnownRemedy::Commands(told.iter().map(|command| (*command).to_owned()).collect());
        assert_eq!(found.iter().map(|item| &item.remedy).collect::<Vec<_>>(), [&told], "{ran:?}");
    }
    // The failure is found, even if its remedy is unknown.
    for ran in [&["git status"][..], &["make a", "make b", "make c"]] {
        let mut world = World::new(&between(ran));
        let question = Fix { error: refused.into(), ..Fix::default() };
        let found = fix(&mut world.log, &world.views, &question)?;
        assert_eq!((found.known, found.items.len(), found.seen.len()), (1, 0, 1), "{ran:?}");
        let ran_between = found.seen[0].ended.as_ref().map(|end| end.ran.len());
        assert_eq!(ran_between, Some(if ran.len() == 3 { 3 } else { 0 }));
    }
    // This includes failures of commands that are no checks.
    let mut world = World::new(
        "session s1 claude_code 2026-01-03\n  user go\n  run npm install -> fail error: ERESOLVE could not resolve\n",
    );
    let question = Fix { error: "error: ERESOLVE could not resolve".into(), ..Fix::default() };
    let found = fix(&mut world.log, &world.views, &question)?;
    assert_eq!((found.known, found.seen.len()), (1, 1));
    assert_eq!(found.seen[0].ended, None);
    Ok(())
}
