//! Seed mode follows the rules of the original design, each tested separately.

use std::collections::HashSet;

use backstory_engine::fixture::World;
use backstory_engine::model::{ChunkId, Timestamp};
use backstory_engine::retrieve::rank::{Ranking, Scored};
use backstory_engine::retrieve::{
    CandidateFate, ChainScore, Direction, Episodic, EpisodicAnswer, RetrieveError, Search, SearchResults,
    recall_or_predict, search,
};
use backstory_language::embed::StaticTable;

type TestResult = Result<(), RetrieveError>;

const BAKERY: &str = "
session s1 claude_code 2026-01-03
  user   the login token expires after a restart of the bakery shop
  say    The token store forgets its tokens when the process ends.
  user   write the login tokens to disk
  say    The login tokens are on disk now.
  user   test that the login token survives a restart
  say    The login token survives the restart.
session s2 claude_code 2026-01-09
  user   the login token expires after a restart of the bakery shop again
  say    The clock was wrong, the token was fine.
  user   paint the login page green
  say    The login page is green.
session s3 claude_code 2026-02-20
  user   which flowers grow in the shade of a wall?
  say    Ferns and hostas grow well there.
";

fn seed_search(text: &str) -> Search {
    Search { ranking: Ranking::seed(), limit: 50, budget: 20_000, ..Search::new(text) }
}

fn ask(world: &mut World, question: &Search) -> Result<SearchResults, RetrieveError> {
    search(&mut world.log, &world.views, &mut StaticTable::shipped(), question)
}

fn follow(world: &mut World, text: &str, direction: Direction, budget: u64) -> Result<EpisodicAnswer, RetrieveError> {
    let search = Search { budget, ..seed_search(text) };
    let question = Episodic { search, direction, chain_score: ChainScore::Median };
    recall_or_predict(&mut world.log, &world.views, &mut StaticTable::shipped(), &question)
}

fn is_like(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn both_lists_are_fused_by_reciprocal_ranks_with_k_60() -> TestResult {
    let mut world = World::new(BAKERY);
    let found = ask(&mut world, &seed_search("login token after a restart"))?;
    let share = |rank: Option<u32>| rank.map_or(0.0, |rank| 1.0 / (60.0 + rank as f32));
    assert!(found.candidates.len() > 3);
    for Scored { score, own, words_rank, vectors_rank, .. } in found.candidates.iter().map(|candidate| candidate.score)
    {
        assert!(is_like(own, share(words_rank) + share(vectors_rank)), "{words_rank:?} {vectors_rank:?} {own}");
        assert!(is_like(score, own), "nothing else counts without a clock");
    }
    // Chunks are ranked, so no rank occurs twice.
    let ranks: Vec<u32> = found.candidates.iter().filter_map(|candidate| candidate.score.words_rank).collect();
    assert_eq!(ranks.len(), ranks.iter().collect::<HashSet<_>>().len(), "{ranks:?}");
    Ok(())
}

#[test]
fn newer_results_rank_higher() -> TestResult {
    let mut world = World::new(BAKERY);
    let now = Timestamp::parse("2026-01-10").map(Into::into);
    let found = ask(&mut world, &Search { now, ..seed_search("the login token expires after a restart") })?;
    let started: Vec<Timestamp> = found.items.iter().filter_map(|item| item.shown.started).collect();
    let boosts: Vec<f32> = found.items.iter().map(|item| item.score.recency / item.score.own).collect();
    for (a, (time, boost)) in started.iter().zip(&boosts).enumerate() {
        for (other, other_boost) in started.iter().zip(&boosts).skip(a + 1) {
            assert_eq!(time < other, boost < other_boost, "{time} {boost}, {other} {other_boost}");
        }
    }
    assert!(boosts.iter().all(|boost| *boost <= 0.3), "{boosts:?}");
    Ok(())
}

#[test]
fn the_answer_is_diverse_and_begins_with_the_best_hit() -> TestResult {
    let mut world = World::new(BAKERY);
    let found = ask(&mut world, &seed_search("the login token expires after a restart of the bakery shop"))?;
    let scores: Vec<f32> = found.candidates.iter().map(|candidate| candidate.score.score).collect();
    assert!(scores.iter().all(|score| *score <= scores[0]), "{scores:?}");
    assert!(!scores.is_sorted_by(|a, b| a >= b), "likeness to what was picked costs places: {scores:?}");
    assert!(found.candidates.iter().skip(1).all(|candidate| candidate.score.likeness > 0.0));
    Ok(())
}

#[test]
fn there_is_no_threshold_and_there_are_no_cards() -> TestResult {
    let mut world = World::new(BAKERY);
    let text = "the mortgage of a house in Portugal";
    assert!(ask(&mut world, &Search::new(text))?.items.is_empty());
    let found = ask(&mut world, &seed_search(text))?;
    assert!(!found.items.is_empty() && found.cards.is_empty());
    assert!(found.candidates.iter().all(|candidate| candidate.fate != CandidateFate::TooWeak));
    Ok(())
}

#[test]
fn five_seeds_come_from_the_fused_list() -> TestResult {
    let mut world = World::new(BAKERY);
    let told = follow(&mut world, "login token", Direction::Backward, 20_000)?;
    let scores: Vec<f32> = told.candidates.iter().map(|candidate| candidate.score.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "seeds are taken before anything is reordered: {scores:?}");
    assert!(told.candidates.iter().all(|candidate| candidate.score.likeness == 0.0));
    let best: Vec<ChunkId> = told.candidates.iter().take(5).map(|candidate| candidate.chunk).collect();
    assert!(told.walked.len() <= 5);
    assert!(told.walked.iter().filter_map(|chain| chain.seed()).all(|seed| best.contains(&seed)));
    Ok(())
}

#[test]
fn chains_follow_the_first_edge_and_visit_no_chunk_twice() -> TestResult {
    let mut world = World::new(BAKERY);
    for direction in [Direction::Backward, Direction::Forward] {
        let told = follow(&mut world, "login token", direction, 20_000)?;
        let view = world.views.read();
        let mut visited = HashSet::new();
        for chain in &told.walked {
            assert!(chain.nodes.iter().all(|node| visited.insert(node.chunk)), "{direction:?}");
            for pair in chain.nodes.windows(2) {
                let mut edges = match direction {
                    Direction::Backward => view.edges_into(pair[0].chunk)?,
                    Direction::Forward => view.edges_from(pair[0].chunk)?,
                };
                edges.sort_by_key(|(kind, chunk)| (*kind, *chunk));
                assert_eq!(edges.first().map(|(_, chunk)| *chunk), Some(pair[1].chunk), "{direction:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn all_chains_share_one_budget() -> TestResult {
    let mut world = World::new(BAKERY);
    for budget in [30, 60, 120, 400] {
        let told = follow(&mut world, "login token", Direction::Backward, budget)?;
        let walked: u64 = told.walked.iter().flat_map(|chain| &chain.nodes).map(|node| u64::from(node.tokens)).sum();
        assert!(walked <= budget && told.tokens <= budget, "{budget}: {walked} {}", told.tokens);
    }
    Ok(())
}

#[test]
fn the_chain_with_the_best_median_is_the_answer() -> TestResult {
    let mut world = World::new(BAKERY);
    for direction in [Direction::Backward, Direction::Forward] {
        let told = follow(&mut world, "login token", direction, 20_000)?;
        let [chain] = told.chains.as_slice() else { panic!("one chain: {:#?}", told.chains) };
        let qualified = told.walked.iter().filter(|chain| chain.nodes.len() >= 2);
        let best = qualified.map(|chain| chain.median).fold(0.0, f32::max);
        assert!(chain.length >= 2 && is_like(chain.median, best), "{direction:?}");
        assert!(chain.items.is_sorted_by_key(|item| item.shown.started), "in the order of time");
        assert!(told.experience.is_none());
    }
    Ok(())
}

#[test]
fn ranked_results_come_where_no_chain_has_two_chunks() -> TestResult {
    let mut world = World::new(
        "
session s1 claude_code 2026-01-03
  user   which flowers grow in the shade of a wall?
",
    );
    let told = follow(&mut world, "flowers in the shade", Direction::Forward, 2_000)?;
    assert!(told.chains.is_empty());
    assert!(told.fallback.is_some_and(|found| !found.items.is_empty()));
    Ok(())
}
