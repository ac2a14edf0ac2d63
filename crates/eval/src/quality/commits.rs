//! A commit's subject -> the session that produced it.

use std::collections::HashMap;
use std::path::Path;

use backstory_engine::retrieve::rank::Ranking;

use super::Outcome;
use super::scores::{Scores, distinct};
use super::world::World;

#[derive(serde::Deserialize)]
struct Row {
    query: String,
    gold_strict: Vec<String>,
    /// With how many of the commit's lines each session wrote.
    gold_by_lines: Vec<(String, u32)>,
}

pub fn run(data: &Path, world: &mut World, ranking: &Ranking) -> Outcome<()> {
    let rows: Vec<Row> = crate::input::rows(&data.join("entire_commit_to_session.jsonl.gz"))?;
    let sessions = world.sessions()?;
    let texts = texts_of_sessions(world)?;
    let mut all = Scores::default();
    let mut verbatim = Scores::default();
    let mut reworded = Scores::default();
    let mut unverified = Scores::default();
    for row in rows {
        let by_lines: Vec<String> = row.gold_by_lines.iter().map(|(session, _)| session.clone()).collect();
        let verified = !by_lines.is_empty();
        let gold = if verified { &by_lines } else { &row.gold_strict };
        if gold.is_empty() {
            continue;
        }
        let hits = world.ask(&row.query, ranking, 400)?;
        let ranked = distinct(hits.iter().filter_map(|hit| sessions.get(&hit.episode)));
        let right: Vec<bool> = ranked.iter().map(|session| gold.contains(session)).collect();
        if !verified {
            unverified.add(&right, gold.len());
            continue;
        }
        all.add(&right, gold.len());
        let subject = row.query.to_lowercase();
        let stands = gold.iter().any(|session| texts.get(session).is_some_and(|text| text.contains(&subject)));
        if stands { verbatim.add(&right, gold.len()) } else { reworded.add(&right, gold.len()) }
    }
    println!("commit subject -> session (whole sessions by BM25: hit@1 .53, hit@5 .76, hit@10 .89)\n{}", Scores::HEADER);
    all.print("line-verified");
    verbatim.print("  subject stands in the session");
    reworded.print("  it does not");
    unverified.print("not line-verified");
    println!();
    Ok(())
}

fn texts_of_sessions(world: &mut World) -> Outcome<HashMap<String, String>> {
    let mut names = HashMap::new();
    for (_, episode) in world.memory.log().store().episodes()? {
        names.insert(episode.id(), episode.key.session);
    }
    let mut texts: HashMap<String, String> = HashMap::new();
    world.memory.log().store().scan(0, |event| {
        if let Some(session) = names.get(&event.episode) {
            let text = texts.entry(session.clone()).or_default();
            text.push_str(&event.text.to_lowercase());
            text.push('\n');
        }
        true
    })?;
    Ok(texts)
}
