use backstory_engine::retrieve::{
    Clusters, RetrieveError, Sessions, cluster_members, find_card, find_loop, find_session, sessions,
};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;

use super::{Answers, loops, why};

/// Fewer digits name too many things.
const FEWEST_DIGITS: usize = 4;

/// Show anything that has an id: a session, card, chunk, event, open loop, commit or cluster
///
/// An ID is the whole id or its first digits, at least four; a commit may also be a branch or
/// `HEAD~2`, a cluster is a number. Where several things begin alike, the command lists them.
/// A session is shown as `reconstruct` does, a card as `cards show`, a chunk or an event as
/// `log show`, a commit as `why`, a cluster as `clusters`.
#[derive(clap::Args)]
pub struct ShowCommand {
    /// The id, or its first digits
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What an id stands for.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    Session(String),
    Card(String),
    Chunk(String),
    Event(String),
    Loop(String),
    Commit(String),
    Cluster(String),
}

impl Answers for ShowCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let id = self.id.trim().trim_matches(['[', ']']).to_owned();
        let mut named = all_named(context, &id)?;
        match (named.pop(), named.is_empty()) {
            (None, _) => Err(nothing_named(&id)),
            (Some(one), true) => one.reply(context),
            (Some(last), false) => {
                named.push(last);
                let several: Vec<String> = named.iter().map(Named::described).collect();
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

/// Everything whose id begins so, the most telling first.
fn all_named(context: &mut AskContext, id: &str) -> Result<Vec<Named>, AppError> {
    let is_long = id.len() >= FEWEST_DIGITS;
    let hex = id.to_ascii_lowercase();
    let is_hex = is_long && hex.len() <= 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commit = why::named_commit(context, id);
    let (log, views) = context.memory()?.parts();
    let known = sessions(log, views, &Sessions::default())?;
    let fits = |session: &str| session == id || is_long && session.starts_with(id);
    let mut named: Vec<Named> = match find_session(&known, id) {
        Ok(info) if fits(&info.session) => vec![Named::Session(info.session)],
        Ok(_) | Err(RetrieveError::NotFound { .. }) => Vec::new(),
        Err(RetrieveError::Ambiguous { candidates, .. }) if is_long => {
            candidates.into_iter().map(Named::Session).collect()
        }
        Err(RetrieveError::Ambiguous { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if is_hex {
        named.extend(if_found(find_card(views, &hex))?.map(|card| Named::Card(card.id.to_string())));
        let open = if_found(find_loop(log, views, &hex))?.map(|open| open.id.to_string());
        let chunks = views.read().chunk_ids_with_prefix(&hex, 3)?;
        let events = log.store().event_ids_with_prefix(&hex, 3)?;
        // A loop has the id of the request that began it.
        let other = |event: &String| Some(event) != open.as_ref();
        named.extend(chunks.iter().map(|chunk| Named::Chunk(chunk.to_string())));
        named.extend(events.iter().map(ToString::to_string).filter(other).map(Named::Event));
        named.extend(open.map(Named::Loop));
    }
    named.extend(commit.map(Named::Commit));
    if id.parse::<u32>().is_ok() {
        let question = Clusters { project: None, limit: Some(0) };
        let found = if_found(cluster_members(log, views, id, &question))?.flatten();
        named.extend(found.map(|found| Named::Cluster(found.info.id.to_string())));
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

impl Named {
    fn described(&self) -> String {
        match self {
            Named::Session(id) => format!("session {id}"),
            Named::Card(id) => format!("card {id}"),
            Named::Chunk(id) => format!("chunk {id}"),
            Named::Event(id) => format!("event {id}"),
            Named::Loop(id) => format!("open loop {id}"),
            Named::Commit(id) => format!("commit {id}"),
            Named::Cluster(id) => format!("cluster {id}"),
        }
    }

    /// As the command for such things answers.
    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let words: [&str; 4] = match &self {
            Named::Loop(id) => return loops::one(context, id),
            Named::Commit(id) => return why::commit(context, id, &ProjectScope::default()),
            Named::Session(id) => ["reconstruct", "--all-projects", "--", id],
            Named::Card(id) => ["cards", "show", "--", id],
            Named::Chunk(id) | Named::Event(id) => ["log", "show", "--", id],
            Named::Cluster(id) => ["clusters", "--all-projects", "--", id],
        };
        let words = words.map(str::to_owned);
        let parsed = super::parse(&words).map_err(|error| AppError::new(ErrorKind::Failed, error.to_string()))?;
        parsed.reply(context)
    }
}
