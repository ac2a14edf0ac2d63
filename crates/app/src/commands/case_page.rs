//! How does one case look on its own?

use backstory_engine::model::CaseId;
use backstory_engine::retrieve::{CaseAndLater, SessionInfo, ToldCase, one_case};
use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::{json, terminal};

use super::{case_text, sessions};

/// Statements that a page shows; a case may have hundreds.
const STATEMENTS: usize = 24;
/// Statements that are read, to tell how many more there are.
const ALL: usize = usize::MAX;

pub fn reply(context: &mut AskContext, id: CaseId) -> Result<Reply, AppError> {
    let (log, views) = context.memory()?.parts();
    let missing = || AppError::new(ErrorKind::NotFound, format!("there is no case '{id}'"));
    let CaseAndLater { case: all, later } = one_case(log, views, id, ALL)?.ok_or_else(missing)?;
    let shown = one_case(log, views, id, STATEMENTS)?.ok_or_else(missing)?.case;
    let session = sessions::named(context.memory()?, &all.session)?;
    let json = json!({ "case": json::case(&all), "later": later.as_ref().map(json::case) });
    let more = all.findings.len() - shown.findings.len();
    Ok(Reply::recalled("show", json, render(&shown, &session, later.as_ref(), more)))
}

fn render(case: &ToldCase, session: &SessionInfo, later: Option<&ToldCase>, more: usize) -> String {
    let mut out = format!("{} {}\n", terminal::paint(terminal::BOLD, &terminal::time(case.time)), case.asked);
    let branch = case.branch.as_ref().map(|branch| format!(" · branch {branch}")).unwrap_or_default();
    let place = format!(
        "{} · case {} · session {} ({}) · {}{branch}",
        case_text::state(case),
        case.id.short(),
        sessions::short(&case.session),
        terminal::clip(sessions::name(session), 60),
        case.project.name,
    );
    out.push_str(&format!("   {}\n", terminal::paint(terminal::DIM, &place)));
    if !case.findings.is_empty() {
        out.push_str("Said and found:\n");
        case.findings.iter().for_each(|finding| out.push_str(&case_text::render_with_role(finding)));
    }
    if more > 0 {
        out.push_str(&format!("   … {} (--json)\n", terminal::count(more as u64, "more statement")));
    }
    let work = case_text::work_lines(&case.work);
    if !work.is_empty() {
        out.push_str("Done:\n");
        work.iter().for_each(|line| out.push_str(&format!("   {line}\n")));
    }
    if let Some(later) = later {
        let cite = format!("[{} · case {}]", case_text::state(later), later.id.short());
        let cite = terminal::paint(terminal::DIM, &cite);
        out.push_str(&format!(
            "Later, perhaps about the same:\n   {} {} {cite}\n",
            terminal::day(later.time),
            later.asked
        ));
    }
    out
}
