use std::io::{IsTerminal, Read};

use backstory_engine::model::{EvidenceRef, ProjectId, Timestamp};
use backstory_engine::retrieve::{
    CaseAnswer, ErrorForm, Extent, Fix, FixGround, FixItem, KnownRemedy, PastFailure, Search, fix, search_cases,
};
use backstory_language::diagnostics::output;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{environment, home, json, terminal};

use super::case_text::Across;
use super::sessions::short;
use super::{Answers, case_text, free_text};

/// Find what fixed an error before
///
/// Takes the output of a failing command, as words or on standard input, and looks
/// for the same errors in earlier sessions of this project. It prints the change
/// after which the command passed, or the form of the command that passed, and
/// attempts that failed. Paths, numbers and names may differ, and the error may
/// stand among other words. Known fixes are limited to linter rules and tool errors
/// with a small, clear change; for other errors the command prints when they occurred
/// and what happened before the command passed. If no command printed the error, it
/// shows earlier work about it.
#[derive(clap::Args)]
pub struct FixCommand {
    /// The error; without it, or with `-`, standard input
    #[arg(value_name = "ERROR")]
    error: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Show at most N errors that are known
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::page::limit)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for FixCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let error = match self.error.as_slice() {
            [] => from_input("the error")?,
            [one] if one == "-" => from_input("the error")?,
            words => words.join(" "),
        };
        let error = free_text::needed(error, "the error", "backstory fix \"$(make lint 2>&1)\"")?;
        let project = context.scope(&self.scope)?.project()?;
        let (log, views) = context.memory()?.parts();
        let question = Fix { error: error.clone(), project, form: ErrorForm::Pasted, ..Fix::default() };
        let mut found = fix(log, views, &question)?;
        found.items.truncate(self.limit);
        found.seen.truncate(self.limit - found.items.len());
        let mut json = json::fixes(&found, environment::now());
        if found.items.is_empty() && found.seen.is_empty() {
            let (question, answer) = quoting_cases(context, &error, project)?;
            if answer.cases.is_empty() {
                return Ok(Reply::nothing("fix", json, nothing(found.diagnostics, project)));
            }
            json["cases"] = json::cases(&question, &answer)["cases"].take();
            let across = if project.is_some() { Across::OneProject } else { Across::Projects };
            let told: String = answer.cases.iter().map(|case| case_text::render("", case, across)).collect();
            return Ok(Reply::recalled("fix", json, format!("No known fix; earlier work about this error:\n{told}")));
        }
        let items = found.items.iter().map(|item| render_fix(item, environment::now()));
        let seen = found.seen.iter().map(|seen| render_past_failure(seen, environment::now()));
        let text = items.chain(seen).collect::<Vec<_>>().join("\n");
        Ok(Reply::recalled("fix", json, text))
    }
}

/// Earlier work that quotes an error without a known fix: it may say the cause and the cure.
fn quoting_cases(
    context: &mut AskContext,
    error: &str,
    project: Option<ProjectId>,
) -> Result<(String, CaseAnswer), AppError> {
    // Its place says nothing about an error.
    let said = output::read_quoted(error).into_iter().next().map(|diagnostic| diagnostic.text);
    let gist = said.or_else(|| output::gist(error)).unwrap_or_else(|| error.trim().to_owned());
    let mut question = Search::new(terminal::clip(&gist, LONGEST_GIST));
    question.filter.project = project;
    let extent =
        Extent { lines: CASE_LINES, columns: terminal::terminal_width(), tokens: CASE_TOKENS, cases: MOST_CASES };
    let (memory, model) = context.with_model(&mut question)?;
    let (log, views) = memory.parts();
    let mut answer = search_cases(log, views, model, &question, &[], extent)?;
    if answer.covered < QUOTED {
        answer.cases.clear();
    }
    Ok((question.text, answer))
}

/// Of an error that no diagnostic matches, so much is looked for,
const LONGEST_GIST: usize = 300;
/// in work that has this share of its words.
const QUOTED: f32 = 0.75;
/// What is told of such work.
const MOST_CASES: usize = 2;
const CASE_LINES: usize = 14;
const CASE_TOKENS: u64 = 500;

/// The limit on a command's output: later parts are not needed to recognise an error.
const LARGEST_ERROR_INPUT: u64 = 64 << 20;

/// Standard input. Refused on a terminal, where nobody would notice that the command waits.
pub fn from_input(what: &str) -> Result<String, AppError> {
    if std::io::stdin().is_terminal() {
        let hint = format!("Give {what} as an argument, or pipe it in: `make lint 2>&1 | backstory fix`.");
        return Err(AppError::new(ErrorKind::Usage, format!("{what} is missing")).hint(hint));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LARGEST_ERROR_INPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Does not claim that the error is new: not every line of every output is read.
fn nothing(diagnostics: usize, project: Option<ProjectId>) -> &'static str {
    match (diagnostics, project) {
        (0, _) => "Nothing found: no error was recognised in this text.\n",
        (_, None) => "Nothing found: no earlier case in any project.\n",
        (_, Some(_)) => "Nothing found: no earlier case in this project. --all-projects looks in all projects.\n",
    }
}

/// When the error occurred, and what happened until it ended.
fn render_past_failure(seen: &PastFailure, now: Timestamp) -> String {
    let mut out = terminal::foreign(&terminal::clip(&seen.diagnostic, 160));
    let (when, session) = (terminal::time(seen.time), short(&seen.session));
    let head = format!("\n  occurred {when}{} · session {session} · `{}`\n", age(seen.time, now), seen.command);
    out.push_str(&terminal::paint(terminal::DIM, &head));
    let Some(end) = &seen.ended else {
        return out + "  outcome unknown\n" + &evidence(&[&seen.failed]);
    };
    out.push_str("  the command passed later; the fix is unclear\n");
    let edits = match end.edits {
        0 => None,
        1 => Some("one edit".to_owned()),
        many => Some(format!("{many} edits")),
    };
    let ran = end.ran.iter().map(|command| format!("`{}`", terminal::clip(command, 100)));
    let between: Vec<String> = edits.into_iter().chain(ran).collect();
    let between = if between.is_empty() { "nothing known".to_owned() } else { between.join(", ") };
    out + &format!("  between: {between}\n") + &evidence(&[&seen.failed, &end.passed])
}

/// One diagnostic with its fix.
pub fn render_fix(item: &FixItem, now: Timestamp) -> String {
    let rule = item.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let mut out = terminal::foreign(&format!("{}{rule}", terminal::clip(&item.diagnostic, 160)));
    out.push('\n');
    let then = || terminal::foreign(&terminal::clip(&item.then, 160));
    match item.ground {
        FixGround::Diagnostic => {}
        FixGround::Rule => out.push_str(&format!("  same rule, earlier case: {}\n", then())),
        FixGround::Quoted => out.push_str("  your text quotes this error\n"),
    }
    let file = item.file.as_deref().map(|file| format!(" · {}", home::relative(file))).unwrap_or_default();
    let times = if item.times > 1 { format!(" · in {} sessions", item.times) } else { String::new() };
    let head = format!(
        "  fixed {}{} · session {} · `{}`{file}{times}\n",
        terminal::time(item.resolved),
        age(item.resolved, now),
        short(&item.session),
        item.command
    );
    out.push_str(&terminal::paint(terminal::DIM, &head));
    out.push_str(&render_remedy(&item.remedy));
    let is_newest = item.alternatives.iter().all(|other| other.resolved <= item.resolved);
    for (at, other) in item.alternatives.iter().enumerate() {
        let newest = if at == 0 && !is_newest { ", the newest" } else { "" };
        let (when, session) = (terminal::time(other.resolved), short(&other.session));
        let head = format!("  another way{newest}: {when}{} · session {session}\n", age(other.resolved, now));
        out.push_str(&terminal::paint(terminal::DIM, &head));
        out.push_str(&render_remedy(&other.remedy));
    }
    if let Some(vain) = &item.in_vain {
        let line = vain.added.first().or(vain.removed.first());
        out.push_str(&format!("  failed attempt: {}\n", terminal::clip(line.map_or("", String::as_str), 160)));
    }
    let cited: Vec<&EvidenceRef> = [&item.failed, &item.passed].into_iter().chain(&item.edits).collect();
    out.push_str(&evidence(&cited));
    out
}

fn render_remedy(remedy: &KnownRemedy) -> String {
    match remedy {
        KnownRemedy::Commands(commands) => {
            let ran: Vec<String> =
                commands.iter().map(|command| format!("`{}`", terminal::clip(command, 160))).collect();
            format!("  ran before it passed: {}\n", ran.join(", "))
        }
        KnownRemedy::Form(form) => format!("  passed as `{}`\n", terminal::clip(form, 160)),
        KnownRemedy::Change(change) => {
            let line = |sign: &str, line: &String| format!("  {sign} {}\n", terminal::clip(line, 160));
            let removed = change.removed.iter().map(|text| line("-", text));
            removed.chain(change.added.iter().map(|text| line("+", text))).collect()
        }
    }
}

/// The citations.
pub fn evidence(cited: &[&EvidenceRef]) -> String {
    let mut ids: Vec<String> = cited.iter().map(|evidence| evidence.id.to_string()[..12].to_owned()).collect();
    ids.dedup();
    let more = if ids.len() > 5 { format!(" and {} more", ids.len() - 5) } else { String::new() };
    ids.truncate(5);
    terminal::paint(terminal::DIM, &format!("  evidence: {}{more} (`backstory log show ID`)", ids.join(" "))) + "\n"
}

/// ` (3 days ago)`.
pub fn age(at: Option<Timestamp>, now: Timestamp) -> String {
    match at.map(|at| (now.0 - at.0) / 86_400_000) {
        None => String::new(),
        Some(days) if days <= 0 => " (today)".to_owned(),
        Some(1) => " (yesterday)".to_owned(),
        Some(days) => format!(" ({days} days ago)"),
    }
}
