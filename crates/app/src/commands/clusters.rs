use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::{
    ClusterInfo, ClusterList, ClusterMembers, Clusters, Member, cluster_members, clusters,
};

use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{json, terminal};

use super::sessions::short;
use super::{Answers, free_text};

/// The default limits on clusters and members.
const SHOWN_CLUSTERS: usize = 40;
const SHOWN_MEMBERS: usize = 20;

const NONE_YET: &str = "There are no clusters yet. `backstory maintain` computes them; so does a large ingest.\n";

/// List the topics of the memory, the largest first
///
/// A cluster holds chunks with a similar meaning; its label is the words that
/// distinguish it. With a cluster's number, or words of its label, the command
/// lists the chunks of that cluster, the most typical first. `backstory maintain`
/// recomputes clusters; until then a new chunk joins the nearest cluster, or none.
#[derive(clap::Args)]
pub struct ClustersCommand {
    /// A cluster's number, or words of its label
    #[arg(value_name = "CLUSTER")]
    cluster: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Show at most N clusters (40), or N chunks of one (20)
    #[arg(long, short = 'n', value_name = "N", value_parser = super::page::limit)]
    limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for ClustersCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let project = context.scope(&self.scope)?.project()?;
        let (log, views) = context.memory()?.parts();
        if !self.cluster.is_empty() {
            let cluster = free_text::needed(self.cluster.join(" "), "the cluster", "backstory clusters 12")?;
            let question = Clusters { project, limit: Some(self.limit.unwrap_or(SHOWN_MEMBERS)) };
            let members = cluster_members(log, views, &cluster, &question)?;
            return Ok(members.map_or_else(none_yet, |members| reply_of_members(&members)));
        }
        let question = Clusters { project, limit: Some(self.limit.unwrap_or(SHOWN_CLUSTERS)) };
        Ok(clusters(log, views, &question)?.map_or_else(none_yet, |list| reply_of_list(&list)))
    }
}

fn none_yet() -> Reply {
    Reply::nothing("clusters", json!({ "made": false, "items": [] }), NONE_YET)
}

fn reply_of_list(list: &ClusterList) -> Reply {
    if list.items.is_empty() {
        return Reply::nothing("clusters", json::clusters(list), none_of(list));
    }
    let line = |info: &ClusterInfo| format!("{}\t{}\t{}", info.id, info.chunks, info.label);
    let lines: Vec<String> = list.items.iter().map(line).collect();
    Reply::recalled("clusters", json::clusters(list), text_of_list(list)).with_lines(lines)
}

fn reply_of_members(members: &ClusterMembers) -> Reply {
    Reply::recalled("clusters", json::cluster_members(members), text_of_members(members))
}

fn none_of(list: &ClusterList) -> String {
    format!(
        "None of the {} is in a cluster. `backstory clusters --all-projects` lists all clusters; \
         `backstory maintain` recomputes them.\n",
        terminal::count(list.chunks, "chunk")
    )
}

fn text_of_list(list: &ClusterList) -> String {
    let mut out = String::new();
    for info in &list.items {
        out.push_str(&heading(info));
    }
    if list.omitted > 0 {
        out.push_str(&format!("… and {} (--limit)\n", terminal::count(list.omitted, "smaller cluster")));
    }
    let rest = terminal::count(list.unclustered, "chunk");
    let all = terminal::number(list.chunks);
    out.push_str(&terminal::paint(terminal::DIM, &format!("{rest} of {all} in no cluster\n")));
    out
}

fn heading(info: &ClusterInfo) -> String {
    let facts = format!(
        "{} · {} · {}",
        terminal::count(info.chunks, "chunk"),
        terminal::count(info.sessions, "session"),
        days(info.first, info.last)
    );
    let number = terminal::paint(terminal::DIM, &format!("{:>4}", info.id));
    format!("{number}  {}  {}\n", terminal::paint(terminal::BOLD, &info.label), terminal::paint(terminal::DIM, &facts))
}

/// The first and the last day; a single day is written once.
fn days(first: Option<Timestamp>, last: Option<Timestamp>) -> String {
    let day = |at| terminal::time(at).chars().take(10).collect::<String>();
    match (first, last) {
        (None, None) => "no time".to_owned(),
        _ if day(first) == day(last) => day(first),
        _ => format!("{} – {}", day(first), day(last)),
    }
}

fn text_of_members(members: &ClusterMembers) -> String {
    let mut out = heading(&members.info);
    for member in &members.items {
        out.push_str(&line(member));
    }
    let left = members.info.chunks.saturating_sub(members.items.len() as u64);
    if left > 0 {
        out.push_str(&format!("… and {} (--limit)\n", terminal::count(left, "more chunk")));
    }
    out
}

fn line(member: &Member) -> String {
    let shown = &member.shown;
    let place = format!(
        "[{}] {}  {} · {} · {}",
        shown.chunk.short(),
        terminal::time(shown.started),
        short(&shown.session),
        shown.agent,
        shown.project.name
    );
    let text = shown.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{}\n    {}\n", terminal::paint(terminal::DIM, &place), terminal::clip_to_width(text, 4, 110))
}
