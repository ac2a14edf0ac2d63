//! Answers of search and recall over small worlds.

use backstory_engine::fixture::World;
use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::{
    CandidateFate, ChainScore, Direction, Episodic, EpisodicAnswer, RetrieveError, Search, SearchResults,
    recall_or_predict, search,
};
use backstory_engine::store::ViewStore;
use backstory_language::embed::StaticTable;

type TestResult = Result<(), RetrieveError>;

const SHOP: &str = "
session s1 claude_code 2026-01-03
  user   login breaks after a restart, please repair it
  say    The token store forgets its tokens when the process ends.
  edit   src/auth.rs  -keep in memory +write tokens to disk
  run    cargo test  -> fail  error E_TOKEN_4711: token expired
  edit   src/clock.rs  -local time +utc time
  run    cargo test  -> ok  12 passed
  user   now write the changelog for the release
  say    The changelog names the login repair.
  rewind 2
  user   no, translate the manual into French instead
  say    The manual is translated, only the glossary is left.
session s2 claude_code 2026-02-09
  user   which flowers grow in the shade of a wall?
  say    Ferns and hostas grow well there.
";

fn ask(world: &mut World, views: Option<&ViewStore>, question: &Search) -> Result<SearchResults, RetrieveError> {
    search(&mut world.log, views.unwrap_or(&world.views), &mut StaticTable::shipped(), question)
}

fn follow(world: &mut World, text: &str, direction: Direction, budget: u64) -> Result<EpisodicAnswer, RetrieveError> {
    let question =
        Episodic { search: Search { budget, ..Search::new(text) }, direction, chain_score: ChainScore::default() };
    recall_or_predict(&mut world.log, &world.views, &mut StaticTable::shipped(), &question)
}

fn texts(told: &EpisodicAnswer) -> Vec<String> {
    let items = told.chains.iter().flat_map(|chain| &chain.items);
    items.map(|item| item.shown.text.clone()).collect()
}

#[test]
fn a_live_session_answers_like_one_that_was_read_at_once() -> TestResult {
    // Refreshed after every event, so that chunks of open turns are replaced repeatedly.
    let mut live = World::in_slices(SHOP, &[1; 40]);
    let rebuilt = live.rebuilt();
    for text in ["E_TOKEN_4711", "why did login break after a restart", "changelog", "flowers in the shade"] {
        let question = Search::new(text);
        let answer = ask(&mut live, None, &question)?;
        let expected = ask(&mut live, Some(&rebuilt), &question)?;
        let shown = |found: &SearchResults| {
            found.items.iter().map(|item| (item.shown.chunk, (1000.0 * item.score.score) as i32)).collect::<Vec<_>>()
        };
        assert!(!answer.items.is_empty(), "{text}");
        assert_eq!(shown(&answer), shown(&expected), "{text}");
    }
    Ok(())
}

#[test]
fn answers_stay_within_any_budget() -> TestResult {
    let mut world = World::new(SHOP);
    for budget in [20, 45, 80, 150, 400, 2_000] {
        let found = ask(&mut world, None, &Search { budget, ..Search::new("login tokens restart") })?;
        assert!(!found.items.is_empty() && found.tokens <= budget, "search {budget}: {}", found.tokens);
        for direction in [Direction::Backward, Direction::Forward] {
            let told = follow(&mut world, "login tokens restart", direction, budget)?;
            assert!(told.tokens <= budget, "{direction:?} {budget}: {}", told.tokens);
            assert!(!told.chains.is_empty() || told.fallback.is_some(), "{direction:?} {budget}");
        }
    }
    Ok(())
}

#[test]
fn both_sides_of_a_rewind_are_followed() -> TestResult {
    let mut world = World::new(SHOP);
    let told = follow(&mut world, "cargo test passes after utc time in src/clock.rs", Direction::Forward, 4_000)?;
    let ends: Vec<_> = told.walked.iter().filter_map(|chain| chain.nodes.last()).map(|node| node.chunk).collect();
    assert!(ends.len() >= 2, "{:#?}", told.walked);
    let all = texts(&told).join("\n");
    assert!(all.contains("cargo test"), "{all}");
    Ok(())
}

#[test]
fn recall_tells_in_the_order_of_time_and_shows_what_matched() -> TestResult {
    let mut world = World::new(SHOP);
    let best = ask(&mut world, None, &Search::new("the changelog names the login repair"))?.items[0].shown.chunk;
    let told = follow(&mut world, "the changelog names the login repair", Direction::Backward, 2_000)?;
    for chain in &told.chains {
        assert!(chain.items.is_sorted_by_key(|item| item.shown.started), "{chain:#?}");
    }
    let shown: Vec<_> = told.chains.iter().flat_map(|chain| &chain.items).map(|item| item.shown.chunk).collect();
    assert!(shown.contains(&best));
    assert_eq!(shown.len(), shown.iter().collect::<std::collections::HashSet<_>>().len(), "nothing is told twice");
    Ok(())
}

#[test]
fn a_day_in_the_question_raises_what_was_said_then() -> TestResult {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   we agreed on the colour of the logo
session s2 claude_code 2026-02-09
  user   we agreed on the colour of the logo again
",
    );
    for (text, month) in
        [("what was agreed on the logo in January?", "2026-01"), ("on the logo on 2026-02-09", "2026-02")]
    {
        let now = Timestamp::parse("2026-03-01");
        let found = ask(&mut world, None, &Search { now: now.map(Into::into), ..Search::new(text) })?;
        let started = found.items[0].shown.started.map(|time| time.to_string()).unwrap_or_default();
        assert!(started.starts_with(month), "{text}: {started}");
    }
    Ok(())
}

#[test]
fn what_nobody_spoke_of_gets_no_answer() -> TestResult {
    let mut world = World::new(SHOP);
    for text in ["mortgage interest in Portugal", "zzz", "xqzzt vlorp"] {
        assert!(ask(&mut world, None, &Search::new(text))?.items.is_empty(), "{text}");
        assert!(follow(&mut world, text, Direction::Backward, 2_000)?.chains.is_empty(), "{text}");
    }
    Ok(())
}

#[test]
fn every_match_has_a_chain_however_long_the_chunks_are() -> TestResult {
    let filler: String = (0..700).map(|number| format!("word{number} ")).collect();
    let turns: String = (1..=6)
        .map(|turn| format!("  user   the unicorn report, part {turn}\n  say    unicorn {turn} {filler}\n"))
        .collect();
    let mut world = World::new(&format!("\nsession s1 claude_code 2026-01-03\n{turns}"));
    for direction in [Direction::Backward, Direction::Forward] {
        let told = follow(&mut world, "unicorn report", direction, 500)?;
        let is_walked = |chunk| told.walked.iter().flat_map(|chain| &chain.nodes).any(|node| node.chunk == chunk);
        let seeds: Vec<_> = told
            .candidates
            .iter()
            .filter(|candidate| matches!(candidate.fate, CandidateFate::Shown | CandidateFate::OverBudget))
            .collect();
        assert!(seeds.len() >= 5, "{direction:?}");
        assert!(seeds.iter().all(|seed| is_walked(seed.chunk)), "{direction:?}");
    }
    Ok(())
}
