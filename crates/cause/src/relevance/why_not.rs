//! Why was a document retrieved, or why was it not?

use super::chain::CausalChainLink;
use super::choose::Fate;
use super::retrieve::CausalRetrieval;
use crate::locate::Place;
use crate::role::Role;
use crate::tree::{FileNum, TreeEntity};

/// What became of one document.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RetrievalExplanation {
    pub id: String,
    pub was_retrieved: bool,
    /// None: it never was a candidate.
    pub fate: Option<Fate>,
    pub score: Option<f32>,
    /// Its place among all functions and its file's among all files, by all signals.
    pub function_place: Option<(usize, usize)>,
    pub file_place: Option<(usize, usize)>,
    /// What each signal adds to it, the strongest first.
    pub signals: Vec<(&'static str, f32)>,
    pub chain: Vec<CausalChainLink>,
    pub sentence: String,
}

/// `file`, or an `entity` in it.
pub fn explain_retrieval(
    place: &Place<'_>,
    found: &CausalRetrieval,
    file: FileNum,
    entity: Option<TreeEntity<'_>>,
) -> RetrievalExplanation {
    let path = place.tree.path(file);
    let id = match entity.filter(|entity| entity.parent.is_some()) {
        Some(entity) => super::chain::entity_id(place.tree, &entity),
        None => format!("code:{path}"),
    };
    let is_it = |document: &super::Document| match entity {
        Some(entity) if entity.parent.is_some() => document.entity == Some(entity.number),
        _ => document.path.as_deref() == Some(path),
    };
    let shown = found.documents.iter().find(|ranked| is_it(&ranked.document));
    let left = found.left_out.iter().find(|left| is_it(&left.document));
    let function = entity.and_then(|entity| entity.function);
    let place_of = |list: &[crate::locate::Ranked], at: usize| {
        list.iter().position(|ranked| ranked.at == at).map(|place| (place + 1, list.len()))
    };
    let function_place = function.and_then(|function| place_of(&found.ranking.functions, function as usize));
    let file_place = place_of(&found.ranking.files, file as usize);
    let mut signals: Vec<(&'static str, f32)> = match function {
        Some(function) => found.ranking.parts_of_function(function as usize).collect(),
        None if (file as usize) < place.tree.sources() => found.ranking.parts_of_file(file as usize).collect(),
        None => Vec::new(),
    };
    signals.sort_by(|a, b| b.1.total_cmp(&a.1));
    let fate = match (shown, left) {
        (Some(ranked), _) => Some(Fate::Retrieved { rank: ranked.rank }),
        (None, left) => left.map(|left| left.fate.clone()),
    };
    let sentence = sentence(place, file, entity, fate.as_ref(), function_place, file_place, &signals);
    RetrievalExplanation {
        id,
        was_retrieved: shown.is_some(),
        score: shown.map(|ranked| ranked.relevance.score).or(left.map(|left| left.relevance.score)),
        fate,
        function_place,
        file_place,
        signals,
        chain: shown
            .map(|ranked| ranked.relevance.chain.clone())
            .or(left.map(|left| left.relevance.chain.clone()))
            .unwrap_or_default(),
        sentence,
    }
}

fn sentence(
    place: &Place<'_>,
    file: FileNum,
    entity: Option<TreeEntity<'_>>,
    fate: Option<&Fate>,
    function_place: Option<(usize, usize)>,
    file_place: Option<(usize, usize)>,
    signals: &[(&'static str, f32)],
) -> String {
    match fate {
        Some(Fate::Retrieved { rank }) => return format!("It was retrieved, as number {rank}."),
        Some(Fate::Weak { score, least }) => {
            return format!(
                "Its relevance is {score:.2}, and less than {least:.2} is not shown (--min-relevance, --mode recall)."
            );
        }
        Some(Fate::Redundant { with }) => return format!("It adds nothing beside {with}."),
        Some(Fate::SameFile) => {
            return "Others of its file stand before it (--mode recall shows more of one file).".to_owned();
        }
        Some(Fate::BeyondLimit { place, limit }) => {
            return format!("It is number {place}, and {limit} are shown (-n shows more).");
        }
        Some(Fate::Crowded { of_kind, of_all }) => {
            return format!(
                "It explains without being a cause; of those at most {of_kind} of a kind and {of_all} in all are shown."
            );
        }
        None => {}
    }
    match place.tree.role(file) {
        Role::Test => return "It is a test: changing it does not change what the program does, and others match the question better.".to_owned(),
        Role::Document => return "It is a page: changing it does not change what the program does, and others match the question better.".to_owned(),
        Role::Generated => return "No person wrote it: a tool made it, or it is somebody else's.".to_owned(),
        Role::Source => {}
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
