use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::{
    ClusterInfo, ClusterList, ClusterMembers, Clusters, Member, cluster_members, clusters,
};

use crate::error::AppError;
use crate::scope::ProjectScope;
use crate::{home, json, reply, terminal};

use super::sessions::short;

/// Clusters and members shown unless told otherwise.
const SHOWN_CLUSTERS: usize = 40;
const SHOWN_MEMBERS: usize = 20;

const NONE_YET: &str =
    "There are no clusters yet. `backstory maintain` makes them; a large ingest does so by itself.\n";

/// List what the memory is about: chunks that speak of the same thing
///
/// Clusters are found by meaning and named by the words that set them apart.
/// With a cluster's number, or words of its label, its chunks are listed, the
/// most typical first. `backstory maintain` makes clusters anew; until then new
/// chunks join the nearest one. What fits nowhere stays unclustered.
#[derive(clap::Args)]
pub struct ClustersCommand {
    /// A cluster's number, or words of its label
    #[arg(value_name = "CLUSTER")]
    cluster: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// The N largest clusters (40), or the N closest chunks (20)
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// The answer as JSON
    #[arg(long)]
    json: bool,
}

impl ClustersCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.project()?;
        let (log, views) = memory.parts();
        if self.cluster.is_empty() {
            let question = Clusters { project, limit: Some(self.limit.unwrap_or(SHOWN_CLUSTERS)) };
            return match clusters(log, views, &question)? {
                Some(list) if self.json => json::print("clusters", json::clusters(&list)),
                Some(list) if list.items.is_empty() => terminal::print(&none_of(&list)),
                Some(list) => reply::print_recalled("clusters", &text_of_list(&list)),
                None => self.none_yet(),
            };
        }
        let question = Clusters { project, limit: Some(self.limit.unwrap_or(SHOWN_MEMBERS)) };
        match cluster_members(log, views, &self.cluster.join(" "), &question)? {
            Some(members) if self.json => json::print("clusters", json::cluster_members(&members)),
            Some(members) => reply::print_recalled("clusters", &text_of_members(&members)),
            None => self.none_yet(),
        }
    }

    fn none_yet(&self) -> Result<(), AppError> {
        match self.json {
            true => json::print("clusters", serde_json::json!({ "made": false, "items": [] })),
            false => terminal::print(NONE_YET),
        }
    }
}

fn none_of(list: &ClusterList) -> String {
    format!(
        "None of the {} is in a cluster. `backstory clusters --all-projects` lists all clusters, \
         `backstory maintain` makes them anew.\n",
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

/// From which day to which; one day is said once.
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
    format!("{}\n    {}\n", terminal::paint(terminal::DIM, &place), terminal::clip(text, 110))
}
