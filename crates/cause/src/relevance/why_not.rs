//! Why was a document retrieved, or why was it not?

use backstory_code::EntityKind;

use super::chain::CausalChainLink;
use super::choose::DocumentFate;
use super::document::{Document, DocumentKind};
use super::retrieve::{CausalRetrieval, LeftOut, RankedDocument};
use crate::locate::Codebase;
use crate::role::FileRole;
use crate::tree::{FileNum, TreeEntity};

/// The outcome for one document.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RetrievalExplanation {
    pub id: String,
    pub was_retrieved: bool,
    /// None: it was never a candidate.
    pub fate: Option<DocumentFate>,
    pub score: Option<f32>,
    /// Its rank among all functions, and its file's rank among all files, by all signals.
    pub function_place: Option<(usize, usize)>,
    pub file_place: Option<(usize, usize)>,
    /// What each signal adds to it, strongest first.
    pub signals: Vec<(&'static str, f32)>,
    pub chain: Vec<CausalChainLink>,
    pub sentence: String,
}

type Told<'a> = (Option<&'a RankedDocument>, Option<&'a LeftOut>);

fn fate_of<'a>(found: &'a CausalRetrieval, is_it: &dyn Fn(&Document) -> bool) -> Told<'a> {
    let shown = found.documents.iter().find(|ranked| is_it(&ranked.document));
    (shown, found.left_out.iter().find(|left| is_it(&left.document)))
}

fn fate(shown: Option<&RankedDocument>, left: Option<&LeftOut>) -> Option<DocumentFate> {
    match shown {
        Some(ranked) => Some(DocumentFate::Retrieved { rank: ranked.rank }),
        None => left.map(|left| left.fate.clone()),
    }
}

/// A commit, session, decision, failure or card, by its displayed id or a prefix of it. None if no such document was
/// considered and no commit has that id.
pub fn explain_other(codebase: &Codebase<'_>, found: &CausalRetrieval, typed: &str) -> Option<RetrievalExplanation> {
    let bare = match typed.split_once(':') {
        Some((kind, id)) if KINDS.iter().any(|known| known.name() == kind) => id,
        Some(_) => return None,
        None => typed,
    };
    let is_it = |document: &Document| {
        let own = document.id.split_once(':').map_or(document.id.as_str(), |(_, id)| id);
        document.entity.is_none() && bare.len() >= LEAST_ID && own.starts_with(bare)
    };
    let (shown, left) = fate_of(found, &is_it);
    let document = shown.map(|ranked| &ranked.document).or(left.map(|left| &left.document));
    let (id, sentence) = match (document, fate(shown, left)) {
        (Some(document), Some(fate)) => (document.id.clone(), of_fate(&fate)),
        _ => commit_not_considered(codebase, bare)?,
    };
    Some(RetrievalExplanation {
        id,
        was_retrieved: shown.is_some(),
        fate: fate(shown, left),
        score: shown.map(|ranked| ranked.relevance.score).or(left.map(|left| left.relevance.score)),
        function_place: None,
        file_place: None,
        signals: Vec::new(),
        chain: chain(shown, left),
        sentence,
    })
}

/// Explaining documents that have no place in the code.
const KINDS: [DocumentKind; 5] =
    [DocumentKind::Commit, DocumentKind::Session, DocumentKind::Decision, DocumentKind::Failure, DocumentKind::Card];
/// A shorter prefix of an id is ambiguous.
const LEAST_ID: usize = 4;

fn commit_not_considered(codebase: &Codebase<'_>, id: &str) -> Option<(String, String)> {
    if id.len() < LEAST_ID {
        return None;
    }
    let commits = (0..codebase.past.commit_count() as u32).filter_map(|number| codebase.past.commit(number));
    let commit = commits.into_iter().find(|commit| commit.hex().starts_with(id))?;
    let sentence = format!(
        "It explains without being a cause, and other past changes say more of what the question says than \u{201c}{}\u{201d}.",
        commit.subject
    );
    Some((format!("commit:{}", commit.hex()), sentence))
}

fn chain(shown: Option<&RankedDocument>, left: Option<&LeftOut>) -> Vec<CausalChainLink> {
    let shown = shown.map(|ranked| ranked.relevance.chain.clone());
    shown.or(left.map(|left| left.relevance.chain.clone())).unwrap_or_default()
}

/// `file`, or an `entity` in it.
pub fn explain_retrieval(
    codebase: &Codebase<'_>,
    found: &CausalRetrieval,
    file: FileNum,
    entity: Option<TreeEntity<'_>>,
) -> RetrievalExplanation {
    let path = codebase.tree.path(file);
    let id = match entity.filter(|entity| entity.parent.is_some()) {
        Some(entity) => super::chain::entity_id(codebase.tree, &entity),
        None => format!("code:{path}"),
    };
    let is_exactly = |document: &Document| match entity {
        Some(entity) if entity.parent.is_some() => document.entity == Some(entity.number),
        _ => document.path.as_deref() == Some(path),
    };
    // A page or test may be shown as a whole, whichever part the caller names.
    let is_part = |document: &Document| {
        let is_whole = matches!(document.kind, DocumentKind::Page | DocumentKind::Test) && document.lines.is_none();
        is_whole && document.path.as_deref() == Some(path)
    };
    let (shown, left) = [&is_exactly as &dyn Fn(&Document) -> bool, &is_part]
        .iter()
        .map(|is_it| fate_of(found, is_it))
        .find(|(shown, left)| shown.is_some() || left.is_some())
        .unwrap_or_default();
    let function = entity.and_then(|entity| entity.function);
    let place_of = |list: &[crate::locate::ScoredPlace], at: usize| {
        list.iter().position(|ranked| ranked.at == at).map(|place| (place + 1, list.len()))
    };
    let function_place = function.and_then(|function| place_of(&found.ranking.functions, function as usize));
    let file_place = place_of(&found.ranking.files, file as usize);
    let mut signals: Vec<(&'static str, f32)> = match function {
        Some(function) => found.ranking.parts_of_function(function as usize).collect(),
        None if (file as usize) < codebase.tree.sources() => found.ranking.parts_of_file(file as usize).collect(),
        None => Vec::new(),
    };
    signals.sort_by(|a, b| b.1.total_cmp(&a.1));
    let fate = fate(shown, left);
    let sentence = sentence(codebase, file, entity, fate.as_ref(), function_place, file_place, &signals);
    RetrievalExplanation {
        id,
        was_retrieved: shown.is_some(),
        score: shown.map(|ranked| ranked.relevance.score).or(left.map(|left| left.relevance.score)),
        fate,
        function_place,
        file_place,
        signals,
        chain: chain(shown, left),
        sentence,
    }
}

fn sentence(
    codebase: &Codebase<'_>,
    file: FileNum,
    entity: Option<TreeEntity<'_>>,
    fate: Option<&DocumentFate>,
    function_place: Option<(usize, usize)>,
    file_place: Option<(usize, usize)>,
    signals: &[(&'static str, f32)],
) -> String {
    if let Some(sentence) = fate.map(of_fate) {
        return sentence;
    }
    if entity.is_some_and(|entity| entity.kind == EntityKind::ConfigKey) {
        return "It is a setting, which can be the cause; but the question does not name it, and no likely place reads \
                it by its name."
            .to_owned();
    }
    match codebase.tree.role(file) {
        FileRole::Test => return "It is a test: changing it does not change what the program does, and others match the question better.".to_owned(),
        FileRole::Document => return "It is a page: changing it does not change what the program does, and others match the question better.".to_owned(),
        FileRole::Generated => return "No person wrote it: a tool made it, or it is somebody else's.".to_owned(),
        FileRole::Source => {}
    }
    let missing: Vec<&str> = signals
        .iter()
        .filter(|(name, part)| *part <= 0.0 && matches!(*name, "words" | "named"))
        .map(|(name, _)| *name)
        .collect();
    let what = if entity.is_some_and(|entity| entity.parent.is_some()) { function_place } else { file_place };
    let place = what.map_or_else(
        || "It is neither a function nor a type, and the question does not name it".to_owned(),
        |(at, of)| format!("By all signals it is number {at} of {of}, too far down to be considered"),
    );
    let lacks = if missing.contains(&"words") { "; no word of the question is in it" } else { "" };
    format!("{place}{lacks}.")
}

fn of_fate(fate: &DocumentFate) -> String {
    match fate {
        DocumentFate::Retrieved { rank } => format!("It was retrieved, as number {rank}."),
        DocumentFate::Weak { score, least } => format!(
            "Its relevance is {score:.2}, and less than {least:.2} is not shown (--min-relevance, --mode recall)."
        ),
        DocumentFate::Redundant { with } => format!("It adds nothing beside {with}."),
        DocumentFate::SameFile => {
            "Others of its file stand before it (--mode recall shows more of one file).".to_owned()
        }
        DocumentFate::BeyondLimit { place, limit } => {
            format!("It is number {place}, and {limit} are shown (-n shows more).")
        }
        DocumentFate::Crowded { of_kind, of_all } => format!(
            "It explains without being a cause; of those at most {of_kind} of a kind and {of_all} in all are shown."
        ),
    }
}
