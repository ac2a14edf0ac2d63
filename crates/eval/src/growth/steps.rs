//! Steps that are measured in a process of their own, as a program that stays
//! open would ask: the memory and the model are opened once.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::embed::{Embedder, StaticTable};
use backstory_engine::model::{ProjectId, Timestamp};
use backstory_engine::retrieve::{
    ChainScore, Clusters, Direction, Episodic, Search, clusters, recall_or_predict, search,
};
use backstory_engine::store::index::DocNum;
use cpu_time::ProcessTime;

/// Vectors that are compared with those of a full scan.
const NEAREST: usize = 100;
/// So many questions fill the caches first and are not counted.
const WARM_UP: usize = 40;
/// As many clusters as the command lists.
const SHOWN_CLUSTERS: usize = 40;
const LISTINGS: usize = 21;
/// Each question is asked so often; its shortest time counts, or the p95 would
/// tell what else the machine was doing.
const ROUNDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// Search all projects
    Search,
    /// Search the project with the most sessions
    Project,
    /// Recall from all projects
    Recall,
    /// List the clusters
    List,
    /// Find the nearest vectors, and compare them with those of a full scan
    Nearest,
}

/// What each question took.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Measured {
    /// From asking to the answer, in milliseconds; the shortest of each question.
    pub times: Vec<f64>,
    /// CPU time of all threads, per question.
    pub cpu_ms: f64,
    /// Questions that have an answer: shows that the step did its work. Of the
    /// nearest vectors: questions of which all hundred were found.
    pub answered: usize,
    /// Of the nearest hundred, how many were found on average.
    pub found: f64,
}

pub fn command(step: Step, questions: &Path, home: &Path) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("growth-step").arg(format!("{step:?}").to_lowercase()).arg(questions).arg(home);
    Ok(command)
}

pub fn measure(step: Step, questions: &Path, home: &Path) -> Result<Measured, Box<dyn Error>> {
    let output = command(step, questions, home)?.output()?;
    if !output.status.success() {
        return Err(format!("step {step:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The child's side.
pub fn run_step(step: Step, questions: &Path, home: &Path) -> Result<(), Box<dyn Error>> {
    let mut asker = Asker::open(step, home)?;
    let mut questions: Vec<String> = std::fs::read_to_string(questions)?.lines().map(str::to_owned).collect();
    if step == Step::Nearest {
        let measured = asker.compare_nearest(&questions)?;
        return Ok(serde_json::to_writer(std::io::stdout(), &measured)?);
    }
    if step == Step::List {
        // No question is asked there.
        questions.truncate(LISTINGS);
    }
    for question in questions.iter().take(WARM_UP) {
        asker.ask(question)?;
    }
    let mut measured = Measured { times: vec![f64::INFINITY; questions.len()], ..Measured::default() };
    let cpu = ProcessTime::try_now()?;
    for _ in 0..ROUNDS {
        measured.answered = 0;
        for (question, shortest) in questions.iter().zip(&mut measured.times) {
            let start = Instant::now();
            measured.answered += usize::from(asker.ask(question)?);
            *shortest = shortest.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    measured.cpu_ms = cpu.try_elapsed()?.as_secs_f64() * 1e3 / (ROUNDS * questions.len()).max(1) as f64;
    serde_json::to_writer(std::io::stdout(), &measured)?;
    Ok(())
}

struct Asker {
    step: Step,
    memory: Memory,
    table: StaticTable,
    project: Option<ProjectId>,
}

impl Asker {
    fn open(step: Step, home: &Path) -> Result<Self, Box<dyn Error>> {
        let mut memory = Memory::open(home)?;
        memory.refresh(&mut |_| {})?;
        let mut projects = memory.log().store().projects()?;
        projects.sort_by_key(|row| row.episodes);
        let largest = projects.last().map(|row| row.project.id);
        let project = largest.filter(|_| step == Step::Project);
        Ok(Asker { step, memory, table: StaticTable::shipped(), project })
    }

    /// Is there an answer?
    fn ask(&mut self, text: &str) -> Result<bool, Box<dyn Error>> {
        let mut question = Search::new(text);
        question.filter.project = self.project;
        question.now = Some(Timestamp(jiff::Timestamp::now().as_millisecond()));
        let (log, views) = self.memory.parts();
        Ok(match self.step {
            Step::Search | Step::Project => !search(log, views, &mut self.table, &question)?.items.is_empty(),
            Step::Recall => {
                let direction = Direction::Backward;
                let question = Episodic { search: question, direction, chain_score: ChainScore::default() };
                !recall_or_predict(log, views, &mut self.table, &question)?.chains.is_empty()
            }
            Step::List => {
                let question = Clusters { project: None, limit: Some(SHOWN_CLUSTERS) };
                clusters(log, views, &question)?.is_some_and(|list| !list.items.is_empty())
            }
            Step::Nearest => false,
        })
    }

    /// The nearest passages as a search finds them, beside those of scanning all.
    fn compare_nearest(&mut self, questions: &[String]) -> Result<Measured, Box<dyn Error>> {
        let snapshot = self.memory.views().snapshot()?;
        let index = snapshot.read().index(self.table.model())?;
        let matrix = index.vectors.map_err(|damage| damage.to_string())?;
        let mut measured = Measured::default();
        for question in questions {
            let query = self.table.embed(&[question.as_str()])?.remove(0);
            let mut all: Vec<(DocNum, f32)> = Vec::new();
            matrix.scan(&query, |doc, cosine| all.push((doc, cosine)));
            all.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(NEAREST);
            let found = match matrix.likely(&query, NEAREST, |_| true) {
                Some(likely) => all.iter().filter(|(doc, _)| likely.binary_search(doc).is_ok()).count(),
                None => all.len(),
            };
            measured.answered += usize::from(found == all.len());
            measured.found += found as f64 / questions.len() as f64;
        }
        Ok(measured)
    }
}
