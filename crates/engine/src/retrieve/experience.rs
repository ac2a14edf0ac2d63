//! What followed before, in contexts like this one?

use std::collections::{BTreeMap, BTreeSet, HashSet};

use backstory_language::text::clip;

use crate::model::{ChunkBody, ChunkId, EdgeKind, Exit, PartKind, edits_file, estimate_tokens};
use crate::store::{Index, StoreError, ViewReader};

use super::search::Hit;

/// Places that are considered, how near to the best one each must be, and the number of chunks after each.
const PLACES: usize = 20;
const NEAR_THE_BEST: f32 = 0.5;
const AHEAD: usize = 6;
/// Lines per group.
const LISTED: usize = 5;
const SHOWN_COMMAND: usize = 100;

/// What followed, each with the number of places where it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Experience {
    /// Places in the past that matched.
    pub places: usize,
    pub sessions: usize,
    /// Commands that were run next.
    pub actions: Vec<FollowUp>,
    /// Files that were changed next.
    pub files: Vec<FollowUp>,
    /// What people asked for next.
    pub prompts: Vec<FollowUp>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct FollowUp {
    pub what: String,
    /// Places where it followed.
    pub support: usize,
    /// Of the places with this command, the numbers in which it finally succeeded and failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Endings>,
    /// A chunk that shows it.
    pub chunk: ChunkId,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Endings {
    pub ok: usize,
    pub failed: usize,
}

impl Experience {
    /// Drops the rarest lines until at most this many tokens remain.
    fn within(mut self, tokens: u64) -> Self {
        while self.tokens() > tokens {
            let groups = [&mut self.prompts, &mut self.files, &mut self.actions].into_iter();
            let rarest = |group: &&mut Vec<FollowUp>| group.last().map(|seen| (seen.support, usize::MAX - group.len()));
            let Some(group) = groups.filter(|group| !group.is_empty()).min_by_key(rarest) else { break };
            group.pop();
        }
        self
    }

    pub fn tokens(&self) -> u64 {
        let all = self.actions.iter().chain(&self.files).chain(&self.prompts);
        all.map(|seen| u64::from(estimate_tokens(&seen.what)) + 4).sum()
    }
}

/// What followed at which places, how it finally ended there, and which chunk shows it.
#[derive(Default)]
struct Group(BTreeMap<String, (BTreeMap<usize, Option<Exit>>, ChunkId)>);

impl Group {
    fn add(&mut self, what: String, place: usize, chunk: ChunkId, exit: Option<Exit>) {
        if !what.is_empty() {
            self.0.entry(what).or_insert_with(|| (BTreeMap::new(), chunk)).0.insert(place, exit);
        }
    }

    /// Most frequent first.
    fn listed(self, with_end: bool) -> Vec<FollowUp> {
        let mut all: Vec<FollowUp> = self
            .0
            .into_iter()
            .map(|(what, (places, chunk))| {
                let ends = |wanted: fn(Exit) -> bool| places.values().flatten().filter(|exit| wanted(**exit)).count();
                let ended = Endings { ok: ends(|exit| exit == Exit::Ok), failed: ends(|exit| exit != Exit::Ok) };
                FollowUp { what, support: places.len(), ended: with_end.then_some(ended), chunk }
            })
            .collect();
        all.sort_by(|a, b| b.support.cmp(&a.support).then_with(|| a.what.cmp(&b.what)));
        all.truncate(LISTED);
        all
    }
}

/// Looks ahead from each place that matched well, within its own run and within this many tokens.
pub(super) fn experience(
    view: &ViewReader<'_>,
    index: &Index,
    hits: &[Hit],
    tokens: u64,
) -> Result<Experience, StoreError> {
    let (mut actions, mut files, mut prompts) = (Group::default(), Group::default(), Group::default());
    let mut sessions = BTreeSet::new();
    let mut seen: HashSet<ChunkId> = HashSet::new();
    let mut places = 0;
    let best = hits.first().map_or(0.0, |hit| hit.score.score);
    for hit in hits.iter().take(PLACES).filter(|hit| hit.score.score >= NEAR_THE_BEST * best) {
        let mut at = hit.chunk;
        let mut followed = false;
        for _ in 0..AHEAD {
            let Some(next) = next_in_run(view, at)? else { break };
            // Neighbouring places share what follows.
            if !seen.insert(next) {
                break;
            }
            at = next;
            let Some(body) = view.body(at)? else { break };
            collect(&body, places, at, &mut actions, &mut files, &mut prompts);
            followed = true;
        }
        if followed {
            places += 1;
            sessions.insert(index.docs.session(hit.score.doc));
        }
    }
    let all = Experience {
        places,
        sessions: sessions.len(),
        actions: actions.listed(true),
        files: files.listed(false),
        prompts: prompts.listed(false),
    };
    Ok(all.within(tokens))
}

fn next_in_run(view: &ViewReader<'_>, chunk: ChunkId) -> Result<Option<ChunkId>, StoreError> {
    let edges = view.edges_from(chunk)?;
    Ok(edges.into_iter().find(|(kind, _)| *kind == EdgeKind::WithinChain).map(|(_, next)| next))
}

fn collect(
    body: &ChunkBody,
    place: usize,
    chunk: ChunkId,
    actions: &mut Group,
    files: &mut Group,
    prompts: &mut Group,
) {
    for run in &body.commands {
        actions.add(command(&run.command), place, chunk, run.exit);
    }
    for part in &body.parts {
        match (part.kind, part.label.as_deref()) {
            (PartKind::ToolCall, Some("apply_patch")) => {
                body.files.iter().for_each(|path| files.add(path.clone(), place, chunk, None));
            }
            (PartKind::ToolCall, Some(tool)) if edits_file(tool) => {
                let path = part.text.lines().next().unwrap_or_default();
                files.add(path.to_owned(), place, chunk, None);
            }
            (PartKind::User, _) => {
                prompts.add(clip(part.text.lines().next().unwrap_or_default(), SHOWN_COMMAND), place, chunk, None)
            }
            _ => {}
        }
    }
}

/// Normalises commands that differ only in the folder, the redirected output or the commit message.
fn command(text: &str) -> String {
    if text.contains("git commit") {
        return "git commit".to_owned();
    }
    let told = |line: &&str| !line.is_empty() && !line.starts_with(['#']) && !line.starts_with("echo ");
    let line = text.lines().map(str::trim).find(told).unwrap_or_default();
    let after_cd = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&& ")).map_or(line, |(_, rest)| rest);
    let ends = [" 2>&1", " | head", " | tail", " <<", " && \\", " \\"];
    let end = ends.iter().filter_map(|end| after_cd.find(end)).min().unwrap_or(after_cd.len());
    clip(after_cd[..end].trim(), SHOWN_COMMAND)
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_same_command_is_told_once() {
        for text in
            ["npm test", "cd app && npm test", "npm test 2>&1 | tail -20", "npm test | head -3", "# all\nnpm test"]
        {
            assert_eq!(command(text), "npm test", "{text}");
        }
        assert_eq!(command("git add -A && git commit -m \"$(cat <<'EOF'\nFix\nEOF\n)\""), "git commit");
        assert_eq!(command("cat > x.sh << 'EOF'\nls\nEOF"), "cat > x.sh");
    }
}
