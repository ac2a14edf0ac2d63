//! The JSON of cards and packs.

use backstory_engine::model::{Card, CardId};
use backstory_engine::retrieve::{CardHit, CardInfo, Cited, Pack, PackItem, PackLeftOut};
use backstory_engine::store::LedgerRow;
use serde_json::{Value, json};

use super::answers::{citation, rounded};
use super::time;
use crate::working_tree::WorkingTree;

pub fn card(info: &CardInfo, tree: &WorkingTree) -> Value {
    let mut value = bare(&info.card);
    value["doubt"] = json!(tree.doubt(&info.card));
    value["place"] = json!(info.place);
    value
}

fn bare(card: &Card) -> Value {
    json!({
        "id": card.id,
        "kind": card.kind,
        "statement": card.statement,
        "scope_tier": card.scope.tier,
        "scope_id": card.scope.id,
        "tags": card.tags,
        "status": card.status,
        "put_away": card.put_away,
        "supersedes_id": card.supersedes,
        "topic_key": card.topic,
        "created_from": card.evidence.iter().map(citation).collect::<Vec<_>>(),
        "created_at": time(card.created),
        "renewed_at": time(card.renewed),
        "rule_version": card.rule_version,
        "source": card.source,
        "rests_on": card.rests_on,
        "suspect": card.suspect,
        "truth": {
            "user_span": card.truth.user_spans,
            "tool_output": card.truth.tool_outputs,
            "doc_span": card.truth.doc_spans,
            "contradictions": card.truth.contradictions,
            "dispute_mass": rounded(card.truth.disputes),
            "weight": rounded(card.truth.weight()),
        },
        "utility": {
            "wins": card.utility.wins,
            "losses": card.utility.losses,
            "shown": card.utility.shown,
            "weight": rounded(card.utility.weight()),
        },
        "folder": card.folder(),
        "refused": card.refused.iter().map(|option| json!({
            "proposal": option.proposal,
            "because": option.because,
            "evidence": citation(&option.evidence),
        })).collect::<Vec<_>>(),
        "disputes": card.disputes.iter().map(|dispute| json!({
            "evidence": citation(&dispute.evidence),
            "time": time(dispute.time),
            "weight": rounded(dispute.weight),
        })).collect::<Vec<_>>(),
    })
}

pub fn card_evidence(cited: &Cited) -> Value {
    json!({
        "kind": cited.evidence.kind,
        "evidence": citation(&cited.evidence),
        "words": cited.words,
        "missing": cited.missing,
        "before": cited.before,
        "after": cited.after,
        "session": cited.session,
        "source": cited.source,
        "time": time(cited.time),
    })
}

pub fn card_hit(hit: &CardHit) -> Value {
    let mut value = bare(&hit.card);
    value["relevance"] = json!(rounded(hit.relevance));
    value["doubt"] = json!(hit.doubt);
    value
}

/// Why a card is or is not in a pack for a task.
pub fn packed(card: CardId, pack: &Pack) -> Value {
    let place = |item: &PackItem| json!({"slot": item.slot, "score": rounded(item.score), "relevance": rounded(item.relevance), "doubt": item.doubt});
    if let Some(item) = pack.items.iter().find(|item| item.card.id == card) {
        let mut value = place(item);
        value["packed"] = json!(true);
        return value;
    }
    match pack.left_out.iter().find(|(item, _)| item.card.id == card) {
        Some((item, why)) => {
            let mut value = place(item);
            (value["packed"], value["why_not"]) = (json!(false), json!(why));
            value
        }
        None => json!({"packed": false, "why_not": "not_in_force_here"}),
    }
}

pub fn ledger_row(row: &LedgerRow, session: Option<&str>) -> Value {
    json!({
        "session": session,
        "kind": row.kind,
        "statement": row.statement,
        "decision": row.decision,
        "reason": row.reason,
        "card": row.card,
    })
}

/// `unconfirmed`: cards that concern the task and are not in force.
pub fn pack(pack: &Pack) -> Value {
    let item = |item: &PackItem| {
        let mut value = bare(&item.card);
        value["slot"] = json!(item.slot);
        value["score"] = json!(rounded(item.score));
        value["relevance"] = json!(rounded(item.relevance));
        value["doubt"] = json!(item.doubt);
        value
    };
    let is_near = |why: &PackLeftOut| !matches!(why, PackLeftOut::NotRelevant | PackLeftOut::InInstructions);
    json!({
        "items": pack.items.iter().map(item).collect::<Vec<_>>(),
        "unconfirmed": pack.unconfirmed.iter().map(item).collect::<Vec<_>>(),
        "tokens": pack.tokens,
        "left_out": pack.left_out.iter().filter(|(_, why)| is_near(why)).count(),
    })
}
