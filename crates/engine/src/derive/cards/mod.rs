//! What is worth remembering?
//!
//! 1. [`sources`]: what does a turn add? Statements with their evidence, by where
//!    they were said and what tools proved.
//! 2. [`troubles`]: what went wrong in an episode, and what became of it?
//! 3. [`book`]: which of them become cards? One book per repository, and one for
//!    the cards that reach further.
//! 4. [`guards`]: for which actions has a card to be looked at?
//!
//! Findings are folded turn by turn like every other stage. A book cannot be: what
//! is admitted depends on everything before it in time, wherever it stands in the
//! log. So the fold marks books that are out of date, and [`settle`] writes them
//! anew when everything is folded.

pub mod book;
pub mod guards;
pub mod sources;
pub mod troubles;

use std::collections::BTreeMap;

use crate::log::Log;
use crate::model::{
    Act, CARDS_SESSION, Candidate, Card, CardKind, CardSource, Event, EventKind, Exposure, Found, HandOutcome,
    OutcomeKind, ProjectId, Scope, SourceKind, Tier, Timestamp,
};
use crate::store::{CardFilter, Changed, FindingRow, StoreError, ViewReader, ViewStore, ViewTx};
use crate::text::{Tokenizer, is_stop_word};

use super::Touched;
use book::{Book, Comparer, Entry, Shown, What, utility_of};

pub const NAME: &str = "cards";
pub const VERSION: u32 = 1;

/// The domain of cards that count in all of a person's repositories of a kind;
/// as long as nobody names domains there is one.
pub const DEFAULT_DOMAIN: &str = "repositories";

/// A check that passed in so many sessions is the project's.
const SESSIONS_OF_A_CHECK: usize = 3;
/// A tactic that won in so many repositories is of use elsewhere.
const REPOSITORIES_OF_A_TACTIC: usize = 2;

/// `own`: events of Backstory's own in this slice.
pub fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched], own: &[Event]) -> Result<(), StoreError> {
    for episode in touched {
        let rows = findings(log, tx, episode)?;
        let project = episode.episode.project;
        let changed = tx.replace_findings(project, episode.num, episode.first_turn, &rows)?;
        // What was shown may have come to something.
        if changed != Changed::Nothing || tx.read().has_exposures(&episode.episode.key.session)? {
            tx.mark_cards_stale(&Scope::repo(project))?;
        }
        if changed == Changed::AlsoFar {
            tx.mark_cards_stale(&Scope::global())?;
        }
    }
    for event in own {
        mark_stale(tx, event)?;
    }
    Ok(())
}

fn findings(log: &mut Log, tx: &mut ViewTx<'_>, touched: &Touched) -> Result<Vec<FindingRow>, StoreError> {
    let new = touched.new_turns(log, tx)?;
    let mut rows = Vec::new();
    for (turn, range) in new.ranges() {
        for (seq, found) in sources::of_turn(&new.events[range], touched.is_main()) {
            rows.push(FindingRow { episode: touched.num, turn: turn.turn, seq, found });
        }
    }
    rows.extend(troubles::fold(log, tx, touched, &new.turns, &new.events)?);
    rows.sort_by_key(|row| (row.turn, row.seq));
    Ok(rows)
}

/// Which books does an event of Backstory's own change?
fn mark_stale(tx: &mut ViewTx<'_>, event: &Event) -> Result<(), StoreError> {
    match own_event(event) {
        Some(Own::Act(Act::Add { scope, .. })) => tx.mark_cards_stale(&scope),
        Some(Own::Act(act)) => {
            let known = act.card().map(|card| tx.read().card(card)).transpose()?.flatten();
            match known {
                Some(row) => tx.mark_cards_stale(&row.card.scope)?,
                // Its card is in a book that is still to be written.
                None => tx.mark_all_cards_stale()?,
            }
            match act {
                Act::Promote { .. } => tx.mark_cards_stale(&Scope::global()),
                _ => Ok(()),
            }
        }
        Some(Own::Exposure(exposure)) => {
            if let Some(session) = &exposure.session {
                tx.put_exposed(session)?;
            }
            for card in exposure.cards {
                match tx.read().card(card)? {
                    Some(row) => tx.mark_cards_stale(&row.card.scope)?,
                    None => tx.mark_all_cards_stale()?,
                }
            }
            Ok(())
        }
        Some(Own::Outcome(_)) => tx.mark_all_cards_stale(),
        None => Ok(()),
    }
}

/// What an event of Backstory's own says of cards.
enum Own {
    Act(Act),
    Exposure(Exposure),
    Outcome(HandOutcome),
}

fn own_event(event: &Event) -> Option<Own> {
    let input = event.meta.input.clone()?;
    match event.kind {
        EventKind::User | EventKind::Judgement => serde_json::from_value(input).ok().map(Own::Act),
        EventKind::Exposure => serde_json::from_value(input).ok().map(Own::Exposure),
        EventKind::Outcome => serde_json::from_value(input).ok().map(Own::Outcome),
        _ => None,
    }
}

/// Writes the books that are out of date.
pub fn settle(log: &mut Log, views: &mut ViewStore) -> Result<(), StoreError> {
    if views.read().stale_cards()?.is_empty() {
        return Ok(());
    }
    let own = OwnEvents::read(log)?;
    let mut comparer = Comparer::new();
    let mut tx = views.begin()?;
    let mut tactics_won = false;
    for scope in tx.read().stale_cards()? {
        match scope.project() {
            Some(project) => {
                tactics_won |= settle_repository(log, &mut tx, project, &own, &mut comparer)?;
            }
            None => settle_shared(log, &mut tx, &own, &mut comparer)?,
        }
    }
    if tactics_won {
        settle_shared(log, &mut tx, &own, &mut comparer)?;
    }
    tx.commit()
}

/// Has a tactic won, or stopped having won?
fn settle_repository(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    project: ProjectId,
    own: &OwnEvents,
    comparer: &mut Comparer,
) -> Result<bool, StoreError> {
    let scope = Scope::repo(project);
    let rows = tx.read().findings_of(project)?;
    let mut entries: Vec<Entry> = checks(&rows);
    entries.extend(rows.into_iter().filter_map(|row| match row.found {
        Found::Candidate(candidate) if candidate.reach.is_none() => Some(entry_of(row.episode, candidate)),
        _ => None,
    }));
    entries.extend(own.acts.iter().cloned());
    entries.sort_by_key(|entry| entry.time);
    let mut book = Book::new(scope.clone(), comparer);
    book.write(&entries);
    let shown = own.shown(log, &tx.read())?;
    let kinds = book.kinds();
    let utility = utility_of(&shown, |card| kinds.get(&card).copied());
    let (cards, ledger) = book.close(&utility, &own.packs_with(|card| kinds.contains_key(&card)));
    let filter = CardFilter { project: Some(project), kind: Some(CardKind::Tactic), statuses: Vec::new() };
    let won_before = tx.read().cards(&filter)?.iter().any(|row| row.card.utility.wins > 0);
    let wins = cards.iter().any(|row| row.card.utility.wins > 0);
    tx.replace_cards(&scope, &cards, &ledger)?;
    tx.replace_guards(&scope, &guards::of_cards(&cards))?;
    Ok(won_before || wins)
}

fn entry_of(episode: crate::store::EpisodeNum, candidate: Candidate) -> Entry {
    Entry { time: candidate.time, what: What::Candidate { episode, candidate } }
}

fn settle_shared(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    own: &OwnEvents,
    comparer: &mut Comparer,
) -> Result<(), StoreError> {
    let scope = Scope::global();
    let mut entries: Vec<Entry> = tx
        .read()
        .far_findings()?
        .into_iter()
        .filter_map(|row| match row.found {
            Found::Candidate(candidate) => Some(entry_of(row.episode, candidate)),
            Found::Passed { .. } => None,
        })
        .collect();
    entries.extend(own.acts.iter().cloned());
    entries.sort_by_key(|entry| entry.time);
    let promoted = promoted(&tx.read(), own)?;
    let mut book = Book::new(scope.clone(), comparer);
    for (card, to, time) in &promoted {
        book.take_over(card, to, *time);
    }
    book.write(&entries);
    let shown = own.shown(log, &tx.read())?;
    let kinds = book.kinds();
    let utility = utility_of(&shown, |card| kinds.get(&card).copied());
    let (cards, ledger) = book.close(&utility, &own.packs_with(|card| kinds.contains_key(&card)));
    tx.replace_cards(&scope, &cards, &ledger)?;
    tx.replace_guards(&scope, &guards::of_cards(&cards))
}

/// Cards of repositories that a person, or success in several of them, has
/// raised: the card, its new scope, and when.
fn promoted(view: &ViewReader<'_>, own: &OwnEvents) -> Result<Vec<(Card, Scope, Option<Timestamp>)>, StoreError> {
    let mut out = Vec::new();
    for entry in &own.acts {
        if let What::Act { act: Act::Promote { card, scope }, .. } = &entry.what
            && let Some(row) = view.card(*card)?
            && row.card.scope.tier == Tier::Repo
        {
            out.push((row.card, scope.clone(), entry.time));
        }
    }
    let all = CardFilter { kind: Some(CardKind::Tactic), ..CardFilter::default() };
    let mut won: BTreeMap<String, Vec<Card>> = BTreeMap::new();
    for row in view.cards(&all)? {
        if row.card.scope.tier == Tier::Repo && row.card.utility.wins > 0 {
            won.entry(row.card.statement.to_lowercase()).or_default().push(row.card);
        }
    }
    for cards in won.into_values().filter(|cards| cards.len() >= REPOSITORIES_OF_A_TACTIC) {
        let Some(mut card) = cards.first().cloned() else { continue };
        for other in &cards[1..] {
            card.evidence.extend(&other.evidence);
        }
        let time = card.renewed;
        out.push((card, Scope::domain(DEFAULT_DOMAIN), time));
    }
    Ok(out)
}

/// Checks that have passed in several sessions, as candidates of the session
/// that made it enough.
fn checks(rows: &[FindingRow]) -> Vec<Entry> {
    type Pass<'a> = (&'a FindingRow, &'a crate::model::EvidenceRef, Option<Timestamp>);
    let mut passes: BTreeMap<&str, Vec<Pass<'_>>> = BTreeMap::new();
    for row in rows {
        if let Found::Passed { command, evidence, time } = &row.found {
            let known = passes.entry(command).or_default();
            if !known.iter().any(|(before, _, _)| before.episode == row.episode) {
                known.push((row, evidence, *time));
            }
        }
    }
    let mut entries = Vec::new();
    for (command, mut known) in passes {
        known.sort_by_key(|(row, _, time)| (*time, row.episode));
        let Some((row, _, time)) = known.get(SESSIONS_OF_A_CHECK - 1).copied() else { continue };
        let evidence = known.iter().take(SESSIONS_OF_A_CHECK).map(|(_, evidence, _)| **evidence).collect();
        let statement = format!("Check of this project: `{command}`");
        let made = Candidate::new(CardKind::Fact, CardSource::CheckCommand, &statement, command, evidence, time);
        entries.extend(made.ok().map(|candidate| entry_of(row.episode, candidate)));
    }
    entries
}

/// Everything that Backstory itself wrote down about cards.
struct OwnEvents {
    acts: Vec<Entry>,
    exposures: Vec<(Option<Timestamp>, Exposure)>,
    outcomes: Vec<(Option<Timestamp>, HandOutcome)>,
}

impl OwnEvents {
    fn read(log: &mut Log) -> Result<Self, StoreError> {
        let mut own = OwnEvents { acts: Vec::new(), exposures: Vec::new(), outcomes: Vec::new() };
        for (num, _) in log.store().episodes_of_session(SourceKind::Backstory, CARDS_SESSION)? {
            for event in log.store().events_of(num, 0, u32::MAX)? {
                let time = event.time;
                match own_event(&event) {
                    Some(Own::Act(act)) => {
                        let what = What::Act { event: event.id, act, text: event.text };
                        own.acts.push(Entry { time, what });
                    }
                    Some(Own::Exposure(exposure)) => own.exposures.push((time, exposure)),
                    Some(Own::Outcome(outcome)) => own.outcomes.push((time, outcome)),
                    None => {}
                }
            }
        }
        Ok(own)
    }

    /// What was shown, each with what came of its session.
    fn shown(&self, log: &mut Log, view: &ViewReader<'_>) -> Result<Vec<Shown>, StoreError> {
        let mut known: BTreeMap<&str, Vec<(Option<Timestamp>, OutcomeKind)>> = BTreeMap::new();
        let mut shown = Vec::new();
        for (time, exposure) in &self.exposures {
            let outcomes = match exposure.session.as_deref() {
                None => Vec::new(),
                Some(session) => match known.get(session) {
                    Some(outcomes) => outcomes.clone(),
                    None => {
                        let found = self.outcomes_of(log, view, session)?;
                        known.insert(session, found.clone());
                        found
                    }
                },
            };
            shown.push(Shown { exposure: exposure.clone(), time: *time, outcomes });
        }
        Ok(shown)
    }

    fn outcomes_of(
        &self,
        log: &mut Log,
        view: &ViewReader<'_>,
        session: &str,
    ) -> Result<Vec<(Option<Timestamp>, OutcomeKind)>, StoreError> {
        let mut found = Vec::new();
        for source in [SourceKind::ClaudeCode, SourceKind::Codex, SourceKind::Transcript] {
            for (num, _) in log.store().episodes_of_session(source, session)? {
                for row in view.outcomes_of(num)? {
                    let time = log.store().event(row.outcome.event)?.and_then(|event| event.time);
                    found.push((time, row.outcome.kind));
                }
            }
        }
        let by_hand = self.outcomes.iter().filter(|(_, outcome)| outcome.session == session);
        found.extend(by_hand.map(|(time, outcome)| (*time, outcome.outcome)));
        found.sort_by_key(|(time, _)| *time);
        Ok(found)
    }

    /// When packs were made that showed cards of this book.
    fn packs_with(&self, is_here: impl Fn(crate::model::CardId) -> bool) -> Vec<Timestamp> {
        let packs = self.exposures.iter().filter(|(_, exposure)| exposure.channel == crate::model::Channel::AutoPack);
        packs
            .filter(|(_, exposure)| exposure.cards.iter().any(|card| is_here(*card)))
            .filter_map(|(time, _)| *time)
            .collect()
    }
}

/// What a statement is about, where nothing better says it: its first word that
/// looks like code, or its first words that tell something.
pub fn topic_of(statement: &str) -> String {
    const MINDS: [&str; 14] = [
        "always", "never", "must", "should", "use", "prefer", "don", "dont", "avoid", "please", "make", "sure",
        "remember", "only",
    ];
    let code = statement.split('`').nth(1).filter(|code| !code.trim().is_empty());
    if let Some(code) = code {
        return code.split_whitespace().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
    }
    let terms = Tokenizer::new().strings(statement);
    let telling = terms.into_iter().filter(|term| !is_stop_word(term) && !MINDS.contains(&term.as_str()));
    telling.take(2).collect::<Vec<_>>().join(" ")
}

/// Of which kind is a statement that a person asks to be remembered?
pub fn kind_of_words(statement: &str) -> CardKind {
    let lower = format!(" {} ", statement.to_lowercase().replace('’', "'"));
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(&format!(" {word} ")));
    if has(&["never", "must", "always", "don't", "do not", "only", "mustn't", "forbidden", "not allowed", "avoid"]) {
        CardKind::Constraint
    } else if has(&["will", "i'll", "we'll", "promised", "agreed to", "todo", "plan to", "decided to"]) {
        CardKind::Commitment
    } else if has(&["prefer", "prefers", "like", "likes", "rather", "favour", "favor", "instead of", "use"]) {
        CardKind::Preference
    } else {
        CardKind::Fact
    }
}
