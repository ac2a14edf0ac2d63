use std::collections::HashMap;

use backstory_language::similarity::Comparer;

use super::*;
use crate::model::{
    Candidate, Card, CardAct, CardKind, CardSource, CardStatus, EventId, EvidenceKind, EvidenceRef, Scope, Timestamp,
    digest_of, span_hash,
};
use crate::store::{CardDecision, EpisodeNum, LedgerRow};

/// One evidence per name.
fn evidence(kind: EvidenceKind, name: &str) -> EvidenceRef {
    EvidenceRef { kind, id: digest_of("test", &[name.as_bytes()]), start: 0, end: 1, hash: span_hash(name) }
}

fn said(episode: i64, source: CardSource, kind: CardKind, text: &str) -> CardEntry {
    let kind_of_evidence =
        if kind.is_normative() || kind == CardKind::Fact { EvidenceKind::UserSpan } else { EvidenceKind::ToolOutput };
    let time = Some(Timestamp(episode * 1_000));
    let evidence = vec![evidence(kind_of_evidence, &format!("{episode} {text}"))];
    let candidate = Candidate::new(kind, source, text, text, evidence, time).expect("a candidate");
    CardEntry { time, what: CardChange::Candidate { episode: EpisodeNum(episode), turn: 0, candidate } }
}

fn act(time: i64, act: CardAct, text: &str) -> CardEntry {
    let event = EventId(digest_of("act", &[text.as_bytes(), &time.to_le_bytes()]));
    CardEntry { time: Some(Timestamp(time)), what: CardChange::Act { event, act, text: text.to_owned() } }
}

fn scope() -> Scope {
    Scope { tier: crate::model::Tier::Repo, id: "a".repeat(32) }
}

fn write(entries: &[CardEntry]) -> (Vec<Card>, Vec<LedgerRow>) {
    let mut comparer = Comparer::new();
    let mut set = CardSet::new(scope(), &mut comparer);
    set.write(entries);
    let (rows, ledger) = set.close(&HashMap::new(), &[]);
    (rows.into_iter().map(|row| row.card).collect(), ledger)
}

fn states(cards: &[Card]) -> Vec<(&str, CardStatus)> {
    cards.iter().map(|card| (card.statement.as_str(), card.status)).collect()
}

fn reasons(ledger: &[LedgerRow]) -> Vec<(CardDecision, &str)> {
    ledger.iter().map(|row| (row.decision, row.reason.as_str())).collect()
}

const CONSTRAINT: CardKind = CardKind::Constraint;

#[test]
fn an_equal_statement_adds_its_evidence() {
    let (cards, ledger) = write(&[
        said(1, CardSource::Instructions, CONSTRAINT, "Never push to main."),
        said(2, CardSource::Prompt, CONSTRAINT, "never push to main"),
    ]);
    assert_eq!(states(&cards), [("Never push to main.", CardStatus::Active)]);
    assert_eq!(cards[0].evidence.len(), 2);
    assert_eq!(cards[0].truth.user_spans, 2);
    assert_eq!(reasons(&ledger), [(CardDecision::Admitted, "instructions"), (CardDecision::Merged, "equal")]);
}

#[test]
fn other_figures_are_something_else() {
    let facts = ["Ticket 101 is blocked by Anna.", "Ticket 202 is blocked by Anna.", "Release 5 needs Postgres 16."];
    let entries = facts.iter().zip(1..).map(|(text, episode)| said(episode, CardSource::Agent, CardKind::Fact, text));
    let (cards, _) = write(&entries.collect::<Vec<_>>());
    assert_eq!(cards.iter().map(|card| card.statement.as_str()).collect::<Vec<_>>(), facts);
    // An additional number may still be the same statement.
    let (cards, _) = write(&[
        said(1, CardSource::Prompt, CONSTRAINT, "Never push to main."),
        said(2, CardSource::Prompt, CONSTRAINT, "1. Never push to main."),
    ]);
    assert_eq!(cards.len(), 1);
}

#[test]
fn what_is_proposed_waits_until_it_is_said_again() {
    let once = said(1, CardSource::Prompt, CONSTRAINT, "Never push to main.");
    assert_eq!(write(std::slice::from_ref(&once)).0[0].status, CardStatus::Proposed);
    let again = said(2, CardSource::Prompt, CONSTRAINT, "never push to main");
    assert_eq!(write(&[once.clone(), again]).0[0].status, CardStatus::Active);
    // The same event read twice counts once.
    assert_eq!(write(&[once.clone(), once]).0[0].status, CardStatus::Proposed);
}

#[test]
fn a_later_word_supersedes_the_same_slot_only() {
    let (cards, _) = write(&[
        said(1, CardSource::Remembered, CardKind::Preference, "Use tabs for indentation"),
        said(2, CardSource::Remembered, CardKind::Preference, "Use spaces for indentation"),
        said(3, CardSource::Remembered, CardKind::Preference, "Use tabs for tables in documents"),
    ]);
    assert_eq!(
        states(&cards),
        [
            ("Use tabs for indentation", CardStatus::Superseded),
            ("Use spaces for indentation", CardStatus::Active),
            ("Use tabs for tables in documents", CardStatus::Active)
        ]
    );
    assert_eq!(cards[1].supersedes, Some(cards[0].id));
}

#[test]
fn what_was_superseded_comes_back_when_it_is_said_again() {
    let word = |episode, text| said(episode, CardSource::Remembered, CardKind::Preference, text);
    let (cards, _) = write(&[
        word(1, "Use tabs for indentation"),
        word(2, "Use spaces for indentation"),
        word(3, "Use tabs for indentation"),
    ]);
    assert_eq!(
        states(&cards),
        [("Use tabs for indentation", CardStatus::Active), ("Use spaces for indentation", CardStatus::Superseded)]
    );
}

#[test]
fn a_proposal_only_casts_a_doubt_until_it_is_confirmed() {
    let old = said(1, CardSource::Remembered, CardKind::Preference, "Use tabs for indentation");
    let new = said(2, CardSource::Prompt, CardKind::Preference, "Use spaces for indentation");
    let (cards, _) = write(&[old.clone(), new.clone()]);
    assert_eq!((cards[0].status, cards[1].status), (CardStatus::Active, CardStatus::Proposed));
    assert_eq!(cards[0].disputes.len(), 1);
    let confirm = act(3_000, CardAct::Confirm { card: cards[1].id }, "");
    let (cards, _) = write(&[old, new, confirm]);
    assert_eq!((cards[0].status, cards[1].status), (CardStatus::Superseded, CardStatus::Active));
}

#[test]
fn chatter_is_capped_and_what_is_near_is_not_news() {
    let (cards, ledger) = write(&[
        said(1, CardSource::Prompt, CONSTRAINT, "Never push to the main branch directly"),
        said(1, CardSource::Prompt, CONSTRAINT, "Error messages must name the file"),
        said(1, CardSource::Prompt, CONSTRAINT, "Don't use npm, use pnpm"),
        said(1, CardSource::Prompt, CONSTRAINT, "We never deploy on Fridays"),
        said(2, CardSource::Prompt, CONSTRAINT, "Never push to the main branch directly without a review"),
    ]);
    assert_eq!(cards.len(), 3);
    assert_eq!(
        reasons(&ledger),
        [
            (CardDecision::Admitted, "prompt"),
            (CardDecision::Admitted, "prompt"),
            (CardDecision::Admitted, "prompt"),
            (CardDecision::Rejected, "episode_cap_of_kind"),
            (CardDecision::Rejected, "not_novel")
        ]
    );
}

#[test]
fn in_a_full_scope_the_weakest_gives_way() {
    let full = limits::budget(crate::model::Tier::Repo, CardKind::Preference);
    let name = |number: usize| format!("colour{number} word{number} thing{number} place{number}");
    let mut entries: Vec<CardEntry> = (0..full)
        .map(|number| said(number as i64, CardSource::Remembered, CardKind::Preference, &name(number)))
        .collect();
    entries.push(said(full as i64, CardSource::Remembered, CardKind::Preference, "Answer in short sentences"));
    let (cards, ledger) = write(&entries);
    let open = cards.iter().filter(|card| card.status.is_open()).count();
    assert_eq!(open, full, "the store stays bounded");
    assert!(reasons(&ledger).contains(&(CardDecision::Archived, "budget")));
    assert_eq!(cards.last().map(|card| card.status), Some(CardStatus::Active));
}

#[test]
fn people_put_away_take_out_edit_and_doubt() {
    let first = said(1, CardSource::Remembered, CONSTRAINT, "Never push to main");
    let id = write(std::slice::from_ref(&first)).0[0].id;
    let status = |acts: &[CardEntry]| {
        let entries: Vec<CardEntry> = std::iter::once(first.clone()).chain(acts.iter().cloned()).collect();
        write(&entries).0[0].status
    };
    let archive = act(2_000, CardAct::Archive { card: id }, "");
    let restore = act(3_000, CardAct::Restore { card: id }, "");
    let again = said(4, CardSource::Prompt, CONSTRAINT, "never push to main");
    assert_eq!(status(std::slice::from_ref(&archive)), CardStatus::Archived);
    assert_eq!(status(&[archive.clone(), again]), CardStatus::Archived, "only a person takes it out again");
    assert_eq!(status(&[archive, restore]), CardStatus::Active);
    assert_eq!(
        status(&[act(2_000, CardAct::Dispute { card: id, evidence: None }, "not since March")]),
        CardStatus::NeedsRecheck
    );

    let edit = act(2_000, CardAct::Edit { card: id }, "Never push to main or release");
    let (cards, _) = write(&[first, edit]);
    assert_eq!(
        states(&cards),
        [("Never push to main", CardStatus::Superseded), ("Never push to main or release", CardStatus::Active)]
    );
    assert_eq!(cards[1].supersedes, Some(id));
    assert_eq!(cards[1].evidence.len(), 1, "the old words do not stand behind the new ones");
}

#[test]
fn writing_the_book_again_changes_nothing() {
    let entries: Vec<CardEntry> = (0..40)
        .map(|number| {
            let text = format!("Use tool{} for task{}", number % 7, number % 11);
            said(number, CardSource::Remembered, CardKind::Preference, &text)
        })
        .collect();
    let first = write(&entries);
    for _ in 0..50 {
        assert_eq!(write(&entries), first);
    }
}
