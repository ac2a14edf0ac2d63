//! Asks the code, its history and the memory one question.

use std::collections::HashMap;
use std::path::PathBuf;

use backstory_cause::digest::Reader;
use backstory_cause::drawing::{Drawing, mermaid, svg};
use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{
    CausalRetrieval, Mode, OutsideModel, RankedDocument, RelevanceWeights, RetrievalOptions, STATED_OF, retrieve,
};
use backstory_engine::ingest::commit_message;
use backstory_engine::model::{ProjectId, Retrieval, RetrievedDocument};
use backstory_engine::retrieve::ToldCase;

use crate::ask_context::AskContext;
use crate::code_index::{self, IndexedCode};
use crate::endpoint::AnswerService;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{environment, home, json, own_file};

use super::answer;
use super::memory::{MemoryUse, ProjectMemory};

/// The log's answers are later compared with outcomes, over the same first documents.
const _: () = assert!(STATED_OF == backstory_engine::model::STATED_OF);

/// How a question is asked.
#[derive(clap::Args, Clone, Debug)]
pub struct CauseArgs {
    /// Show at most N causes (5; precision 3, recall 30)
    #[arg(long = "limit", alias = "max", short = 'n', value_name = "N", value_parser = crate::commands::query::limit)]
    max_docs: Option<usize>,
    /// Omit causes below this relevance (0 to 1)
    #[arg(long, value_name = "SCORE", value_parser = share)]
    min_relevance: Option<f32>,
    /// How many causes to show: balanced, precision (few and strong) or recall (many)
    #[arg(long, value_name = "MODE", default_value = "balanced")]
    mode: ModeArg,
    /// Weights of information, counterfactual and chain in the score
    #[arg(long, value_name = "I,C,H", value_parser = weights)]
    weights: Option<RelevanceWeights>,
    /// Omit the explanation of each cause
    #[arg(long)]
    no_explanations: bool,
    /// Use only the code and its history, not sessions and cards
    #[arg(long)]
    no_memory: bool,
    /// Write a drawing of the chains to this file: SVG (.svg) or Mermaid text (.mmd)
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ModeArg {
    Balanced,
    Precision,
    Recall,
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

fn weights(text: &str) -> Result<RelevanceWeights, String> {
    if text.split(',').count() != 3 {
        return Err("expected three numbers: information,counterfactual,chain".to_owned());
    }
    let parts: Vec<f32> = text.split(',').map(|part| share(part.trim())).collect::<Result<_, _>>()?;
    if parts.iter().sum::<f32>() <= 0.0 {
        return Err("at least one of them must be above 0".to_owned());
    }
    match parts[..] {
        [information_contribution, counterfactual_impact, causal_chain_strength] => {
            Ok(RelevanceWeights { information_contribution, counterfactual_impact, causal_chain_strength })
        }
        _ => Err("expected three numbers: information,counterfactual,chain".to_owned()),
    }
}

impl CauseArgs {
    fn memory_use(&self) -> MemoryUse {
        if self.no_memory { MemoryUse::NoteOnly } else { MemoryUse::PartOfAnswer }
    }

    pub fn options(&self) -> RetrievalOptions {
        RetrievalOptions {
            max_docs: self.max_docs,
            min_relevance: self.min_relevance,
            weights: self.weights.unwrap_or_default(),
            include_explanations: !self.no_explanations,
            mode: match self.mode {
                ModeArg::Balanced => Mode::Balanced,
                ModeArg::Precision => Mode::Precision,
                ModeArg::Recall => Mode::Recall,
            },
            ..RetrievalOptions::default()
        }
    }
}

/// A question with its answer.
pub struct AnsweredQuestion {
    pub indexed: IndexedCode,
    pub found: CausalRetrieval,
    /// The messages of the answer's commits, below their subjects.
    pub commit_bodies: HashMap<String, String>,
    /// Past work about it.
    pub cases: Vec<ToldCase>,
    /// None: all projects.
    project: Option<ProjectId>,
}

/// Answers, and writes a drawing if requested.
fn ask(
    context: &mut AskContext,
    question: &str,
    scope: &ProjectScope,
    args: &CauseArgs,
) -> Result<AnsweredQuestion, AppError> {
    let asked = ask_with(context, question, scope, &args.options(), args.memory_use())?;
    if let Some(path) = &args.graph {
        let drawing = Drawing::of_chains(question, &asked.found);
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => own_file::write(path, &svg(&drawing), "<svg")?,
            Some("mmd") => own_file::write(path, &mermaid(&drawing), "flowchart")?,
            _ => {
                let message = format!("--graph {}: chains are drawn as SVG or Mermaid", path.display());
                return Err(AppError::new(ErrorKind::Usage, message).hint("Name a file that ends in .svg or .mmd."));
            }
        }
        context.notice(format!("the chains are drawn in {}", path.display()));
    }
    Ok(asked)
}

/// Answers; writes nothing but the code index.
pub fn ask_with(
    context: &mut AskContext,
    question: &str,
    scope: &ProjectScope,
    options: &RetrievalOptions,
    usage: MemoryUse,
) -> Result<AnsweredQuestion, AppError> {
    let root = code_index::root_of(&context.folder)?;
    // Checked before indexing the code: without a memory nothing is created.
    if context.memory_if_open().is_none() && !home::has_memory()? {
        return Err(home::no_memory()?);
    }
    let (opened, folder) = (context.take_memory(), context.folder.clone());
    let open = move || match opened {
        Some(memory) => Ok(memory),
        None if usage == MemoryUse::PartOfAnswer => home::open_or_create(),
        None => home::open_without_refresh(),
    };
    // The memory and the code are independent, so both are read at once.
    let (indexed, memory) = std::thread::scope(|threads| {
        let memory = threads.spawn(|| ProjectMemory::ask(open()?, &folder, question, scope, &root, usage));
        let indexed = super::index(context);
        (indexed, memory.join())
    });
    let indexed = indexed?;
    let mut memory = memory.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let place = Codebase::new(&indexed.code.tree, &indexed.code.past);
    memory.past = Some(&indexed.code.past);
    let mut service = AnswerService::configured()?;
    let outside = service.as_mut().map(|service| service as &mut dyn OutsideModel);
    let found = retrieve(&place, &mut Reader::default(), question, &mut memory, Some(&indexed.root), options, outside)
        .map_err(|error| {
            AppError::new(ErrorKind::Failed, error.to_string())
                .hint("Without `[why] answers` in config.toml the answer model is local.")
        })?;
    let (problem, project, cases) = (memory.problem(), memory.project, std::mem::take(&mut memory.cases));
    context.put_back(memory.memory);
    problem?;
    let commits = found.documents.iter().filter_map(|ranked| ranked.document.id.strip_prefix("commit:"));
    let commit_bodies = commits.filter_map(|id| Some((id.to_owned(), commit_message(&indexed.root, id)?))).collect();
    Ok(AnsweredQuestion { indexed, found, commit_bodies, cases, project })
}

/// Answers, and records the answer in the log.
pub fn reply(
    context: &mut AskContext,
    question: &str,
    scope: &ProjectScope,
    args: &CauseArgs,
    session: Option<String>,
) -> Result<Reply, AppError> {
    let asked = ask(context, question, scope, args)?;
    let noted = note(context, question, session, &args.options(), &asked)?;
    let mut json = json::causes(question, &asked.indexed.root, &asked.found, noted.as_deref());
    json["cases"] = json::case_list(&asked.cases).into();
    let reply = Reply::recalled("why", json, answer::render(question, &asked, noted.as_deref()));
    Ok(match asked.found.documents.is_empty() && asked.cases.is_empty() {
        true => reply.without_answer(),
        false => reply,
    })
}

/// Records the answer and its certainty, for comparison with the outcome. None if nothing can be recorded.
fn note(
    context: &mut AskContext,
    question: &str,
    session: Option<String>,
    options: &RetrievalOptions,
    asked: &AnsweredQuestion,
) -> Result<Option<String>, AppError> {
    if context.memory_without_refresh()?.is_read_only() {
        return Ok(None);
    }
    let share = |ranked: &RankedDocument| ranked.relevance.confidence.value().unwrap_or(0.0);
    let documents = asked.found.documents.iter().map(|ranked| RetrievedDocument {
        id: ranked.document.id.clone(),
        kind: ranked.document.kind.name().to_owned(),
        path: ranked.document.path.clone(),
        lines: ranked.document.lines,
        name: Some(ranked.document.name.clone()),
        score: ranked.relevance.score,
        stated: share(ranked),
    });
    let retrieval = Retrieval {
        verb: "why".to_owned(),
        project: asked.project,
        session,
        mode: options.mode.name().to_owned(),
        stated: asked.found.stated,
        documents: documents.collect(),
    };
    let id = context.memory_without_refresh()?.log().append_retrieval(environment::now(), question, &retrieval)?;
    Ok(Some(id.short()))
}
