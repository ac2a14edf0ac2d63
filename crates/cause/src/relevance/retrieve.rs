//! The algorithm: gather, weigh, choose, explain.

use std::path::Path;

use super::analysis::{QueryAnalysis, QuestionIntent, analyse};
use super::candidates::{DocumentCandidate, Gather, Way, matching_commits};
use super::choose::{Choice, DocumentFate};
use super::confidence::ConfidenceValue;
use super::document::{Document, MemoryLookup};
use super::explanation::{ExplanationContext, FileTexts, explain, focus};
use super::measured::{completeness, first_is_right};
use super::model::{Answer, AnswerModel, FactModel, ModelError, OutsideModel, ServiceModel};
use super::options::RetrievalOptions;
use super::weigh::{AnswerSpace, CausalRelevance, weigh};
use crate::digest::Reader;
use crate::locate::{CodeRanking, Codebase, FaultQuestion, rank};

/// The stated probability covers this many of the first documents.
pub const STATED_OF: usize = 5;

/// A document with its rank in the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RankedDocument {
    pub rank: usize,
    pub document: Document,
    pub relevance: CausalRelevance,
    pub ways: Vec<Way>,
    /// Changing it could change what the program does.
    pub can_be_cause: bool,
    /// It is an answer, as opposed to an explanation.
    pub leads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LeftOut {
    pub document: Document,
    pub relevance: CausalRelevance,
    #[serde(flatten)]
    pub fate: DocumentFate,
}

/// A file with its total score.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RankedFile {
    pub path: String,
    pub score: f32,
}

pub struct CausalRetrieval {
    pub documents: Vec<RankedDocument>,
    pub total_considered: usize,
    pub analysis: QueryAnalysis,
    pub strategy: String,
    /// The probability that the cause is among the first five; None if it was not measured for this kind of question.
    pub stated: Option<f32>,
    /// How certain is it that the cause is among them?
    pub completeness: ConfidenceValue,
    /// How certain is it that the first file is right?
    pub first_is_right: ConfidenceValue,
    pub left_out: Vec<LeftOut>,
    pub files: Vec<RankedFile>,
    pub functions: Vec<(String, String, (u32, u32))>,
    pub answers: Vec<(Answer, f32)>,
    /// The scores of every file and function.
    pub ranking: CodeRanking,
}

/// A model on the network is asked about only this many documents.
const ASKED: usize = 5;
/// On real bug reports the shares of the first five add up to slightly too much.
const TOO_SURE: f32 = 0.9;
const FILES: usize = 20;

/// Retrieves what is causally relevant to a question.
pub fn retrieve(
    codebase: &Codebase<'_>,
    reader: &mut Reader,
    text: &str,
    memory: &mut dyn MemoryLookup,
    root: Option<&Path>,
    options: &RetrievalOptions,
    outside: Option<&mut dyn OutsideModel>,
) -> Result<CausalRetrieval, ModelError> {
    let question = FaultQuestion::new(text, reader);
    let ranking = rank(codebase, &question, &options.signals);
    let analysis = analyse(codebase, text, &question);
    let mut texts = FileTexts::new(root);
    let gather = Gather {
        codebase,
        question: &question,
        analysis: &analysis,
        ranking: &ranking,
        memory,
        vocabulary: &mut reader.vocabulary,
        texts: &mut texts,
        root,
        by_id: Default::default(),
        found: Vec::new(),
    };
    let mut found = gather.run();
    let intent = analysis.intent;
    put_in_order(&mut found.candidates, intent);
    let candidates = &found.candidates;
    let known = AnswerSpace::of(codebase, &ranking, &options.signals, candidates);
    let commits = matching_commits(codebase, &question);
    let context = ExplanationContext {
        codebase,
        question: &question,
        analysis: &analysis,
        ranking: &ranking,
        answers: &known.answers,
        commits: &commits,
    };

    let assessed = if outside.is_some() { ASKED.min(candidates.len()) } else { candidates.len() };
    let documents = read(&context, candidates, &mut texts, if outside.is_some() { assessed } else { 0 });
    let is_local = outside.is_none();
    let (mut asked, mut local);
    let model: &mut dyn AnswerModel = match outside {
        Some(outside) => {
            let answers = &known.answers;
            asked = ServiceModel { outside, question: text, answers, documents: &documents, known: Vec::new() };
            &mut asked
        }
        None => {
            local = FactModel::new(known.answers.len(), &known.facts);
            &mut local
        }
    };
    let mut weighed = weigh(model, candidates, &known, assessed, intent, options)?;
    let leads: Vec<bool> = candidates.iter().map(|candidate| leads(candidate, intent)).collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| {
        let score = |at: usize| weighed[at].score;
        leads[*b].cmp(&leads[*a]).then(score(*b).total_cmp(&score(*a))).then(a.cmp(b))
    });
    let fates = Choice { candidates, known: &known, leads: &leads, options }.make(model, &order, &mut weighed)?;
    let distribution = model.distribution(&(0..assessed).collect::<Vec<_>>())?;
    let strategy = strategy(intent, options, model.name(), (!is_local).then_some(assessed));

    let (mut documents, mut left_out) = (Vec::new(), Vec::new());
    for at in order {
        let (candidate, relevance) = (&candidates[at], weighed[at].clone());
        match &fates[at] {
            DocumentFate::Retrieved { rank } => {
                let mut document = candidate.document.clone();
                let explanation = explain(&context, candidate, &relevance, &mut document, &mut texts);
                documents.push(RankedDocument {
                    rank: *rank,
                    document,
                    relevance,
                    ways: candidate.ways.clone(),
                    can_be_cause: candidate.document.kind.can_be_cause(),
                    leads: leads[at],
                    explanation: options.include_explanations.then_some(explanation),
                });
            }
            fate => left_out.push(LeftOut { document: candidate.document.clone(), relevance, fate: fate.clone() }),
        }
    }
    let (completeness, first_is_right) = match documents.iter().any(|ranked| ranked.can_be_cause) {
        true => (completeness(&ranking, intent, options), first_is_right(&ranking, intent)),
        false => {
            let none = ConfidenceValue::absent("nothing in the code matches the question");
            (none.clone(), none)
        }
    };
    Ok(CausalRetrieval {
        // This correction was measured with the local model on fault reports.
        stated: (intent == QuestionIntent::Why && is_local && documents.iter().any(|ranked| ranked.can_be_cause))
            .then(|| stated(&documents)),
        documents,
        total_considered: found.considered,
        strategy,
        completeness,
        first_is_right,
        left_out,
        files: best_files(codebase, &ranking),
        functions: best_functions(codebase, &ranking),
        answers: known.answers.iter().cloned().zip(distribution).collect(),
        ranking,
        analysis,
    })
}

/// Possible causes lead; so do users, if the question asks for them.
fn leads(candidate: &DocumentCandidate, intent: QuestionIntent) -> bool {
    let is_user = intent.asks_for_users() && candidate.ways.contains(&Way::Graph);
    candidate.document.kind.can_be_cause() || is_user
}

/// Leading candidates come first, then those with the stronger tie.
fn put_in_order(candidates: &mut [DocumentCandidate], intent: QuestionIntent) {
    candidates.sort_by(|a, b| {
        let by_lead = leads(b, intent).cmp(&leads(a, intent));
        by_lead.then(b.tie.total_cmp(&a.tie)).then(a.document.id.cmp(&b.document.id))
    });
}

/// The documents as an external model reads them: the first `with_text` include their text.
fn read(
    context: &ExplanationContext<'_, '_>,
    candidates: &[DocumentCandidate],
    texts: &mut FileTexts<'_>,
    with_text: usize,
) -> Vec<Document> {
    let mut documents: Vec<Document> = candidates.iter().map(|candidate| candidate.document.clone()).collect();
    documents.iter_mut().take(with_text).for_each(|document| drop(focus(context, document, texts)));
    documents
}

fn strategy(intent: QuestionIntent, options: &RetrievalOptions, model: &str, asked_about: Option<usize>) -> String {
    let about = asked_about.map(|count| format!(" asked about the first {count} documents")).unwrap_or_default();
    format!("{intent:?} · {} · answer model {model}{about}", options.mode.name())
}

fn stated(documents: &[RankedDocument]) -> f32 {
    let first = documents.iter().take(STATED_OF).filter_map(|ranked| ranked.relevance.confidence.value());
    TOO_SURE * first.sum::<f32>().clamp(0.0, 1.0).max(0.0)
}

fn best_files(codebase: &Codebase<'_>, ranking: &CodeRanking) -> Vec<RankedFile> {
    let best = ranking.files.iter().take(FILES);
    best.map(|file| RankedFile { path: codebase.tree.path(file.at as u32).to_owned(), score: file.score }).collect()
}

fn best_functions(codebase: &Codebase<'_>, ranking: &CodeRanking) -> Vec<(String, String, (u32, u32))> {
    let best = ranking.functions.iter().take(FILES).filter_map(|function| codebase.tree.function(function.at));
    best.map(|entity| (entity.path.to_owned(), entity.qualified.to_owned(), (entity.first_line, entity.last_line)))
        .collect()
}
