//! Questions that share no content word with their answer: it must be found by meaning.
//!
//! The answers are in the sample project and in small conversations beside this file. The right answers were fixed
//! before anything was measured.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use backstory_engine::derive::index::{Passage, passages};
use backstory_engine::model::ChunkId;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::store::index::Field;
use backstory_language::text::{Tokenizer, is_stop_word};

use super::scores::Scores;
use super::world::World;
use super::{EvalResult, sessions_in};

#[derive(serde::Deserialize)]
struct Question {
    question: String,
    /// A text that only the answering passage and its copies contain.
    quote: String,
}

/// A passage: its chunk, and its start in the chunk.
type Place = (ChunkId, u16);

pub struct ZeroOverlap {
    pub world: World,
    /// Each with the passages that answer it.
    questions: Vec<(String, HashSet<Place>)>,
}

impl ZeroOverlap {
    /// `among`: another folder of sessions, as distractors.
    pub fn read(among: Option<&Path>, model: Option<&Path>) -> EvalResult<Self> {
        let (sample, conversations) = (sample_project(), conversations());
        let mut folders: Vec<&Path> = vec![&sample, &conversations];
        folders.extend(among);
        let world = World::of_folders(&folders, model)?;
        let mut asked = Vec::new();
        for line in include_str!("questions.jsonl").lines() {
            let question: Question = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            asked.push((question, HashSet::new()));
        }
        find_answers(&world, &mut asked)?;
        let lost = asked.iter().find(|(_, places)| places.is_empty());
        if let Some((question, _)) = lost {
            return Err(format!("no passage has the quote '{}'", question.quote).into());
        }
        let questions = asked.into_iter().map(|(question, places)| (question.question, places)).collect();
        Ok(ZeroOverlap { world, questions })
    }

    pub fn measure(&mut self, ranking: &Ranking) -> EvalResult<Scores> {
        let mut scores = Scores::default();
        for (question, places) in &self.questions {
            let hits = self.world.ask(question, ranking, 100)?;
            let right: Vec<bool> = hits.iter().map(|hit| places.contains(&(hit.chunk, hit.parts.0))).collect();
            // Copies of an answer count as one answer.
            let first = right.iter().position(|right| *right);
            scores.add(&(0..right.len()).map(|at| Some(at) == first).collect::<Vec<_>>(), 1);
        }
        Ok(scores)
    }
}

/// A slow model runs on the small set only.
pub fn run(data: &Path, ranking: &Ranking, model: Option<&Path>) -> EvalResult<()> {
    let without = Ranking { vectors: 0.0, ..ranking.clone() };
    let sessions = sessions_in(data);
    let mut haystacks = vec![("", None)];
    if model.is_none() {
        haystacks.push((" among sessions", Some(sessions.as_path())));
    }
    println!("questions without a word of their answer\n{}", Scores::HEADER);
    for (name, among) in haystacks {
        let mut questions = ZeroOverlap::read(among, model)?;
        questions.measure(ranking)?.print(&format!("with vectors{name}"));
        questions.measure(&without)?.print(&format!("words alone{name}"));
    }
    println!();
    Ok(())
}

fn sample_project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("app").join("demo")
}

fn conversations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/quality/zero_overlap/conversations")
}

/// Finds the passages with the quotes; fails if one shares a word with its question.
fn find_answers(world: &World, asked: &mut [(Question, HashSet<Place>)]) -> EvalResult<()> {
    let mut tokenizer = Tokenizer::new();
    let mut shared = Vec::new();
    world.memory.views().read().scan_chunks(|chunk, body| {
        for passage in passages(&body) {
            let parts = &body.parts[passage.parts.0..passage.parts.1];
            let has = |quote: &str| parts.iter().any(|part| part.text.contains(quote));
            for (question, places) in asked.iter_mut().filter(|(question, _)| has(&question.quote)) {
                places.insert((chunk.id, passage.parts.0 as u16));
                let common = common_words(&mut tokenizer, &question.question, &passage);
                if !common.is_empty() {
                    let common = common.join(", ");
                    shared.push(format!("'{}' shares {common} with '{}'", question.question, question.quote));
                }
            }
        }
        true
    })?;
    if shared.is_empty() { Ok(()) } else { Err(shared.join("\n").into()) }
}

/// Content words that the question and the passage share.
fn common_words(tokenizer: &mut Tokenizer, question: &str, passage: &Passage<'_>) -> Vec<String> {
    let texts = passage.texts();
    let searched = texts.iter().filter(|(field, _)| *field != Field::Thinking);
    let words: HashSet<String> = searched.flat_map(|(_, text)| tokenizer.strings(text)).collect();
    tokenizer.strings(question).into_iter().filter(|term| !is_stop_word(term) && words.contains(term)).collect()
}
