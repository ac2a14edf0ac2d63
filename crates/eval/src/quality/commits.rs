//! A commit's subject -> the session that produced it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use backstory_engine::model::EventKind;
use backstory_engine::retrieve::CandidateFate;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::store::EpisodeNum;

use super::EvalResult;
use super::scores::{Scores, distinct};
use super::world::World;
use crate::baseline::Baseline;

#[derive(serde::Deserialize)]
struct Row {
    query: String,
    gold_strict: Vec<String>,
    /// The number of the commit's lines that each session wrote.
    gold_by_lines: Vec<(String, u32)>,
}

pub struct Commits {
    questions: Vec<Question>,
    sessions: HashMap<EpisodeNum, String>,
    /// What was said and done in each session, without command output.
    texts: BTreeMap<String, String>,
}

struct Question {
    subject: String,
    gold: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Line-verified, and the subject is verbatim in the session.
    Verbatim,
    /// Line-verified, and it does not.
    Reworded,
    Unverified,
}

#[derive(Default)]
pub struct CommitScores {
    pub verified: Scores,
    verbatim: Scores,
    pub reworded: Scores,
    unverified: Scores,
}

impl Commits {
    pub fn read(data: &Path, world: &mut World) -> EvalResult<Self> {
        let rows: Vec<Row> = crate::input::rows(&data.join("entire_commit_to_session.jsonl.gz"))?;
        let sessions = world.sessions()?;
        let everything = texts_of_sessions(world, |_| true)?;
        let questions = rows.into_iter().filter_map(|row| question(row, &everything)).collect();
        let texts = texts_of_sessions(world, |kind| !matches!(kind, EventKind::ToolOutput | EventKind::Thinking))?;
        Ok(Commits { questions, sessions, texts })
    }

    pub fn subjects(&self) -> impl Iterator<Item = &str> {
        self.questions.iter().map(|question| question.subject.as_str())
    }

    /// With the program's own search.
    pub fn measure(&self, world: &mut World, ranking: &Ranking) -> EvalResult<CommitScores> {
        self.measure_at(CutStage::Returned, world, ranking)
    }

    fn measure_at(&self, stage: CutStage, world: &mut World, ranking: &Ranking) -> EvalResult<CommitScores> {
        let mut scores = CommitScores::default();
        for question in &self.questions {
            let episodes = stage.episodes(world, &question.subject, ranking)?;
            scores.add(question, &distinct(episodes.iter().filter_map(|episode| self.sessions.get(episode))));
        }
        Ok(scores)
    }

    /// Plain BM25 over whole sessions.
    fn baseline(&self) -> CommitScores {
        let names: Vec<&String> = self.texts.keys().collect();
        let baseline = Baseline::over(self.texts.values().map(String::as_str));
        let mut scores = CommitScores::default();
        for question in &self.questions {
            let ranked = baseline.rank(&question.subject).into_iter().map(|at| names[at]);
            scores.add(question, &ranked.collect::<Vec<_>>());
        }
        scores
    }

    pub fn print(&self, world: &mut World, ranking: &Ranking) -> EvalResult<()> {
        println!("commit subject -> session\n{}", Scores::HEADER);
        for stage in [CutStage::Returned, CutStage::StrongEnough, CutStage::Ranked] {
            println!("{}", stage.name());
            self.measure_at(stage, world, ranking)?.print();
        }
        println!("plain BM25 over whole sessions");
        self.baseline().print();
        println!();
        Ok(())
    }
}

/// How much of the ranking is used.
#[derive(Clone, Copy)]
enum CutStage {
    Returned,
    StrongEnough,
    Ranked,
}

impl CutStage {
    fn name(self) -> &'static str {
        match self {
            CutStage::Returned => "returned by search",
            CutStage::StrongEnough => "strong enough, without limit and budget",
            CutStage::Ranked => "all that is ranked",
        }
    }

    /// The episodes of the counted passages, best first.
    fn episodes(self, world: &mut World, question: &str, ranking: &Ranking) -> EvalResult<Vec<EpisodeNum>> {
        const DEPTH: usize = 400;
        let counts: fn(CandidateFate) -> bool = match self {
            CutStage::Returned => |fate| fate == CandidateFate::Shown,
            CutStage::StrongEnough => |fate| fate != CandidateFate::TooWeak,
            CutStage::Ranked => {
                return Ok(world.ask(question, ranking, DEPTH)?.iter().map(|hit| hit.episode).collect());
            }
        };
        let mut episodes = Vec::new();
        for candidate in world.search(question, ranking)?.candidates {
            if counts(candidate.fate) {
                episodes.extend(world.memory.views().read().chunk_row(candidate.chunk)?.map(|row| row.episode));
            }
        }
        Ok(episodes)
    }
}

impl CommitScores {
    fn add(&mut self, question: &Question, ranked: &[&String]) {
        let right: Vec<bool> = ranked.iter().map(|session| question.gold.contains(session)).collect();
        let gold = question.gold.len();
        match question.kind {
            Kind::Verbatim => self.verbatim.add(&right, gold),
            Kind::Reworded => self.reworded.add(&right, gold),
            Kind::Unverified => self.unverified.add(&right, gold),
        }
        if question.kind != Kind::Unverified {
            self.verified.add(&right, gold);
        }
    }

    fn print(&self) {
        self.verified.print("line-verified");
        self.verbatim.print("  subject stands in the session");
        self.reworded.print("  it does not");
        self.unverified.print("not line-verified");
    }
}

/// None without a right answer.
fn question(row: Row, texts: &BTreeMap<String, String>) -> Option<Question> {
    let by_lines: Vec<String> = row.gold_by_lines.into_iter().map(|(session, _)| session).collect();
    let verified = !by_lines.is_empty();
    let gold = if verified { by_lines } else { row.gold_strict };
    let subject = row.query.to_lowercase();
    let stands = || gold.iter().any(|session| texts.get(session).is_some_and(|text| text.contains(&subject)));
    let kind = match verified {
        false => Kind::Unverified,
        true if stands() => Kind::Verbatim,
        true => Kind::Reworded,
    };
    (!gold.is_empty()).then_some(Question { subject: row.query, gold, kind })
}

/// Lower-cased.
fn texts_of_sessions(world: &mut World, wanted: fn(EventKind) -> bool) -> EvalResult<BTreeMap<String, String>> {
    let mut names = HashMap::new();
    for (_, episode) in world.memory.log().store().episodes()? {
        names.insert(episode.id(), episode.key.session);
    }
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    world.memory.log().store().scan(0, |event| {
        if let Some(session) = names.get(&event.episode).filter(|_| wanted(event.kind)) {
            let text = texts.entry(session.clone()).or_default();
            text.push_str(&event.text.to_lowercase());
            text.push('\n');
        }
        true
    })?;
    Ok(texts)
}
