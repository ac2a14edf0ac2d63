use backstory_cause::locate::Codebase;
use backstory_cause::terms::Term;
use backstory_cause::tree::{TreeEdge, TreeEntity};
use backstory_code::CodeEdgeKind;

use crate::code_index::{self, Call, Wanted};
use crate::error::AppError;
use crate::progress::Show;
use crate::{home, json, terminal};

use super::entities;
use super::free_text::not_blank;

/// The end of the calls that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    Callers,
    Callees,
}

impl CallEnd {
    fn verb(self) -> &'static str {
        match self {
            CallEnd::Callers => "callers",
            CallEnd::Callees => "callees",
        }
    }

    fn other(self, edge: &TreeEdge) -> u32 {
        match self {
            CallEnd::Callers => edge.from,
            CallEnd::Callees => edge.to,
        }
    }
}

/// List the calls of a function
///
/// Reads the code of the working tree (Rust, Python, TypeScript, JavaScript, Go, Java,
/// C, C++, C#, Ruby, PHP, Kotlin, Swift; without files that git ignores) and lists the
/// calls, certain ones first. A call is uncertain if only its name matches, or if
/// several functions could be meant.
#[derive(clap::Args)]
pub struct CallersCommand {
    #[command(flatten)]
    question: CallQuestion,
}

/// List the functions that a function calls
///
/// Reads the code like `callers`.
#[derive(clap::Args)]
pub struct CalleesCommand {
    #[command(flatten)]
    question: CallQuestion,
}

#[derive(clap::Args)]
struct CallQuestion {
    /// A function, a method (`Cart.add`) or a type; `FILE:NAME` is more specific
    #[arg(value_name = "NAME", value_parser = not_blank)]
    name: String,
    /// Show at most N calls
    #[arg(long, short = 'n', value_name = "N", value_parser = super::page::limit)]
    limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CallersCommand {
    pub fn run(self) -> Result<(), AppError> {
        self.question.print(CallEnd::Callers)
    }
}

impl CalleesCommand {
    pub fn run(self) -> Result<(), AppError> {
        self.question.print(CallEnd::Callees)
    }
}

impl CallQuestion {
    fn print(self, end: CallEnd) -> Result<(), AppError> {
        let verb = end.verb();
        let show = if self.json { Show::Nothing } else { Show::bar() };
        let indexed = code_index::open(&home::current_folder()?, Wanted::Answer, show)?;
        if let Some(notice) = indexed.notice() {
            terminal::warn(notice);
        }
        let place = Codebase::new(&indexed.code.tree, &indexed.code.past);
        let mut named = entities::named(&place, &self.name)?;
        named.retain(|entity| entity.kind.is_callable() || entity.kind == backstory_code::EntityKind::Type);
        if named.is_empty() {
            return Err(entities::none_named(&place, &self.name));
        }
        let mut found: Vec<(TreeEntity<'_>, Vec<Call<'_>>)> =
            named.into_iter().map(|entity| (entity, calls(&place, &entity, end))).collect();
        let left_out = keep_first(&mut found, self.limit.unwrap_or(usize::MAX));
        if self.json {
            return json::print(verb, json::calls(&found));
        }
        let mut out = String::new();
        for (entity, calls) in &found {
            let head = format!("{} {}", entity.kind.as_str(), entity.qualified);
            let at = terminal::paint(terminal::DIM, &format!("{}:{}", entity.path, entity.name_line));
            out.push_str(&format!("{} {at}\n", terminal::paint(terminal::BOLD, &head)));
            if calls.is_empty() {
                let files = terminal::count(place.tree.file_count() as u64, "file");
                out.push_str(&format!("   no {verb} in {files}{}\n", doubt(&place, entity, end)));
            }
            for call in calls {
                out.push_str(&line(call, end));
            }
        }
        if left_out > 0 {
            out.push_str(&format!("… and {} (--limit)\n", terminal::count(left_out as u64, "more call")));
        }
        terminal::print_text(&out)
    }
}

/// The limit applies to all functions together; returns the number of dropped calls. A function without calls is kept.
fn keep_first(found: &mut Vec<(TreeEntity<'_>, Vec<Call<'_>>)>, limit: usize) -> usize {
    let mut room = limit;
    let mut left_out = 0;
    found.retain_mut(|(_, calls)| {
        let all = calls.len();
        calls.truncate(room);
        room -= calls.len();
        left_out += all - calls.len();
        all == 0 || !calls.is_empty()
    });
    left_out
}

/// A call by an ambiguous name is assigned to none of its targets unless the receiver's type is known.
fn doubt(codebase: &Codebase<'_>, entity: &TreeEntity<'_>, end: CallEnd) -> String {
    let namesakes =
        codebase.tree.named(Term::of_identifier(entity.name)).filter_map(|number| codebase.tree.entity(number));
    let count = namesakes.filter(|other| other.name == entity.name && other.kind.is_callable()).count();
    match end == CallEnd::Callers && count > 1 {
        true => format!(
            " with a known receiver; {count} functions are named `{}`, and calls that could mean any of them are not listed",
            entity.name
        ),
        false => String::new(),
    }
}

/// Calling a type runs its constructor.
fn with_constructors(codebase: &Codebase<'_>, of: &TreeEntity<'_>) -> Vec<u32> {
    let mut meant = vec![of.number];
    if of.kind == backstory_code::EntityKind::Type {
        let is_constructor = |member: &TreeEntity<'_>| {
            let by_name =
                ["__init__", "constructor", "new", "init", "initialize", "__construct"].contains(&member.name);
            member.parent == Some(of.number) && (by_name || member.name == of.name)
        };
        let members = codebase.tree.entities_of(of.file).filter_map(|number| codebase.tree.entity(number));
        meant.extend(members.filter(is_constructor).map(|member| member.number));
    }
    meant
}

/// Most certain first.
pub fn calls<'a>(codebase: &Codebase<'a>, of: &TreeEntity<'_>, end: CallEnd) -> Vec<Call<'a>> {
    let meant = with_constructors(codebase, of);
    let edges: Vec<TreeEdge> = match end {
        CallEnd::Callers => meant.iter().flat_map(|number| codebase.tree.edges_to(*number)).collect(),
        CallEnd::Callees => meant.iter().flat_map(|number| codebase.tree.edges_from(*number)).collect(),
    };
    let is_call = |edge: &&TreeEdge| matches!(edge.kind, CodeEdgeKind::Calls | CodeEdgeKind::Tests);
    let mut calls: Vec<Call<'a>> = Vec::new();
    for edge in edges.iter().filter(is_call) {
        let Some(other) = codebase.tree.entity(end.other(edge)) else { continue };
        calls.push(Call { other, line: edge.line, unsure: edge.is_unsure(), strength: edge.strength });
    }
    calls.sort_by(|a, b| {
        let key = |call: &Call<'_>| (call.unsure, call.other.path.to_owned(), call.line);
        key(a).cmp(&key(b)).then(b.strength.total_cmp(&a.strength))
    });
    // A test's call is stored both as a call and as a test.
    calls.dedup_by_key(|call| (call.other.number, call.line));
    calls
}

fn line(call: &Call<'_>, end: CallEnd) -> String {
    let unsure = if call.unsure { terminal::paint(terminal::WARN, " (uncertain)") } else { String::new() };
    // The line of a call is in the caller's file.
    let at = if end == CallEnd::Callers { call.line } else { call.other.name_line };
    let name = if call.other.parent.is_none() { "(top of the file)" } else { call.other.qualified };
    format!("   {}:{at} {name}{unsure}\n", call.other.path)
}
