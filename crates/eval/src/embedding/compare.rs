//! How well does an embedding alone find the turns that answer a question?

use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use backstory_language::embed::{EmbedError, Embedder, SentenceModel, StaticTable};
use flate2::read::GzDecoder;
use serde_json::Value;

const TOP: usize = 10;
/// The embedded head of a turn: the end of a long answer says less about its topic.
const HEAD: usize = 600;

struct Conversation {
    ids: Vec<String>,
    turns: Vec<String>,
    questions: Vec<Question>,
}

struct Question {
    text: String,
    evidence: HashSet<String>,
}

/// Prints turn recall@10 of each table and model on LoCoMo and BEAM.
pub(super) fn run(data: &Path, tables: &[PathBuf], models: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let sets = [load(&data.join("locomo.jsonl.gz"))?, load(&data.join("beam.jsonl.gz"))?];
    println!("{:40} {:>7} {:>7}", "turn recall@10, vectors only", "LoCoMo", "BEAM");
    for path in tables {
        let table = StaticTable::from_bytes(fs::read(path)?.leak())?;
        report(&path.display().to_string(), table, &sets)?;
    }
    for folder in models {
        let model = SentenceModel::open(folder, |file| std::fs::read(file))?;
        let name = model.model().to_owned();
        report(&name, model, &sets)?;
    }
    Ok(())
}

fn report(name: &str, mut embedder: impl Embedder, sets: &[Vec<Conversation>]) -> Result<(), EmbedError> {
    let recalls = sets.iter().map(|set| recall(&mut embedder, set)).collect::<Result<Vec<_>, _>>()?;
    println!("{:40} {:7.3} {:7.3}", name, recalls[0], recalls[1]);
    Ok(())
}

/// The mean share of a question's evidence among the nearest turns.
fn recall(embedder: &mut impl Embedder, set: &[Conversation]) -> Result<f64, EmbedError> {
    let mut recalls = Vec::new();
    for conversation in set {
        let turns = embedder.embed(&conversation.turns.iter().map(String::as_str).collect::<Vec<_>>())?;
        let questions = embedder
            .embed(&conversation.questions.iter().map(|question| question.text.as_str()).collect::<Vec<_>>())?;
        for (question, vector) in conversation.questions.iter().zip(&questions) {
            let found = nearest(vector, &turns)
                .into_iter()
                .filter(|&at| question.evidence.contains(&conversation.ids[at]))
                .count();
            recalls.push(found as f64 / question.evidence.len() as f64);
        }
    }
    Ok(recalls.iter().sum::<f64>() / recalls.len() as f64)
}

fn nearest(vector: &[f32], turns: &[Vec<f32>]) -> Vec<usize> {
    let closeness: Vec<f32> = turns.iter().map(|turn| turn.iter().zip(vector).map(|(a, b)| a * b).sum()).collect();
    let mut order: Vec<usize> = (0..turns.len()).collect();
    order.sort_by(|&a, &b| closeness[b].total_cmp(&closeness[a]));
    order.truncate(TOP);
    order
}

fn load(path: &Path) -> Result<Vec<Conversation>, Box<dyn Error>> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| Ok(conversation(&serde_json::from_str(&line?)?))).collect()
}

fn conversation(value: &Value) -> Conversation {
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let turns = list("turns");
    let speakers: HashSet<&str> = turns.iter().filter_map(|turn| turn["speaker"].as_str()).collect();
    Conversation {
        ids: turns.iter().map(|turn| id(&turn["id"])).collect(),
        turns: turns.iter().map(|turn| text(&turn["text"]).chars().take(HEAD).collect()).collect(),
        questions: list("qa").iter().filter_map(|value| question(value, &speakers)).collect(),
    }
}

/// None if there is nothing to find: questions without evidence, or without an answer by design.
fn question(value: &Value, speakers: &HashSet<&str>) -> Option<Question> {
    let evidence: HashSet<String> = value["evidence"].as_array()?.iter().map(id).collect();
    if evidence.is_empty() || value["adversarial"] == true {
        return None;
    }
    Some(Question { text: without_names(text(&value["question"]), speakers), evidence })
}

/// Turns are embedded without their speakers, so a name in the question would only mislead.
fn without_names(question: &str, speakers: &HashSet<&str>) -> String {
    let bare = |word: &str| word.trim_end_matches("'s").trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_name = |word: &&str| speakers.contains(bare(word).trim_end_matches("'s"));
    question.split_whitespace().filter(|word| !is_name(word)).collect::<Vec<_>>().join(" ")
}

/// Ids are strings in one set and numbers in the other.
fn id(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
