//! A committed line -> the turn that wrote it; a commit's subject -> its turns.

use std::collections::BTreeMap;
use std::path::Path;

use backstory_engine::model::Digest;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::store::EpisodeNum;

use super::EvalResult;
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

pub struct Lines {
    lines: Vec<(Vec<String>, Turn)>,
    subjects: Vec<(String, Vec<Turn>)>,
    /// Rows whose prompt is not in the log.
    unknown: usize,
}

impl Lines {
    pub fn read(data: &Path, world: &World) -> EvalResult<Self> {
        let rows: Vec<Row> = crate::input::rows(&data.join("entire_line_to_prompt.jsonl.gz"))?;
        let view = world.memory.views().read();
        let mut lines = Vec::new();
        let mut commits: BTreeMap<String, (String, Vec<Turn>)> = BTreeMap::new();
        let mut unknown = 0;
        let holder = |record: &str| -> EvalResult<Option<Turn>> {
            Ok(view.record_holders(&Digest::of_record(record))?.first().copied())
        };
        for row in rows {
            let prompt = match &row.gold_prompt_uuid {
                Some(prompt) => holder(prompt)?,
                None => None,
            };
            let Some(gold) = prompt.or(holder(&row.gold_edit_uuid)?) else {
                unknown += 1;
                continue;
            };
            commits.entry(row.commit).or_insert_with(|| (row.commit_subject, Vec::new())).1.push(gold);
            lines.push((row.lines, gold));
        }
        let subjects = commits.into_values().map(|(subject, turns)| (subject, distinct(turns))).collect();
        Ok(Lines { lines, subjects, unknown })
    }

    /// By the longest of a row's lines.
    pub fn measure_longest(&self, world: &mut World, ranking: &Ranking) -> EvalResult<Scores> {
        let mut scores = Scores::default();
        for (lines, gold) in &self.lines {
            let longest = lines.iter().max_by_key(|line| line.len()).map_or("", String::as_str);
            scores.add(&right(world, longest, &[*gold], ranking)?, 1);
        }
        Ok(scores)
    }

    fn measure_all_lines(&self, world: &mut World, ranking: &Ranking) -> EvalResult<Scores> {
        let mut scores = Scores::default();
        for (lines, gold) in &self.lines {
            scores.add(&right(world, &lines.join("\n"), &[*gold], ranking)?, 1);
        }
        Ok(scores)
    }

    pub fn measure_subjects(&self, world: &mut World, ranking: &Ranking) -> EvalResult<Scores> {
        let mut scores = Scores::default();
        for (subject, turns) in &self.subjects {
            scores.add(&right(world, subject, turns, ranking)?, turns.len());
        }
        Ok(scores)
    }

    pub fn report(&self, world: &mut World, ranking: &Ranking) -> EvalResult<()> {
        println!(
            "committed line -> the turn that wrote it ({} rows whose prompt is not in the log left out)\n{}",
            self.unknown,
            Scores::HEADER
        );
        self.measure_longest(world, ranking)?.print("its longest line");
        self.measure_all_lines(world, ranking)?.print("all its lines");
        self.measure_subjects(world, ranking)?.print("commit subject -> a turn of it");
        println!();
        Ok(())
    }
}

fn right(world: &mut World, query: &str, gold: &[Turn], ranking: &Ranking) -> EvalResult<Vec<bool>> {
    let hits = world.ask(query, ranking, 100)?;
    let ranked = distinct(hits.iter().map(|hit| (hit.episode, hit.turn)));
    Ok(ranked.iter().map(|turn| gold.contains(turn)).collect())
}
