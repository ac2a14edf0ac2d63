//! Renders a session as its cases, on one screen.

use backstory_engine::retrieve::{SessionInfo, ToldCase, session_cases};
use serde_json::{Value, json};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, terminal};

use super::{case_text, sessions};

/// The number of lines of a screen.
const LINES: usize = 40;
/// The number of statements per case; one if many cases share the screen.
const STATEMENTS: usize = 2;

/// None if the session has no cases: a transcript of people.
pub fn reply(context: &mut AskContext, id: &str) -> Result<Option<Reply>, AppError> {
    let info = sessions::named(context.memory()?, id)?;
    let (log, views) = context.memory()?.parts();
    let told = session_cases(log, views, &info, STATEMENTS)?;
    if told.is_empty() {
        return Ok(None);
    }
    let items: Vec<Value> = told.iter().map(json::case).collect();
    let json = json!({ "session": json::session(&info), "cases": items });
    let heading = heading(&info, &told);
    let room = LINES - heading.lines().count() - 1;
    let mut blocks = blocks(&told);
    if blocks.iter().map(|block| block.lines().count()).sum::<usize>() > room {
        blocks = self::blocks(&session_cases(log, views, &info, 1)?);
    }
    Ok(Some(Reply::recalled("show", json, heading + &fitting(&blocks, room))))
}

/// The blocks that fit, and the number of the others.
fn fitting(blocks: &[String], room: usize) -> String {
    let (mut out, mut taken, mut shown) = (String::new(), 0, 0);
    for block in blocks {
        taken += block.lines().count();
        if taken > room {
            break;
        }
        out.push_str(block);
        shown += 1;
    }
    if shown < blocks.len() {
        let more = terminal::count((blocks.len() - shown) as u64, "more case");
        let hint = format!("… {more} (`backstory show CASE` shows one, --json lists all)\n");
        out.push_str(&terminal::paint(terminal::DIM, &hint));
    }
    out
}

fn heading(info: &SessionInfo, told: &[ToldCase]) -> String {
    let branch = told.iter().rev().find_map(|case| case.branch.as_ref());
    let branch = branch.map(|branch| format!(" · branch {branch}")).unwrap_or_default();
    let place = format!(
        "session {} · {}{branch} · {} · {}",
        sessions::short(&info.session),
        info.project.name,
        info.source.name(),
        sessions::period(info)
    );
    let title = terminal::clip_to_width(sessions::name(info), 0, 110);
    let agents = sessions::agents(info).map(|agents| format!("agents: {agents}\n")).unwrap_or_default();
    format!("{}\n{}\n{agents}", terminal::paint(terminal::HEAD, &title), terminal::paint(terminal::DIM, &place))
}

fn blocks(told: &[ToldCase]) -> Vec<String> {
    let block = |(at, case): (usize, &ToldCase)| case_text::render_short(&format!("{}. ", at + 1), case);
    told.iter().enumerate().map(block).collect()
}
