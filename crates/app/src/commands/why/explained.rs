//! `explain why`: why is one document in the answer, and another not?

use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{
    DocumentFate, NodeType, RetrievalExplanation, RetrievalOptions, explain_other, explain_retrieval,
};
use backstory_cause::tree::{FileNum, TreeEntity};

use crate::ask_context::AskContext;
use crate::commands::entities;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{json, terminal};

use super::memory::MemoryUse;
use super::question::{AnsweredQuestion, ask_with};

/// Smaller signals are not listed.
const LEAST_TOLD: f32 = 0.005;
const MOST_LEFT_OUT: usize = 15;

/// `document`: the expected file, FILE:LINE, FILE:NAME, commit, session or card.
pub fn explain_causes(
    context: &mut AskContext,
    question: &str,
    document: Option<&str>,
    limit: Option<usize>,
    scope: &ProjectScope,
) -> Result<Reply, AppError> {
    let options = RetrievalOptions { max_docs: limit, ..RetrievalOptions::default() };
    let asked = ask_with(context, question, scope, &options, MemoryUse::PartOfAnswer)?;
    let place = Codebase::new(&asked.indexed.code.tree, &asked.indexed.code.past);
    let explained = match document {
        Some(document) => vec![one(&place, &asked, document)?],
        None => all(&place, &asked),
    };
    let json = json::explained_causes(question, &asked.found.analysis, &explained);
    Ok(Reply::recalled("explain", json, page(&asked, &explained)))
}

/// Explains a place in the code or, if there is none, an explaining document: a commit, a session, a card.
fn one(codebase: &Codebase<'_>, asked: &AnsweredQuestion, document: &str) -> Result<RetrievalExplanation, AppError> {
    match find(codebase, document) {
        Ok((file, entity)) => Ok(explain_retrieval(codebase, &asked.found, file, entity)),
        Err(error) => match explain_other(codebase, &asked.found, document) {
            Some(explained) => Ok(explained),
            None if error.kind == ErrorKind::NotFound => Err(error.hint(
                "Name a FILE, FILE:LINE, FILE:NAME or a commit. For what sessions and cards say ask \
                 `backstory explain search QUESTION --chunk ID` or `backstory cards explain ID`.",
            )),
            None => Err(error),
        },
    }
}

fn find<'a>(codebase: &Codebase<'a>, typed: &str) -> Result<(FileNum, Option<TreeEntity<'a>>), AppError> {
    let line = typed.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)));
    if let Some((path, line)) = line
        && let Some(file) = codebase.tree.paths().now(path)
    {
        let whole = codebase.tree.entities_of(file).next().and_then(|whole| codebase.tree.entity(whole));
        if let Some(whole) = whole.filter(|whole| line == 0 || line > whole.last_line) {
            return Err(AppError::new(ErrorKind::Usage, format!("{path} has {} lines", whole.last_line)));
        }
        return Ok((file, codebase.tree.entity_at(file, line)));
    }
    match entities::named(codebase, typed)?.as_slice() {
        [] => Err(entities::none_named(codebase, typed)),
        [entity] => Ok((entity.file, Some(*entity))),
        several => {
            let names: Vec<String> =
                several.iter().take(5).map(|entity| format!("{}:{}", entity.path, entity.qualified)).collect();
            Err(AppError::new(ErrorKind::Usage, format!("'{typed}' is the name of {} things", several.len()))
                .hint(format!("Say which: {}.", names.join(", "))))
        }
    }
}

/// The retrieved documents, and the best of the others.
fn all(codebase: &Codebase<'_>, asked: &AnsweredQuestion) -> Vec<RetrievalExplanation> {
    let shown = asked.found.documents.iter().map(|ranked| &ranked.document);
    let left = asked.found.left_out.iter().map(|left| &left.document).take(MOST_LEFT_OUT);
    let lines = shown.chain(left).filter_map(|document| {
        let entity = codebase.tree.entity(document.entity?)?;
        Some(explain_retrieval(codebase, &asked.found, entity.file, Some(entity)))
    });
    lines.collect()
}

/// Text about a page, a commit or a memory quotes it.
fn sentence(one: &RetrievalExplanation) -> String {
    let is_code = ["code:", "config:", "test:"].iter().any(|kind| one.id.starts_with(kind));
    if is_code { one.sentence.clone() } else { terminal::foreign(&one.sentence) }
}

fn page(asked: &AnsweredQuestion, explained: &[RetrievalExplanation]) -> String {
    let analysis = &asked.found.analysis;
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "The question"));
    out.push_str(&format!("   asks for: {:?} ({:?})\n", analysis.expected, analysis.intent).to_lowercase());
    for named in &analysis.entities {
        let meant = named.entities.len() + named.files.len();
        out.push_str(&format!("   names {} ({})\n", named.text, terminal::count(meant as u64, "meaning")));
    }
    for frame in &analysis.frames {
        out.push_str(&format!("   stack frame {}:{}\n", frame.path, frame.line));
    }
    for error in &analysis.errors {
        out.push_str(&format!("   error {} {}\n", error.kind, error.message));
    }
    for symptom in &analysis.symptoms {
        out.push_str(&format!("   symptom: {symptom}\n"));
    }
    for one in explained {
        let score = one.score.map(|score| format!(" {score:.2}")).unwrap_or_default();
        out.push_str(&format!("\n{}{score}\n   {}\n", terminal::paint(terminal::BOLD, &one.id), sentence(one)));
        if let (Some((at, of)), false) =
            (one.function_place, matches!(one.fate, None | Some(DocumentFate::Retrieved { .. })))
        {
            out.push_str(&format!("   number {at} of {of} functions by all signals\n"));
        }
        let signals: Vec<String> = one
            .signals
            .iter()
            .filter(|(_, part)| *part >= LEAST_TOLD)
            .map(|(name, part)| format!("{name} {part:.2}"))
            .collect();
        if !signals.is_empty() {
            out.push_str(&terminal::paint(terminal::DIM, &format!("   {}\n", signals.join(" · "))));
        }
        for link in &one.chain {
            let is_document = link.to.kind == NodeType::Document;
            let evidence = if is_document { terminal::foreign(&link.evidence) } else { link.evidence.clone() };
            out.push_str(&format!("   {}\n", terminal::paint(terminal::DIM, &evidence)));
        }
    }
    out
}
