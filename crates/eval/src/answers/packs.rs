//! Does the pack for a report, and the hook at a prompt, hold the rule that the report needs?
//!
//! The rules come from the chats by themselves, or, with `--given`, from a person's hand: then only the choice of cards
//! is measured. A report about nothing that was ever decided should get no card.

use serde_json::{Value, json};

use super::asker::{Asker, Failed};
use super::decisions::{AskedWith, Decision, lay_out};
use super::table::{AnswerRow, Column, Table, share};
use super::text::rows;
use super::{AnswerOptions, EvalResult};

const COLUMNS: &[Column] = &[
    Column::Mean("first 3"),
    Column::Mean("packed"),
    Column::Mean("hook"),
    Column::Mean("cards"),
    Column::Mean("empty"),
];
/// A rule with this share of its parts, and nothing that was rejected, is the right one.
const RIGHT: f64 = 2.0 / 3.0;
const FIRST: usize = 3;
/// The folder in which the chats took place.
const FOLDER: &str = "/home/dev/cli";

pub fn run(options: &AnswerOptions) -> EvalResult<Vec<Table>> {
    let decisions: Vec<Decision> = rows(&options.data.join("decisions").join("decisions.jsonl"))?;
    let scratch = tempfile::tempdir()?;
    let sessions = scratch.path().join("sessions");
    lay_out(options, &decisions, &sessions)?;
    let asker = Asker::of_sessions(&sessions, scratch.path(), options)?;
    if options.given {
        for rule in decisions.iter().filter_map(|decision| decision.rule.as_deref()) {
            asker.tell(&["cards", "add", "--kind", "fact", "--project", FOLDER, "--", rule])?;
        }
    }
    let whose = if options.given { "rules added by hand" } else { "rules from the chats" };
    let mut tables = Vec::new();
    for with in [AskedWith::Report, AskedWith::Question] {
        let rows = decisions.iter().map(|decision| measure(&asker, decision, decision.text(with)));
        let title = format!("{whose}, asked with the {}: pack, and the hook at a prompt", with.name());
        tables.push(Table { title, columns: COLUMNS, rows: rows.collect() });
    }
    Ok(tables)
}

fn measure(asker: &Asker, decision: &Decision, text: &str) -> AnswerRow {
    let packed = asker.tell(&["pack", "--all-projects", "--dry-run", "--json", "--", text]);
    let failed = if packed.is_ok() { Failed::No } else { Failed::Yes };
    let packed = statements(&packed.unwrap_or_default());
    let prompt =
        json!({"session_id": decision.id, "cwd": FOLDER, "hook_event_name": "UserPromptSubmit", "prompt": text});
    let told = asker.hook("user-prompt-submit", &prompt).unwrap_or_default();
    let about_nothing = decision.kind == "nothing";
    let is_right = |text: &str| decision.is_right(text, RIGHT);
    let place = packed.iter().position(|statement| is_right(statement));
    let of_rule = |value: bool| share(value).filter(|_| !about_nothing);
    let hook = if about_nothing { share(told.is_empty()) } else { share(told.lines().any(is_right)) };
    let values = vec![
        of_rule(place.is_some_and(|place| place < FIRST)),
        of_rule(place.is_some()),
        hook,
        Some(packed.len() as f64),
        share(packed.is_empty()).filter(|_| about_nothing),
    ];
    AnswerRow { id: decision.id.clone(), kind: decision.kind.clone(), values, failed }
}

/// What is packed for the task, in order; rules for every task are no answer.
fn statements(json: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(json).unwrap_or_default();
    let lists = ["items", "unconfirmed"].map(|name| value[name].as_array().cloned().unwrap_or_default());
    let items = lists.into_iter().flatten().filter(|item| item["slot"] != "always");
    items.filter_map(|item| item["statement"].as_str().map(str::to_owned)).collect()
}
