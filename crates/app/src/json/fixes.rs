//! The JSON of fix and check.

use backstory_engine::model::{Card, Timestamp};
use backstory_engine::retrieve::{FixItem, Fixes, KnownRemedy, PastFailure, Warnings, card_doubt};
use serde_json::{Value, json};

use super::answers::citation;
use super::time;

pub fn fixes(found: &Fixes, now: Timestamp) -> Value {
    json!({
        "diagnostics": found.diagnostics,
        "known": found.known,
        "items": found.items.iter().map(|item| fix(item, now)).collect::<Vec<_>>(),
        "seen": found.seen.iter().map(|seen| self::seen(seen, now)).collect::<Vec<_>>(),
    })
}

fn seen(seen: &PastFailure, now: Timestamp) -> Value {
    json!({
        "diagnostic": seen.diagnostic,
        "command": seen.command,
        "session": seen.session,
        "time": time(seen.time),
        "age_days": age_days(seen.time, now),
        "ended": seen.ended.as_ref().map(|end| json!({
            "time": time(end.time),
            "edits_between": end.edits,
            "ran_between": end.ran,
            "evidence": citation(&end.passed),
        })),
        "evidence": citation(&seen.failed),
    })
}

pub fn warnings(found: &Warnings, now: Timestamp) -> Value {
    let cards = |cards: &[Card]| cards.iter().map(|card| self::card(card, now)).collect::<Vec<_>>();
    json!({
        "forbidden": cards(&found.forbidden),
        "unread": cards(&found.unread),
        "minded": cards(&found.minded),
        "concerns": cards(&found.concerns),
        "said": cards(&found.said),
        "failed": cards(&found.failed),
        "fixes": found.fixes.iter().map(|item| fix(item, now)).collect::<Vec<_>>(),
        "failed_last": found.failed_last.as_ref().map(|failure| json!({
            "command": failure.command,
            "diagnostic": failure.diagnostic,
            "session": failure.session,
            "time": time(failure.time),
            "age_days": age_days(failure.time, now),
            "evidence": citation(&failure.evidence),
        })),
    })
}

/// The change, the commands or the form; the others are null.
fn remedy(remedy: &KnownRemedy) -> Value {
    let (mut change, mut commands, mut form) = (None, None, None);
    match remedy {
        KnownRemedy::Change(found) => change = Some(json!({"removed": found.removed, "added": found.added})),
        KnownRemedy::Commands(found) => commands = Some(found),
        KnownRemedy::Form(found) => form = Some(found),
    }
    json!({"change": change, "commands": commands, "form": form})
}

fn fix(item: &FixItem, now: Timestamp) -> Value {
    let how = remedy(&item.remedy);
    let alternatives = item.alternatives.iter().map(|other| {
        let mut value = remedy(&other.remedy);
        value["session"] = json!(other.session);
        value["resolved"] = json!(time(other.resolved));
        value
    });
    json!({
        "diagnostic": item.diagnostic,
        "rule": item.rule,
        "sort": item.sort,
        "match": item.ground,
        "then": item.then,
        "command": item.command,
        "file": item.file,
        "session": item.session,
        "resolved": time(item.resolved),
        "age_days": age_days(item.resolved, now),
        "sessions": item.times,
        "change": how["change"],
        "commands": how["commands"],
        "form": how["form"],
        "alternatives": alternatives.collect::<Vec<_>>(),
        "failed_attempt": item.in_vain.as_ref().map(|vain| json!({"removed": vain.removed, "added": vain.added})),
        "evidence": {
            "failed": citation(&item.failed),
            "passed": citation(&item.passed),
            "edits": item.edits.iter().map(citation).collect::<Vec<_>>(),
        },
    })
}

fn card(card: &Card, now: Timestamp) -> Value {
    json!({
        "card": card.id,
        "kind": card.kind,
        "statement": card.statement,
        "doubt": card_doubt(card, &|_| None),
        "scope": card.scope.tier,
        "source": card.source,
        "renewed": time(card.renewed),
        "age_days": age_days(card.renewed, now),
        "evidence": card.evidence.iter().map(citation).collect::<Vec<_>>(),
    })
}

fn age_days(at: Option<Timestamp>, now: Timestamp) -> Option<i64> {
    at.map(|at| ((now.0 - at.0) / 86_400_000).max(0))
}
