//! Do the cards contain updates, contradictions and preferences from long conversations?
//!
//! For each question: is a card based on the newest turn that answers it, with the answer in its words; is that turn
//! among the first ten of a search; and is the replaced card marked?

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use backstory_engine::model::{Card, CardStatus, EventId, Found};
use backstory_engine::retrieve::rank::Ranking;
use serde_json::{Value, json};

use super::{EvalResult, all_cards, print_counts, print_ledger, sample};
use crate::input;
use crate::quality::World;

const ABILITIES: [&str; 3] = ["knowledge_update", "contradiction_resolution", "preference_following"];
const FIRST: usize = 10;

#[derive(Default)]
struct Tally {
    questions: usize,
    /// A candidate is based on the newest turn, whatever became of it.
    candidates: usize,
    /// A card is based on the newest turn: in force, or waiting.
    active: usize,
    proposed: usize,
    /// The answer is in its words, among those with a short answer.
    short: usize,
    in_words: usize,
    found: usize,
    /// In an open card or among the first ten.
    either: usize,
    /// A card is based on an older turn with an answer, and it is marked.
    older: usize,
    older_cards: usize,
    marked: usize,
}

pub fn run(data: &Path, samples: Option<&Path>) -> EvalResult {
    let conversations: Vec<Value> = input::rows(&data.join("beam.jsonl.gz"))?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut all = Vec::new();
    for conversation in &conversations {
        let folder = tempfile::tempdir()?;
        let sessions = write_sessions(folder.path(), conversation)?;
        let mut world = World::of_folders(&[folder.path()], None)?;
        let turns = turns_of_events(&mut world, conversation)?;
        let cards = all_cards(&world.memory.views().read())?;
        let candidates = turns_with_candidates(&mut world, &turns)?;
        println!("{}: {sessions} sessions", conversation["id"]);
        print_counts(&cards, sessions);
        print_ledger(&world.memory.views().read())?;
        println!();
        for question in conversation["qa"].as_array().into_iter().flatten() {
            let Some(ability) = ABILITIES.iter().find(|name| question["type"] == ***name) else { continue };
            let tally = tallies.entry(ability).or_default();
            judge(question, &cards, &turns, &mut world, tally)?;
            tally.candidates += usize::from(newest(question).is_some_and(|turn| candidates.contains(&turn)));
        }
        if let Some(samples) = samples {
            let name = conversation["id"].as_str().unwrap_or("conversation");
            sample::write(&mut world, &cards, &samples.join(name))?;
        }
        all.extend(cards);
    }
    println!(
        "ability                    questions  candidates  active  proposed  answer in card  search@10  either  older/cards/marked"
    );
    for (ability, tally) in &tallies {
        println!(
            "{ability:26} {:9}  {:10}  {:6}  {:8}  {:7}/{:<6}  {:9}  {:6}  {}/{}/{}",
            tally.questions,
            tally.candidates,
            tally.active,
            tally.proposed,
            tally.in_words,
            tally.short,
            tally.found,
            tally.either,
            tally.older,
            tally.older_cards,
            tally.marked
        );
    }
    let superseded = all.iter().filter(|card| card.status == CardStatus::Superseded).count();
    let disputed = all.iter().filter(|card| !card.disputes.is_empty()).count();
    println!("\n{} cards in all, {superseded} superseded, {disputed} disputed", all.len());
    Ok(())
}

fn newest(question: &Value) -> Option<u64> {
    question["evidence"].as_array().into_iter().flatten().filter_map(Value::as_u64).max()
}

fn turns_with_candidates(world: &mut World, turns: &HashMap<EventId, u64>) -> EvalResult<HashSet<u64>> {
    let mut found = HashSet::new();
    for project in world.memory.log().store().known_projects()? {
        for row in world.memory.views().read().findings_of(project.id)? {
            if let Found::Candidate(candidate) = row.found {
                found.extend(candidate.evidence().iter().filter_map(|one| turns.get(&EventId(one.id))));
            }
        }
    }
    Ok(found)
}

fn judge(
    question: &Value,
    cards: &[Card],
    turns: &HashMap<EventId, u64>,
    world: &mut World,
    tally: &mut Tally,
) -> EvalResult {
    let mut gold: Vec<u64> = question["evidence"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    gold.sort_unstable();
    let Some((newest, older)) = gold.split_last() else { return Ok(()) };
    tally.questions += 1;
    let resting_on = |turn: u64| -> Vec<&Card> {
        let rests = |card: &&Card| card.evidence.iter().any(|one| turns.get(&EventId(one.id)) == Some(&turn));
        cards.iter().filter(rests).collect()
    };
    let new = resting_on(*newest);
    tally.active += usize::from(new.iter().any(|card| card.status == CardStatus::Active));
    tally.proposed += usize::from(new.iter().any(|card| card.status == CardStatus::Proposed));
    if let Some(answer) = short_answer(question) {
        tally.short += 1;
        let says = |card: &&Card| card.status.is_open() && card.statement.to_lowercase().contains(&answer);
        tally.in_words += usize::from(new.iter().any(says));
    }
    let old: Vec<&Card> = older.iter().flat_map(|turn| resting_on(*turn)).collect();
    tally.older += usize::from(!older.is_empty());
    tally.older_cards += usize::from(!old.is_empty());
    let is_marked = |card: &&Card| card.status == CardStatus::Superseded || !card.disputes.is_empty();
    tally.marked += usize::from(old.iter().any(is_marked));
    let text = question["question"].as_str().unwrap_or_default();
    let mut first = Vec::new();
    for hit in world.ask(text, &Ranking::default(), 200)? {
        let turn = world.parts(&hit)?.first().and_then(|part| turns.get(&part.event)).copied();
        if let Some(turn) = turn.filter(|turn| !first.contains(turn)) {
            first.push(turn);
        }
    }
    let is_found = first.iter().take(FIRST).any(|turn| turn == newest);
    tally.found += usize::from(is_found);
    tally.either += usize::from(is_found || new.iter().any(|card| card.status.is_open()));
    Ok(())
}

/// The required answer, if it is a number or a few words.
fn short_answer(question: &Value) -> Option<String> {
    let rubric = question["rubric"].as_array()?.last()?.as_str()?;
    let (_, answer) = rubric.split_once("should state: ")?;
    (answer.split_whitespace().count() <= 4).then(|| answer.to_lowercase())
}

/// A session begins when the conversation names a date.
fn write_sessions(folder: &Path, conversation: &Value) -> EvalResult<usize> {
    let mut files: Vec<String> = Vec::new();
    let mut date = String::new();
    for turn in conversation["turns"].as_array().into_iter().flatten() {
        if let Some(time) = turn["time"].as_str().filter(|time| *time != date) {
            date = time.to_owned();
            files.push(String::new());
        }
        let line = json!({"speaker": turn["role"], "date": date, "text": turn["text"]});
        if files.is_empty() {
            files.push(String::new());
        }
        if let Some(file) = files.last_mut() {
            file.push_str(&format!("{line}\n"));
        }
    }
    for (number, text) in files.iter().enumerate() {
        fs::write(folder.join(format!("session-{number:03}.jsonl")), text)?;
    }
    Ok(files.len())
}

fn turns_of_events(world: &mut World, conversation: &Value) -> EvalResult<HashMap<EventId, u64>> {
    let mut waiting: HashMap<&str, Vec<u64>> = HashMap::new();
    for turn in conversation["turns"].as_array().into_iter().flatten().rev() {
        let text = turn["text"].as_str().unwrap_or_default().trim();
        waiting.entry(text).or_default().extend(turn["id"].as_u64());
    }
    let mut turns = HashMap::new();
    world.memory.log().store().scan(0, |event| {
        if let Some(turn) = waiting.get_mut(event.text.trim()).and_then(Vec::pop) {
            turns.insert(event.id, turn);
        }
        true
    })?;
    Ok(turns)
}
