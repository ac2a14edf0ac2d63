//! Laws that hold for any input.

use backstory_engine::derive::STAGES;
use backstory_engine::fixture::{Op, World, same_rows};
use backstory_engine::store::{CardFilter, StoreError};
use proptest::prelude::*;

fn line() -> impl Strategy<Value = String> {
    let word = "[a-z]{1,9}";
    prop_oneof![
        3 => word.prop_map(|text| format!("user {text} please")),
        3 => "[a-z ]{1,400}".prop_map(|text| format!("say x{text}")),
        1 => word.prop_map(|text| format!("think {text}")),
        2 => (word, prop::sample::select(vec!["ok", "fail", "reject"])).prop_map(|(text, exit)| format!("run {text} -> {exit} {text}")),
        1 => word.prop_map(|text| format!("run {text}")),
        3 => (prop::sample::select(vec!["make lint", "make test && make lint", "go test ./... | tail -5"]), rule())
            .prop_map(|(command, rule)| format!("run {command} -> fail {rule}")),
        3 => prop::sample::select(vec!["make lint -> ok", "make lint -> ok src/a.rs:3:1: result is not checked (unchecked)", "make test -> ok 3 passed", "go test ./... -> ok", "mix format -> ok"])
            .prop_map(|run| format!("run {run}")),
        2 => prop::sample::select(vec!["src/a.rs -open(door) +check(door)", "src/b.rs -open(door) +x", "src/a.rs -y +z"])
            .prop_map(|edit| format!("edit {edit}")),
        1 => Just("run python seed.py -> fail bash: python: command not found".to_owned()),
        1 => Just("run python3 seed.py -> ok".to_owned()),
        1 => word.prop_map(|text| format!("edit src/{text}.rs -a +b")),
        1 => Just("stop".to_owned()),
        1 => Just("compact".to_owned()),
        1 => word.prop_map(|text| format!("queued {text}")),
        1 => prop::sample::select(vec!["queued go on now", "user go on now"]).prop_map(str::to_owned),
        1 => Just("rewind 1".to_owned()),
        1 => Just("spawn scout find it".to_owned()),
        1 => Just("report scout found it".to_owned()),
        1 => Just("send scout go on".to_owned()),
        1 => Just("from scout go on".to_owned()),
        1 => word.prop_map(|text| format!("title {text}")),
        1 => word.prop_map(|text| format!("user no, fix the {text} first. what does {text} do now?")),
        1 => word.prop_map(|text| format!("todo pending {text}")),
        1 => (prop::sample::select(vec!["user", "say", "run x -> ok"]), word).prop_map(|(who, text)| {
            format!("{who} fix the {text} <backstory-memory verb=x> old news </backstory-memory> what is {text} now?")
        }),
        1 => word.prop_map(|text| format!("user Always run {text} before you commit.")),
        1 => word.prop_map(|text| format!("note use {text} for the tests")),
        1 => word.prop_map(|text| format!("edit CLAUDE.md -a +Never edit files below {text} by hand.")),
        1 => word.prop_map(|text| format!("ask Which store should {text} use? = a plain file")),
        3 => (prop::sample::select(vec!["Ann", "Bo", "GM"]), word)
            .prop_map(|(who, text)| format!("line {who}: can you open the {text} now?")),
    ]
}

/// The diagnostics of a linter.
fn rule() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "src/a.rs:3:1: result is not checked (unchecked)⏎    open(door)⏎    ^⏎1 issues:",
        "src/a.rs:3:1: result is not checked (unchecked)⏎    open(door)⏎    ^⏎src/b.rs:9:9: unused name `x` (unused)",
        "src/b.rs:1:1: undefined: hinge",
        "--- FAIL: TestDoor (0.00s)",
        "fatal: not a git repository",
    ])
    .prop_map(str::to_owned)
}

/// A few sessions whose events interleave, as those of concurrent agents do.
fn fixture() -> impl Strategy<Value = String> {
    let heading = prop::sample::select(vec![
        "session s1 claude_code 2026-01-03",
        "session s2 claude_code 2026-01-03T00:07",
        "session s3 codex 2026-01-04",
        "session s4 claude_code 2026-01-02 other",
        "agent scout of s1",
        "session s5 transcript 2026-01-05",
    ]);
    prop::collection::vec((heading, prop::collection::vec(line(), 1..8)), 1..8).prop_map(|blocks| {
        let mut text = String::new();
        for (heading, lines) in blocks {
            text.push_str(&format!("{heading}\n"));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        text
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1usize..12).prop_map(Op::Append),
        2 => Just(Op::Refresh),
        2 => (0usize..4, 1usize..9).prop_map(|(slices, events)| Op::Fold { slices, events }),
        3 => prop::sample::select(STAGES.map(|stage| stage.name).to_vec()).prop_map(Op::Restart),
    ]
}

/// The rows that only a rebuild has, and those that it lacks.
fn difference_from_rebuild(world: &mut World) -> String {
    let rebuilt = world.rebuilt();
    let (mine, fresh) = (world.views.read().dump().unwrap_or_default(), rebuilt.read().dump().unwrap_or_default());
    let missing: Vec<_> = fresh.iter().filter(|row| !mine.contains(row)).collect();
    let extra: Vec<_> = mine.iter().filter(|row| !fresh.contains(row)).collect();
    match missing.is_empty() && extra.is_empty() {
        true => String::new(),
        false => format!("missing {missing:#?}\nextra {extra:#?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn refreshing_equals_rebuilding(fixture in fixture(), slices in prop::collection::vec(1usize..9, 0..20)) {
        let difference = difference_from_rebuild(&mut World::in_slices(&fixture, &slices));
        prop_assert!(difference.is_empty(), "{difference}\n{fixture}");
    }

    /// Any stage restarted at any cursor, with any growth between, killed at any point.
    #[test]
    fn restarting_a_stage_equals_rebuilding(fixture in fixture(), ops in prop::collection::vec(op(), 1..16)) {
        let mut world = World::through(&fixture, &ops);
        let difference = difference_from_rebuild(&mut world);
        prop_assert!(difference.is_empty(), "{difference}\n{ops:?}\n{fixture}");
        prop_assert_eq!(world.views.read().gaps().ok(), Some(Vec::new()));
    }

    #[test]
    fn evidence_never_dangles(fixture in fixture(), slices in prop::collection::vec(1usize..9, 0..6)) {
        let mut world = World::in_slices(&fixture, &slices);
        let mut parts = Vec::new();
        let scanned = world.views.read().scan_chunks(|_, body| {
            assert!(!body.parts.is_empty(), "a chunk without evidence");
            parts.extend(body.parts);
            true
        });
        prop_assert!(scanned.is_ok());
        for part in parts {
            let cited = world.log.resolve(&part.evidence());
            prop_assert!(cited.is_ok(), "{cited:?}");
        }
        for (num, _) in world.log.store().episodes().unwrap_or_default() {
            for row in world.views.read().links_of(num).unwrap_or_default() {
                let cited = world.log.resolve(&row.intent);
                prop_assert_eq!(cited.ok(), Some(row.link.intent_text.clone()));
                let Some((found, evidence)) = row.link.consequence.zip(row.consequence) else { continue };
                prop_assert_eq!(world.log.resolve(&evidence).ok(), Some(found.text));
                prop_assert!(found.anchor > row.link.intent_anchor);
            }
            for row in world.views.read().failures_of(num).unwrap_or_default() {
                let passed = row.failure.resolution.map(|resolution| resolution.passed);
                for evidence in std::iter::once(row.failure.failed).chain(passed) {
                    let cited = world.log.resolve(&evidence);
                    prop_assert!(cited.is_ok(), "{cited:?}");
                }
            }
        }
        for row in world.views.read().cards(&CardFilter::default()).unwrap_or_default() {
            for evidence in &row.card.evidence {
                let cited = world.log.resolve(evidence);
                prop_assert!(cited.is_ok(), "{} {cited:?}", row.card.statement);
            }
        }
    }

    #[test]
    fn cards_rest_on_what_was_said(fixture in fixture(), slices in prop::collection::vec(1usize..9, 0..6)) {
        let mut world = World::in_slices(&fixture, &slices);
        for row in world.views.read().cards(&CardFilter::default()).unwrap_or_default() {
            prop_assert!(!row.card.evidence.is_empty());
            for evidence in &row.card.evidence {
                let cited = world.log.resolve(evidence);
                prop_assert!(cited.is_ok(), "{cited:?}");
            }
        }
    }

    #[test]
    fn edges_join_chunks_that_exist(fixture in fixture(), slices in prop::collection::vec(1usize..9, 0..6)) {
        let mut world = World::in_slices(&fixture, &slices);
        let edges = world.edges();
        prop_assert!(!edges.contains("(missing)"), "{edges}");
    }
}

#[test]
fn rebuilding_one_stage_changes_nothing() -> Result<(), StoreError> {
    let fixture = "
session s1 claude_code 2026-01-03
  user   one
  spawn  scout  find it
agent scout of s1
  user   find it
  say    found
session s2 claude_code 2026-01-04
  user   two
";
    let mut world = World::new(fixture);
    let fresh = world.rebuilt();
    for stage in ["index", "cards", "links", "graph", "chunk"] {
        world.rebuild_stage(stage);
        assert!(same_rows(&world.views, &fresh)?, "{stage}");
    }
    Ok(())
}

/// Only the beginning of an extremely long message is derived; the log keeps all of it.
#[test]
fn a_message_without_an_end_is_derived_from_its_beginning() -> Result<(), StoreError> {
    let fixture = format!("session s1 claude_code 2026-01-03\n  user {}\n  say done\n", "wörd ".repeat(500_000));
    let mut world = World::in_slices(&fixture, &[1]);
    let rebuilt = world.rebuilt();
    assert!(same_rows(&world.views, &rebuilt)?);
    let (mut derived, mut logged) = (0, 0);
    world.views.read().scan_chunks(|_, body| {
        derived += body.parts.iter().map(|part| part.text.len()).sum::<usize>();
        true
    })?;
    world.log.store().scan(0, |event| {
        logged += event.text.len();
        true
    })?;
    assert!(derived <= (1 << 20) + 100, "{derived} bytes");
    assert!(logged > 2_500_000, "{logged} bytes");
    Ok(())
}
