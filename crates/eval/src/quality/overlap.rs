//! Do different questions get different answers?

use std::collections::HashSet;

use backstory_engine::model::ChunkId;
use backstory_engine::retrieve::rank::Ranking;

use super::EvalResult;
use super::commits::Commits;
use super::scores::distinct;
use super::world::World;

const OF_EACH_KIND: usize = 100;

/// Compares subjects of commits and first prompts pairwise.
pub fn run(world: &mut World, commits: &Commits, ranking: &Ranking) -> EvalResult<()> {
    let runs = world.memory.views().read().runs()?;
    let prompts = runs.into_iter().filter_map(|(_, run)| run.first_prompt).map(|prompt| prompt.trim().to_owned());
    let subjects = distinct(commits.subjects().map(str::to_owned));
    let mut questions = spread(&subjects, OF_EACH_KIND);
    questions.extend(spread(&distinct(prompts.filter(|prompt| !prompt.is_empty())), OF_EACH_KIND));
    let questions = distinct(questions);
    let mut answers: Vec<Vec<ChunkId>> = Vec::new();
    for question in &questions {
        answers.push(world.search(question, ranking)?.items.iter().map(|item| item.shown.chunk).collect());
    }
    let (mut pairs, mut overlap, mut same) = (0u32, 0.0, 0u32);
    for (at, one) in answers.iter().enumerate() {
        for other in &answers[at + 1..] {
            pairs += 1;
            overlap += jaccard(one, other);
            same += u32::from(one == other);
        }
    }
    let first: HashSet<ChunkId> = answers.iter().filter_map(|answer| answer.first().copied()).collect();
    let empty = answers.iter().filter(|answer| answer.is_empty()).count();
    println!("different questions, different answers ({} questions, {pairs} pairs)", questions.len());
    println!("mean overlap of the chunks shown (Jaccard)  {:.4}", overlap / f64::from(pairs.max(1)));
    println!("pairs with the same answer                  {:.4}", f64::from(same) / f64::from(pairs.max(1)));
    println!("different first chunks                      {} of {}", first.len(), answers.len() - empty);
    println!("questions without an answer                 {empty}\n");
    Ok(())
}

fn jaccard(one: &[ChunkId], other: &[ChunkId]) -> f64 {
    let shared = one.iter().filter(|chunk| other.contains(chunk)).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// At most `count` of the list, evenly spread over it.
pub fn spread<T: Clone>(list: &[T], count: usize) -> Vec<T> {
    let count = count.min(list.len());
    (0..count).map(|at| list[at * list.len() / count].clone()).collect()
}
