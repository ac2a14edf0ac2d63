//! How are turns split into chunks?

use backstory_engine::fixture::World;
use expect_test::{Expect, expect};

fn check(fixture: &str, expected: Expect) {
    expected.assert_eq(&World::new(fixture).chunks());
}

#[test]
fn a_call_stays_with_its_result() {
    check(
        "
session s1 claude_code 2026-01-03
  user   make login survive restarts
  think  look at the token
  run    cargo test  -> fail  token expired
  edit   src/auth.rs  -let ttl = 1; +let ttl = 60;
  run    cargo test  -> ok  12 passed
  say    Fixed: the token lived one second.
",
        expect![[r#"
            s1 0.0
              user: make login survive restarts
              think: look at the token
              call Bash: cargo test
              output failed: token expired
              call Edit: src/auth.rs⏎-let ttl = 1;⏎+let ttl = 60;
              output: edited
              call Bash: cargo test
              output: 12 passed
              say: Fixed: the token lived one second.
              ran cargo test -> failed
              ran cargo test -> ok
              files src/auth.rs
        "#]],
    );
}

#[test]
fn only_people_start_turns() {
    check(
        "
session s1 claude_code 2026-01-03
  user     first
  reminder be careful
  stop
  queued   and tests please
  compact
  say      done
  user     second
",
        expect![[r#"
            s1 0.0
              user: first
              note: interrupted by the user
              user queued: and tests please
              note: context compacted
              say: done
            s1 1.0
              user: second
        "#]],
    );
}

#[test]
fn a_sub_agents_report_begins_a_chunk_of_its_own() {
    check(
        "
session s1 claude_code 2026-01-03
  user   how do refunds work?
  spawn  scout  find the refund code
  report scout  it is in refund.rs
  say    In refund.rs.
",
        expect![[r#"
            s1 0.0
              user: how do refunds work?
              call Task: to scout: find the refund code
            s1 0.1
              output from scout: it is in refund.rs
              say: In refund.rs.
        "#]],
    );
}

#[test]
fn what_backstory_printed_is_not_learned_again() {
    check(
        "
session s1 claude_code 2026-01-03
  user   what did we do? <system-reminder>be brief</system-reminder>
  run    ./recall.sh -> ok before <backstory-memory verb=x> old news </backstory-memory> after
  run    ./sessions.sh -> ok {\"backstory\":\"0.1.0\",\"items\":[1,2,3]}
  run    backstory search news --plain | head -3 -> ok old news
  run    backstory search news --plain -> fail no memory yet
",
        expect![[r#"
            s1 0.0
              user: what did we do?
              call Bash: ./recall.sh
              output: before
              output: after
              call Bash: ./sessions.sh
              call Bash: backstory search news --plain | head -3
              call Bash: backstory search news --plain
              output failed: no memory yet
              ran ./recall.sh -> ok
              ran ./sessions.sh -> ok
              ran backstory search news --plain | head -3 -> ok
              ran backstory search news --plain -> failed
        "#]],
    );
}

#[test]
fn long_output_keeps_head_and_tail() {
    let lines: Vec<String> = (0..400).map(|n| format!("line-{n}-of-the-output")).collect();
    let fixture =
        format!("session s1 claude_code 2026-01-03\n  user go\n  run make -> ok {}\n", lines.join("\u{2028}"));
    let mut world = World::new(&fixture);
    let text = world.chunks();
    assert!(text.contains("line-0-of") && text.contains("line-399-of"), "{text}");
    assert!(text.contains("cut] …") && !text.contains("line-200-of"), "{text}");
}

#[test]
fn transcripts_are_packed_line_by_line() {
    let mut fixture = String::from("session night transcript 2026-01-03\n");
    for n in 0..130 {
        fixture.push_str(&format!("  line ANA: we move on to room number {n} and look around\n"));
    }
    let mut world = World::new(&fixture);
    let text = world.chunks();
    let chunks = text.lines().filter(|line| line.starts_with("night ")).count();
    assert!((4..20).contains(&chunks), "{chunks}");
    assert_eq!(text.matches("user ANA:").count(), 130, "no line is lost");
}
