//! The JSON of questions about causes.

use std::path::Path;

use backstory_cause::impact::{Affected, Impact};
use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{CausalRetrieval, CodeLocation, QueryAnalysis, RankedDocument, RetrievalExplanation};
use backstory_engine::retrieve::LocationStory;
use serde_json::{Value, json};

use super::answers::rounded;
use super::code::entity;
use super::why::place_story;

pub fn causes(question: &str, root: &Path, found: &CausalRetrieval, retrieval: Option<&str>) -> Value {
    json!({
        "question": question,
        "root": root.display().to_string(),
        "retrieval": retrieval,
        "documents": found.documents.iter().map(document).collect::<Vec<_>>(),
        "files": found.files.iter().map(|file| json!({ "path": file.path, "score": rounded(file.score) })).collect::<Vec<_>>(),
        "functions": found.functions.iter().map(|(path, name, lines)| json!({
            "path": path, "name": name, "first_line": lines.0, "last_line": lines.1,
        })).collect::<Vec<_>>(),
        "stated": found.stated.map(rounded),
        "total_considered": found.total_considered,
        "metadata": {
            "query_analysis": found.analysis,
            "retrieval_strategy": found.strategy,
            "confidence_in_completeness": found.completeness,
            "confidence_in_first_file": found.first_is_right,
        },
        "left_out": found.left_out.len(),
    })
}

pub fn document(ranked: &RankedDocument) -> Value {
    let document = &ranked.document;
    let relevance = &ranked.relevance;
    json!({
        "rank": ranked.rank,
        "id": document.id,
        "kind": document.kind,
        "name": document.name,
        "path": document.path,
        "first_line": document.lines.map(|lines| lines.0),
        "last_line": document.lines.map(|lines| lines.1),
        "line": document.line,
        "text": document.text,
        "citation": document.citation,
        "written_by": document.written_by,
        "found_by": ranked.ways,
        "can_be_cause": ranked.can_be_cause,
        "leads": ranked.leads,
        "assessed": relevance.assessed,
        "relevance_score": rounded(relevance.score),
        "information_contribution": relevance.information,
        "counterfactual_impact": relevance.counterfactual,
        "causal_chain": relevance.chain,
        "confidence": relevance.confidence,
        "explanation": ranked.explanation,
    })
}

pub fn explained_causes(question: &str, analysis: &QueryAnalysis, explained: &[RetrievalExplanation]) -> Value {
    json!({ "question": question, "query_analysis": analysis, "documents": explained })
}

pub fn impact(
    name: &str,
    codebase: &Codebase<'_>,
    found: &Impact<'_>,
    remembered: &[(CodeLocation, LocationStory)],
) -> Value {
    let affected = |users: &[Affected]| -> Vec<Value> {
        let told = users.iter().filter_map(|user| {
            let mut value = entity(&codebase.tree.entity(user.entity)?);
            value["line"] = json!(user.edge.line);
            value["relationship"] = json!(user.edge.kind.as_str());
            value["depth"] = json!(user.depth);
            value["strength"] = json!(rounded(user.strength));
            value["unsure"] = json!(user.unsure);
            Some(value)
        });
        told.collect()
    };
    json!({
        "asked": name,
        "entities": found.of.iter().map(entity).collect::<Vec<_>>(),
        "users": affected(&found.users),
        "tests": affected(&found.tests),
        "co_changed": found.co_changed.iter().map(|other| json!({
            "path": codebase.tree.path(other.file),
            "together": other.together,
            "share": rounded(other.share),
        })).collect::<Vec<_>>(),
        "commits": found.commits,
        "breakages": found.breakages.iter().map(|commit| json!({
            "commit": commit.hex(),
            "subject": commit.subject,
            "time": super::time(Some(backstory_engine::model::Timestamp(commit.time * 1_000))),
        })).collect::<Vec<_>>(),
        "remembered": remembered.iter().map(|(place, story)| place_story(&place.id, story)).collect::<Vec<_>>(),
    })
}
