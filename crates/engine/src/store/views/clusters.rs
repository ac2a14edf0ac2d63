//! Which chunks are about the same topic?
//!
//! Unlike the rows of the stages, clusters are not a fold over the log: they depend on when they
//! were computed, so `ViewReader::dump` leaves them out.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use crate::model::{ChunkId, Timestamp};

use super::super::index::DocNum;
use super::super::log_store::EpisodeNum;
use super::super::sqlite::{StoreError, floats};
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

/// The input that the clusters were computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterState {
    pub model: String,
    /// The number of chunks at that time.
    pub chunks: u64,
    /// Passages up to this number were compared with the clusters; later ones were not.
    pub docs: DocNum,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRow {
    pub id: u32,
    pub label: String,
    /// Its members when it was computed.
    pub size: u32,
    /// A chunk no farther than this from the centroid may join.
    pub reach: f32,
    /// Of unit length, in the space of the model's vectors.
    pub centroid: Vec<f32>,
}

/// One run's share of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterShare {
    pub cluster: u32,
    pub episode: EpisodeNum,
    pub chunks: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

impl ViewReader<'_> {
    /// None until clusters were computed.
    pub fn cluster_state(&self) -> Result<Option<ClusterState>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT model, chunks, docs FROM cluster_state")?;
        let state = statement
            .query_row([], |row| Ok(ClusterState { model: row.get(0)?, chunks: row.get(1)?, docs: row.get(2)? }));
        Ok(state.optional()?)
    }

    pub fn clusters(&self) -> Result<Vec<ClusterRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT id, label, size, reach, centroid FROM clusters ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            let centroid = floats(row.get_ref(4)?.as_blob()?);
            Ok(ClusterRow { id: row.get(0)?, label: row.get(1)?, size: row.get(2)?, reach: row.get(3)?, centroid })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The cluster of a chunk, and how far it is from the centroid.
    pub fn cluster_of(&self, chunk: ChunkId) -> Result<Option<(u32, f32)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT cluster, distance FROM cluster_members JOIN chunks ON chunks.id = chunk WHERE chunk = ?1",
        )?;
        Ok(statement.query_row([chunk.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// The members that still exist, closest to the centroid first.
    pub fn members_of(&self, cluster: u32, limit: usize) -> Result<Vec<(ChunkId, f32)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT chunk, distance FROM cluster_members JOIN chunks ON chunks.id = chunk
             WHERE cluster = ?1 ORDER BY distance, chunk LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![cluster, limit], |row| Ok((ChunkId(digest(row, 0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Which runs have members in which clusters, and when, in order.
    ///
    /// Reads both tables once, side by side in the order of chunks: looking up each member would
    /// read the file at random places.
    pub fn cluster_shares(&self) -> Result<Vec<ClusterShare>, StoreError> {
        let mut members = self.conn.prepare_cached("SELECT chunk, cluster FROM cluster_members ORDER BY chunk")?;
        let mut chunks = self.conn.prepare_cached("SELECT id, episode, started, ended FROM chunks ORDER BY id")?;
        let members = members.query_map([], |row| Ok((digest(row, 0)?, row.get::<_, u32>(1)?)))?;
        let mut chunks = chunks.query_map([], |row| {
            let (started, ended): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
            Ok((digest(row, 0)?, row.get::<_, i64>(1)?, started.map(Timestamp), ended.or(started).map(Timestamp)))
        })?;
        let mut shares: BTreeMap<(u32, i64), ClusterShare> = BTreeMap::new();
        let mut chunk = chunks.next().transpose()?;
        for member in members {
            let (id, cluster) = member?;
            while chunk.is_some_and(|(known, ..)| known.0 < id.0) {
                chunk = chunks.next().transpose()?;
            }
            let Some((_, episode, started, ended)) = chunk.filter(|(known, ..)| *known == id) else { continue };
            let nothing = ClusterShare { cluster, episode: EpisodeNum(episode), chunks: 0, first: None, last: None };
            let share = shares.entry((cluster, episode)).or_insert(nothing);
            share.chunks += 1;
            share.first = [share.first, started].into_iter().flatten().min();
            share.last = share.last.max(ended);
        }
        Ok(shares.into_values().collect())
    }
}

impl ViewTx<'_> {
    pub fn clear_clusters(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch("DELETE FROM cluster_state; DELETE FROM clusters; DELETE FROM cluster_members;")?)
    }

    /// Replaces all clusters. `members`: chunk, cluster, distance.
    pub fn replace_clusters(
        &mut self,
        state: &ClusterState,
        clusters: &[ClusterRow],
        members: &[(ChunkId, u32, f32)],
    ) -> Result<(), StoreError> {
        self.clear_clusters()?;
        for cluster in clusters {
            let centroid: Vec<u8> = cluster.centroid.iter().flat_map(|value| value.to_le_bytes()).collect();
            self.tx
                .prepare_cached("INSERT INTO clusters (id, label, size, reach, centroid) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![cluster.id, cluster.label, cluster.size, cluster.reach, centroid])?;
        }
        self.join_clusters(state, members)
    }

    /// Adds members; a chunk that has a cluster keeps it.
    pub fn join_clusters(&mut self, state: &ClusterState, members: &[(ChunkId, u32, f32)]) -> Result<(), StoreError> {
        let mut statement = self
            .tx
            .prepare_cached("INSERT OR IGNORE INTO cluster_members (chunk, cluster, distance) VALUES (?1, ?2, ?3)")?;
        for (chunk, cluster, distance) in members {
            statement.execute(params![chunk.as_bytes(), cluster, distance])?;
        }
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO cluster_state (one, model, chunks, docs) VALUES (1, ?1, ?2, ?3)")?
            .execute(params![state.model, state.chunks, state.docs])?;
        Ok(())
    }

    /// Replaces the labels of clusters.
    pub fn label_clusters(&mut self, labels: &[(u32, String)]) -> Result<(), StoreError> {
        let mut statement = self.tx.prepare_cached("UPDATE clusters SET label = ?2 WHERE id = ?1")?;
        for (id, label) in labels {
            statement.execute(params![id, label])?;
        }
        Ok(())
    }
}
