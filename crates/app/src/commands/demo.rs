use std::fs;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::retrieve::{
    CASE_BUDGET, CASE_LINES, CASES_WITH_WORK, Extent, PackQuestion, Reconstruct, Search, SessionInfo, SessionQuery,
    pack, projects, recall_case, reconstruct, search_cases, status,
};
use backstory_language::embed::StaticTable;

use crate::error::AppError;
use crate::progress::Show;
use crate::{home, terminal};

use super::case_text::Across;
use super::ingest::{ingest_files, refresh};
use super::{reconstruct as story, sessions};

/// The sample: (path, content) of every file.
const SAMPLE: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sample.rs"));

/// Show what the memory can do, on a small sample project
///
/// Reads the sessions of a fictional web shop into a temporary memory, asks it a few
/// questions, and removes it. Your own memory is not touched.
#[derive(clap::Args)]
pub struct Demo {
    /// Keep the temporary memory and print its path
    #[arg(long)]
    keep: bool,
}

impl Demo {
    pub fn run(self) -> Result<(), AppError> {
        let folder = tempfile::tempdir()?;
        let (sample, home) = (folder.path().join("sample"), folder.path().join("memory"));
        for (path, content) in SAMPLE {
            let path = sample.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content)?;
        }
        let mut memory = Memory::open(&home)?;
        let mut tour = Tour { memory: &mut memory, step: 0 };
        tour.read(&sample)?;
        tour.list()?;
        tour.search()?;
        tour.recall()?;
        tour.respect()?;
        tour.run()?;
        tour.sub_agents()?;
        tour.team()?;
        tour.rewind()?;
        tour.graph()?;
        tour.trust()?;
        drop(memory);
        tour_end(if self.keep { Some(folder.keep().join("memory")) } else { None })
    }
}

struct Tour<'a> {
    memory: &'a mut Memory,
    step: u32,
}

impl Tour<'_> {
    fn heading(&mut self, title: &str, command: &str, why: &str) -> Result<(), AppError> {
        self.step += 1;
        let line = format!("{}. {title}", self.step);
        terminal::print(&format!(
            "\n{}\n   {}\n   {}\n\n",
            terminal::paint(terminal::HEAD, &line),
            why,
            terminal::paint(terminal::DIM, &format!("$ {command}"))
        ))
    }

    fn read(&mut self, sample: &Path) -> Result<(), AppError> {
        terminal::print(&format!(
            "{} A causal memory for AI agents, on a made-up shop called lantern-shop.\n",
            terminal::paint(terminal::BOLD, "Backstory")
        ))?;
        self.heading(
            "Read what agents did",
            "backstory ingest",
            "Six Claude Code sessions (one with sub-agents, one with a team), a Codex session and a game night.",
        )?;
        let found = find(&[InputPlace::Given(sample.to_owned())], None);
        let report = ingest_files(self.memory, &found.tasks, found.problems, Show::Nothing)?;
        refresh(self.memory, 0, Show::Nothing)?;
        let secrets: u64 = report.appended.redacted.values().sum();
        let kinds: Vec<&str> = report.appended.redacted.keys().copied().collect();
        terminal::print(&format!(
            "   {} with {}, {}\n   {} in tool output never reached the disk ({})\n",
            terminal::count(report.files, "file"),
            terminal::count(report.appended.new, "event"),
            terminal::count(report.problems.len() as u64, "problem"),
            terminal::count(secrets, "secret"),
            kinds.join(", "),
        ))
    }

    fn list(&mut self) -> Result<(), AppError> {
        self.heading(
            "See what there is",
            "backstory sessions",
            "Every run, with its project, times, title and agents.",
        )?;
        let list = self.sessions()?;
        terminal::print(&indented(&sessions::table(&list)))
    }

    fn search(&mut self) -> Result<(), AppError> {
        let mut question = Search::new("why do totals become NaN");
        question.limit = 3;
        self.heading(
            "Ask what is known",
            "backstory search \"why do totals become NaN\" --limit 3",
            "Past work that answers, found by words and by meaning, without a network.",
        )?;
        let (log, views) = self.memory.parts();
        let extent = Extent { lines: CASE_LINES, columns: None, tokens: CASE_BUDGET, cases: question.limit };
        let answer = search_cases(log, views, &mut StaticTable::shipped(), &question, &[], extent)?;
        terminal::print(&indented(&super::search::case_text(&answer, CASES_WITH_WORK, Across::OneProject)))
    }

    fn recall(&mut self) -> Result<(), AppError> {
        let mut question = Search::new("gift wrap broke the checkout total");
        question.budget = 500;
        self.heading(
            "Ask how it came about",
            "backstory recall \"gift wrap broke the checkout total\" --budget 500",
            "The piece of work that answers best, in order of time, with what led to it and what followed.",
        )?;
        let (log, views) = self.memory.parts();
        let extent = Extent { lines: usize::MAX, columns: None, tokens: question.budget, cases: question.limit };
        let told = recall_case(log, views, &mut StaticTable::shipped(), &question, extent)?;
        terminal::print(&indented(&super::case_story::text(&told, Across::OneProject)))
    }

    fn respect(&mut self) -> Result<(), AppError> {
        let task = "round prices and VAT of an order";
        self.heading(
            "Know what must be respected",
            &format!("backstory pack \"{task}\""),
            "What people wrote down and what tools proved, as cards; `backstory cards show ID` has the words behind one.",
        )?;
        let shop = projects(self.memory.log())?.into_iter().find(|info| info.name == "lantern-shop");
        let question =
            PackQuestion { project: shop.map(|info| info.id), task: task.to_owned(), ..PackQuestion::default() };
        let made = pack(self.memory.views(), &question, &|_| None)?;
        terminal::print(&indented(&super::pack::text(&made)))
    }

    fn run(&mut self) -> Result<(), AppError> {
        let session = self.session_about("NaN")?;
        let command = format!("backstory reconstruct --session {} --budget 900", short(&session));
        self.heading(
            "Be told what happened, in order",
            &command,
            "The checkout shows NaN; the end of that session, newest kept.",
        )?;
        self.story(&session, None, Some(900))
    }

    fn sub_agents(&mut self) -> Result<(), AppError> {
        let Some(session) = self
            .sessions()?
            .into_iter()
            .find(|info| !info.agents.is_empty() && info.agents.iter().all(|agent| agent.team.is_none()))
        else {
            return Ok(());
        };
        let agent = session.agents[0].name.clone();
        let command = format!("backstory reconstruct --session {} --agent {agent} --budget 500", short(&session));
        self.heading(
            "Look at one agent's part",
            &command,
            "The work of a sub-agent appears where it was started; here one alone.",
        )?;
        self.story(&session, Some(agent), Some(500))
    }

    fn team(&mut self) -> Result<(), AppError> {
        let Some(session) =
            self.sessions()?.into_iter().find(|info| info.agents.iter().any(|agent| agent.team.is_some()))
        else {
            return Ok(());
        };
        let names: Vec<String> = session.agents.iter().map(|agent| agent.name.clone()).collect();
        let command = format!("backstory reconstruct --session {} --budget 700", short(&session));
        let why =
            format!("A lead with its teammates {}; several files of one teammate are one agent.", names.join(" and "));
        self.heading("Follow a team", &command, &why)?;
        self.story(&session, None, Some(700))
    }

    fn rewind(&mut self) -> Result<(), AppError> {
        for session in self.sessions()? {
            let question = Reconstruct { session: Some(session.session.clone()), ..Reconstruct::default() };
            let (log, views) = self.memory.parts();
            let told = reconstruct(log, views, &question)?;
            let abandoned =
                told.sessions.iter().flat_map(|session| &session.pieces).filter(|piece| piece.abandoned).count();
            if abandoned > 0 {
                self.heading(
                    "Keep what was given up, and know that it was",
                    &format!("backstory reconstruct --session {}", short(&session)),
                    "A rewind leaves a branch behind. It stays in the memory, marked.",
                )?;
                let text = story::text(&told, story::Thinking::Hidden);
                let lines: Vec<&str> = text.lines().collect();
                let marks: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].contains("~~~")).collect();
                let (first, last) = (marks.first().copied().unwrap_or(0), marks.last().copied().unwrap_or(0));
                let shown = lines[first..lines.len().min(last + 6)].join("\n");
                return terminal::print(&indented(&format!("{shown}\n")));
            }
        }
        Ok(())
    }

    fn graph(&mut self) -> Result<(), AppError> {
        self.heading(
            "What came before what",
            "backstory status",
            "Chunks joined by edges, earlier to later; each edge says why.",
        )?;
        let (log, views) = self.memory.parts();
        let status = status(log, views)?;
        let mut out =
            format!("{}, {}\n", terminal::count(status.chunks, "chunk"), terminal::count(status.turns, "turn"));
        for (kind, count) in &status.edges {
            out.push_str(&format!("{:>5}  {}\n", terminal::number(*count), kind.name()));
        }
        let names: Vec<String> = projects(log)?.iter().map(|info| info.name.clone()).collect();
        out.push_str(&format!("in {}: {}\n", terminal::count(names.len() as u64, "project"), names.join(", ")));
        terminal::print(&indented(&out))
    }

    fn trust(&mut self) -> Result<(), AppError> {
        self.heading(
            "Check it",
            "backstory log verify",
            "The log is append-only and chained; every chunk cites the events it rests on.",
        )?;
        let (verified, citations) = self.memory.verify()?;
        let state = match verified.fault.is_none() && citations.fault.is_none() {
            true => "whole",
            false => "damaged",
        };
        terminal::print(&indented(&format!(
            "The log is {state}: {} in the chain, {} checked against their hashes.\n",
            terminal::count(verified.events, "event"),
            terminal::count(citations.checked, "citation"),
        )))
    }

    fn sessions(&mut self) -> Result<Vec<SessionInfo>, AppError> {
        sessions::newest_first(self.memory, &SessionQuery::default())
    }

    fn session_about(&mut self, word: &str) -> Result<SessionInfo, AppError> {
        let list = self.sessions()?;
        let about = |info: &&SessionInfo| {
            [&info.title, &info.first_prompt].into_iter().flatten().any(|text| text.contains(word))
        };
        let found = list.iter().find(about).or(list.first()).cloned();
        found.ok_or_else(|| AppError::new(crate::error::ErrorKind::Failed, "the sample holds no session"))
    }

    fn story(&mut self, session: &SessionInfo, agent: Option<String>, budget: Option<u64>) -> Result<(), AppError> {
        let question = Reconstruct { session: Some(session.session.clone()), agent, budget, ..Reconstruct::default() };
        let (log, views) = self.memory.parts();
        let told = reconstruct(log, views, &question)?;
        terminal::print(&indented(&story::text(&told, story::Thinking::Hidden)))
    }
}

fn tour_end(kept: Option<std::path::PathBuf>) -> Result<(), AppError> {
    let where_it_was = match kept {
        Some(home) => {
            format!("The demo's memory is kept: BACKSTORY_HOME={} backstory sessions --all-projects", home.display())
        }
        None => "The demo's memory is gone again (--keep keeps it).".to_owned(),
    };
    let yours = home::memory_home().map(|home| home.display().to_string()).unwrap_or_default();
    terminal::print(&format!(
        "\n{}\n   {where_it_was}\n   `backstory ingest` reads your own sessions into {yours}; `backstory --help` lists the rest.\n",
        terminal::paint(terminal::HEAD, "Your turn")
    ))
}

fn short(info: &SessionInfo) -> String {
    info.session.chars().take(8).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("   {line}\n") }).collect()
}
