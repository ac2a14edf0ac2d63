//! A question about a long conversation -> the turns that answer it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use backstory_engine::model::EventId;
use backstory_engine::retrieve::rank::Ranking;
use serde_json::{Value, json};

use super::EvalResult;
use super::scores::{Scores, distinct};
use super::world::World;
use crate::baseline::Baseline;

pub struct Chats {
    name: String,
    chats: Vec<Chat>,
}

/// A conversation with a separate memory.
struct Chat {
    world: World,
    turns: Vec<Turn>,
    turn_of: HashMap<EventId, String>,
    questions: Vec<Question>,
}

struct Turn {
    id: String,
    text: String,
}

struct Question {
    text: String,
    gold: Vec<String>,
    kind: String,
}

/// Over all questions, and by kind.
#[derive(Default)]
pub struct ChatScores {
    pub all: Scores,
    kinds: BTreeMap<String, Scores>,
}

impl Chats {
    pub fn read(data: &Path, name: &str, model: Option<&Path>) -> EvalResult<Self> {
        let conversations: Vec<Value> = crate::input::rows(&data.join(format!("{name}.jsonl.gz")))?;
        let chats =
            conversations.iter().map(|conversation| Chat::read(conversation, model)).collect::<EvalResult<_>>()?;
        Ok(Chats { name: name.to_owned(), chats })
    }

    pub fn worlds(&mut self) -> impl Iterator<Item = &mut World> {
        self.chats.iter_mut().map(|chat| &mut chat.world)
    }

    pub fn measure(&mut self, ranking: &Ranking) -> EvalResult<ChatScores> {
        let mut scores = ChatScores::default();
        for chat in &mut self.chats {
            for question in &chat.questions {
                let mut ranked = Vec::new();
                for hit in chat.world.ask(&question.text, ranking, 200)? {
                    let first = chat.world.parts(&hit)?.into_iter().next();
                    ranked.extend(first.and_then(|part| chat.turn_of.get(&part.event)));
                }
                scores.add(question, &distinct(ranked));
            }
        }
        Ok(scores)
    }

    /// Plain BM25 over the turns.
    pub fn baseline(&self) -> ChatScores {
        let mut scores = ChatScores::default();
        for chat in &self.chats {
            let baseline = Baseline::over(chat.turns.iter().map(|turn| turn.text.as_str()));
            for question in &chat.questions {
                let ranked = baseline.rank(&question.text).into_iter().map(|at| &chat.turns[at].id);
                scores.add(question, &ranked.collect::<Vec<_>>());
            }
        }
        scores
    }

    pub fn print(&self, scores: &ChatScores) {
        println!("{}: question -> turns\n{}", self.name, Scores::HEADER);
        scores.all.print("all");
        scores.kinds.iter().for_each(|(kind, scores)| scores.print(&format!("  {kind}")));
        self.baseline().all.print("plain BM25 over turns");
        println!();
    }
}

impl ChatScores {
    fn add(&mut self, question: &Question, ranked: &[&String]) {
        let right: Vec<bool> = ranked.iter().map(|turn| question.gold.contains(turn)).collect();
        self.all.add(&right, question.gold.len());
        self.kinds.entry(question.kind.clone()).or_default().add(&right, question.gold.len());
    }
}

impl Chat {
    fn read(conversation: &Value, model: Option<&Path>) -> EvalResult<Self> {
        let folder = tempfile::tempdir()?;
        let rows = conversation["turns"].as_array().cloned().unwrap_or_default();
        write_transcripts(folder.path(), &rows)?;
        let turns: Vec<Turn> = rows
            .iter()
            .map(|row| Turn { id: id_of(row), text: row["text"].as_str().unwrap_or("").to_owned() })
            .collect();
        let mut world = World::of_folders(&[folder.path()], model)?;
        let turn_of = turns_of_events(&mut world, &turns)?;
        let questions = conversation["qa"].as_array().into_iter().flatten().filter_map(question).collect();
        Ok(Chat { world, turns, turn_of, questions })
    }
}

/// None for questions without evidence, which have no right answer.
fn question(row: &Value) -> Option<Question> {
    let gold = evidence(row);
    let text = row["question"].as_str().filter(|_| !gold.is_empty())?.to_owned();
    Some(Question { text, gold, kind: kind(row) })
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
fn write_transcripts(folder: &Path, turns: &[Value]) -> EvalResult<()> {
    let mut files: BTreeMap<u64, String> = BTreeMap::new();
    for turn in turns {
        let file = files.entry(turn["session"].as_u64().unwrap_or(0)).or_default();
        let speaker = turn["speaker"].as_str().or_else(|| turn["role"].as_str()).unwrap_or("user");
        let date = turn["date"].as_str().or_else(|| turn["time"].as_str());
        file.push_str(&json!({ "speaker": speaker, "date": date, "text": turn["text"] }).to_string());
        file.push('\n');
    }
    for (session, text) in files {
        fs::write(folder.join(format!("session-{session:03}.jsonl")), text)?;
    }
    Ok(())
}

/// Events are in the order of the turns, file by file.
fn turns_of_events(world: &mut World, turns: &[Turn]) -> EvalResult<HashMap<EventId, String>> {
    let mut waiting: HashMap<&str, Vec<&String>> = HashMap::new();
    for turn in turns.iter().rev() {
        waiting.entry(turn.text.trim()).or_default().push(&turn.id);
    }
    let mut ids = HashMap::new();
    world.memory.log().store().scan(0, |event| {
        if let Some(id) = waiting.get_mut(event.text.trim()).and_then(Vec::pop) {
            ids.insert(event.id, id.clone());
        }
        true
    })?;
    Ok(ids)
}
