//! Is the answer to a question about the real sessions in what is printed, and how early?

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::asker::{Asker, Failed, Verb};
use super::table::{AnswerRow, Column, Table, share};
use super::text::{Statement, first_tokens, folded_without_margin, rows, tokens};
use super::turns::{TurnAnswer, Turns};
use super::{AnswerOptions, EvalResult};

const COLUMNS: &[Column] = &[
    Column::Mean("24 lines"),
    Column::Mean("500"),
    Column::Mean("1000"),
    Column::Mean("2000"),
    Column::Mean("never"),
    Column::Mean("empty"),
    Column::Mean("stale1st"),
    Column::Mean("session1"),
    Column::Mean("any"),
    Column::Median("lines"),
    Column::Median("tokens"),
];
const FIRST_LINES: usize = 24;
/// An answer of fewer lines says nothing.
const LEAST_LINES: usize = 4;

#[derive(Deserialize)]
struct Question {
    id: String,
    kind: Kind,
    question: String,
    gold: Vec<Gold>,
    answer_regex: Statement,
    /// What was believed before and is no longer true.
    stale_regex: Option<Statement>,
}

#[derive(Deserialize)]
struct Gold {
    session: String,
}

#[derive(Deserialize, Clone, Copy)]
enum Kind {
    #[serde(rename = "a")]
    Cause,
    #[serde(rename = "b")]
    Fix,
    #[serde(rename = "c")]
    Choice,
    #[serde(rename = "d")]
    State,
    #[serde(rename = "e")]
    Tried,
    #[serde(rename = "f")]
    LeftOff,
    #[serde(rename = "g")]
    Rule,
}

/// One answer to measure.
struct Answer {
    text: String,
    /// The sessions that it names, in its order.
    sessions: Vec<String>,
    failed: Failed,
}

pub fn run(options: &AnswerOptions) -> EvalResult<Vec<Table>> {
    let questions: Vec<Question> = rows(&options.data.join("questions").join("dev.jsonl"))?;
    let sessions = options.data.join("sessions").join("entire");
    let scratch = tempfile::tempdir()?;
    let asker = Asker::of_sessions(&sessions, scratch.path(), options)?;
    let known = known_sessions(&sessions, &questions);
    let turns = Turns::read(&sessions)?;
    let table = |how: &str, answer: &dyn Fn(&Question) -> Answer| {
        let rows = questions.iter().map(|question| question.measure(&answer(question)));
        Table { title: format!("questions: {how}"), columns: COLUMNS, rows: rows.collect() }
    };
    let ask = |verb: Verb| table(&asker.name(verb), &|question| answer(&asker, verb, question, &known));
    let mut tables: Vec<Table> = [Verb::Search, Verb::WideSearch, Verb::Recall].map(ask).into();
    tables.push(table("BM25 over whole turns", &|question| answer_of_turns(&turns, question)));
    Ok(tables)
}

/// Ids of other things look the same.
fn known_sessions(folder: &Path, questions: &[Question]) -> HashSet<String> {
    let files = crate::phase::files(folder);
    let names = files.iter().filter_map(|path| path.file_name()?.to_str()?.split('.').next().map(str::to_owned));
    names.chain(questions.iter().flat_map(|question| question.gold.iter().map(|gold| gold.session.clone()))).collect()
}

fn answer(asker: &Asker, verb: Verb, question: &Question, known: &HashSet<String>) -> Answer {
    let printed = asker.ask(verb, &question.question);
    let json = asker.ask_for_json(verb, &question.question);
    let failed = if printed.failed == Failed::No { json.failed } else { printed.failed };
    Answer { text: printed.text, sessions: sessions_in(&json.text, known), failed }
}

fn answer_of_turns(turns: &Turns, question: &Question) -> Answer {
    let TurnAnswer { text, sessions } = turns.answer(&question.question);
    Answer { text, sessions, failed: Failed::No }
}

/// Each once.
fn sessions_in(json: &str, known: &HashSet<String>) -> Vec<String> {
    static UUID: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b").ok());
    let mut seen = HashSet::new();
    let ids = UUID.as_ref().into_iter().flat_map(|uuid| uuid.find_iter(json)).map(|found| found.as_str());
    ids.filter(|id| known.contains(*id) && seen.insert(*id)).map(str::to_owned).collect()
}

impl Question {
    fn measure(&self, answer: &Answer) -> AnswerRow {
        let lines: Vec<&str> = answer.text.lines().collect();
        let within = |text: &str| share(self.answer_regex.is_in(&folded_without_margin(text)));
        let whole = folded_without_margin(&answer.text);
        let values = vec![
            within(&lines[..lines.len().min(FIRST_LINES)].join("\n")),
            within(first_tokens(&answer.text, 500)),
            within(first_tokens(&answer.text, 1000)),
            within(first_tokens(&answer.text, 2000)),
            share(!self.answer_regex.is_in(&whole)),
            share(lines.len() < LEAST_LINES),
            self.is_stale_first(&whole),
            share(answer.sessions.first().is_some_and(|session| self.is_gold(session))),
            share(answer.sessions.iter().any(|session| self.is_gold(session))),
            Some(lines.len() as f64),
            Some(tokens(&answer.text) as f64),
        ];
        AnswerRow { id: self.id.clone(), kind: self.kind.name().to_owned(), values, failed: answer.failed }
    }

    fn is_stale_first(&self, text: &str) -> Option<f64> {
        let stale = self.stale_regex.as_ref()?.position(text);
        let answer = self.answer_regex.position(text);
        share(stale.is_some_and(|stale| answer.is_none_or(|answer| stale < answer)))
    }

    fn is_gold(&self, session: &str) -> bool {
        self.gold.iter().any(|gold| gold.session == session)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Cause => "cause",
            Kind::Fix => "fix",
            Kind::Choice => "choice",
            Kind::State => "state",
            Kind::Tried => "tried",
            Kind::LeftOff => "left off",
            Kind::Rule => "rule",
        }
    }
}
