//! Is a decision of a chat in what is printed for a report or a question that needs it?
//!
//! The chats stand beside the real sessions or inside them.

use std::path::Path;

use serde::Deserialize;

use super::asker::{Asker, Failed, Printed, Verb};
use super::chats::Chat;
use super::inserted::insert;
use super::table::{AnswerRow, Column, Table, share};
use super::text::{Statement, first_tokens, folded, rows};
use super::turns::Turns;
use super::{AnswerOptions, EvalResult};

const COLUMNS: &[Column] = &[
    Column::Mean("1000"),
    Column::Mean("2000"),
    Column::Mean("parts"),
    Column::Mean("wrong1st"),
    Column::Mean("newest"),
    Column::Mean("silent"),
];
/// An answer of fewer lines says nothing.
const LEAST_LINES: usize = 4;
/// Lines that begin so belong to no answer.
const FRAME: [&str; 4] = ["<", "Quotations", "Nothing", "For the user"];

#[derive(Deserialize)]
pub(super) struct Decision {
    pub id: String,
    pub kind: String,
    chats: Vec<Chat>,
    report: String,
    question: String,
    /// What the whole decision is.
    #[serde(default)]
    parts: Vec<DecisionPart>,
    #[serde(default)]
    rejected: Vec<RejectedStatement>,
    /// The decision in one statement.
    #[serde(default)]
    pub rule: Option<String>,
}

#[derive(Deserialize)]
struct DecisionPart {
    regex: Statement,
    /// Numbers of a chat and a message in it.
    messages: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
struct RejectedStatement {
    regex: Statement,
    #[serde(default)]
    superseded_by: Vec<(usize, usize)>,
}

/// What the program is asked with.
#[derive(Clone, Copy)]
pub(super) enum AskedWith {
    Question,
    Report,
}

pub fn run(options: &AnswerOptions) -> EvalResult<Vec<Table>> {
    let decisions: Vec<Decision> = rows(&options.data.join("decisions").join("decisions.jsonl"))?;
    let scratch = tempfile::tempdir()?;
    let sessions = scratch.path().join("sessions");
    lay_out(options, &decisions, &sessions)?;
    let asker = Asker::of_sessions(&sessions, scratch.path(), options)?;
    let turns = Turns::read(&sessions)?;
    let place = if options.inserted { "decisions inside sessions" } else { "decisions beside sessions" };
    let mut tables = Vec::new();
    for with in [AskedWith::Question, AskedWith::Report] {
        let mut add = |how: &str, ask: &dyn Fn(&str) -> Printed| {
            let rows = decisions.iter().map(|decision| decision.measure(&ask(decision.text(with))));
            let title = format!("{place}, asked with the {}: {how}", with.name());
            tables.push(Table { title, columns: COLUMNS, rows: rows.collect() });
        };
        for verb in [Verb::Search, Verb::WideSearch] {
            add(&asker.name(verb), &|text| asker.ask(verb, text));
        }
        add("BM25 over whole turns", &|text| Printed { text: turns.answer(text).text, failed: Failed::No });
    }
    Ok(tables)
}

pub(super) fn lay_out(options: &AnswerOptions, decisions: &[Decision], folder: &Path) -> EvalResult<()> {
    crate::input::unpack(&options.data.join("sessions").join("entire"), &folder.join("real"))?;
    let chats = decisions.iter().flat_map(|decision| &decision.chats);
    if options.inserted {
        return insert(chats.cloned().collect(), &folder.join("real"));
    }
    let beside = folder.join("chats");
    std::fs::create_dir_all(&beside)?;
    for chat in chats {
        let setting = chat.own_setting();
        let lines: String = chat.records(&setting).iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(beside.join(format!("{}.jsonl", setting.session)), lines)?;
    }
    Ok(())
}

impl Decision {
    pub fn text(&self, with: AskedWith) -> &str {
        match with {
            AskedWith::Question => &self.question,
            AskedWith::Report => &self.report,
        }
    }

    /// Does a statement hold this share of the parts, and nothing that was rejected?
    pub fn is_right(&self, text: &str, share: f64) -> bool {
        let found = self.parts.iter().filter(|part| part.regex.is_in(text)).count();
        found as f64 >= share * self.parts.len() as f64 && !self.rejected.iter().any(|other| other.regex.is_in(text))
    }

    fn measure(&self, printed: &Printed) -> AnswerRow {
        let values = if self.kind == "nothing" {
            vec![None, None, None, None, None, share(is_silent(&printed.text))]
        } else {
            self.measure_parts(&folded(&printed.text))
        };
        AnswerRow { id: self.id.clone(), kind: self.kind.clone(), values, failed: printed.failed }
    }

    fn measure_parts(&self, text: &str) -> Vec<Option<f64>> {
        let in_1000 = first_tokens(text, 1000);
        let text = first_tokens(text, 2000);
        let found: Vec<usize> = self.parts.iter().filter_map(|part| part.regex.position(text)).collect();
        vec![
            share(self.parts.iter().all(|part| part.regex.is_in(in_1000))),
            share(found.len() == self.parts.len()),
            Some(found.len() as f64 / self.parts.len() as f64),
            share(self.is_wrong_first(text, found.iter().min())),
            (self.kind == "amended").then(|| self.is_newest_first(text)).and_then(share),
            None,
        ]
    }

    fn is_wrong_first(&self, text: &str, right: Option<&usize>) -> bool {
        let wrong = self.rejected.iter().filter_map(|statement| statement.regex.position(text)).min();
        wrong.is_some_and(|wrong| right.is_none_or(|right| wrong < *right))
    }

    /// All that the second chat changed stands before all that it replaced.
    fn is_newest_first(&self, text: &str) -> bool {
        let changed = self.parts.iter().filter(|part| part.messages.iter().any(|(chat, _)| *chat == 1));
        let changed: Option<Vec<usize>> = changed.map(|part| part.regex.position(text)).collect();
        let old = self.rejected.iter().filter(|statement| !statement.superseded_by.is_empty());
        let old = old.filter_map(|statement| statement.regex.position(text)).min();
        let last = changed.and_then(|changed| changed.into_iter().max());
        last.is_some_and(|last| old.is_none_or(|old| last < old))
    }
}

fn is_silent(text: &str) -> bool {
    let says = |line: &&str| !line.trim().is_empty() && !FRAME.iter().any(|frame| line.starts_with(frame));
    text.lines().filter(says).count() < LEAST_LINES
}

impl AskedWith {
    pub fn name(self) -> &'static str {
        match self {
            AskedWith::Question => "question",
            AskedWith::Report => "report",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measure(text: &str) -> Vec<Option<f64>> {
        let decision: Decision = serde_json::from_value(json!({
            "id": "d", "kind": "amended", "chats": [], "report": "", "question": "",
            "parts": [{ "regex": "per worktree", "messages": [[0, 1]] }, { "regex": "19 days", "messages": [[1, 0]] }],
            "rejected": [{ "regex": "30 days", "superseded_by": [[1, 0]] }],
        }))
        .expect("a decision");
        decision.measure(&Printed { text: text.to_owned(), failed: Failed::No }).values
    }

    #[test]
    fn the_newest_statement_must_come_before_the_old_one() {
        let [yes, no, half] = [Some(1.0), Some(0.0), Some(0.5)];
        assert_eq!(measure("per\nworktree, 19 days (before: 30 days)"), [yes, yes, yes, no, yes, None]);
        assert_eq!(measure("30 days, later 19 days per worktree"), [yes, yes, yes, yes, no, None]);
        assert_eq!(measure("19 days"), [no, no, half, no, yes, None]);
        assert_eq!(measure("30 days"), [no, no, no, yes, no, None]);
    }
}
