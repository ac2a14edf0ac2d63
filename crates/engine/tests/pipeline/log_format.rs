//! `docs/log-format.md` describes what the code does: the chain is computed by its rules.

use backstory_engine::fixture::World;
use backstory_engine::log::LogError;

const PAGE: &str = include_str!("../../../../docs/log-format.md");

/// The parts that the page hashes, in its order: `chain(n-1) | event id | …`.
fn documented_parts() -> Vec<String> {
    let recipe = PAGE.split("chain(n) = BLAKE3(").nth(1).and_then(|rest| rest.split("```").next());
    let recipe = recipe.expect("the page has the recipe of the chain").trim().trim_end_matches(')');
    recipe.split('|').map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Computes a part from its description alone.
struct Row<'a> {
    chain: [u8; 32],
    event: &'a [u8],
    episode: &'a [u8],
    project: &'a [u8],
    seq: u32,
    time: Option<i64>,
    kind: u8,
    hash: [u8; 32],
}

impl Row<'_> {
    fn next_chain(&self) -> [u8; 32] {
        let mut bytes = Vec::new();
        for part in documented_parts() {
            match part.as_str() {
                "chain(n-1)" => bytes.extend_from_slice(&self.chain),
                "event id" => bytes.extend_from_slice(self.event),
                "episode id" => bytes.extend_from_slice(self.episode),
                "project id" => bytes.extend_from_slice(self.project),
                "seq as u32 LE" => bytes.extend_from_slice(&self.seq.to_le_bytes()),
                "time as i64 LE, or i64::MIN without one" => {
                    bytes.extend_from_slice(&self.time.unwrap_or(i64::MIN).to_le_bytes());
                }
                "kind as 1 byte" => bytes.push(self.kind),
                "hash" => bytes.extend_from_slice(&self.hash),
                other => panic!("the page hashes {other:?}, which this test does not know"),
            }
        }
        *blake3::hash(&bytes).as_bytes()
    }
}

#[test]
fn the_chain_is_what_the_page_says() -> Result<(), LogError> {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   make login survive restarts
  run    cargo test  -> fail  token expired
agent scout of s1
  user   find the refund code
session s2 codex 2026-01-09 other
  user   login broken again
",
    );
    let mut chain = [0; 32];
    let mut rows = 0;
    world.log.store().scan_rows(|row| {
        let row = row.expect("no row is damaged");
        let next = Row {
            chain,
            event: row.encoded.id.as_bytes(),
            episode: row.episode.as_bytes(),
            project: row.project.as_bytes(),
            seq: row.seq,
            time: row.encoded.time.map(|time| time.0),
            kind: row.encoded.kind.number(),
            hash: row.encoded.hash,
        };
        assert_eq!(next.next_chain(), row.chain, "row {}", row.pos);
        chain = row.chain;
        rows += 1;
        true
    })?;
    assert!(rows >= 5, "{rows} rows");
    Ok(())
}

/// The worked example of the page, computed from its own numbers.
#[test]
fn the_worked_example_holds() {
    let bytes = |name: &str| -> Vec<u8> {
        let start = format!("| {name} | `");
        let value = PAGE.split(&start).nth(1).and_then(|rest| rest.split('`').next());
        let hex = value.unwrap_or_else(|| panic!("the page's example has no {name}"));
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("the example is written in hex");
        (0..hex.len()).step_by(2).map(digit).collect()
    };
    let array = |name: &str| -> [u8; 32] { bytes(name).try_into().expect("32 bytes") };
    let payload = "{\"class\":\"prompt\"}\n";
    let text = blake3::hash(b"make login survive restarts");
    let hash = blake3::hash(&[payload.as_bytes(), text.as_bytes()].concat());
    assert_eq!(hash.as_bytes(), &array("its hash"));
    let row = Row {
        chain: [0; 32],
        event: &bytes("its id"),
        episode: &bytes("its episode"),
        project: &bytes("its project"),
        seq: 0,
        time: Some(1_767_434_400_000),
        kind: 0,
        hash: *hash.as_bytes(),
    };
    assert_eq!(row.next_chain(), array("its chain value"));
}
