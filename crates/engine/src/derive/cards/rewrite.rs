//! Rewrites card sets: all findings of a scope's sessions and all judgements of its cards, ordered by time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use backstory_language::similarity::Comparer;

use crate::log::Log;
use crate::model::{Card, CardAct, CardId, CardKind, Found, ProjectId, Scope, Tier, card_id};
use crate::store::{CardFilter, CardRow, FindingRow, StoreError, ViewReader, ViewStore, ViewTx};

use super::card_set::{CardChange, CardEntry, CardSet, used};
use super::judgements::CardJudgements;
use super::{DEFAULT_DOMAIN, decisions, habits, invalidated, prohibitions, tactics};

/// A tactic that won in this many repositories is promoted.
const REPOSITORIES_OF_A_TACTIC: usize = 2;

/// Rewrites the stale card sets.
pub fn rewrite_stale(log: &mut Log, views: &mut ViewStore) -> Result<(), StoreError> {
    if views.read().stale_cards()?.is_empty() {
        return Ok(());
    }
    let judgements = CardJudgements::read(log)?;
    let mut comparer = Comparer::new();
    let mut tx = views.begin()?;
    let mut shared = false;
    // Repositories first: their cards may have been promoted.
    for scope in tx.read().stale_cards()? {
        shared |= match scope.project() {
            Some(project) => rewrite_repository(log, &mut tx, project, &judgements, &mut comparer)?,
            None => true,
        };
    }
    if shared {
        rewrite_shared(log, &mut tx, &judgements, &mut comparer)?;
    }
    invalidated::mark(&mut tx)?;
    tx.commit()
}

/// Returns whether the shared card set depends on this one.
fn rewrite_repository(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    project: ProjectId,
    judgements: &CardJudgements,
    comparer: &mut Comparer,
) -> Result<bool, StoreError> {
    let scope = Scope::repo(project);
    let rows = tx.read().findings_of(project)?;
    let mut entries: Vec<CardEntry> = habits::of_findings(&rows);
    entries.extend(tactics::of_findings(&rows));
    entries.extend(rows.into_iter().filter(|row| !tactics::is_of_rule(row)).filter_map(|row| entry_of(row, false)));
    let of_cases = tx.read().case_findings_of(project)?;
    entries.extend(decisions::of_findings(&of_cases));
    entries.extend(of_cases.into_iter().filter_map(|row| entry_of(row, false)));
    let before = tx.read().cards(&CardFilter { project: Some(project), ..CardFilter::default() })?;
    let cards = write(log, tx, &scope, entries, judgements, comparer)?;
    let names = former_names(log, &cards)?;
    let raised: BTreeSet<CardId> =
        judgements.promoted_cards().into_iter().map(|card| *names.get(&card).unwrap_or(&card)).collect();
    let may_be_raised = |row: &CardRow| row.card.utility.wins > 0 || raised.contains(&row.card.id);
    Ok(before.iter().filter(|row| row.card.scope == scope).chain(&cards).any(may_be_raised))
}

/// Writes the card set of a scope: what was found, and what people said of it.
fn write(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    scope: &Scope,
    mut entries: Vec<CardEntry>,
    judgements: &CardJudgements,
    comparer: &mut Comparer,
) -> Result<Vec<CardRow>, StoreError> {
    entries.extend(judgements.acts.iter().cloned());
    entries.sort_by_key(|entry| entry.time);
    let former = match scope.project() {
        Some(project) => log.store().aliases()?.former(project),
        None => Vec::new(),
    };
    let mut set = CardSet::new(scope.clone(), comparer).formerly(former.into_iter().map(Scope::repo).collect());
    set.write(&entries);
    let (kinds, names) = (set.kinds(), set.former_names());
    let shown = judgements.shown(log, &tx.read(), &kinds, &names)?;
    let used = used(&shown, |card| kinds.get(&card).copied());
    let (cards, ledger) =
        set.close(&used, &judgements.packs_with(|card| kinds.contains_key(names.get(&card).unwrap_or(&card))));
    tx.replace_cards(scope, &cards, &ledger)?;
    tx.replace_prohibitions(scope, &prohibitions::of_cards(&cards))?;
    Ok(cards)
}

/// `far`: of the card set of cards that reach further.
fn entry_of(row: FindingRow, far: bool) -> Option<CardEntry> {
    let (episode, turn) = (row.episode, row.turn);
    match row.found {
        Found::Candidate(candidate) if candidate.reach.is_some() == far => {
            Some(CardEntry { time: candidate.time, what: CardChange::Candidate { episode, turn, candidate } })
        }
        Found::Rewritten { file, statements, time } if !far => {
            Some(CardEntry { time, what: CardChange::Rewritten { episode, file, statements } })
        }
        Found::Withdrawn { statement, file, reach, time } if reach.is_some() == far => {
            Some(CardEntry { time, what: CardChange::Withdrawn { episode, statement, file } })
        }
        _ => None,
    }
}

fn rewrite_shared(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    judgements: &CardJudgements,
    comparer: &mut Comparer,
) -> Result<(), StoreError> {
    let mut entries: Vec<CardEntry> =
        tx.read().far_findings()?.into_iter().filter_map(|row| entry_of(row, true)).collect();
    let names = former_names(log, &tx.read().cards(&CardFilter::default())?)?;
    entries.extend(promoted(&tx.read(), judgements, &names)?);
    write(log, tx, &Scope::global(), entries, judgements, comparer).map(drop)
}

/// Maps the ids that these cards had in projects merged into theirs.
fn former_names(log: &mut Log, cards: &[CardRow]) -> Result<HashMap<CardId, CardId>, StoreError> {
    let aliases = log.store().aliases()?;
    let mut names = HashMap::new();
    if !aliases.is_changing() {
        return Ok(names);
    }
    for row in cards {
        let former = row.card.scope.project().map(|project| aliases.former(project)).unwrap_or_default();
        for project in former {
            names.insert(card_id(row.card.kind, &Scope::repo(project), row.card.identity()), row.card.id);
        }
    }
    Ok(names)
}

/// Cards of repositories that were promoted by a person or by success in several of them.
fn promoted(
    view: &ViewReader<'_>,
    judgements: &CardJudgements,
    names: &HashMap<CardId, CardId>,
) -> Result<Vec<CardEntry>, StoreError> {
    let taken_over =
        |card, scope, time| CardEntry { time, what: CardChange::TakenOver { card: Box::new(card), scope } };
    let mut out = Vec::new();
    for entry in &judgements.acts {
        if let CardChange::Act { act: CardAct::Promote { card, scope }, .. } = &entry.what
            && let Some(row) = view.card(*names.get(card).unwrap_or(card))?
            && row.card.scope.tier == Tier::Repo
        {
            out.push(taken_over(row.card, scope.clone(), entry.time));
        }
    }
    let all = CardFilter { kind: Some(CardKind::Tactic), ..CardFilter::default() };
    let mut won: BTreeMap<String, Vec<Card>> = BTreeMap::new();
    for row in view.cards(&all)? {
        if row.card.scope.tier == Tier::Repo && row.card.utility.wins > 0 {
            won.entry(row.card.identity().to_lowercase()).or_default().push(row.card);
        }
    }
    for cards in won.into_values().filter(|cards| cards.len() >= REPOSITORIES_OF_A_TACTIC) {
        let Some(mut card) = cards.first().cloned() else { continue };
        for other in &cards[1..] {
            card.evidence.extend(&other.evidence);
        }
        let time = card.renewed;
        out.push(taken_over(card, Scope::domain(DEFAULT_DOMAIN), time));
    }
    Ok(out)
}
