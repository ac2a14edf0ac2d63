//! Which cards are there, what is their evidence, and how was each candidate decided?

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{Card, CardId, CardKind, CardStatus, Found, ProjectId, Scope, Tier};

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::links::json;
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

/// A finding of an episode that goes into a card set, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    pub episode: EpisodeNum,
    pub turn: u32,
    pub seq: u32,
    pub found: Found,
}

/// What a finding was read from: a turn, or a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingOrigin {
    Turn,
    Case,
}

impl FindingOrigin {
    fn table(self) -> &'static str {
        match self {
            FindingOrigin::Turn => "card_findings",
            FindingOrigin::Case => "case_findings",
        }
    }
}

/// Which card sets a change of findings affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Nothing,
    Repository,
    /// Also the set of cards with a wider scope.
    AlsoFar,
}

/// A decision about a candidate or a card.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LedgerRow {
    /// None for a person's own act, and for maintenance.
    pub episode: Option<EpisodeNum>,
    pub kind: CardKind,
    pub statement: String,
    pub decision: CardDecision,
    /// The rule that decided.
    pub reason: String,
    /// The card that it became, or the card that prevented it.
    pub card: Option<CardId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardDecision {
    Admitted,
    Merged,
    Superseded,
    Archived,
    Rejected,
    Changed,
}

impl CardDecision {
    pub fn name(self) -> &'static str {
        match self {
            CardDecision::Admitted => "admitted",
            CardDecision::Merged => "merged",
            CardDecision::Superseded => "superseded",
            CardDecision::Archived => "archived",
            CardDecision::Rejected => "rejected",
            CardDecision::Changed => "changed",
        }
    }
}

/// A card as it is stored, with its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRow {
    pub card: Card,
    pub vector: Vec<f32>,
}

/// Which cards to return.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardFilter {
    /// Cards of this project and of wider scopes; without a project, all cards.
    pub project: Option<ProjectId>,
    pub kind: Option<CardKind>,
    pub statuses: Vec<CardStatus>,
}

impl ViewTx<'_> {
    /// Empties the tables of the cards stage.
    pub fn clear_cards(&mut self) -> Result<(), StoreError> {
        self.clear_failures()?;
        Ok(self.tx.execute_batch(
            "DELETE FROM card_findings; DELETE FROM case_findings; DELETE FROM cards; DELETE FROM card_ledger; DELETE FROM stale_cards;
             DELETE FROM exposed_sessions;",
        )?)
    }

    /// Replaces the findings of an episode's turns from `turn` on.
    pub fn replace_findings(
        &mut self,
        origin: FindingOrigin,
        project: ProjectId,
        (episode, turn): (EpisodeNum, u32),
        rows: &[FindingRow],
    ) -> Result<Changed, StoreError> {
        let table = origin.table();
        let before = self.read().findings_from(table, episode, turn)?;
        if before == rows {
            return Ok(Changed::Nothing);
        }
        self.tx
            .prepare_cached(&format!("DELETE FROM {table} WHERE episode = ?1 AND turn >= ?2"))?
            .execute(params![episode.0, turn])?;
        let mut insert = self.tx.prepare_cached(&format!(
            "INSERT INTO {table} (episode, turn, seq, ord, project, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        ))?;
        let (mut last, mut ord) = (None, 0);
        for row in rows {
            // Counted per turn, so that the number does not depend on where the fold began.
            ord = if last == Some(row.turn) { ord + 1 } else { 0 };
            last = Some(row.turn);
            insert.execute(params![episode.0, row.turn, row.seq, ord, project.as_bytes(), json(&row.found)?])?;
        }
        let far = before.iter().chain(rows).any(|row| row.found.reaches_far());
        Ok(if far { Changed::AlsoFar } else { Changed::Repository })
    }

    pub fn put_exposed(&mut self, session: &str, card: CardId) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO exposed_sessions (session, card) VALUES (?1, ?2)")?
            .execute(params![session, card.as_bytes()])?;
        Ok(())
    }

    /// Marks a scope whose cards must be recomputed.
    pub fn mark_cards_stale(&mut self, scope: &Scope) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO stale_cards (tier, scope) VALUES (?1, ?2)")?
            .execute(params![stored_tier(scope.tier).name(), stored_id(scope)])?;
        Ok(())
    }

    /// Every scope that has cards or findings.
    pub fn mark_all_cards_stale(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch(
            "INSERT OR IGNORE INTO stale_cards (tier, scope)
             SELECT DISTINCT 'repo', lower(hex(project)) FROM card_findings;
             INSERT OR IGNORE INTO stale_cards (tier, scope)
             SELECT DISTINCT 'repo', lower(hex(project)) FROM case_findings;
             INSERT OR IGNORE INTO stale_cards (tier, scope) SELECT DISTINCT tier, scope FROM cards WHERE tier = 'repo';
             INSERT OR IGNORE INTO stale_cards (tier, scope) VALUES ('global', '');",
        )?)
    }

    pub fn put_card(&mut self, CardRow { card, vector }: &CardRow) -> Result<(), StoreError> {
        let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut insert = self.tx.prepare_cached(
            "INSERT OR REPLACE INTO cards (id, tier, scope, kind, status, topic, rests, body, vector)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        insert.execute(params![
            card.id.as_bytes(),
            card.scope.tier.name(),
            card.scope.id,
            card.kind.name(),
            card.status.name(),
            card.topic,
            !card.rests_on.is_empty(),
            json(card)?,
            bytes
        ])?;
        Ok(())
    }

    /// Replaces a scope's cards and its ledger.
    pub fn replace_cards(&mut self, scope: &Scope, cards: &[CardRow], ledger: &[LedgerRow]) -> Result<(), StoreError> {
        let (tier, id) = (stored_tier(scope.tier).name(), stored_id(scope));
        match scope.tier {
            Tier::Repo => self.tx.execute("DELETE FROM cards WHERE tier = 'repo' AND scope = ?1", params![id])?,
            _ => self.tx.execute("DELETE FROM cards WHERE tier IN ('domain', 'global')", [])?,
        };
        self.tx.execute("DELETE FROM card_ledger WHERE tier = ?1 AND scope = ?2", params![tier, id])?;
        self.tx.execute("DELETE FROM stale_cards WHERE tier = ?1 AND scope = ?2", params![tier, id])?;
        cards.iter().try_for_each(|row| self.put_card(row))?;
        let mut insert = self.tx.prepare_cached(
            "INSERT INTO card_ledger (tier, scope, ord, episode, card, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (ord, row) in ledger.iter().enumerate() {
            let card = row.card.as_ref().map(CardId::as_bytes);
            let episode = row.episode.map(|episode| episode.0);
            insert.execute(params![tier, id, ord as u32, episode, card, json(row)?])?;
        }
        Ok(())
    }
}

/// The key of a card set: all cards with a wider scope than one repository share one set.
fn stored_tier(tier: Tier) -> Tier {
    if tier == Tier::Repo { Tier::Repo } else { Tier::Global }
}

fn stored_id(scope: &Scope) -> &str {
    if scope.tier == Tier::Repo { &scope.id } else { "" }
}

impl ViewReader<'_> {
    fn findings_from(&self, table: &str, episode: EpisodeNum, turn: u32) -> Result<Vec<FindingRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT episode, turn, seq, body FROM {table} WHERE episode = ?1 AND turn >= ?2 ORDER BY turn, ord"
        ))?;
        let rows = statement.query_map(params![episode.0, turn], read_finding)?;
        rows.map(|row| row?).collect()
    }

    /// All of an episode, in order.
    pub fn findings_of_episode(&self, episode: EpisodeNum) -> Result<Vec<FindingRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, turn, seq, body FROM card_findings WHERE episode = ?1 ORDER BY turn, ord",
        )?;
        let rows = statement.query_map([episode.0], read_finding)?;
        rows.map(|row| row?).collect()
    }

    /// The cards that were shown to this session of a host.
    pub fn exposed_cards(&self, session: &str) -> Result<Vec<CardId>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT card FROM exposed_sessions WHERE session = ?1 ORDER BY card")?;
        let rows = statement.query_map([session], |row| digest(row, 0))?;
        rows.map(|id| Ok(CardId(id?))).collect()
    }

    /// In the order of episodes and turns.
    pub fn findings_of(&self, project: ProjectId) -> Result<Vec<FindingRow>, StoreError> {
        self.findings_in(FindingOrigin::Turn, project)
    }

    /// The same of whole cases.
    pub fn case_findings_of(&self, project: ProjectId) -> Result<Vec<FindingRow>, StoreError> {
        self.findings_in(FindingOrigin::Case, project)
    }

    fn findings_in(&self, origin: FindingOrigin, project: ProjectId) -> Result<Vec<FindingRow>, StoreError> {
        let table = origin.table();
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT episode, turn, seq, body FROM {table} WHERE project = ?1 ORDER BY episode, turn, ord"
        ))?;
        let rows = statement.query_map([project.as_bytes()], read_finding)?;
        rows.map(|row| row?).collect()
    }

    /// Findings whose words apply to more than their repository.
    pub fn far_findings(&self) -> Result<Vec<FindingRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, turn, seq, body FROM (
               SELECT *, 0 AS origin FROM card_findings UNION ALL SELECT *, 1 FROM case_findings
             ) WHERE json_extract(body, '$.reach') IS NOT NULL ORDER BY episode, turn, origin, ord",
        )?;
        let rows = statement.query_map([], read_finding)?;
        rows.map(|row| row?).collect()
    }

    /// Scopes whose cards are outdated: repositories first.
    pub fn stale_cards(&self) -> Result<Vec<Scope>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT tier, scope FROM stale_cards ORDER BY tier = 'repo' DESC, scope")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (tier, id) = row?;
            Ok(Scope { tier: Tier::parse(&tier).ok_or_else(unreadable)?, id })
        })
        .collect()
    }

    pub fn card(&self, id: CardId) -> Result<Option<CardRow>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT body, vector FROM cards WHERE id = ?1")?;
        statement.query_row([id.as_bytes()], read_card).optional()?.transpose()
    }

    /// Does a project have cards of its own?
    pub fn has_cards(&self, project: ProjectId) -> Result<bool, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT 1 FROM cards WHERE tier = 'repo' AND scope = ?1")?;
        Ok(statement.exists([project.to_string()])?)
    }

    /// The card that superseded this one.
    pub fn successor(&self, card: &Card) -> Result<Option<Card>, StoreError> {
        let filter = CardFilter { project: card.scope.project(), ..CardFilter::default() };
        let rows = self.cards(&filter)?.into_iter().map(|row| row.card);
        Ok(rows.filter(|other| other.supersedes == Some(card.id)).max_by_key(|other| other.renewed))
    }

    /// Cards that rest on others.
    pub fn resting_cards(&self) -> Result<Vec<CardRow>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT body, vector FROM cards WHERE rests ORDER BY id")?;
        let rows = statement.query_map([], read_card)?;
        rows.map(|row| row?).collect()
    }

    /// In the order of their ids.
    pub fn cards(&self, filter: &CardFilter) -> Result<Vec<CardRow>, StoreError> {
        let statuses: Vec<String> = filter.statuses.iter().map(|status| format!("'{}'", status.name())).collect();
        let statuses =
            if statuses.is_empty() { String::new() } else { format!("AND status IN ({})", statuses.join(", ")) };
        let project = filter.project.map(|project| project.to_string());
        let kind = filter.kind.map(CardKind::name);
        // Selects by scope, because other projects may have very many cards.
        let places = match project {
            Some(_) => "(tier = 'repo' AND scope = ?1 OR tier IN ('domain', 'global'))",
            None => "?1 IS NULL",
        };
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT body, vector FROM cards WHERE {places} AND (?2 IS NULL OR kind = ?2) {statuses} ORDER BY id"
        ))?;
        let rows = statement.query_map(params![project, kind], read_card)?;
        rows.map(|row| row?).collect()
    }

    /// The number of cards of each status that occurs.
    pub fn card_counts(&self) -> Result<Vec<(CardStatus, u64)>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT status, COUNT(*) FROM cards GROUP BY status")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        let mut counts = Vec::new();
        for row in rows {
            let (status, count) = row?;
            counts.extend(CardStatus::parse(&status).map(|status| (status, count as u64)));
        }
        counts.sort_unstable();
        Ok(counts)
    }

    /// Ids that begin with these digits.
    pub fn cards_with_prefix(&self, hex: &str, limit: usize) -> Result<Vec<CardId>, StoreError> {
        let Some((low, high)) = crate::model::Digest::range_of_prefix(hex) else { return Ok(Vec::new()) };
        let mut statement =
            self.conn.prepare_cached("SELECT id FROM cards WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3")?;
        let rows = statement.query_map(params![low.0, high.0, limit as i64], |row| digest(row, 0))?;
        rows.map(|id| Ok(CardId(id?))).collect()
    }

    /// All decisions, in the order in which they were made.
    pub fn ledger(&self, project: Option<ProjectId>) -> Result<Vec<LedgerRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT body FROM card_ledger WHERE ?1 IS NULL OR tier <> 'repo' OR scope = ?1 ORDER BY tier DESC, scope, ord",
        )?;
        let rows = statement.query_map([project.map(|project| project.to_string())], |row| row.get::<_, String>(0))?;
        rows.map(|body| parse(&body?)).collect()
    }

    pub fn ledger_of_card(&self, card: CardId) -> Result<Vec<LedgerRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT body FROM card_ledger WHERE card = ?1 ORDER BY tier DESC, scope, ord")?;
        let rows = statement.query_map([card.as_bytes()], |row| row.get::<_, String>(0))?;
        rows.map(|body| parse(&body?)).collect()
    }
}

fn read_finding(row: &Row<'_>) -> rusqlite::Result<Result<FindingRow, StoreError>> {
    let (episode, turn, seq) = (EpisodeNum(row.get(0)?), row.get(1)?, row.get(2)?);
    let body: String = row.get(3)?;
    Ok(parse(&body).map(|found| FindingRow { episode, turn, seq, found }))
}

fn read_card(row: &Row<'_>) -> rusqlite::Result<Result<CardRow, StoreError>> {
    let body: String = row.get(0)?;
    let bytes: Vec<u8> = row.get(1)?;
    let vector = bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
    Ok(parse(&body).map(|card| CardRow { card, vector }))
}

fn parse<T: serde::de::DeserializeOwned>(body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|_| unreadable())
}

fn unreadable() -> StoreError {
    StoreError::Payload("a row of the cards cannot be read".to_owned())
}
