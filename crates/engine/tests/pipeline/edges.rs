//! Which chunk came before which?

use backstory_engine::fixture::World;
use expect_test::{Expect, expect};

fn check(fixture: &str, expected: Expect) {
    expected.assert_eq(&World::new(fixture).edges());
}

#[test]
fn turns_follow_each_other_and_sessions_too() {
    check(
        "
session s1 claude_code 2026-01-03
  user   one
  say    done
  user   two
session s2 claude_code 2026-01-04
  user   three
session s3 codex 2026-01-05
  user   another program
session s4 claude_code 2026-01-06 other
  user   another project
",
        expect![[r#"
            s1 0.0 -> s1 1.0 within-chain
            s1 1.0 -> s2 0.0 cross-session
        "#]],
    );
}

#[test]
fn a_rewind_branches() {
    check(
        "
session s1 claude_code 2026-01-03
  user   one
  say    done
  user   wrong way
  say    oops
  rewind 2
  user   right way
",
        expect![[r#"
            s1 0.0 -> s1 2.0 within-chain
            s1 0.0 -> s1 ~1.0 within-chain
        "#]],
    );
}

#[test]
fn a_fork_is_exact() {
    check(
        "
session s1 claude_code 2026-01-03
  user   one
session s2 claude_code 2026-01-04
  user   unrelated
session s3 claude_code 2026-01-05
  fork   s1
  user   going on from s1
",
        expect![[r#"
            s1 0.0 -> s2 0.0 cross-session
            s1 0.0 -> s3 0.0 cross-session
        "#]],
    );
}

#[test]
fn sub_agents_are_briefed_and_report() {
    check(
        "
session s1 claude_code 2026-01-03
  user   how do refunds work?
  spawn  scout  find the refund code
agent scout of s1
  user   find the refund code
  say    found
session s1 claude_code 2026-01-03T02:00
  report scout  it is in refund.rs
",
        expect![[r#"
            s1 0.0 -> s1 0.1 within-chain
            s1 0.0 -> s1/scout 0.0 brief
            s1/scout 0.0 -> s1 0.1 debrief
        "#]],
    );
}

#[test]
fn teams_spawn_report_and_talk_to_each_other() {
    check(
        "
session s1 claude_code 2026-01-03
  team   red
  user   ship it
  spawn  ana  look into the cache
  spawn  bo  write tests
agent a1 of s1
  team   red
  from   team-lead look into the cache
  send   bo  cache is per user
  send   team-lead  done looking
agent b1 of s1
  team   red
  from   team-lead write tests
  say    ok
agent b2 of s1
  team   red
  from   ana cache is per user
  say    noted
session s1 claude_code 2026-01-03T02:00
  from   ana done looking
",
        expect![[r#"
            s1 0.0 -> s1 1.0 within-chain
            s1 0.0 -> s1/a1 0.0 team-spawn
            s1 0.0 -> s1/b1 0.0 team-spawn
            s1/a1 0.0 -> s1 1.0 team-report
            s1/a1 0.0 -> s1/b2 0.0 peer-message
            s1/b1 0.0 -> s1/b2 0.0 within-chain
        "#]],
    );
}
