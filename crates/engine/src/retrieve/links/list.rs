//! Which links are stored?

use std::collections::HashSet;

use crate::log::Log;
use crate::model::{ChunkId, Digest, EpisodeId, EventId, ProjectId, SourceKind, Timestamp};
use crate::store::{EpisodeNum, LinkRow, ViewReader, ViewStore};

use super::super::sessions::{SessionInfo, SessionQuery, sessions_in};
use super::super::{ProjectInfo, RetrieveError, find_chunk};
use super::places::Places;

/// The filter; empty matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// The intent or the consequence is in this chunk, given by a prefix of its id.
    pub chunk: Option<String>,
    /// The same for a cluster's chunks, given by its number.
    pub cluster: Option<u32>,
    /// The turn read or changed a file whose path ends like this.
    pub file: Option<String>,
    /// Only those with (or without) a consequence.
    pub claimed: Option<bool>,
}

/// A link with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkItem {
    pub row: LinkRow,
    pub source: SourceKind,
    pub project: ProjectInfo,
    pub intent_chunk: Option<ChunkId>,
    pub consequence_chunk: Option<ChunkId>,
}

/// Newest sessions first, each in the order of its lines.
pub fn links(log: &mut Log, views: &ViewStore, question: &Links) -> Result<Vec<LinkItem>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let wanted = wanted_chunks(&view, question)?;
    let scope = SessionQuery { project: question.project, from: question.from, to: question.to };
    let mut sessions = sessions_in(log, &view, &scope)?;
    sessions.reverse();
    let mut items = Vec::new();
    for info in &sessions {
        for episode in &info.episodes {
            of_episode(&view, info, *episode, question, wanted.as_ref(), &mut items)?;
        }
    }
    Ok(items)
}

/// The episode of the chunks does not matter here.
const NOBODY: EpisodeId = EpisodeId(Digest([0; 16]));

fn of_episode(
    view: &ViewReader<'_>,
    info: &SessionInfo,
    episode: EpisodeNum,
    question: &Links,
    wanted: Option<&HashSet<ChunkId>>,
    items: &mut Vec<LinkItem>,
) -> Result<(), RetrieveError> {
    let rows = view.links_of(episode)?;
    if rows.is_empty() {
        return Ok(());
    }
    let places = Places::of(&view.chunks_from(episode, NOBODY, 0)?, question.file.as_deref());
    for row in rows {
        let intent_chunk = places.chunk(row.link.intent_anchor, EventId(row.intent.id));
        let consequence = row.link.consequence.as_ref().zip(row.consequence);
        let consequence_chunk = consequence.and_then(|(found, at)| places.chunk(found.anchor, EventId(at.id)));
        let is_wanted =
            |chunk: Option<ChunkId>| chunk.is_some_and(|chunk| wanted.is_some_and(|all| all.contains(&chunk)));
        let fits = (wanted.is_none() || is_wanted(intent_chunk) || is_wanted(consequence_chunk))
            && question.claimed.is_none_or(|claimed| claimed == row.link.claimed())
            && question.from.is_none_or(|from| row.time.is_some_and(|time| time >= from))
            && question.to.is_none_or(|to| row.time.is_some_and(|time| time < to))
            && (question.file.is_none() || places.touches(row.turn));
        if fits {
            let (source, project) = (info.source, info.project.clone());
            items.push(LinkItem { row, source, project, intent_chunk, consequence_chunk });
        }
    }
    Ok(())
}

fn wanted_chunks(view: &ViewReader<'_>, question: &Links) -> Result<Option<HashSet<ChunkId>>, RetrieveError> {
    let mut wanted = None;
    if let Some(asked) = &question.chunk {
        wanted = Some(HashSet::from([find_chunk(view, asked)?]));
    }
    if let Some(cluster) = question.cluster {
        let members = view.members_of(cluster, usize::MAX)?;
        if members.is_empty() {
            return Err(RetrieveError::NotFound { what: "cluster", asked: cluster.to_string() });
        }
        let members: HashSet<ChunkId> = members.into_iter().map(|(chunk, _)| chunk).collect();
        wanted = Some(match wanted {
            Some(chunks) => &chunks & &members,
            None => members,
        });
    }
    Ok(wanted)
}
