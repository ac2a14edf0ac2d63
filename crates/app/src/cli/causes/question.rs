//! Asks the code, its history and the memory one question.

use std::path::PathBuf;

use backstory_cause::digest::Reader;
use backstory_cause::drawing::{Drawing, DrawnLink, DrawnNode, NodeKind};
use backstory_cause::locate::Place;
use backstory_cause::relevance::{
    CausalRetrieval, DocumentKind, Mode, NodeType, Options, OutsideModel, RelevanceWeights, retrieve,
};

use super::memory::remembered;
use super::text;
use crate::cli::scope::ProjectScope;
use crate::code::{self, IndexedCode};
use crate::endpoint::AnswerService;
use crate::error::{AppError, ErrorKind};
use crate::{home, screen, wire};

/// How a question is asked.
#[derive(clap::Args, Clone, Debug)]
pub struct CauseArgs {
    /// At most so many causes
    #[arg(long = "max", short = 'n', value_name = "N", value_parser = crate::cli::query::limit)]
    max_docs: Option<usize>,
    /// Leave out what is less relevant than this (0 to 1)
    #[arg(long, value_name = "SCORE", value_parser = share)]
    min_relevance: Option<f32>,
    /// How much is shown: balanced, precision (few and strong) or recall (many)
    #[arg(long, value_name = "MODE", default_value = "balanced")]
    mode: ModeArg,
    /// What information, counterfactual and chain count in the score
    #[arg(long, value_name = "I,C,H", value_parser = weights)]
    weights: Option<RelevanceWeights>,
    /// No sentence for each
    #[arg(long)]
    no_explanations: bool,
    /// Only the code and its history, nothing from sessions and cards
    #[arg(long)]
    no_memory: bool,
    /// Draw the chains into this file (SVG)
    #[arg(long, value_name = "FILE.svg")]
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
        _ => Err("a number from 0 to 1 is wanted".to_owned()),
    }
}

fn weights(text: &str) -> Result<RelevanceWeights, String> {
    let parts: Vec<f32> = text.split(',').map(|part| share(part.trim())).collect::<Result<_, _>>()?;
    match parts[..] {
        [information_contribution, counterfactual_impact, causal_chain_strength] => {
            Ok(RelevanceWeights { information_contribution, counterfactual_impact, causal_chain_strength })
        }
        _ => Err("three numbers are wanted: information,counterfactual,chain".to_owned()),
    }
}

impl CauseArgs {
    pub fn options(&self) -> Options {
        Options {
            max_docs: self.max_docs,
            min_relevance: self.min_relevance,
            weights: self.weights.unwrap_or_default(),
            include_explanations: !self.no_explanations,
            mode: match self.mode {
                ModeArg::Balanced => Mode::Balanced,
                ModeArg::Precision => Mode::Precision,
                ModeArg::Recall => Mode::Recall,
            },
            ..Options::default()
        }
    }
}

/// A question that was answered.
pub struct Asked {
    pub indexed: IndexedCode,
    pub found: CausalRetrieval,
}

/// Asks; writes nothing but the code index.
pub fn ask(question: &str, scope: &ProjectScope, args: &CauseArgs, quiet: bool) -> Result<Asked, AppError> {
    if question.trim().is_empty() {
        return Err(AppError::new(ErrorKind::Usage, "the question is empty")
            .hint("Ask in your own words: `backstory why \"why does checkout time out\"`."));
    }
    let indexed = code::open(&home::current_folder()?, None, quiet)?;
    let memory = if args.no_memory { Vec::new() } else { remembered(question, scope)? };
    let place = Place::new(&indexed.code.tree, &indexed.code.past);
    let mut service = AnswerService::configured()?;
    let outside = service.as_mut().map(|service| service as &mut dyn OutsideModel);
    let found =
        retrieve(&place, &mut Reader::default(), question, &memory, Some(&indexed.root), &args.options(), outside)
            .map_err(|error| {
                AppError::new(ErrorKind::Failed, error.to_string())
                    .hint("Without `[why] answers` in config.toml the answer model is local.")
            })?;
    if let Some(path) = &args.graph {
        screen::write_own(path, &drawing(question, &found).svg(), "<svg")?;
        anstream::eprintln!("backstory: the chains are drawn in {}", path.display());
    }
    Ok(Asked { indexed, found })
}

/// Prints the answer.
pub fn show(question: &str, asked: &Asked, retrieval: Option<&str>, json: bool) -> Result<(), AppError> {
    if json {
        return wire::print("why", wire::causes(question, asked, retrieval));
    }
    screen::print_recalled("why", &text::tell(question, asked, retrieval))
}

/// The chains of all documents as one graph: what two chains share is drawn once.
fn drawing(question: &str, found: &CausalRetrieval) -> Drawing {
    let mut drawing = Drawing { title: screen::clip(question, 100), ..Drawing::default() };
    let mut ids: Vec<String> = Vec::new();
    for ranked in &found.documents {
        for link in &ranked.relevance.chain {
            let [from, to] = [&link.from, &link.to].map(|node| {
                ids.iter().position(|id| *id == node.id).unwrap_or_else(|| {
                    ids.push(node.id.clone());
                    let document = found.documents.iter().find(|ranked| ranked.document.id == node.id);
                    let is_query = node.kind == NodeType::Query;
                    drawing.nodes.push(DrawnNode {
                        label: if is_query { screen::clip(question, 60) } else { node.label.clone() },
                        detail: document.and_then(|ranked| ranked.document.place()).unwrap_or_default(),
                        kind: match document.map(|ranked| ranked.document.kind) {
                            _ if is_query => NodeKind::Query,
                            Some(DocumentKind::Test) => NodeKind::Test,
                            Some(DocumentKind::Page) => NodeKind::Document,
                            Some(DocumentKind::Commit) => NodeKind::Commit,
                            Some(DocumentKind::Session) => NodeKind::Session,
                            Some(DocumentKind::Card) => NodeKind::Card,
                            Some(DocumentKind::Code | DocumentKind::Config) | None => NodeKind::Code,
                        },
                    });
                    ids.len() - 1
                })
            });
            let label = link.relationship.name().to_owned();
            drawing.links.push(DrawnLink { from, to, label, strength: link.strength });
        }
    }
    drawing
}
