//! A chunk as an answer shows it: what matched, with a little around it.

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{ChunkId, EvidenceRef, Part, PartKind, ProjectId, SourceKind, Timestamp, estimate_tokens};
use crate::store::{ChunkRow, EpisodeNum, StoreError, ViewReader};
use crate::text::Tokenizer;

use super::RetrieveError;
use super::projects::{ProjectName, project_names};
use super::rank::QueryTerm;

/// A chunk in an answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Shown {
    pub chunk: ChunkId,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectName,
    /// `main`, or the sub-agent's name.
    pub agent: String,
    pub turn: u32,
    /// On a branch that was left by a rewind.
    pub abandoned: bool,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub text: String,
    pub tokens: u32,
    /// Left out of the text to keep it short.
    pub trimmed: bool,
    pub files: Vec<String>,
    /// Where each part of the text comes from.
    pub evidence: Vec<EvidenceRef>,
}

/// Reads chunks for an answer; what many chunks share is read once.
pub(super) struct Gallery<'a> {
    view: ViewReader<'a>,
    projects: HashMap<ProjectId, ProjectName>,
    weights: HashMap<String, f32>,
    tokenizer: Tokenizer,
}

impl<'a> Gallery<'a> {
    pub fn new(log: &mut Log, view: ViewReader<'a>, terms: &[QueryTerm]) -> Result<Self, RetrieveError> {
        let weights = terms.iter().map(|term| (term.term.clone(), term.weight)).collect();
        Ok(Gallery { view, projects: project_names(log)?, weights, tokenizer: Tokenizer::new() })
    }

    /// At most about `tokens` of a chunk's text. `matched`: the parts that
    /// matter, from and up to.
    pub fn show(
        &mut self,
        log: &mut Log,
        row: &ChunkRow,
        matched: Option<(usize, usize)>,
        tokens: u32,
        thinking: bool,
    ) -> Result<Option<Shown>, RetrieveError> {
        let Some(body) = self.view.body(row.id)? else { return Ok(None) };
        let Some(episode) = log.store().episode(row.episode)? else { return Ok(None) };
        let parts: Vec<(usize, &Part)> = body
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| thinking || part.kind != PartKind::Thinking || body.parts.len() == 1)
            .collect();
        let limit = (tokens as f32 * 3.6) as usize;
        let (text, shown, trimmed) = self.trim(&parts, matched, limit);
        let project = self.projects.get(&episode.project).cloned();
        Ok(Some(Shown {
            chunk: row.id,
            session: episode.key.session,
            source: episode.key.source,
            project: project.unwrap_or_else(|| unknown(episode.project)),
            agent: agent_name(&self.view, row.episode)?,
            turn: row.turn,
            abandoned: self.is_abandoned(row)?,
            started: row.started,
            ended: row.ended,
            tokens: estimate_tokens(&text),
            text,
            trimmed,
            files: body.files.clone(),
            evidence: shown.into_iter().map(|at| body.parts[at].evidence()).collect(),
        }))
    }

    fn is_abandoned(&self, row: &ChunkRow) -> Result<bool, StoreError> {
        Ok(self.view.turn(row.episode, row.turn)?.is_some_and(|turn| !turn.active))
    }

    /// The part with the line that has the most of the question comes first and
    /// gets most of the room; then what stands around what matched, nearest first.
    fn trim(
        &mut self,
        parts: &[(usize, &Part)],
        matched: Option<(usize, usize)>,
        limit: usize,
    ) -> (String, Vec<usize>, bool) {
        let whole: usize = parts.iter().map(|(_, part)| rendered(part).len() + 1).sum();
        if whole <= limit {
            let text = parts.iter().map(|(_, part)| rendered(part)).collect::<Vec<_>>().join("\n");
            return (text, parts.iter().map(|(at, _)| *at).collect(), false);
        }
        let is_match = |at: usize| matched.is_some_and(|(from, to)| (from..to).contains(&at));
        let centre = parts.iter().position(|(at, _)| is_match(*at)).unwrap_or(0);
        let worth: Vec<f32> = parts.iter().map(|(_, part)| self.best_line(&part.text)).collect();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by(|a, b| {
            let near = |at: usize| (!is_match(parts[at].0), at.abs_diff(centre), at);
            worth[*b].total_cmp(&worth[*a]).then(near(*a).cmp(&near(*b)))
        });
        let mut left = limit;
        let mut texts: Vec<Option<String>> = vec![None; parts.len()];
        for at in order {
            if left < 40 {
                break;
            }
            let text = self.window(&rendered(parts[at].1), left);
            left -= text.len().min(left);
            texts[at] = Some(text);
        }
        let shown = parts.iter().zip(&texts).filter(|(_, text)| text.is_some()).map(|((at, _), _)| *at).collect();
        (texts.into_iter().flatten().collect::<Vec<_>>().join("\n"), shown, true)
    }

    /// At most `limit` bytes around the lines with the most of the question.
    fn window(&mut self, text: &str, limit: usize) -> String {
        if text.len() <= limit {
            return text.to_owned();
        }
        let lines: Vec<&str> = text.split('\n').flat_map(|line| pieces(line, limit / 2)).collect();
        let worth: Vec<f32> = lines.iter().map(|line| self.worth(line)).collect();
        let best = (0..lines.len()).max_by(|a, b| worth[*a].total_cmp(&worth[*b]).then(b.cmp(a))).unwrap_or(0);
        let (mut from, mut to) = (best, best + 1);
        let mut length = lines[best].len();
        loop {
            let before =
                from.checked_sub(1).map(|at| (worth[at], at)).filter(|(_, at)| length + lines[*at].len() < limit);
            let after = (to < lines.len()).then(|| (worth[to], to)).filter(|(_, at)| length + lines[*at].len() < limit);
            let (forward, at) = match (before, after) {
                (Some((a, before)), Some((b, _))) if a > b => (false, before),
                (_, Some((_, after))) => (true, after),
                (Some((_, before)), None) => (false, before),
                (None, None) => break,
            };
            length += lines[at].len() + 1;
            if forward { to += 1 } else { from -= 1 }
        }
        let mut window = lines[from..to].join("\n");
        if from > 0 {
            window.insert_str(0, "… ");
        }
        if to < lines.len() {
            window.push_str(" …");
        }
        window
    }

    fn best_line(&mut self, text: &str) -> f32 {
        text.lines().map(|line| self.worth(line)).fold(0.0, f32::max)
    }

    fn worth(&mut self, line: &str) -> f32 {
        let mut terms = self.tokenizer.strings(line);
        terms.sort_unstable();
        terms.dedup();
        terms.iter().filter_map(|term| self.weights.get(term)).sum()
    }
}

/// `main`, or the sub-agent's name.
pub(super) fn agent_name(view: &ViewReader<'_>, episode: EpisodeNum) -> Result<String, StoreError> {
    Ok(view.agent(episode)?.map_or_else(|| "main".to_owned(), |agent| agent.name))
}

/// A partial import may lack the line that introduces a project.
fn unknown(id: ProjectId) -> ProjectName {
    ProjectName { id, name: "(unknown)".to_owned(), path: None }
}

/// A part with who or what speaks.
fn rendered(part: &Part) -> String {
    let label = part.label.as_deref();
    let text = part.text.trim_end();
    match part.kind {
        PartKind::User => format!("{}: {text}", label.unwrap_or("User")),
        PartKind::Assistant => format!("{}: {text}", label.unwrap_or("Agent")),
        PartKind::Thinking => format!("(thinking) {text}"),
        PartKind::ToolCall => format!("[{}] {text}", label.unwrap_or("tool")),
        PartKind::ToolOutput => match label {
            Some(label) => format!("  → {label}: {text}"),
            None => format!("  → {text}"),
        },
        PartKind::Note => format!("· {text}"),
    }
}

/// A long line in pieces, cut between words where there are any.
fn pieces(line: &str, limit: usize) -> Vec<&str> {
    let limit = limit.max(16);
    let mut rest = line;
    let mut pieces = Vec::new();
    while rest.len() > limit {
        let mut at = limit;
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let at = rest[..at].rfind(' ').filter(|space| *space > limit / 2).unwrap_or(at);
        let (piece, tail) = rest.split_at(at.max(1));
        pieces.push(piece);
        rest = tail;
    }
    pieces.push(rest);
    pieces
}
