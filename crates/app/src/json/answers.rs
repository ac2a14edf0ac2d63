//! The JSON of search, recall, predict and explain.

use backstory_engine::model::EvidenceRef;
use backstory_engine::retrieve::rank::Scored;
use backstory_engine::retrieve::{
    AnswerChain, CaseAnswer, CommitHit, EpisodicAnswer, Explained, RankedCandidate, RenderedChunk, SearchResults,
    StoryAnswer, ToldCase,
};
use serde_json::{Value, json};

use super::time;

pub fn found(question: &str, found: &SearchResults) -> Value {
    json!({
        "question": question,
        "tokens": found.tokens,
        "considered": found.considered,
        "notices": found.notices,
        "cards": found.cards.iter().map(super::card_hit).collect::<Vec<_>>(),
        "items": found.items.iter().map(|item| with_score(shown(&item.shown), &item.score)).collect::<Vec<_>>(),
    })
}

pub fn cases(question: &str, answer: &CaseAnswer) -> Value {
    json!({
        "question": question,
        "covered": answer.covered,
        "notices": answer.notices,
        "cards": answer.cards.iter().map(super::card_hit).collect::<Vec<_>>(),
        "cases": case_list(&answer.cases),
        "commits": answer.commits.iter().map(commit).collect::<Vec<_>>(),
    })
}

fn commit(hit: &CommitHit) -> Value {
    let mut value = json!(hit);
    value["time"] = json!(super::time(Some(hit.time)));
    value
}

pub fn case_list(cases: &[ToldCase]) -> Vec<Value> {
    cases.iter().map(case).collect()
}

pub fn case(told: &ToldCase) -> Value {
    let mut value = json!(told);
    value["time"] = json!(super::time(told.time));
    value
}

pub fn case_story(question: &str, answer: &StoryAnswer) -> Value {
    json!({
        "question": question,
        "covered": answer.covered,
        "notices": answer.notices,
        "cards": answer.cards.iter().map(super::card_hit).collect::<Vec<_>>(),
        "story": answer.story.as_ref().map(|story| json!({
            "before": case_list(&story.before),
            "case": case(&story.case),
            "after": case_list(&story.after),
        })),
        "others": case_list(&answer.others),
    })
}

pub fn episodic(question: &str, told: &EpisodicAnswer) -> Value {
    let mut value = json!({
        "question": question,
        "tokens": told.tokens,
        "notices": told.notices,
        "chains": told.chains.iter().map(chain).collect::<Vec<_>>(),
    });
    if let Some(ranked) = &told.fallback {
        value["items"] = found(question, ranked)["items"].take();
    }
    if let Some(experience) = &told.experience {
        value["experience"] = json!(experience);
    }
    value
}

pub fn explained(question: &str, explained: &Explained) -> Value {
    json!({
        "question": question,
        "terms": explained.terms,
        "considered": explained.considered,
        "notices": explained.notices,
        "candidates": explained.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "chains": explained.chains,
        "best_chain": explained.best,
        "asked": explained.asked.as_ref().map(|(chunk, reason)| json!({"chunk": chunk, "reason": reason})),
    })
}

fn candidate(candidate: &RankedCandidate) -> Value {
    with_score(json!({"chunk": candidate.chunk, "fate": candidate.fate}), &candidate.score)
}

fn chain(chain: &AnswerChain) -> Value {
    let items = chain.items.iter().map(|item| {
        let mut value = shown(&item.shown);
        value["score"] = rounded(item.score);
        value["matched"] = json!(item.matched);
        value
    });
    json!({
        "best": chain.best,
        "best_match": chain.best_match,
        "median": rounded(chain.median),
        "per_token": chain.per_token,
        "length": chain.length,
        "items": items.collect::<Vec<_>>(),
    })
}

fn shown(shown: &RenderedChunk) -> Value {
    let mut value = json!({
        "chunk": shown.chunk,
        "session": shown.session,
        "source": shown.source,
        "project": {"id": shown.project.id.short(), "name": shown.project.name},
        "agent": shown.agent,
        "turn": shown.turn,
        "started": time(shown.started),
        "text": shown.text,
        "evidence": shown.evidence.iter().map(citation).collect::<Vec<_>>(),
    });
    if !shown.printed.is_empty() {
        // The byte ranges of tool output in the text.
        value["printed"] = shown.printed.iter().map(|range| json!([range.start, range.end])).collect();
    }
    if shown.trimmed {
        value["trimmed"] = json!(true);
    }
    if shown.abandoned {
        value["abandoned"] = json!(true);
    }
    value
}

/// `kind:event:start-end:hash`: an answer has many, so the ids and the hash are shortened.
pub fn citation(evidence: &EvidenceRef) -> String {
    let EvidenceRef { kind, id, start, end, hash } = evidence;
    format!("{}:{id}:{start}-{end}:{}", kind.name(), &hash.to_string()[..16])
}

/// A smaller part would round to zero.
const LEAST_PART: f32 = 0.5e-4;

/// Parts that added nothing are left out.
fn with_score(mut value: Value, score: &Scored) -> Value {
    value["score"] = rounded(score.score);
    let mut parts = serde_json::Map::new();
    let numbers = [
        ("words", score.words),
        ("covered", score.covered),
        ("cosine", score.cosine),
        ("own", score.own),
        ("neighbours", score.neighbours),
        ("session", score.session),
        ("turn", score.turn),
        ("verbatim", score.verbatim),
        ("date", score.date),
        ("recency", score.recency),
        ("likeness", score.likeness),
    ];
    parts.extend(
        numbers
            .into_iter()
            .filter(|(_, part)| part.abs() >= LEAST_PART)
            .map(|(name, part)| (name.to_owned(), rounded(part))),
    );
    let places = [("words_rank", score.words_rank), ("vectors_rank", score.vectors_rank), ("cluster", score.cluster)];
    parts.extend(places.into_iter().filter_map(|(name, place)| Some((name.to_owned(), json!(place?)))));
    value["parts"] = parts.into();
    value
}

pub fn rounded(number: f32) -> Value {
    json!((f64::from(number) * 1e4).round() / 1e4)
}
