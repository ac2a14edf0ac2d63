//! Creates clusters, and adds new chunks to them.

use std::collections::BTreeMap;

use crate::model::ChunkId;
use crate::store::index::{DocNum, Matrix};
use crate::store::{ClusterRow, ClusterState, Index, StoreError, ViewStore, ViewTx};

use super::group::{self, Centre};
use super::label;

/// Fewer chunks have no topics.
pub const FEWEST: usize = 30;
/// Further chunks are not grouped but join a group, because the time is quadratic. Ids are hashes,
/// so the first ones are a random sample.
const MOST: usize = 12_000;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClustersMade {
    /// Chunks that have a vector.
    pub chunks: u64,
    pub clusters: u64,
    /// Chunks that are in a cluster.
    pub members: u64,
}

/// The current step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusteringStep {
    Reading,
    Grouping,
    Joining,
    Naming,
}

/// Clusters all chunks again, with the vectors of `model`. Whoever
/// calls it holds the derive lock.
pub fn run(
    views: &mut ViewStore,
    model: &str,
    progress: &mut dyn FnMut(ClusteringStep),
) -> Result<ClustersMade, StoreError> {
    progress(ClusteringStep::Reading);
    let index = views.read().index(model)?;
    let Some(matrix) = usable(&index)? else { return Ok(ClustersMade::default()) };
    let mut places = places(&index, 0);
    let docs = looked_at(&places, matrix.rows().min(index.state.docs));
    places.retain(|place| matrix.mean(place.first..place.until).is_some());
    let mut made = ClustersMade { chunks: places.len() as u64, ..ClustersMade::default() };
    let state = ClusterState { model: model.to_owned(), chunks: made.chunks, docs };
    let clustered = if places.len() < FEWEST { Clustered::default() } else { cluster(&places, matrix, progress) };

    progress(ClusteringStep::Naming);
    let labels = labels(views, &places, &clustered)?;
    let rows: Vec<ClusterRow> = clustered
        .centres
        .iter()
        .map(|(id, (centre, size))| ClusterRow {
            id: *id,
            label: labels.get(id).cloned().unwrap_or_default(),
            size: *size,
            reach: centre.reach,
            centroid: centre.centroid.clone(),
        })
        .collect();
    made.clusters = rows.len() as u64;
    made.members = clustered.members.len() as u64;
    let mut tx = views.begin()?;
    tx.replace_clusters(&state, &rows, &clustered.members)?;
    tx.commit()?;
    Ok(made)
}

/// Adds chunks with new vectors to the nearest cluster, if there are clusters.
pub fn join(tx: &mut ViewTx<'_>) -> Result<(), StoreError> {
    let Some(mut state) = tx.read().cluster_state()? else { return Ok(()) };
    let rows = tx.read().vectors_of(&state.model)?.map_or(0, |(_, rows)| rows);
    if rows <= state.docs {
        return Ok(());
    }
    let index = tx.read().index(&state.model)?;
    let centres: BTreeMap<u32, Centre> = tx
        .read()
        .clusters()?
        .into_iter()
        .map(|row| (row.id, Centre { centroid: row.centroid, reach: row.reach }))
        .collect();
    let Ok(matrix) = &index.vectors else { return Ok(()) };
    let mut members = Vec::new();
    let places = places(&index, state.docs);
    for place in &places {
        if let Some((cluster, distance)) =
            matrix.mean(place.first..place.until).and_then(|vector| group::nearest(&vector, &centres))
        {
            members.push((place.chunk, cluster, distance));
        }
    }
    state.docs = looked_at(&places, rows);
    tx.join_clusters(&state, &members)
}

fn usable(index: &Index) -> Result<Option<&Matrix>, StoreError> {
    match &index.vectors {
        Ok(matrix) => Ok(Some(matrix)),
        Err(_) if index.state.docs == 0 => Ok(None),
        Err(damage) => Err(StoreError::Index(damage.to_string())),
    }
}

/// A chunk and its passages.
struct ChunkPlace {
    chunk: ChunkId,
    first: DocNum,
    until: DocNum,
}

/// The chunks of the passages from `first` on, sorted by id, so that their order of arrival does not matter.
fn places(index: &Index, first: DocNum) -> Vec<ChunkPlace> {
    let mut places: Vec<ChunkPlace> = Vec::new();
    for number in (first..index.docs.count()).filter(|number| !index.gone.contains(number)) {
        let Some(doc) = index.docs.get(number) else { continue };
        match places.last_mut() {
            Some(place) if place.chunk == doc.chunk => place.until = number + 1,
            _ => places.push(ChunkPlace { chunk: doc.chunk, first: number, until: number + 1 }),
        }
    }
    places.sort_by_key(|place| place.chunk);
    places
}

/// The number of passages that are done, given the number with vectors: a slow model may have
/// stopped inside a chunk, which then waits.
fn looked_at(places: &[ChunkPlace], rows: DocNum) -> DocNum {
    let unfinished = places.iter().filter(|place| place.until > rows).map(|place| place.first);
    unfinished.min().map_or(rows, |first| first.min(rows))
}

#[derive(Default)]
struct Clustered {
    /// With the number of members. The largest has number 1.
    centres: BTreeMap<u32, (Centre, u32)>,
    members: Vec<(ChunkId, u32, f32)>,
}

fn cluster(places: &[ChunkPlace], matrix: &Matrix, progress: &mut dyn FnMut(ClusteringStep)) -> Clustered {
    let sample: Vec<Vec<f32>> =
        places.iter().take(MOST).filter_map(|place| matrix.mean(place.first..place.until)).collect();
    progress(ClusteringStep::Grouping);
    let groups = group::groups(&sample);
    progress(ClusteringStep::Joining);
    let centres = group::centres(&sample, &groups);
    let mut members: Vec<(ChunkId, usize, f32)> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let Some(vector) = matrix.mean(place.first..place.until) else { continue };
        let own = groups.get(at).copied().flatten();
        let found = match own.and_then(|group| Some((group, centres.get(&group)?))) {
            Some((group, centre)) => Some((group, group::distance(&vector, &centre.centroid))),
            None => group::nearest(&vector, &centres),
        };
        members.extend(found.map(|(group, distance)| (place.chunk, group, distance)));
    }
    by_size(centres, members)
}

/// Numbers the groups by size; of equals, the one with the first chunk first.
fn by_size(mut centres: BTreeMap<usize, Centre>, members: Vec<(ChunkId, usize, f32)>) -> Clustered {
    let mut sizes: BTreeMap<usize, (u32, usize)> = BTreeMap::new();
    for (at, (_, group, _)) in members.iter().enumerate() {
        sizes.entry(*group).or_insert((0, at)).0 += 1;
    }
    let mut order: Vec<(u32, usize, usize)> = sizes.into_iter().map(|(group, (size, at))| (size, at, group)).collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut clustered = Clustered::default();
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    for (number, (size, _, group)) in (1..).zip(order) {
        numbers.insert(group, number);
        if let Some(centre) = centres.remove(&group) {
            clustered.centres.insert(number, (centre, size));
        }
    }
    let numbered =
        members.into_iter().filter_map(|(chunk, group, distance)| Some((chunk, *numbers.get(&group)?, distance)));
    clustered.members = numbered.collect();
    clustered
}

fn labels(
    views: &ViewStore,
    places: &[ChunkPlace],
    clustered: &Clustered,
) -> Result<BTreeMap<u32, String>, StoreError> {
    if clustered.centres.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut words = label::Words::default();
    // Both are in the order of chunk ids.
    let mut members = clustered.members.iter().peekable();
    for place in places.iter().take(MOST) {
        let cluster = members.next_if(|(chunk, ..)| *chunk == place.chunk).map(|(_, cluster, _)| *cluster);
        if let Some(body) = views.read().body(place.chunk)? {
            words.add(cluster, &body);
        }
    }
    Ok(words.labels())
}
