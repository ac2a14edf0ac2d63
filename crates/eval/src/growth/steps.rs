//! Steps measured in a separate process, with the memory and the model opened once, as in a program that stays open.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::model::{ChunkId, ProjectId, Timestamp};
use backstory_engine::retrieve::{
    ChainScore, Clusters, Direction, Episodic, Search, clusters, recall_or_predict, search,
};
use backstory_engine::store::index::DocNum;
use backstory_language::embed::{Embedder, StaticTable};
use cpu_time::ProcessTime;

/// The number of vectors compared with those of a full scan.
const NEAREST: usize = 100;
/// This many questions fill the caches first and are not counted.
const WARM_UP: usize = 40;
/// The number of clusters that the command lists.
const SHOWN_CLUSTERS: usize = 40;
const LISTINGS: usize = 21;
/// Each question is asked this often; its shortest time counts, because otherwise the p95 would measure other load on
/// the machine.
const ROUNDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum GrowthStep {
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
    /// Search all projects, and compare the answers with those of a full scan
    Answers,
}

/// The times of the questions.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct StepTimes {
    /// From question to answer, in milliseconds; the shortest of each question.
    pub times: Vec<f64>,
    /// CPU time of all threads, per question.
    pub cpu_ms: f64,
    /// Questions with an answer: shows that the step did its work. For nearest vectors and compared answers: questions
    /// for which all were found.
    pub answered: usize,
    /// The average share found, of the nearest hundred or of an answer's items.
    pub found: f64,
}

pub fn command(step: GrowthStep, questions: &Path, home: &Path) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("growth-step").arg(format!("{step:?}").to_lowercase()).arg(questions).arg(home);
    Ok(command)
}

pub fn measure(step: GrowthStep, questions: &Path, home: &Path) -> Result<StepTimes, Box<dyn Error>> {
    let output = command(step, questions, home)?.output()?;
    if !output.status.success() {
        return Err(format!("step {step:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The child's side.
pub fn run_step(step: GrowthStep, questions: &Path, home: &Path) -> Result<(), Box<dyn Error>> {
    let mut asker = Asker::open(step, home)?;
    let mut questions: Vec<String> = std::fs::read_to_string(questions)?.lines().map(str::to_owned).collect();
    if matches!(step, GrowthStep::Nearest | GrowthStep::Answers) {
        let measured = match step {
            GrowthStep::Nearest => asker.compare_nearest(&questions)?,
            _ => compare_answers(asker, &questions, home)?,
        };
        return Ok(serde_json::to_writer(std::io::stdout(), &measured)?);
    }
    if step == GrowthStep::List {
        // No question is asked in that step.
        questions.truncate(LISTINGS);
    }
    for question in questions.iter().take(WARM_UP) {
        asker.ask(question)?;
    }
    let mut measured = StepTimes { times: vec![f64::INFINITY; questions.len()], ..StepTimes::default() };
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
    step: GrowthStep,
    memory: Memory,
    table: StaticTable,
    project: Option<ProjectId>,
}

impl Asker {
    fn open(step: GrowthStep, home: &Path) -> Result<Self, Box<dyn Error>> {
        let mut memory = Memory::open(home)?;
        memory.refresh(&mut |_| {})?;
        let mut projects = memory.log().store().projects()?;
        projects.sort_by_key(|row| row.episodes);
        let largest = projects.last().map(|row| row.project.id);
        let project = largest.filter(|_| step == GrowthStep::Project);
        Ok(Asker { step, memory, table: StaticTable::shipped(), project })
    }

    fn search(&mut self, text: &str) -> Result<Vec<ChunkId>, Box<dyn Error>> {
        let question = self.question(text);
        let (log, views) = self.memory.parts();
        let found = search(log, views, &mut self.table, &question)?;
        Ok(found.items.into_iter().map(|item| item.shown.chunk).collect())
    }

    fn question(&self, text: &str) -> Search {
        let mut question = Search::new(text);
        question.filter.project = self.project;
        question.now = Some(Timestamp(jiff::Timestamp::now().as_millisecond()).into());
        question
    }

    /// Is there an answer?
    fn ask(&mut self, text: &str) -> Result<bool, Box<dyn Error>> {
        let question = self.question(text);
        let (log, views) = self.memory.parts();
        Ok(match self.step {
            GrowthStep::Search | GrowthStep::Project => {
                !search(log, views, &mut self.table, &question)?.items.is_empty()
            }
            GrowthStep::Recall => {
                let direction = Direction::Backward;
                let question = Episodic { search: question, direction, chain_score: ChainScore::default() };
                !recall_or_predict(log, views, &mut self.table, &question)?.chains.is_empty()
            }
            GrowthStep::List => {
                let question = Clusters { project: None, limit: Some(SHOWN_CLUSTERS) };
                clusters(log, views, &question)?.is_some_and(|list| !list.items.is_empty())
            }
            GrowthStep::Nearest | GrowthStep::Answers => false,
        })
    }

    /// Compares the nearest passages of a search with those of a full scan.
    fn compare_nearest(&mut self, questions: &[String]) -> Result<StepTimes, Box<dyn Error>> {
        let snapshot = self.memory.views().snapshot()?;
        let index = snapshot.read().index(self.table.model())?;
        let matrix = index.vectors.map_err(|damage| damage.to_string())?;
        let mut measured = StepTimes::default();
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

/// Compares a search's answers with those without vector signs, which scan all vectors.
fn compare_answers(mut asker: Asker, questions: &[String], home: &Path) -> Result<StepTimes, Box<dyn Error>> {
    let pruned = questions.iter().map(|question| asker.search(question)).collect::<Result<Vec<_>, _>>()?;
    let index = home.join("views").join("index");
    let mut signs = Vec::new();
    for file in std::fs::read_dir(&index)? {
        let path = file?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("signs-")) {
            signs.push(path);
        }
    }
    let aside = |path: &Path| home.join(path.file_name().unwrap_or_default());
    for path in &signs {
        std::fs::rename(path, aside(path))?;
    }
    let full = Asker::open(GrowthStep::Answers, home)
        .and_then(|mut asker| questions.iter().map(|question| asker.search(question)).collect::<Result<Vec<_>, _>>());
    for path in &signs {
        std::fs::rename(aside(path), path)?;
    }
    let mut measured = StepTimes::default();
    for (full, pruned) in full?.iter().zip(&pruned) {
        let found = full.iter().filter(|chunk| pruned.contains(chunk)).count();
        // An empty answer is found completely.
        let share = if full.is_empty() { 1.0 } else { found as f64 / full.len() as f64 };
        measured.answered += usize::from(full == pruned);
        measured.found += share / questions.len() as f64;
    }
    Ok(measured)
}
