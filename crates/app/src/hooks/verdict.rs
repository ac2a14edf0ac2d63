//! May a tool call proceed? Writes the text for the agent or the person.

use backstory_engine::model::{Card, CardStatus};
use backstory_engine::retrieve::{Warnings, card_doubt};
use serde_json::Value;

use crate::config::settings::ToolCheckMode;
use crate::terminal;
use crate::untrusted::{self, foreign};

use super::answer;
use super::call::HookCall;
use super::render::day;

pub fn decide(call: &HookCall, found: &Warnings) -> Value {
    // A call is not stopped for doubted or unconfirmed cards, for rules that depend on more than the call, or for a
    // single failure.
    let holds = |card: &&Card| card.status == CardStatus::Active && card.suspect.is_empty();
    let against: Vec<&Card> = found.forbidden.iter().chain(&found.failed).filter(holds).collect();
    let reason = |cards: &[&Card]| cards.iter().map(|card| line(found, card)).collect::<Vec<_>>().join("\n");
    let question = |cards: &[&Card]| {
        let plain: Vec<String> = cards.iter().map(|card| for_person(found, card)).collect();
        answer::question(call, &plain.join("\n"))
    };
    // It is unknown whether this violates a rule, so the person decides. If the host cannot ask, it is refused in
    // blocking mode.
    let unread: Vec<&Card> = found.unread.iter().filter(holds).collect();
    let can_ask = answer::can_ask(call.host);
    match call.settings().pre_tool_use {
        ToolCheckMode::Block if !against.is_empty() => answer::refusal(call, &reason(&against)),
        ToolCheckMode::Ask if !against.is_empty() && can_ask => question(&against),
        ToolCheckMode::Block | ToolCheckMode::Ask if !unread.is_empty() && can_ask => question(&unread),
        ToolCheckMode::Block if !unread.is_empty() => answer::refusal(call, &reason(&unread)),
        _ => {
            let told = answer::context(call, "check", &render_warnings(found));
            match against.first().or(unread.first()) {
                Some(card) => answer::with_message(told, &for_person(found, card)),
                None => told,
            }
        }
    }
}

fn line(found: &Warnings, card: &Card) -> String {
    let is_among = |cards: &[Card]| cards.iter().any(|other| other.id == card.id);
    let what = if is_among(&found.forbidden) {
        "forbidden"
    } else if is_among(&found.unread) {
        "the command cannot be read in full and may be forbidden"
    } else if is_among(&found.minded) {
        "applies"
    } else if is_among(&found.concerns) {
        "what is written may go against"
    } else if is_among(&found.said) {
        "unconfirmed, said by the user"
    } else {
        "known to fail"
    };
    render_ground(what, card)
}

fn render_warnings(found: &Warnings) -> String {
    let mut lines: Vec<String> = found.cards().map(|card| line(found, card)).collect();
    if let Some(failure) = &found.failed_last {
        let why = failure.diagnostic.as_deref().map(|why| format!(": {}", foreign(&terminal::clip(why, 160))));
        let why = why.unwrap_or_default();
        let (when, id) = (day(failure.time), &failure.evidence.id.to_string()[..12]);
        let session = crate::commands::sessions::short(&failure.session);
        let command = terminal::clip(&failure.command, 120);
        lines.push(format!("`{command}` failed when it was last run{why} [{id} {when} session {session}]"));
    }
    lines.push("Cards: `backstory cards show ID`; other ids: `backstory log show ID`.".to_owned());
    lines.join("\n")
}

fn render_ground(what: &str, card: &Card) -> String {
    let doubt = card_doubt(card, &|_| None).map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let said = format!("{} {}, {}", card.id.short(), day(card.renewed), card.source.name());
    format!("{what}: {}{doubt} [card {said}]", untrusted::statement(card))
}

/// One sentence for the host's dialog. Text from tools is attributed to them.
fn for_person(found: &Warnings, card: &Card) -> String {
    let is_among = |cards: &[Card]| cards.iter().any(|other| other.id == card.id);
    let what = if is_among(&found.forbidden) {
        "forbids this"
    } else if is_among(&found.unread) {
        "may forbid this, which cannot be read in full"
    } else {
        "says that this fails here"
    };
    let whose = if untrusted::is_foreign(card) { ", in words that no person said" } else { "" };
    let (id, words) = (card.id.short(), terminal::clip(&card.statement, 300));
    format!("Backstory: card {id} of {} {what}{whose}: \"{words}\" (`backstory cards show {id}`)", day(card.renewed))
}
