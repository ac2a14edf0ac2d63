//! Which topics does the memory contain?

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::log::Log;
use crate::model::{ProjectId, SourceKind, Timestamp};
use crate::store::{ClusterRow, ClusterShare, EpisodeNum, ViewStore};

use super::RetrieveError;
use super::render::{ChunkRenderer, Excerpt, RenderedChunk};

/// How much of a member's text is shown.
const MEMBER_TOKENS: u32 = 80;

/// Which clusters, or which members of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    pub project: Option<ProjectId>,
    /// The largest clusters, or the closest members.
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ClusterInfo {
    pub id: u32,
    pub label: String,
    pub chunks: u64,
    pub sessions: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

/// The clusters of a project (or of all), largest first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ClusterList {
    pub items: Vec<ClusterInfo>,
    /// The number of chunks that are in no cluster.
    pub unclustered: u64,
    pub chunks: u64,
    /// The number of clusters beyond the limit.
    pub omitted: u64,
}

/// A cluster with its members, closest to its centre first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ClusterMembers {
    #[serde(flatten)]
    pub info: ClusterInfo,
    pub items: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Member {
    /// From the centre: 0 is identical, 1 is unrelated.
    pub distance: f32,
    #[serde(flatten)]
    pub shown: RenderedChunk,
}

/// `None` if no clusters were built yet.
pub fn clusters(log: &mut Log, views: &ViewStore, question: &Clusters) -> Result<Option<ClusterList>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    if view.cluster_state()?.is_none() {
        return Ok(None);
    }
    let episodes = NumberedSessions::load(log, question.project)?;
    let counts = view.chunk_counts()?;
    let chunks = counts.iter().filter(|(num, _)| episodes.0.contains_key(num)).map(|(_, chunks)| chunks).sum();
    let mut items = describe(view.clusters()?, view.cluster_shares()?, &episodes);
    let clustered: u64 = items.iter().map(|info| info.chunks).sum();
    let omitted = question.limit.map_or(0, |limit| items.len().saturating_sub(limit));
    items.truncate(items.len() - omitted);
    Ok(Some(ClusterList { items, unclustered: chunks - clustered, chunks, omitted: omitted as u64 }))
}

/// `asked`: a cluster's number, or words of its label. `None` if no clusters were built yet.
pub fn cluster_members(
    log: &mut Log,
    views: &ViewStore,
    asked: &str,
    question: &Clusters,
) -> Result<Option<ClusterMembers>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    if view.cluster_state()?.is_none() {
        return Ok(None);
    }
    let episodes = NumberedSessions::load(log, question.project)?;
    let info = find(describe(view.clusters()?, view.cluster_shares()?, &episodes), asked)?;
    let mut renderer = ChunkRenderer::new(log, view, &[])?;
    let mut items = Vec::new();
    let excerpt = Excerpt { tokens: MEMBER_TOKENS, ..Excerpt::default() };
    for (chunk, distance) in view.members_of(info.id, usize::MAX)? {
        if items.len() >= question.limit.unwrap_or(usize::MAX) {
            break;
        }
        let row = view.chunk_row(chunk)?.filter(|row| episodes.0.contains_key(&row.episode));
        if let Some(row) = row
            && let Some(shown) = renderer.render(log, &row, excerpt)?
        {
            items.push(Member { distance, shown });
        }
    }
    Ok(Some(ClusterMembers { info, items }))
}

/// The selected runs, each with a number of its session.
struct NumberedSessions(HashMap<EpisodeNum, usize>);

impl NumberedSessions {
    fn load(log: &mut Log, project: Option<ProjectId>) -> Result<Self, RetrieveError> {
        let all = log.store().episodes()?.into_iter();
        let asked = all.filter(|(_, episode)| project.is_none_or(|project| project == episode.project));
        let mut sessions: HashMap<(SourceKind, String), usize> = HashMap::new();
        let numbered = asked.map(|(num, episode)| {
            let next = sessions.len();
            (num, *sessions.entry((episode.key.source, episode.key.session)).or_insert(next))
        });
        Ok(NumberedSessions(numbered.collect()))
    }
}

/// Largest first; clusters without a chunk of the selected runs are left out.
fn describe(rows: Vec<ClusterRow>, shares: Vec<ClusterShare>, episodes: &NumberedSessions) -> Vec<ClusterInfo> {
    let mut labels: BTreeMap<u32, String> = rows.into_iter().map(|row| (row.id, row.label)).collect();
    let mut found: BTreeMap<u32, (ClusterInfo, HashSet<usize>)> = BTreeMap::new();
    for share in shares {
        let Some(session) = episodes.0.get(&share.episode) else { continue };
        let (info, sessions) = found.entry(share.cluster).or_insert_with(|| {
            let label = labels.remove(&share.cluster).unwrap_or_default();
            let info = ClusterInfo { id: share.cluster, label, chunks: 0, sessions: 0, first: None, last: None };
            (info, HashSet::new())
        });
        info.chunks += share.chunks;
        info.first = [info.first, share.first].into_iter().flatten().min();
        info.last = info.last.max(share.last);
        sessions.insert(*session);
    }
    let counted = found.into_values().map(|(info, sessions)| ClusterInfo { sessions: sessions.len() as u64, ..info });
    let mut infos: Vec<ClusterInfo> = counted.collect();
    infos.sort_by(|a, b| b.chunks.cmp(&a.chunks).then(a.id.cmp(&b.id)));
    infos
}

/// By number, or by words or a prefix of the label.
fn find(infos: Vec<ClusterInfo>, asked: &str) -> Result<ClusterInfo, RetrieveError> {
    let asked_words: Vec<String> = words(asked).collect();
    let number: Option<u32> = asked.trim_start_matches('#').parse().ok();
    let fits = |info: &ClusterInfo| match number {
        Some(number) => info.id == number,
        None => asked_words.iter().all(|asked| words(&info.label).any(|word| word.starts_with(asked.as_str()))),
    };
    let is_exact = |info: &ClusterInfo| asked_words.iter().all(|asked| words(&info.label).any(|word| word == *asked));
    let found: Vec<&ClusterInfo> = infos.iter().filter(|info| fits(info)).collect();
    let exact: Vec<&ClusterInfo> = found.iter().copied().filter(|info| number.is_none() && is_exact(info)).collect();
    match (exact.as_slice(), found.as_slice()) {
        (_, [info]) | ([info], _) => Ok((*info).clone()),
        (_, []) => Err(RetrieveError::NotFound { what: "cluster", asked: asked.to_owned() }),
        (_, several) => {
            let candidates = several.iter().take(8).map(|info| format!("{} ({})", info.id, info.label)).collect();
            Err(RetrieveError::Ambiguous { what: "cluster", asked: asked.to_owned(), candidates })
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| letter == ',' || letter.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: u32, label: &str) -> ClusterInfo {
        ClusterInfo { id, label: label.to_owned(), chunks: 1, sessions: 1, first: None, last: None }
    }

    #[test]
    fn a_cluster_goes_by_its_number_or_its_words() {
        let all = || vec![info(1, "parser, brackets"), info(2, "parse, invoice"), info(3, "invoice, total")];
        let found = |asked: &str| find(all(), asked).map(|info| info.id);
        assert!(matches!(found("2"), Ok(2)));
        assert!(matches!(found("Brack"), Ok(1)));
        assert!(matches!(found("parse"), Ok(2)), "the word itself comes before what it begins");
        assert!(matches!(found("invoice, total"), Ok(3)));
        assert!(matches!(found("invoice"), Err(RetrieveError::Ambiguous { .. })));
        assert!(matches!(found("9"), Err(RetrieveError::NotFound { .. })));
    }
}
