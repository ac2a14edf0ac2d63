//! Turns blocks of text into events.

use std::collections::{HashMap, HashSet};

use backstory_language::prompts::own_spans;

use crate::model::{
    Class, Digest, EpisodeKey, EventDraft, EventKind, Exit, Meta, SourceKind, Timestamp, digest_of, edits_file,
};

use super::super::claude::{ResultMark, TextMark, call_text, classify, exit_of};
use super::super::reading::{Reading, ReadingSlot};
use super::input::ImportedChunk;
use super::runs::AgentRun;
use super::segments::{self, BlockKind};

/// A block in its run.
#[derive(Debug)]
struct Block {
    kind: BlockKind,
    text: String,
    time: Option<Timestamp>,
    /// The index of its chunk in the run.
    chunk: usize,
    record: String,
}

/// The position of a call: run and block.
type CallPosition = (usize, usize);

/// Adds the events of the runs of one session.
pub(super) fn add_events(session: &str, runs: &[AgentRun], out: &mut Reading) {
    let blocks: Vec<Vec<Block>> = runs.iter().map(|run| blocks_of(&run.chunks)).collect();
    let spawns = spawns(runs, &blocks);
    let mut teller = RunWriter { session, said: HashMap::new(), out };
    for (number, (run, blocks)) in runs.iter().zip(&blocks).enumerate() {
        let started_by = spawns.iter().find(|(_, started)| **started == number).map(|(place, _)| *place);
        let started = |block: usize| spawns.get(&(number, block)).and_then(|run| runs[*run].agent.clone());
        teller.run(run, blocks, started_by.map(|(from, block)| call_id(&runs[from], block)), &started);
    }
}

/// Joins a block that was split between two chunks, so that events do not depend on where Causantic split.
fn blocks_of(chunks: &[ImportedChunk]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let goes_on = number.checked_sub(1).is_some_and(|before| share_turn(&chunks[before], chunk));
        let mut turn = 0;
        for (index, (kind, text)) in segments::split(&chunk.content).into_iter().enumerate() {
            turn += usize::from(index > 0 && kind == Some(BlockKind::User));
            match (kind, blocks.last_mut().filter(|_| goes_on)) {
                (None, Some(last)) => {
                    last.text.push_str("\n\n");
                    last.text.push_str(text);
                }
                // The speaker is unknown; the text must not count as a person's.
                (kind, _) => blocks.push(Block {
                    kind: kind.unwrap_or(BlockKind::Assistant),
                    text: text.to_owned(),
                    time: time_of(chunk, turn),
                    chunk: number,
                    record: format!("{}/{index}", chunk.id),
                }),
            }
        }
    }
    blocks
}

/// Causantic keeps the start times of the first and the last turn of a chunk only.
fn time_of(chunk: &ImportedChunk, turn: usize) -> Option<Timestamp> {
    let is_last = turn > 0 && turn + 1 >= chunk.turns.len();
    if is_last { chunk.ended.or(chunk.started) } else { chunk.started }
}

fn share_turn(a: &ImportedChunk, b: &ImportedChunk) -> bool {
    a.turns.iter().any(|turn| b.turns.contains(turn))
}

/// Which call started which run. An edge names only the chunk: of the calls in that chunk's turns,
/// the first unassigned one is taken.
fn spawns(runs: &[AgentRun], blocks: &[Vec<Block>]) -> HashMap<CallPosition, usize> {
    let mut found: HashMap<CallPosition, usize> = HashMap::new();
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| run.agent.is_some()) {
        let Some(brief) = &run.brief else { continue };
        let origin = runs
            .iter()
            .enumerate()
            .find_map(|(from, run)| Some((from, run.chunks.iter().find(|chunk| chunk.id == *brief)?)));
        let Some((from, chunk)) = origin.filter(|(from, _)| *from != number) else { continue };
        let starts_agent =
            |block: &Block| matches!(&block.kind, BlockKind::Call(tool) if tool == "Task" || tool == "Agent");
        let near = |block: &Block| share_turn(&runs[from].chunks[block.chunk], chunk);
        let mut calls = blocks[from].iter().enumerate().filter(|(_, block)| starts_agent(block) && near(block));
        if let Some((block, _)) = calls.find(|(block, _)| !found.contains_key(&(from, *block))) {
            found.insert((from, block), number);
        }
    }
    found
}

/// Causantic did not keep call ids. These are unique within the session.
fn call_id(run: &AgentRun, block: usize) -> String {
    format!("{}:{block}", run.agent.as_deref().unwrap_or("main"))
}

struct RunWriter<'a> {
    session: &'a str,
    /// How often each text was said in the session.
    said: HashMap<Digest, u32>,
    out: &'a mut Reading,
}

impl RunWriter<'_> {
    fn run(
        &mut self,
        run: &AgentRun,
        blocks: &[Block],
        mut spawned_by: Option<String>,
        started: &dyn Fn(usize) -> Option<String>,
    ) {
        let Some(first) = run.chunks.first() else { return };
        let key =
            EpisodeKey { source: SourceKind::Causantic, session: self.session.to_owned(), agent: run.agent.clone() };
        let slot = self.out.episode(key, Some(&first.project));
        let results = pair(blocks);
        let moved: HashSet<usize> = results.values().copied().collect();
        for (at, block) in blocks.iter().enumerate().filter(|(at, _)| !moved.contains(at)) {
            let base = Meta {
                record: Some(block.record.clone()),
                team: run.chunks[block.chunk].team.clone(),
                agent: run.agent.clone().filter(|_| run.chunks[block.chunk].team.is_some()),
                spawned_by: spawned_by.take(),
                ..Meta::default()
            };
            match &block.kind {
                BlockKind::User => self.user(slot, block, base),
                BlockKind::Assistant => self.keep(slot, EventKind::Assistant, block, block.text.clone(), base),
                BlockKind::Thinking => self.keep(slot, EventKind::Thinking, block, block.text.clone(), base),
                BlockKind::Call(tool) => {
                    let id = call_id(run, at);
                    self.call(slot, block, tool, &id, base);
                    if let Some(result) = results.get(&at) {
                        let block = &blocks[*result];
                        let record = Some(block.record.clone());
                        let meta = Meta { record, tool_use_id: Some(id), spawned: started(at), ..Meta::default() };
                        self.result(slot, block, meta);
                    }
                }
                BlockKind::Result(tool) => self.result(slot, block, Meta { tool: Some(tool.clone()), ..base }),
            }
        }
    }

    /// A prompt, or a host's text in the place of a prompt.
    fn user(&mut self, slot: ReadingSlot, block: &Block, base: Meta) {
        for piece in classify(&block.text, TextMark::None) {
            let is_notice = piece.class == Class::Notification;
            let (from, spawned) = if is_notice { (None, piece.from) } else { (piece.from, None) };
            let meta = Meta { class: Some(piece.class), from, spawned, ..base.clone() };
            self.keep(slot, piece.kind, block, piece.text, meta);
        }
    }

    /// Of most inputs, only the text that a person would read was kept.
    fn call(&mut self, slot: ReadingSlot, block: &Block, tool: &str, id: &str, base: Meta) {
        let base = Meta { tool: Some(tool.to_owned()), tool_use_id: Some(id.to_owned()), ..base };
        let text = block.text.trim();
        if text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            let call = call_text(tool, Some(text));
            let team = call.team.or_else(|| base.team.clone());
            let meta = Meta { input: call.rest, files: call.files, to: call.to, team, ..base };
            return self.keep(slot, EventKind::ToolCall, block, call.text, meta);
        }
        let is_path = (tool == "Read" || edits_file(tool)) && !text.is_empty() && !text.contains('\n');
        let files = is_path.then(|| text.to_owned()).into_iter().collect();
        self.keep(slot, EventKind::ToolCall, block, block.text.clone(), Meta { files, ..base });
    }

    /// Success was not kept; a failure may be recognised by its text.
    fn result(&mut self, slot: ReadingSlot, block: &Block, meta: Meta) {
        let (exit, exit_code) = exit_of(&block.text, ResultMark::None);
        let exit = Some(exit).filter(|exit| *exit != Exit::Ok || exit_code == Some(0));
        self.keep(slot, EventKind::ToolOutput, block, block.text.clone(), Meta { exit, exit_code, ..meta });
    }

    fn keep(&mut self, slot: ReadingSlot, kind: EventKind, block: &Block, text: String, meta: Meta) {
        if text.trim().is_empty() && kind != EventKind::ToolCall {
            return;
        }
        let what = digest_of("causantic said", &[kind.name().as_bytes(), text.as_bytes()]);
        let times = self.said.entry(what).or_default();
        *times += 1;
        let key = digest_of("causantic", &[self.session.as_bytes(), &what.0, times.to_string().as_bytes()]);
        let meta = Meta { own_output: !own_spans(&text).is_empty(), ..meta };
        self.out.event(slot, EventDraft { key, kind, time: block.time, text, meta });
    }
}

/// Causantic puts the results of a turn behind all its calls. Each result is paired with the first
/// unpaired call of the same tool in its turn.
fn pair(blocks: &[Block]) -> HashMap<usize, usize> {
    let mut pairs = HashMap::new();
    let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, block) in blocks.iter().enumerate() {
        match &block.kind {
            BlockKind::User => waiting.clear(),
            BlockKind::Call(tool) => waiting.entry(tool).or_default().push(at),
            BlockKind::Result(tool) => {
                if let Some(calls) = waiting.get_mut(tool.as_str()).filter(|calls| !calls.is_empty()) {
                    pairs.insert(calls.remove(0), at);
                }
            }
            BlockKind::Assistant | BlockKind::Thinking => {}
        }
    }
    pairs
}
