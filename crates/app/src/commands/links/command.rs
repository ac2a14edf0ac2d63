//! `backstory links`: selects and shows links.

use std::path::{Path, PathBuf};

use backstory_engine::ingest::Format;
use backstory_engine::retrieve::{LinkedSession, Links, link_session, links};
use backstory_language::prompts::OWN_OPEN;
use backstory_language::talk::{Bars, Detail, Metrics, annotate, hierarchy};

use crate::ask_context::AskContext;
use crate::commands::free_text::not_blank;
use crate::commands::sessions::SessionFilter;
use crate::error::{AppError, ErrorKind};
use crate::json::KeptLinks;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::untrusted::Contents;
use crate::{home, json, own_file, reply, terminal, untrusted};

use super::choices::Choices;
use super::{choices, page, plot};

/// The default number of links shown.
const SHOWN: usize = 50;

/// Show which intent had which consequence
///
/// Without an argument the command lists the links of this project. With a session's
/// id or a transcript file it lists the links of that one, which can also be
/// annotated, outlined or measured. A file is read, but not added to the memory.
///
/// In a conversation between people a kernel finds the links: `default` weighs who
/// speaks to whom, the form and the words, and leaves intents without an answer
/// unlinked; `seed` takes the nearest answer. In an agent's session a prompt is linked
/// with its results up to the next prompt.
#[derive(clap::Args)]
pub struct LinksCommand {
    /// A session's id or its first digits, or a transcript file
    #[arg(value_name = "SESSION|FILE", value_parser = not_blank)]
    target: Option<String>,
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// Only links of this session; the argument SESSION links it again and can annotate it
    #[arg(long, value_name = "SESSION", conflicts_with = "target", value_parser = not_blank)]
    session: Option<String>,
    /// Only links of this chunk
    #[arg(long, value_name = "CHUNK", value_parser = not_blank)]
    chunk: Option<String>,
    /// Only links of this cluster's chunks
    #[arg(long, value_name = "N")]
    cluster: Option<u32>,
    /// Only links of turns that touched a file whose path contains PATH
    #[arg(long, value_name = "PATH", alias = "file", value_parser = not_blank)]
    files: Option<String>,
    /// Only intents without a consequence
    #[arg(long)]
    unclaimed: bool,
    /// Read the file in this format instead of detecting it
    #[arg(long, value_name = "FORMAT", requires = "target", value_parser = Format::ALL.map(Format::name))]
    format: Option<String>,
    #[command(flatten)]
    choices: Choices,
    /// Write the transcript with the links in place
    #[arg(long, value_name = "OUT.md", requires = "target")]
    annotated: Option<PathBuf>,
    /// Also write every candidate with its score
    #[arg(long, requires = "annotated")]
    dense: bool,
    /// Print scenes and beats
    #[arg(long, requires = "target", conflicts_with = "metrics")]
    outline: bool,
    /// Print coverage, claim rates, distances, scores and fan-out
    #[arg(long)]
    metrics: bool,
    /// Write a drawing of the metrics
    #[arg(long, value_name = "OUT.svg", requires = "metrics", value_parser = svg_path)]
    plot: Option<PathBuf>,
    /// Show at most N links [default: 50; all with --json]
    #[arg(long, short = 'n', value_name = "N", value_parser = crate::commands::page::limit)]
    limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The stored link with this id.
pub fn one(context: &mut AskContext, id: &str) -> Result<Reply, AppError> {
    let (log, views) = context.memory()?.parts();
    let mut found = links(log, views, &Links::default())?;
    found.retain(|item| item.row.link.id.to_string() == id);
    let json = serde_json::json!({ "link": found.first().map(json::link_item) });
    Ok(Reply::recalled("links", json, page::items(&found, SHOWN)))
}

impl LinksCommand {
    pub fn run(self) -> Result<(), AppError> {
        match self.target.clone() {
            Some(target) => self.one(&target),
            None => self.all(),
        }
    }

    /// The stored links of a project.
    fn all(self) -> Result<(), AppError> {
        self.choices.need_a_target()?;
        let context = &mut AskContext::here()?;
        let only = SessionFilter::of(context, self.session.as_deref(), &self.scope)?;
        let (from, to) = self.time.resolve()?;
        let (log, views) = context.memory()?.parts();
        let project = only.project;
        let (chunk, cluster, file) = (self.chunk.clone(), self.cluster, self.files.clone());
        let claimed = self.unclaimed.then_some(false);
        let mut found = links(log, views, &Links { project, from, to, chunk, cluster, file, claimed })?;
        found.retain(|item| only.has(&item.row.link.session));
        if self.metrics {
            let only: Vec<_> = found.iter().map(|item| item.row.link.clone()).collect();
            return self.measured(&Metrics::of_links(&only));
        }
        let items: Vec<_> = found.iter().take(self.limit.unwrap_or(usize::MAX)).map(json::link_item).collect();
        let json = serde_json::json!({ "items": items, "total": found.len() });
        let reply = match found.is_empty() {
            true => {
                let nothing = "No link found. `backstory links --all-projects` lists those of all projects.\n";
                Reply::nothing("links", json, nothing)
            }
            false => {
                let lines = found.iter().take(self.shown()).map(page::line);
                Reply::recalled("links", json, page::items(&found, self.shown())).with_lines(lines)
            }
        };
        if self.json { reply.print_json() } else { reply.print() }
    }

    fn shown(&self) -> usize {
        self.limit.unwrap_or(SHOWN)
    }

    fn one(self, target: &str) -> Result<(), AppError> {
        let of_all = self.chunk.is_some() || self.cluster.is_some() || self.files.is_some();
        if of_all || self.scope.is_given() || self.time.is_given() {
            let message = "--chunk, --cluster, --files, project and time options filter all sessions; do not name a session with them";
            return Err(AppError::new(ErrorKind::Usage, message));
        }
        let (kernel, mut options) = self.choices.options()?;
        options.traces = self.dense;
        let path = Path::new(target);
        let linked = if path.is_file() {
            choices::link_file(path, self.format.as_deref().and_then(Format::parse), kernel, &options)?
        } else if path.is_dir() || target.contains(std::path::is_separator) {
            let what = if path.is_dir() { "is a folder" } else { "there is no such file" };
            return Err(AppError::new(ErrorKind::NotFound, format!("{target}: {what}"))
                .hint("Give a transcript file, or a session's id: `backstory sessions` lists them."));
        } else if self.format.is_some() {
            return Err(AppError::new(ErrorKind::Usage, format!("--format needs a file, and {target} is not one")));
        } else {
            let mut memory = home::open_existing()?;
            let (log, views) = memory.parts();
            link_session(log, views, target, kernel, &options)?
        };
        if linked.by_structure {
            self.choices.need_talk()?;
        }
        if let Some(path) = &self.annotated {
            self.annotate(&linked, path)?;
        }
        if self.metrics {
            return self.measured(&Metrics::of(&linked.lines(), &linked.linked));
        }
        if self.outline {
            let scenes = hierarchy(&linked.lines(), &linked.linked, Bars::default());
            if self.json {
                return json::print("links", json::outline(&linked, &scenes));
            }
            return reply::print_recalled("links", &page::outline(&linked, &scenes));
        }
        if self.json {
            let mut json = json::linked(&linked, self.kept());
            if let (Some(links), Some(limit)) = (json["links"].as_array_mut(), self.limit) {
                links.truncate(limit);
            }
            return json::print("links", json);
        }
        if self.annotated.is_some() {
            return Ok(());
        }
        reply::print_recalled("links", &page::table(&linked, self.shown(), self.kept()))
    }

    fn kept(&self) -> KeptLinks {
        if self.unclaimed { KeptLinks::Unclaimed } else { KeptLinks::All }
    }

    fn annotate(&self, linked: &LinkedSession, path: &Path) -> Result<(), AppError> {
        let mut out = String::new();
        let detail = if self.dense { Detail::Dense } else { Detail::Links };
        let failed = |why: String| AppError::new(ErrorKind::Failed, format!("{}: {why}", path.display()));
        annotate(&linked.lines(), &linked.linked, detail, &mut out).map_err(|error| failed(error.to_string()))?;
        // A heading needs a blank line before it.
        own_file::write(path, &untrusted::wrapped("links", &format!("\n{out}"), Contents::OwnWords), OWN_OPEN)?;
        match self.json {
            true => Ok(()),
            false => terminal::print(&format!("Wrote {} lines to {}\n", linked.lines.len(), path.display())),
        }
    }

    fn measured(&self, metrics: &Metrics) -> Result<(), AppError> {
        if let Some(path) = &self.plot {
            own_file::write(path, &plot::svg(metrics), plot::BEGINS)?;
        }
        if self.json {
            return json::print("links", json::metrics(metrics));
        }
        terminal::print(&page::metrics(metrics))
    }
}

fn svg_path(name: &str) -> Result<PathBuf, String> {
    match name.to_ascii_lowercase().ends_with(".svg") {
        true => Ok(PathBuf::from(name)),
        false => Err("expected a name that ends in .svg".to_owned()),
    }
}
