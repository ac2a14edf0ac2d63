//! Steps measured in a separate process.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};

use super::corpus::{self, Document};
use super::tokens::{query_tokens, spaced_tokens};
use super::{Engine, WordIndex};

pub const TOP: usize = 20;
/// This many questions fill the caches first and are not counted.
const WARM_UP: usize = 40;
/// All questions are asked once, and again up to this many times or this long.
const ROUNDS: usize = 3;
const LONG_ENOUGH: Duration = Duration::from_secs(20);
const ADDED: u64 = 20;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum IndexStep {
    /// Index all documents
    Build,
    /// Open and ask one question
    Cold,
    /// Ask all questions several times
    Warm,
    /// Add documents one by one, each safe on disk
    Add,
}

/// The result of a step.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct StepCost {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub peak_mb: f64,
    /// Of each question (CPU) or addition (wall time, it waits for the disk), in milliseconds.
    pub times: Vec<f64>,
    /// The hits of each question.
    pub hits: Vec<Vec<u64>>,
}

/// Runs a step as a child process. `texts` is a file of documents or of questions.
pub fn measure(engine: Engine, step: IndexStep, texts: &Path, folder: &Path) -> Result<StepCost, Box<dyn Error>> {
    let step_name = format!("{step:?}").to_lowercase();
    let mut child = Command::new(std::env::current_exe()?);
    let output = child.arg("word-index-step").args([engine.name(), &step_name]).arg(texts).arg(folder).output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} {step_name} failed: {error}", engine.name()).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The child's side.
pub fn run_step(engine: Engine, step: IndexStep, texts: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let measured = match engine {
        Engine::None => only_tokens(texts)?,
        Engine::Own => step_of::<super::own::Own>(step, texts, folder)?,
        Engine::Fts5 => step_of::<super::fts5::Fts5>(step, texts, folder)?,
        #[cfg(feature = "tantivy")]
        Engine::Tantivy => step_of::<super::tantivy_index::Tantivy>(step, texts, folder)?,
    };
    serde_json::to_writer(std::io::stdout(), &measured)?;
    Ok(())
}

fn step_of<I: WordIndex>(step: IndexStep, texts: &Path, folder: &Path) -> Result<StepCost, Box<dyn Error>> {
    match step {
        IndexStep::Build => timed(|_| I::build(folder, corpus::read(texts)?)),
        IndexStep::Cold => {
            let questions = read_questions(texts)?;
            timed(|measured| {
                let index = I::open(folder)?;
                measured.hits.push(index.search(&query_tokens(&questions[0]), TOP)?);
                Ok(())
            })
        }
        IndexStep::Warm => timed(|measured| ask_all(&I::open(folder)?, &read_questions(texts)?, measured)),
        IndexStep::Add => {
            let documents: Vec<Document> = corpus::read(texts)?.take(ADDED as usize).collect();
            timed(|measured| add_all(&mut I::open(folder)?, documents, measured))
        }
    }
}

fn ask_all(index: &impl WordIndex, questions: &[String], measured: &mut StepCost) -> Result<(), Box<dyn Error>> {
    for question in questions.iter().take(WARM_UP) {
        index.search(&query_tokens(question), TOP)?;
    }
    let begin = Instant::now();
    for round in 0..ROUNDS {
        if round > 0 && begin.elapsed() > LONG_ENOUGH {
            break;
        }
        for question in questions {
            // The engines search in the calling thread. Its CPU time is the cost of the answer, independent of other
            // load.
            let start = ThreadTime::try_now()?;
            let hits = index.search(&query_tokens(question), TOP)?;
            measured.times.push(start.try_elapsed()?.as_secs_f64() * 1e3);
            if round == 0 {
                measured.hits.push(hits);
            }
        }
    }
    Ok(())
}

fn add_all(
    index: &mut impl WordIndex,
    documents: Vec<Document>,
    measured: &mut StepCost,
) -> Result<(), Box<dyn Error>> {
    for mut document in documents {
        // Ids that are not in the index yet.
        document.id += 1 << 40;
        let start = Instant::now();
        index.add(&document)?;
        measured.times.push(milliseconds(start));
    }
    Ok(())
}

/// The minimum of a build: the work before an engine sees anything.
fn only_tokens(texts: &Path) -> Result<StepCost, Box<dyn Error>> {
    timed(|_| {
        for document in corpus::read(texts)? {
            for field in &document.fields {
                std::hint::black_box(spaced_tokens(field));
            }
        }
        Ok(())
    })
}

fn timed(work: impl FnOnce(&mut StepCost) -> Result<(), Box<dyn Error>>) -> Result<StepCost, Box<dyn Error>> {
    let (cpu, wall) = (ProcessTime::try_now()?, Instant::now());
    let mut measured = StepCost::default();
    work(&mut measured)?;
    measured.cpu_ms = cpu.try_elapsed()?.as_secs_f64() * 1e3;
    measured.wall_ms = milliseconds(wall);
    measured.peak_mb = crate::phase::peak_memory_mb().unwrap_or(f64::NAN);
    Ok(measured)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn read_questions(file: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    Ok(std::fs::read_to_string(file)?.lines().map(str::to_owned).collect())
}
