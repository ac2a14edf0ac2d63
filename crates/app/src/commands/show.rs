use backstory_engine::model::CaseId;
use backstory_engine::retrieve::{
    Clusters, Links, RetrieveError, SessionQuery, case_of_commit, cluster_members, find_card, find_case, find_loop,
    find_session, links as stored_links, projects as known_projects, sessions,
};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;

use super::free_text::not_blank;
use super::{Answers, case_page, links, loops, projects, session_page, why};

/// Fewer digits are ambiguous.
const FEWEST_DIGITS: usize = 4;

/// Show anything that has an id: a session, case, card, chunk, event, open loop, link, project, commit or cluster
///
/// An ID is the whole id or its first digits, at least four; a commit may also be a branch or
/// `HEAD~2`, a cluster is a number. Where several things begin alike, the command lists them.
/// A session is shown as its cases, on one screen: what was asked, found, changed and checked,
/// and what it came to (`reconstruct` shows it in full). A case is shown with its statements in
/// order; `>` stands before a person's words. A card is shown as `cards show`, a chunk or an event as
/// `log show`, a link as `links`, a project as `projects`, a commit as `why`, a cluster as
/// `clusters`.
#[derive(clap::Args)]
pub struct ShowCommand {
    /// The id, or its first digits
    #[arg(value_name = "ID", value_parser = not_blank)]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The kind of thing that an id names.
#[derive(Debug, PartialEq, Eq)]
enum NamedThing {
    Session(String),
    Case(CaseId),
    Card(String),
    Chunk(String),
    Event(String),
    Loop(String),
    Link(String),
    Project(String),
    Commit(String),
    Cluster(String),
}

impl Answers for ShowCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let id = self.id.trim().trim_matches(['[', ']', '…']).to_owned();
        let mut named = all_named(context, &id)?;
        match (named.pop(), named.is_empty()) {
            (None, _) => Err(nothing_named(&id)),
            (Some(one), true) => one.reply(context),
            (Some(last), false) => {
                named.push(last);
                let several: Vec<String> = named.iter().map(NamedThing::described).collect();
                Err(AppError::new(ErrorKind::Usage, format!("'{id}' is the beginning of several ids"))
                    .hint(format!("Give more of it: {}.", several.join(", "))))
            }
        }
    }
}

fn nothing_named(id: &str) -> AppError {
    AppError::new(ErrorKind::NotFound, format!("nothing in the memory or the repository here has the id '{id}'"))
        .hint("Answers and lists print ids; --json prints them in full. At least four digits are needed.")
}

/// Everything whose id starts with `id`, most relevant first.
fn all_named(context: &mut AskContext, id: &str) -> Result<Vec<NamedThing>, AppError> {
    let is_long = id.len() >= FEWEST_DIGITS;
    let hex = id.to_ascii_lowercase();
    let is_hex = is_long && hex.len() <= 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commit = why::named_commit(context, id);
    let (log, views) = context.memory()?.parts();
    let known = sessions(log, views, &SessionQuery::default())?;
    let fits = |session: &str| session == id || is_long && session.starts_with(id);
    let mut named: Vec<NamedThing> = match find_session(&known, id) {
        Ok(info) if fits(&info.session) => vec![NamedThing::Session(info.session)],
        Ok(_) | Err(RetrieveError::NotFound { .. }) => Vec::new(),
        Err(RetrieveError::Ambiguous { candidates, .. }) if is_long => {
            candidates.into_iter().map(NamedThing::Session).collect()
        }
        Err(RetrieveError::Ambiguous { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if is_hex {
        named.extend(if_found(find_case(views, &hex))?.map(NamedThing::Case));
        named.extend(if_found(find_card(views, &hex))?.map(|card| NamedThing::Card(card.id.to_string())));
        let open = if_found(find_loop(log, views, &hex))?.map(|open| open.id.to_string());
        let chunks = views.read().chunk_ids_with_prefix(&hex, 3)?;
        let events = log.store().event_ids_with_prefix(&hex, 3)?;
        // A loop has the id of its first request.
        let other = |event: &String| Some(event) != open.as_ref();
        named.extend(chunks.iter().map(|chunk| NamedThing::Chunk(chunk.to_string())));
        named.extend(events.iter().map(ToString::to_string).filter(other).map(NamedThing::Event));
        named.extend(open.map(NamedThing::Loop));
        let has_prefix = |id: &String| id.starts_with(&hex);
        named.extend(
            known_projects(log)?.iter().map(|info| info.id.to_string()).filter(has_prefix).map(NamedThing::Project),
        );
        let stored = stored_links(log, views, &Links::default())?;
        named.extend(stored.iter().map(|item| item.row.link.id.to_string()).filter(has_prefix).map(NamedThing::Link));
    }
    if commit.is_none() && is_hex && named.is_empty() {
        // Of a repository that is elsewhere.
        named.extend(case_of_commit(views, &hex)?.map(NamedThing::Case));
    }
    named.extend(commit.map(NamedThing::Commit));
    if id.parse::<u32>().is_ok() {
        let question = Clusters { project: None, limit: Some(0) };
        let found = if_found(cluster_members(log, views, id, &question))?.flatten();
        named.extend(found.map(|found| NamedThing::Cluster(found.info.id.to_string())));
    }
    Ok(named)
}

fn if_found<T>(found: Result<T, RetrieveError>) -> Result<Option<T>, AppError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(RetrieveError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl NamedThing {
    fn described(&self) -> String {
        match self {
            NamedThing::Session(id) => format!("session {id}"),
            NamedThing::Case(id) => format!("case {id}"),
            NamedThing::Card(id) => format!("card {id}"),
            NamedThing::Chunk(id) => format!("chunk {id}"),
            NamedThing::Event(id) => format!("event {id}"),
            NamedThing::Loop(id) => format!("open loop {id}"),
            NamedThing::Link(id) => format!("link {id}"),
            NamedThing::Project(id) => format!("project {id}"),
            NamedThing::Commit(id) => format!("commit {id}"),
            NamedThing::Cluster(id) => format!("cluster {id}"),
        }
    }

    /// Answers with the command for that kind.
    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let words: [&str; 4] = match &self {
            NamedThing::Case(id) => return case_page::reply(context, *id),
            NamedThing::Loop(id) => return loops::one(context, id),
            NamedThing::Link(id) => return links::one(context, id),
            NamedThing::Project(id) => return projects::one(context, id),
            NamedThing::Commit(id) => return why::reply_of_commit(context, id, &ProjectScope::default()),
            NamedThing::Session(id) => match session_page::reply(context, id)? {
                Some(reply) => return Ok(reply),
                None => ["reconstruct", "--all-projects", "--", id],
            },
            NamedThing::Card(id) => ["cards", "show", "--", id],
            NamedThing::Chunk(id) | NamedThing::Event(id) => ["log", "show", "--", id],
            NamedThing::Cluster(id) => ["clusters", "--all-projects", "--", id],
        };
        let words = words.map(str::to_owned);
        let parsed = super::parse(&words).map_err(|error| AppError::new(ErrorKind::Failed, error.to_string()))?;
        parsed.reply(context)
    }
}
