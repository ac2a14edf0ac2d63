//! A small language for tests: sessions in shorthand.
//!
//! ```text
//! session s1 claude_code 2026-01-03
//!   user   make login survive restarts
//!   edit   src/auth.rs  -old +new
//!   run    cargo test  -> fail  token expired
//!   run    cargo test  -> ok
//!   spawn  scout  find the docs
//! agent scout of s1
//!   user   find the docs
//!   say    they are in docs/
//! session s2 codex 2026-01-09
//!   user   login broken again
//! ```
//!
//! Each line under a heading is one event (`run` and `read` are two: the call and its output), one
//! minute after the previous one. `rewind N` gives the next prompt the parent of prompt N; `fork
//! ID` makes the session continue from another one's last record. The keywords are in
//! `Writer::line`.

use std::collections::HashMap;

use backstory_language::prompts::own_spans;

use crate::derive::{self, STAGES, SliceLimit};
use crate::log::{Batch, Bookkeeping, Log, LogError};
use crate::model::{
    ChunkId, Class, EpisodeKey, EventDraft, EventKind, Exit, Meta, PartKind, Project, ProjectId, SourceKind, Timestamp,
    digest_of, edits_to_text,
};
use crate::store::{StoreError, ViewStore};

/// One event with the episode it belongs to.
type Step = (EpisodeKey, Project, EventDraft);

/// An operation on a log and its views.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Appends this many events.
    Append(usize),
    Refresh,
    /// Folds this many slices of this many events, then stops as if killed.
    Fold {
        slices: usize,
        events: usize,
    },
    /// Restarts a stage and the later ones at the next fold.
    Restart(&'static str),
}

/// A log in memory with its views.
pub struct World {
    pub log: Log,
    pub views: ViewStore,
}

impl World {
    /// The world with all events of the fixture.
    pub fn new(fixture: &str) -> Self {
        Self::in_slices(fixture, &[])
    }

    /// The same, refreshed whenever so many events have been appended.
    pub fn in_slices(fixture: &str, slices: &[usize]) -> Self {
        let ops: Vec<Op> = slices.iter().flat_map(|slice| [Op::Append(*slice), Op::Refresh]).collect();
        Self::through(fixture, &ops)
    }

    /// The same, with these operations on log and views on the way.
    pub fn through(fixture: &str, ops: &[Op]) -> Self {
        let mut world = World { log: must(Log::open_in_memory()), views: must(ViewStore::open_in_memory()) };
        let mut steps = parse(fixture);
        for op in ops {
            match op {
                Op::Append(events) => {
                    let rest = steps.split_off((*events).min(steps.len()));
                    world.append(std::mem::replace(&mut steps, rest));
                }
                Op::Refresh => world.refresh(),
                Op::Fold { slices, events } => world.fold_slices(*slices, *events),
                Op::Restart(stage) => world.restart(stage),
            }
        }
        world.append(steps);
        world.refresh();
        world
    }

    /// Appends further events; the same sessions may continue.
    pub fn goes_on(&mut self, fixture: &str) {
        self.append(parse(fixture));
        self.refresh();
    }

    fn append(&mut self, steps: Vec<Step>) {
        let mut batch = Batch::default();
        for (key, project, event) in steps {
            let slot = batch.episode(&key, project.id);
            if !batch.projects.contains(&project) {
                batch.projects.push(project);
            }
            batch.push(slot, event);
        }
        must::<_, LogError>(self.log.append(batch, &Bookkeeping::default()));
    }

    pub fn refresh(&mut self) {
        must(derive::refresh(&mut self.log, &mut self.views, derive::Vectors::Shipped, &mut |_| {}));
    }

    fn fold_slices(&mut self, slices: usize, events: usize) {
        let left = std::cell::Cell::new(slices + 1);
        let go_on = || {
            left.set(left.get() - 1);
            left.get() > 0
        };
        let limit = SliceLimit { bytes: usize::MAX, events };
        let vectors = derive::Vectors::Shipped;
        must(derive::refresh_while(&mut self.log, &mut self.views, vectors, limit, &go_on));
    }

    fn restart(&mut self, name: &str) {
        let stage = STAGES.into_iter().find(|stage| stage.name == name);
        must(derive::reset(&mut self.views, stage.unwrap_or(STAGES[0])));
    }

    /// Views folded from the same log, from zero.
    pub fn rebuilt(&mut self) -> ViewStore {
        let mut views = must(ViewStore::open_in_memory());
        must(derive::refresh(&mut self.log, &mut views, derive::Vectors::Shipped, &mut |_| {}));
        views
    }

    /// Folds a stage and those after it again, in place.
    pub fn rebuild_stage(&mut self, name: &str) {
        self.restart(name);
        self.refresh();
    }

    /// Every chunk: its position, then its parts, commands and files, one per line.
    pub fn chunks(&mut self) -> String {
        let mut out = String::new();
        for (id, place) in self.places() {
            let body = must(self.views.read().body(id)).unwrap_or_default();
            out.push_str(&format!("{place}\n"));
            for part in &body.parts {
                let label = part.label.as_deref().map(|label| format!(" {label}")).unwrap_or_default();
                let text = part.text.replace('\n', "⏎");
                out.push_str(&format!("  {}{label}: {text}\n", kind_word(part.kind)));
            }
            for command in &body.commands {
                let exit = command.exit.map_or("?", Exit::name);
                out.push_str(&format!("  ran {} -> {exit}\n", command.command));
            }
            if !body.files.is_empty() {
                out.push_str(&format!("  files {}\n", body.files.join(" ")));
            }
        }
        out
    }

    /// Every failure on a line: its diagnostic, and how it was resolved.
    pub fn failures(&mut self) -> String {
        let mut out = String::new();
        for (num, episode) in must(self.log.store().episodes()) {
            for row in must(self.views.read().failures_of(num)) {
                let failure = row.failure;
                let rule = failure.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
                let end = match &failure.resolution {
                    Some(resolution) => format!("{} of {}", resolution.remedy.name(), resolution.size),
                    None => "open".to_owned(),
                };
                let vain = if failure.attempts.is_empty() { "" } else { ", tried in vain" };
                let (session, command) = (episode.key.session.as_str(), failure.command);
                out.push_str(&format!("{session} `{command}` {}{rule}: {end}{vain}\n", failure.text));
            }
        }
        out
    }

    /// Every card on a line: kind, source, status, statement.
    pub fn cards(&mut self) -> String {
        let mut lines: Vec<String> = must(self.views.read().cards(&crate::store::CardFilter::default()))
            .into_iter()
            .map(|row| row.card)
            .map(|card| {
                format!("{} {} {}: {}\n", card.kind.name(), card.source.name(), card.status.name(), card.statement)
            })
            .collect();
        lines.sort();
        lines.concat()
    }

    /// Every edge on a line: `s1 0.0 -> s1 0.1 within-chain`.
    pub fn edges(&mut self) -> String {
        let places: HashMap<ChunkId, String> = self.places().into_iter().collect();
        let mut lines: Vec<String> = must(self.views.read().edges())
            .into_iter()
            .map(|row| {
                let place = |id: &ChunkId| places.get(id).cloned().unwrap_or_else(|| "(missing)".to_owned());
                format!("{} -> {} {}\n", place(&row.edge.source), place(&row.edge.target), row.edge.kind.name())
            })
            .collect();
        lines.sort();
        lines.concat()
    }

    /// Chunks by position: `s1 0.0`, `s1/scout 0.0`; `~` marks abandoned turns.
    fn places(&mut self) -> Vec<(ChunkId, String)> {
        let mut places = Vec::new();
        for (num, episode) in must(self.log.store().episodes()) {
            let key = episode.key;
            let name = key.agent.map_or(key.session.clone(), |agent| format!("{}/{agent}", key.session));
            let turns = must(self.views.read().turns(num));
            for row in must(self.views.read().chunk_rows(num)) {
                let active = turns.iter().any(|turn| turn.turn == row.turn && turn.active);
                let mark = if active { "" } else { "~" };
                places.push((row.id, format!("{name} {mark}{}.{}", row.turn, row.ord)));
            }
        }
        places
    }
}

/// A fixture is part of its test: a wrong one is a wrong test.
#[allow(clippy::panic, reason = "only tests use fixtures, and a test may fail")]
fn must<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

fn kind_word(kind: PartKind) -> &'static str {
    match kind {
        PartKind::User => "user",
        PartKind::Assistant => "say",
        PartKind::Thinking => "think",
        PartKind::ToolCall => "call",
        PartKind::ToolOutput => "output",
        PartKind::Note => "note",
    }
}

/// All steps of a fixture, in order. A repeated heading continues the same episode.
fn parse(fixture: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut writers: Vec<Writer> = Vec::new();
    let mut current = 0;
    let mut last_records: HashMap<String, String> = HashMap::new();
    for line in fixture.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with(' ') {
            if let Some(writer) = writers.get_mut(current) {
                writer.line(line.trim(), &last_records, &mut steps);
                last_records.insert(writer.key.session.clone(), writer.parent.clone().unwrap_or_default());
            }
            continue;
        }
        let writer = Writer::heading(line, writers.get(current));
        match writers.iter().position(|known| known.key == writer.key) {
            Some(known) => {
                writers[known].time = writers[known].time.max(writer.time);
                current = known;
            }
            None => {
                current = writers.len();
                writers.push(writer);
            }
        }
    }
    steps
}

/// Writes the events of one episode.
struct Writer {
    key: EpisodeKey,
    project: Project,
    time: i64,
    count: usize,
    parent: Option<String>,
    /// The parent of each prompt.
    prompt_parents: Vec<Option<String>>,
    forked_from: Option<String>,
    spawned: HashMap<String, String>,
    team: Option<String>,
}

impl Writer {
    /// `session ID SOURCE DATE [PROJECT]`, `agent NAME of SESSION`.
    #[allow(clippy::panic, reason = "a wrong fixture is a wrong test")]
    fn heading(line: &str, before: Option<&Writer>) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["session", id, source, date, project @ ..] => {
                let Some(source) = SourceKind::parse(source) else { panic!("unknown source in: {line}") };
                let time = Timestamp::parse(date).map_or(0, |time| time.0);
                let path = format!("/work/{}", project.first().unwrap_or(&"shop"));
                Writer::start(EpisodeKey::main(source, *id), path, time)
            }
            ["agent", name, "of", session] => {
                let time = before.map_or(0, |writer| writer.time);
                let project = before.map_or("/work/shop".to_owned(), |writer| writer.project.path.clone());
                let key = EpisodeKey {
                    source: SourceKind::ClaudeCode,
                    session: (*session).to_owned(),
                    agent: Some((*name).to_owned()),
                };
                Writer::start(key, project, time)
            }
            _ => panic!("not a heading: {line}"),
        }
    }

    fn start(key: EpisodeKey, path: String, time: i64) -> Self {
        let id = ProjectId(digest_of("project", &[b"path", path.as_bytes()]));
        Writer {
            key,
            project: Project { id, path, root_commit: None, remote: None },
            time,
            count: 0,
            parent: None,
            prompt_parents: Vec::new(),
            forked_from: None,
            spawned: HashMap::new(),
            team: None,
        }
    }

    #[allow(clippy::panic, reason = "a wrong fixture is a wrong test")]
    fn line(&mut self, line: &str, last_records: &HashMap<String, String>, steps: &mut Vec<Step>) {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let (first, second) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let second = second.trim();
        match word {
            "user" => self.prompt(Class::Prompt, rest, None, steps),
            "from" => self.prompt(Class::Teammate, second, Some(first), steps),
            "queued" => self.classed(EventKind::User, Class::Queued, rest, steps),
            "note" => self.classed(EventKind::User, Class::LocalCommand, &format!("# {rest}"), steps),
            "ask" => self.ask(rest, steps),
            "say" => self.event(EventKind::Assistant, rest, Meta::default(), steps),
            "think" => self.event(EventKind::Thinking, rest, Meta::default(), steps),
            "title" => self.classed(EventKind::Note, Class::Title, rest, steps),
            "stop" => self.classed(EventKind::System, Class::Interruption, "[Request interrupted by user]", steps),
            "compact" => self.classed(EventKind::System, Class::CompactionBoundary, "context compacted", steps),
            "reminder" => self.classed(EventKind::System, Class::Injected, rest, steps),
            "line" => {
                let (speaker, text) = rest.split_once(": ").unwrap_or(("?", rest));
                let meta = Meta { class: Some(Class::Line), speaker: Some(speaker.to_owned()), ..Meta::default() };
                self.event(EventKind::User, text, meta, steps);
            }
            "call" => self.call(first, second, Meta::default(), steps),
            "edit" => self.edit(first, second, Exit::Ok, steps),
            "refuse" => self.edit(first, second, Exit::Rejected, steps),
            "run" => self.run(rest, steps),
            "read" => {
                self.call("Read", first, Meta { files: vec![first.to_owned()], ..Meta::default() }, steps);
                self.output(second, Exit::Ok, Meta::default(), steps);
            }
            "todo" => {
                let input = serde_json::json!({"todos": [{"content": second, "status": first}]});
                self.call("TodoWrite", &input.to_string(), Meta::default(), steps);
            }
            "spawn" => self.spawn(first, second, steps),
            "report" => {
                let id = self.spawned.get(first).cloned();
                let meta = Meta { tool_use_id: id, spawned: Some(first.to_owned()), ..Meta::default() };
                self.event(EventKind::ToolOutput, second, Meta { exit: Some(Exit::Ok), ..meta }, steps);
            }
            "send" => {
                let meta = Meta { to: Some(first.to_owned()), ..Meta::default() };
                self.call("SendMessage", second, meta, steps);
            }
            "team" => self.team = Some(rest.to_owned()),
            "rewind" => {
                let number: usize = rest.parse().unwrap_or(1);
                self.parent = self.prompt_parents.get(number - 1).cloned().flatten();
            }
            "fork" => self.forked_from = last_records.get(rest).cloned(),
            _ => panic!("unknown word in a fixture: {line}"),
        }
    }

    fn prompt(&mut self, class: Class, text: &str, from: Option<&str>, steps: &mut Vec<Step>) {
        self.prompt_parents.push(self.parent.clone());
        let meta = Meta {
            class: Some(class),
            from: from.map(str::to_owned),
            forked_from: self.forked_from.take(),
            ..Meta::default()
        };
        self.event(EventKind::User, text, meta, steps);
    }

    fn classed(&mut self, kind: EventKind, class: Class, text: &str, steps: &mut Vec<Step>) {
        self.event(kind, text, Meta { class: Some(class), ..Meta::default() }, steps);
    }

    /// `edit PATH [-old] [+new]`; `⏎` separates lines.
    fn edit(&mut self, path: &str, change: &str, exit: Exit, steps: &mut Vec<Step>) {
        let (old, new) = change.split_once('+').unwrap_or((change, "changed"));
        let [old, new] = [old.trim().trim_start_matches('-'), new].map(|side| side.replace('⏎', "\n"));
        let text = edits_to_text([(old.as_str(), new.as_str())]);
        self.call("Edit", &text, Meta { files: vec![path.to_owned()], ..Meta::default() }, steps);
        self.output(if exit == Exit::Ok { "edited" } else { "refused" }, exit, Meta::default(), steps);
    }

    /// `run COMMAND -> ok|fail|reject|interrupt [OUTPUT]`; without an arrow the command is still
    /// running. `⏎` separates lines of the output.
    fn run(&mut self, rest: &str, steps: &mut Vec<Step>) {
        let (command, end) = match rest.split_once("->") {
            Some((command, end)) => (command.trim(), Some(end.trim())),
            None => (rest, None),
        };
        self.call("Bash", command, Meta::default(), steps);
        let Some(end) = end else { return };
        let (exit, output) = end.split_once(char::is_whitespace).unwrap_or((end, ""));
        let exit = match exit {
            "fail" => Exit::Failed,
            "reject" => Exit::Rejected,
            "interrupt" => Exit::Interrupted,
            _ => Exit::Ok,
        };
        self.output(&output.trim().replace('⏎', "\n"), exit, Meta::default(), steps);
    }

    /// `ask QUESTION = ANSWER`.
    fn ask(&mut self, rest: &str, steps: &mut Vec<Step>) {
        let (question, answer) = rest.split_once(" = ").unwrap_or((rest, ""));
        let input = serde_json::json!({"questions": [{"question": question, "header": "Choice", "options": []}]});
        self.call("AskUserQuestion", &input.to_string(), Meta::default(), steps);
        let output = format!("User has answered your questions: \"{question}\"=\"{answer}\". You can now continue.");
        self.output(&output, Exit::Ok, Meta::default(), steps);
    }

    fn spawn(&mut self, name: &str, prompt: &str, steps: &mut Vec<Step>) {
        let meta = Meta { to: Some(name.to_owned()), team: self.team.clone(), ..Meta::default() };
        self.call("Task", prompt, meta, steps);
        self.spawned.insert(name.to_owned(), self.tool_use_id());
    }

    fn call(&mut self, tool: &str, text: &str, meta: Meta, steps: &mut Vec<Step>) {
        let id = format!("{}-call-{}", self.name(), self.count + 1);
        self.event(
            EventKind::ToolCall,
            text,
            Meta { tool: Some(tool.to_owned()), tool_use_id: Some(id), ..meta },
            steps,
        );
    }

    fn output(&mut self, text: &str, exit: Exit, meta: Meta, steps: &mut Vec<Step>) {
        let meta = Meta { tool_use_id: Some(self.tool_use_id()), exit: Some(exit), ..meta };
        self.event(EventKind::ToolOutput, text, meta, steps);
    }

    /// The id of the call just made.
    fn tool_use_id(&self) -> String {
        format!("{}-call-{}", self.name(), self.count)
    }

    fn name(&self) -> String {
        format!("{}{}", self.key.session, self.key.agent.as_deref().unwrap_or(""))
    }

    fn event(&mut self, kind: EventKind, text: &str, meta: Meta, steps: &mut Vec<Step>) {
        self.count += 1;
        self.time += 60_000;
        let record = format!("{}-{}", self.name(), self.count);
        let meta = Meta {
            record: Some(record.clone()),
            parent: self.parent.clone(),
            own_output: !own_spans(text).is_empty(),
            team: meta.team.clone().or_else(|| self.key.agent.as_ref().and(self.team.clone())),
            ..meta
        };
        let key = digest_of("fixture", &[record.as_bytes()]);
        self.parent = Some(record);
        let event = EventDraft { key, kind, time: Some(Timestamp(self.time)), text: text.to_owned(), meta };
        steps.push((self.key.clone(), self.project.clone(), event));
    }
}

/// Compares all rows of two views.
pub fn same_rows(a: &ViewStore, b: &ViewStore) -> Result<bool, StoreError> {
    Ok(a.read().dump()? == b.read().dump()?)
}
