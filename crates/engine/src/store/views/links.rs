//! Which links, outcomes and noted tasks do the views hold?

use std::borrow::Cow;

use rusqlite::{Row, params};

use crate::model::{
    Basis, CausalLink, Consequence, ConsequenceType, EventId, EvidenceRef, IntentType, LinkId, Outcome, OutcomeKind,
    Strength, Timestamp,
};

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

/// A link with its place and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRow {
    pub episode: EpisodeNum,
    pub turn: u32,
    /// When the intent was spoken.
    pub time: Option<Timestamp>,
    pub link: CausalLink,
    pub intent: EvidenceRef,
    pub consequence: Option<EvidenceRef>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    pub episode: EpisodeNum,
    pub turn: u32,
    pub outcome: Outcome,
}

/// A call with which an agent wrote a to-do list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskNote {
    pub episode: EpisodeNum,
    pub turn: u32,
    pub seq: u32,
    pub event: EventId,
}

const LINK_COLUMNS: &str = "id, session_id, actor, intent_text, intent_type, intent_strength, intent_anchor_index,
    consequence_text, consequence_type, consequence_anchor_index, distance, score, claimed, created_at_ms,
    episode, turn, line_gap, score_parts, intent_evidence, consequence_evidence, kernel, kernel_version, kernel_params";

impl ViewTx<'_> {
    pub fn clear_links(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch("DELETE FROM causal_links; DELETE FROM outcomes; DELETE FROM task_notes;")?)
    }

    /// Removes the rows of an episode's turns from `turn` on.
    pub fn clear_links_from(&mut self, episode: EpisodeNum, turn: u32) -> Result<(), StoreError> {
        for table in ["causal_links", "outcomes", "task_notes"] {
            self.tx
                .prepare_cached(&format!("DELETE FROM {table} WHERE episode = ?1 AND turn >= ?2"))?
                .execute(params![episode.0, turn])?;
        }
        Ok(())
    }

    pub fn put_link(&mut self, row: &LinkRow) -> Result<(), StoreError> {
        let link = &row.link;
        let consequence = link.consequence.as_ref();
        let parts = consequence.map(|consequence| json(&Parts(&consequence.parts))).transpose()?;
        self.tx
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO causal_links ({LINK_COLUMNS}) VALUES
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)"
            ))?
            .execute(params![
                link.id.to_string(),
                link.session,
                link.actor,
                link.intent_text,
                link.intent_type.name(),
                link.intent_strength.name(),
                link.intent_anchor,
                consequence.map(|consequence| &consequence.text),
                link.consequence_type.name(),
                consequence.map(|consequence| consequence.anchor),
                consequence.map(|consequence| consequence.distance),
                consequence.map(|consequence| consequence.score),
                link.claimed(),
                row.time.map_or(0, |time| time.0),
                row.episode.0,
                row.turn,
                consequence.map(|consequence| consequence.line_gap),
                parts,
                json(&row.intent)?,
                row.consequence.as_ref().map(json).transpose()?,
                link.kernel,
                link.kernel_version,
                link.kernel_params.as_ref(),
            ])?;
        Ok(())
    }

    pub fn put_outcome(&mut self, episode: EpisodeNum, turn: u32, outcome: &Outcome) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO outcomes (episode, turn, seq, kind, basis, event, about, runner)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                episode.0,
                turn,
                outcome.seq,
                outcome.kind.name(),
                outcome.basis.name(),
                outcome.event.as_bytes(),
                outcome.about.as_bytes(),
                outcome.runner,
            ])?;
        Ok(())
    }

    pub fn put_task_note(&mut self, note: &TaskNote) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO task_notes (episode, turn, seq, event) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![note.episode.0, note.turn, note.seq, note.event.as_bytes()])?;
        Ok(())
    }
}

impl ViewReader<'_> {
    /// Links of an episode in the order of their intents.
    pub fn links_of(&self, episode: EpisodeNum) -> Result<Vec<LinkRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached(&format!("SELECT {LINK_COLUMNS} FROM causal_links WHERE episode = ?1"))?;
        let rows = statement.query_map([episode.0], read_link)?;
        in_order(rows)
    }

    /// The last links before a turn, in the order of their intents.
    pub fn links_before(&self, episode: EpisodeNum, turn: u32, limit: usize) -> Result<Vec<LinkRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {LINK_COLUMNS} FROM causal_links WHERE episode = ?1 AND turn < ?2
             ORDER BY intent_anchor_index DESC, id DESC LIMIT ?3"
        ))?;
        let rows = statement.query_map(params![episode.0, turn, limit as i64], read_link)?;
        in_order(rows)
    }

    pub fn outcomes_of(&self, episode: EpisodeNum) -> Result<Vec<OutcomeRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, turn, seq, kind, basis, event, about, runner FROM outcomes WHERE episode = ?1 ORDER BY seq, kind",
        )?;
        let rows = statement.query_map([episode.0], read_outcome)?;
        rows.map(|row| row?.ok_or_else(unreadable)).collect()
    }

    pub fn task_notes_of(&self, episode: EpisodeNum) -> Result<Vec<TaskNote>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, turn, seq, event FROM task_notes WHERE episode = ?1 ORDER BY seq")?;
        let rows = statement.query_map([episode.0], |row| {
            let event = EventId(digest(row, 3)?);
            Ok(TaskNote { episode: EpisodeNum(row.get(0)?), turn: row.get(1)?, seq: row.get(2)?, event })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many links there are, and how many have a consequence.
    pub fn link_counts(&self) -> Result<(u64, u64), StoreError> {
        let counted =
            self.conn.query_row("SELECT count(*), coalesce(sum(claimed), 0) FROM causal_links", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok(counted)
    }
}

/// Ordered by intent; intents of one prompt by their position in it.
fn in_order(rows: impl Iterator<Item = rusqlite::Result<Option<LinkRow>>>) -> Result<Vec<LinkRow>, StoreError> {
    let mut links: Vec<LinkRow> = rows.map(|row| row?.ok_or_else(unreadable)).collect::<Result<_, _>>()?;
    links.sort_by_key(|row| (row.link.intent_anchor, row.intent.start, row.link.id));
    Ok(links)
}

/// As a JSON object, in the order of the parts.
struct Parts<'a>(&'a [(Cow<'static, str>, f32)]);

impl serde::Serialize for Parts<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, part)| (name, part)))
    }
}

fn read_parts(text: &str) -> Vec<(Cow<'static, str>, f32)> {
    let parts: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
    parts.into_iter().filter_map(|(name, part)| Some((name.into(), part.as_f64()? as f32))).collect()
}

fn unreadable() -> StoreError {
    StoreError::Payload("a row of the links cannot be read".to_owned())
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Payload(error.to_string()))
}

fn read_link(row: &Row<'_>) -> rusqlite::Result<Option<LinkRow>> {
    let text = |column: usize| row.get::<_, String>(column);
    let evidence = |column: usize| -> rusqlite::Result<Option<EvidenceRef>> {
        Ok(row.get::<_, Option<String>>(column)?.and_then(|text| serde_json::from_str(&text).ok()))
    };
    let consequence = match row.get::<_, Option<u32>>(9)? {
        Some(anchor) => Some(Consequence {
            text: text(7)?,
            anchor,
            distance: row.get(10)?,
            line_gap: row.get(16)?,
            score: row.get(11)?,
            parts: read_parts(&text(17)?),
        }),
        None => None,
    };
    let named = (
        LinkId::parse(&text(0)?),
        IntentType::parse(&text(4)?),
        Strength::parse(&text(5)?),
        ConsequenceType::parse(&text(8)?),
        evidence(18)?,
    );
    let (Some(id), Some(intent_type), Some(intent_strength), Some(consequence_type), Some(intent)) = named else {
        return Ok(None);
    };
    let link = CausalLink {
        id,
        session: text(1)?,
        actor: text(2)?,
        intent_text: text(3)?,
        intent_type,
        intent_strength,
        intent_anchor: row.get(6)?,
        consequence_type,
        consequence,
        kernel: text(20)?.into(),
        kernel_version: row.get(21)?,
        kernel_params: text(22)?.into(),
    };
    let time = Some(row.get(13)?).filter(|time| *time != 0).map(Timestamp);
    let (episode, turn) = (EpisodeNum(row.get(14)?), row.get(15)?);
    Ok(Some(LinkRow { episode, turn, time, link, intent, consequence: evidence(19)? }))
}

fn read_outcome(row: &Row<'_>) -> rusqlite::Result<Option<OutcomeRow>> {
    let (kind, basis) = (row.get::<_, String>(3)?, row.get::<_, String>(4)?);
    let (Some(kind), Some(basis)) = (OutcomeKind::parse(&kind), Basis::parse(&basis)) else { return Ok(None) };
    let outcome = Outcome {
        kind,
        basis,
        event: EventId(digest(row, 5)?),
        seq: row.get(2)?,
        about: EventId(digest(row, 6)?),
        runner: row.get(7)?,
    };
    Ok(Some(OutcomeRow { episode: EpisodeNum(row.get(0)?), turn: row.get(1)?, outcome }))
}
