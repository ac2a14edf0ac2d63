//! A question about a long conversation -> the turns that answer it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use backstory_engine::model::EventId;
use backstory_engine::retrieve::rank::Ranking;
use serde_json::{Value, json};

use super::Outcome;
use super::scores::{Scores, distinct};
use super::world::World;

pub fn run(data: &Path, set: &str, ranking: &Ranking) -> Outcome<()> {
    let conversations: Vec<Value> = crate::input::rows(&data.join(format!("{set}.jsonl.gz")))?;
    let mut all = Scores::default();
    let mut kinds: BTreeMap<String, Scores> = BTreeMap::new();
    for conversation in conversations {
        let folder = tempfile::tempdir()?;
        let turns = conversation["turns"].as_array().cloned().unwrap_or_default();
        write_transcripts(folder.path(), &turns)?;
        let mut world = World::of_sessions(folder.path())?;
        let ids = turns_of_events(&mut world, &turns)?;
        for question in conversation["qa"].as_array().into_iter().flatten() {
            let gold = evidence(question);
            let Some(text) = question["question"].as_str().filter(|_| !gold.is_empty()) else { continue };
            let hits = world.ask(text, ranking, 200)?;
            let ranked = distinct(hits.iter().filter_map(|hit| hit.events.first()).filter_map(|event| ids.get(event)));
            let right: Vec<bool> = ranked.iter().map(|turn| gold.contains(turn)).collect();
            all.add(&right, gold.len());
            kinds.entry(kind(question)).or_default().add(&right, gold.len());
        }
    }
    println!("{set}: question -> turns\n{}", Scores::HEADER);
    all.print("all");
    kinds.iter().for_each(|(kind, scores)| scores.print(&format!("  {kind}")));
    println!();
    Ok(())
}

fn kind(question: &Value) -> String {
    match (&question["category"], &question["type"]) {
        (Value::Number(category), _) => format!("category {category}"),
        (_, Value::String(kind)) => kind.clone(),
        _ => "other".to_owned(),
    }
}

/// Ids of turns: a list of strings or numbers, or lists of them.
fn evidence(question: &Value) -> Vec<String> {
    fn collect(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| collect(value, out)),
            Value::String(text) => out.push(text.clone()),
            Value::Number(number) => out.push(number.to_string()),
            _ => {}
        }
    }
    let mut ids = Vec::new();
    collect(&question["evidence"], &mut ids);
    distinct(ids)
}

fn id_of(turn: &Value) -> String {
    match &turn["id"] {
        Value::String(id) => id.clone(),
        other => other.to_string(),
    }
}

/// One file per session of the conversation, in order.
fn write_transcripts(folder: &Path, turns: &[Value]) -> Outcome<()> {
    let mut files: BTreeMap<u64, String> = BTreeMap::new();
    for turn in turns {
        let file = files.entry(turn["session"].as_u64().unwrap_or(0)).or_default();
        let speaker = turn["speaker"].as_str().or_else(|| turn["role"].as_str()).unwrap_or("user");
        file.push_str(&json!({ "speaker": speaker, "text": turn["text"] }).to_string());
        file.push('\n');
    }
    for (session, text) in files {
        fs::write(folder.join(format!("session-{session:03}.jsonl")), text)?;
    }
    Ok(())
}

/// Events come in the order of the turns, file by file.
fn turns_of_events(world: &mut World, turns: &[Value]) -> Outcome<HashMap<EventId, String>> {
    let mut waiting: HashMap<String, Vec<String>> = HashMap::new();
    for turn in turns.iter().rev() {
        waiting.entry(turn["text"].as_str().unwrap_or("").trim().to_owned()).or_default().push(id_of(turn));
    }
    let mut ids = HashMap::new();
    world.memory.log().store().scan(0, |event| {
        if let Some(id) = waiting.get_mut(event.text.trim()).and_then(Vec::pop) {
            ids.insert(event.id, id);
        }
        true
    })?;
    Ok(ids)
}
