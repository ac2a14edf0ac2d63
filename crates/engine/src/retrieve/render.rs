//! Renders a chunk for an answer: the matching parts with a little context.

use std::collections::HashMap;
use std::ops::Range;

use backstory_language::prompts::tool_output_spans;
use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::model::{ChunkId, EvidenceRef, Part, PartKind, ProjectId, SourceKind, Timestamp, estimate_tokens};
use crate::store::{ChunkRow, EpisodeNum, StoreError, ViewReader};

use super::RetrieveError;
use super::projects::{ProjectName, project_names};
use super::rank::QueryTerm;

/// A chunk in an answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RenderedChunk {
    pub chunk: ChunkId,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectName,
    /// `main`, or the sub-agent's name.
    pub agent: String,
    pub turn: u32,
    /// On a branch abandoned by a rewind.
    pub abandoned: bool,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub text: String,
    pub tokens: u32,
    /// Text was left out.
    pub trimmed: bool,
    pub files: Vec<String>,
    /// The source of each part of the text.
    pub evidence: Vec<EvidenceRef>,
    /// The byte ranges of tool output and host text: the author of that page or file speaks there.
    #[serde(skip)]
    pub printed: Vec<Range<usize>>,
}

/// Some parts of a chunk as text.
struct Trimmed {
    text: String,
    /// The indexes of those parts.
    shown: Vec<usize>,
    trimmed: bool,
    printed: Vec<Range<usize>>,
}

/// Bytes of English text or code per token.
const BYTES_A_TOKEN: f32 = 3.6;
/// Less text, in bytes, is useless.
const SMALLEST: usize = 40;

/// How much of a chunk is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Excerpt {
    /// The range of parts that matter; None: the whole chunk.
    pub matched: Option<(usize, usize)>,
    /// The approximate limit in tokens.
    pub tokens: u32,
    /// Includes thinking.
    pub thinking: bool,
}

/// Renders chunks for an answer; data that chunks share is read once.
pub(super) struct ChunkRenderer<'a> {
    view: ViewReader<'a>,
    projects: HashMap<ProjectId, ProjectName>,
    weights: HashMap<String, f32>,
    tokenizer: Tokenizer,
}

impl<'a> ChunkRenderer<'a> {
    pub fn new(log: &mut Log, view: ViewReader<'a>, terms: &[QueryTerm]) -> Result<Self, RetrieveError> {
        let weights = terms.iter().map(|term| (term.term.clone(), term.weight)).collect();
        Ok(ChunkRenderer { view, projects: project_names(log)?, weights, tokenizer: Tokenizer::new() })
    }

    pub fn render(
        &mut self,
        log: &mut Log,
        row: &ChunkRow,
        excerpt: Excerpt,
    ) -> Result<Option<RenderedChunk>, RetrieveError> {
        let Excerpt { matched, tokens, thinking } = excerpt;
        let Some(body) = self.view.body(row.id)? else { return Ok(None) };
        let Some(episode) = log.store().episode(row.episode)? else { return Ok(None) };
        let parts: Vec<(usize, &Part)> = body
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| thinking || part.kind != PartKind::Thinking || body.parts.len() == 1)
            .collect();
        let Trimmed { text, shown, trimmed, printed } = self.trim_to(&parts, matched, tokens);
        let project = self.projects.get(&episode.project).cloned();
        Ok(Some(RenderedChunk {
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
            printed,
        }))
    }

    fn is_abandoned(&self, row: &ChunkRow) -> Result<bool, StoreError> {
        Ok(self.view.turn(row.episode, row.turn)?.is_some_and(|turn| !turn.active))
    }

    /// Text in some scripts has more tokens than its length suggests and is trimmed further.
    fn trim_to(&mut self, parts: &[(usize, &Part)], matched: Option<(usize, usize)>, tokens: u32) -> Trimmed {
        let mut limit = (tokens as f32 * BYTES_A_TOKEN) as usize;
        loop {
            let trimmed = self.trim(parts, matched, limit);
            if estimate_tokens(&trimmed.text) <= tokens || limit < SMALLEST {
                return trimmed;
            }
            limit = limit * 9 / 10;
        }
    }

    /// The part with the best line comes first and gets most of the room; then the context of the match, nearest first.
    fn trim(&mut self, parts: &[(usize, &Part)], matched: Option<(usize, usize)>, limit: usize) -> Trimmed {
        let whole: usize = parts.iter().map(|(_, part)| rendered(part).len() + 1).sum();
        if whole <= limit {
            let texts = parts.iter().map(|(_, part)| Some(rendered(part))).collect();
            return joined(parts, texts, false);
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
            if left < SMALLEST && texts.iter().any(Option::is_some) {
                break;
            }
            let text = self.window(&rendered(parts[at].1), left);
            left = left.saturating_sub(text.len() + 1);
            texts[at] = Some(text);
        }
        joined(parts, texts, true)
    }

    /// About `limit` bytes around the lines with the most words of the question.
    fn window(&mut self, text: &str, limit: usize) -> String {
        if text.len() <= limit {
            return text.to_owned();
        }
        let limit = limit.saturating_sub("… ".len() + " …".len()).max(SMALLEST / 2);
        let pieces: Vec<Piece<'_>> = text.split('\n').flat_map(|line| pieces(line, limit / 2)).collect();
        let worth: Vec<f32> = pieces.iter().map(|piece| self.worth(piece.text)).collect();
        let best = (0..pieces.len()).max_by(|a, b| worth[*a].total_cmp(&worth[*b]).then(b.cmp(a))).unwrap_or(0);
        let (mut from, mut to) = (best, best + 1);
        let mut length = pieces[best].text.len();
        loop {
            let fits = |at: &usize| length + pieces[*at].text.len() < limit;
            let before = from.checked_sub(1).filter(fits);
            let after = (to < pieces.len()).then_some(to).filter(fits);
            let (forward, at) = match (before, after) {
                (Some(before), Some(after)) if worth[before] > worth[after] => (false, before),
                (_, Some(after)) => (true, after),
                (Some(before), None) => (false, before),
                (None, None) => break,
            };
            length += pieces[at].text.len() + 1;
            if forward { to += 1 } else { from -= 1 }
        }
        let mut window = if from > 0 { "… ".to_owned() } else { String::new() };
        for (at, piece) in pieces[from..to].iter().enumerate() {
            if at > 0 && piece.begins_line {
                window.push('\n');
            }
            window.push_str(piece.text);
        }
        if to < pieces.len() {
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

/// The parts that have text, concatenated.
fn joined(parts: &[(usize, &Part)], texts: Vec<Option<String>>, trimmed: bool) -> Trimmed {
    let mut made = Trimmed { text: String::new(), shown: Vec::new(), trimmed, printed: Vec::new() };
    for ((at, part), text) in parts.iter().zip(texts) {
        let Some(text) = text else { continue };
        if !made.shown.is_empty() {
            made.text.push('\n');
        }
        let from = made.text.len();
        made.text.push_str(&text);
        made.shown.push(*at);
        made.printed.extend(printed_of(part, &text).into_iter().map(|span| from + span.start..from + span.end));
    }
    made
}

/// The ranges of a part, as shown, that tools printed or the host added.
fn printed_of(part: &Part, shown: &str) -> Vec<Range<usize>> {
    let whole = || std::iter::once(0..shown.len()).collect();
    match part.kind {
        PartKind::ToolOutput | PartKind::Note => whole(),
        _ if tool_output_spans(&part.text).is_empty() => Vec::new(),
        // In trimmed text, the content of the tags is unknown.
        _ if shown != rendered(part) => whole(),
        _ => tool_output_spans(shown),
    }
}

/// `main`, or the sub-agent's name.
pub(super) fn agent_name(view: &ViewReader<'_>, episode: EpisodeNum) -> Result<String, StoreError> {
    Ok(view.agent(episode)?.map_or_else(|| "main".to_owned(), |agent| agent.name))
}

/// A partial import may lack the line that introduces a project.
pub(super) fn unknown(id: ProjectId) -> ProjectName {
    ProjectName { id, name: "(unknown)".to_owned(), path: None }
}

/// A part with its speaker.
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

/// A line, or a part of a long one.
struct Piece<'a> {
    text: &'a str,
    begins_line: bool,
}

/// A long line in pieces, cut between words where there are any.
fn pieces(line: &str, limit: usize) -> Vec<Piece<'_>> {
    let limit = limit.max(16);
    let mut rest = line;
    let mut pieces = Vec::new();
    while rest.len() > limit {
        let at = rest.floor_char_boundary(limit);
        let at = rest[..at].rfind(' ').filter(|space| *space > limit / 2).unwrap_or(at);
        let (piece, tail) = rest.split_at(at.max(1));
        pieces.push(Piece { text: piece, begins_line: pieces.is_empty() });
        rest = tail;
    }
    pieces.push(Piece { text: rest, begins_line: pieces.is_empty() });
    pieces
}
