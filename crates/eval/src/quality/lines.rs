//! A committed line -> the turn that wrote it; a commit's subject -> its turns.

use std::collections::HashMap;
use std::path::Path;

use backstory_engine::model::Digest;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::store::EpisodeNum;

use super::Outcome;
use super::scores::{Scores, distinct};
use super::world::World;

#[derive(serde::Deserialize)]
struct Row {
    commit: String,
    commit_subject: String,
    lines: Vec<String>,
    gold_edit_uuid: String,
    gold_prompt_uuid: Option<String>,
}

type Turn = (EpisodeNum, u32);

pub fn run(data: &Path, world: &mut World, ranking: &Ranking) -> Outcome<()> {
    let rows: Vec<Row> = crate::input::rows(&data.join("entire_line_to_prompt.jsonl.gz"))?;
    let mut by_line = Scores::default();
    let mut by_lines = Scores::default();
    let mut commits: HashMap<String, (String, Vec<Turn>)> = HashMap::new();
    let mut unknown = 0;
    for row in rows {
        let view = world.memory.views().read();
        let edit = view.record(&Digest::of_record(&row.gold_edit_uuid))?;
        let prompt = match &row.gold_prompt_uuid {
            Some(prompt) => view.record(&Digest::of_record(prompt))?,
            None => None,
        };
        let Some(gold) = prompt.or(edit) else {
            unknown += 1;
            continue;
        };
        let commit = commits.entry(row.commit).or_insert_with(|| (row.commit_subject, Vec::new()));
        commit.1.push(gold);
        let longest = row.lines.iter().max_by_key(|line| line.len()).cloned().unwrap_or_default();
        by_line.add(&right(world, &longest, &[gold], ranking)?, 1);
        by_lines.add(&right(world, &row.lines.join("\n"), &[gold], ranking)?, 1);
    }
    let mut by_subject = Scores::default();
    let mut subjects: Vec<_> = commits.into_values().collect();
    subjects.sort();
    for (subject, mut turns) in subjects {
        turns.sort_unstable();
        turns.dedup();
        by_subject.add(&right(world, &subject, &turns, ranking)?, turns.len());
    }
    println!("committed line -> the turn that wrote it ({unknown} rows whose prompt is not in the log left out)\n{}", Scores::HEADER);
    by_line.print("its longest line");
    by_lines.print("all its lines");
    by_subject.print("commit subject -> a turn of it");
    println!();
    Ok(())
}

fn right(world: &mut World, query: &str, gold: &[Turn], ranking: &Ranking) -> Outcome<Vec<bool>> {
    let hits = world.ask(query, ranking, 100)?;
    let ranked = distinct(hits.iter().map(|hit| (hit.episode, hit.turn)));
    Ok(ranked.iter().map(|turn| gold.contains(turn)).collect())
}
