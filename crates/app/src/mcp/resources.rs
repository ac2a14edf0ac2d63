//! Sessions, cards and evidence by address: `backstory://session/ID`,
//! `backstory://card/ID`, `backstory://evidence/ID`.

use backstory_engine::model::CardStatus;
use backstory_engine::retrieve::{SessionQuery, cards, sessions};
use backstory_engine::store::CardFilter;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::scope::ProjectScope;
use crate::terminal;

use super::answer::quoted;
use super::folder;

const SCHEME: &str = "backstory://";
const PAGE: usize = 50;
/// A resource is read on purpose, and may be longer than an answer.
const BUDGET: u64 = 8_000;

pub fn templates() -> Vec<ResourceTemplate> {
    let template = |what: &str, title: &str, about: &str| {
        ResourceTemplate::new(format!("{SCHEME}{what}/{{id}}"), what)
            .with_title(title)
            .with_description(about)
            .with_mime_type("text/plain")
    };
    vec![
        template("session", "A session", "What happened in a session, in order; of a long one the newest part."),
        template("card", "A card", "A remembered statement with the words it rests on."),
        template("evidence", "Evidence", "An event, or the events of a chunk, as they stand in the log."),
    ]
}

/// Sessions of the project, newest first, then the cards in force.
pub fn list(context: &mut AskContext, cursor: Option<&str>) -> Result<ListResourcesResult, AppError> {
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| AppError::new(ErrorKind::Usage, "this cursor is not ours"))?,
    };
    let project = context.scope(&ProjectScope::default())?.even_unknown();
    let (log, views) = context.memory()?.parts();
    let mut all: Vec<Resource> = Vec::new();
    for info in sessions(log, views, &SessionQuery { project, ..SessionQuery::default() })?.iter().rev() {
        if info.chunks > 0 {
            let name = info.title.as_deref().or(info.first_prompt.as_deref()).unwrap_or("(no prompt)");
            let title = titled(&terminal::time(info.started), name);
            let uri = format!("{SCHEME}session/{}", folder::encoded(&info.session));
            let name = terminal::unstyled(&info.session).into_owned();
            all.push(Resource::new(uri, name).with_title(title).with_mime_type("text/plain"));
        }
    }
    let statuses = vec![CardStatus::Active, CardStatus::NeedsRecheck];
    for info in cards(log, views, &CardFilter { project, kind: None, statuses })? {
        let id = info.card.id.short();
        let title = titled(info.card.kind.name(), &info.card.statement);
        let resource = Resource::new(format!("{SCHEME}card/{id}"), id).with_title(title).with_mime_type("text/plain");
        all.push(resource);
    }
    let total = all.len();
    let page: Vec<Resource> = all.into_iter().skip(from).take(PAGE).collect();
    let next = from + page.len();
    let mut listed = ListResourcesResult::with_all_items(page);
    listed.next_cursor = (next < total).then(|| next.to_string());
    Ok(listed)
}

/// A title has no marks for untrusted text; it is short and has no hidden characters.
fn titled(what: &str, name: &str) -> String {
    terminal::unstyled(&format!("{what} · {}", terminal::clip(name, 80))).into_owned()
}

pub fn read(context: &mut AskContext, uri: &str) -> Result<ReadResourceResult, AppError> {
    let unknown = || {
        AppError::new(ErrorKind::NotFound, format!("'{}' is no resource", terminal::clip(uri, 100)))
            .hint("There is backstory://session/ID, backstory://card/ID and backstory://evidence/ID.")
    };
    let (what, id) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    // An unescaped id is accepted too.
    let decoded = folder::decoded(id);
    let id = decoded.as_deref().unwrap_or(id);
    if id.is_empty() {
        return Err(unknown());
    }
    let budget = format!("--budget={BUDGET}");
    let session = format!("--session={id}");
    let words: &[&str] = match what {
        "session" => &["reconstruct", &session, &budget],
        "card" => &["cards", "show", "--", id],
        "evidence" => &["log", "show", "--", id],
        _ => return Err(unknown()),
    };
    // Names and ids are added around the text.
    let text = quoted(context, words, BUDGET * 2)?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}
