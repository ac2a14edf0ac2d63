use backstory_cause::locate::Codebase;
use backstory_cause::terms::Term;
use backstory_cause::tree::{TreeEdge, TreeEntity};
use backstory_code::CodeEdgeKind;

use crate::code_index::{self, Call, Wanted};
use crate::error::AppError;
use crate::{home, json, terminal};

use super::entities;

/// List the calls of a function
///
/// Reads the code of the working tree (Rust, Python, TypeScript, JavaScript, Go, Java,
/// C, C++, C#, Ruby, PHP, Kotlin, Swift; without files that git ignores) and lists the
/// calls, certain ones first. A call is uncertain if only its name matches, or if
/// several functions could be meant.
#[derive(clap::Args)]
pub struct CallersCommand {
    #[command(flatten)]
    asked: Asked,
}

/// List the functions that a function calls
///
/// Reads the code like `callers`.
#[derive(clap::Args)]
pub struct CalleesCommand {
    #[command(flatten)]
    asked: Asked,
}

#[derive(clap::Args)]
struct Asked {
    /// A function, a method (`Cart.add`) or a type; `FILE:NAME` is more specific
    #[arg(value_name = "NAME")]
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CallersCommand {
    pub fn run(self) -> Result<(), AppError> {
        self.asked.tell("callers")
    }
}

impl CalleesCommand {
    pub fn run(self) -> Result<(), AppError> {
        self.asked.tell("callees")
    }
}

impl Asked {
    fn tell(self, verb: &'static str) -> Result<(), AppError> {
        let indexed = code_index::open(&home::current_folder()?, Wanted::Answer, self.json)?;
        if let Some(notice) = indexed.notice() {
            terminal::warn(notice);
        }
        let place = Codebase::new(&indexed.code.tree, &indexed.code.past);
        let mut named = entities::named(&place, &self.name)?;
        named.retain(|entity| entity.kind.is_callable() || entity.kind == backstory_code::EntityKind::Type);
        if named.is_empty() {
            return Err(entities::none_named(&place, &self.name));
        }
        let found: Vec<(TreeEntity<'_>, Vec<Call<'_>>)> =
            named.into_iter().map(|entity| (entity, calls(&place, &entity, verb == "callers"))).collect();
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
                out.push_str(&format!("   no {verb} in {files}{}\n", doubt(&place, entity, verb)));
            }
            for call in calls {
                out.push_str(&line(call, verb));
            }
        }
        terminal::print_text(&out)
    }
}

/// A name that many things have is claimed for none of them where the receiver's type does not show.
fn doubt(codebase: &Codebase<'_>, entity: &TreeEntity<'_>, verb: &str) -> String {
    let namesakes =
        codebase.tree.named(Term::of_identifier(entity.name)).filter_map(|number| codebase.tree.entity(number));
    let count = namesakes.filter(|other| other.name == entity.name && other.kind.is_callable()).count();
    match verb == "callers" && count > 1 {
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

/// The surest first.
pub fn calls<'a>(codebase: &Codebase<'a>, of: &TreeEntity<'_>, callers: bool) -> Vec<Call<'a>> {
    let meant = with_constructors(codebase, of);
    let edges: Vec<TreeEdge> = match callers {
        true => meant.iter().flat_map(|number| codebase.tree.edges_to(*number)).collect(),
        false => meant.iter().flat_map(|number| codebase.tree.edges_from(*number)).collect(),
    };
    let is_call = |edge: &&TreeEdge| matches!(edge.kind, CodeEdgeKind::Calls | CodeEdgeKind::Tests);
    let mut calls: Vec<Call<'a>> = Vec::new();
    for edge in edges.iter().filter(is_call) {
        let Some(other) = codebase.tree.entity(if callers { edge.from } else { edge.to }) else { continue };
        calls.push(Call { other, line: edge.line, unsure: edge.is_unsure(), strength: edge.strength });
    }
    calls.sort_by(|a, b| {
        let key = |call: &Call<'_>| (call.unsure, call.other.path.to_owned(), call.line);
        key(a).cmp(&key(b)).then(b.strength.total_cmp(&a.strength))
    });
    // A test's call is kept as a call and as a test of what it calls.
    calls.dedup_by_key(|call| (call.other.number, call.line));
    calls
}

fn line(call: &Call<'_>, verb: &str) -> String {
    let unsure = if call.unsure { terminal::paint(terminal::WARN, " (uncertain)") } else { String::new() };
    // The line of a call is in the caller's file.
    let at = if verb == "callers" { call.line } else { call.other.name_line };
    let name = if call.other.parent.is_none() { "(top of the file)" } else { call.other.qualified };
    format!("   {}:{at} {name}{unsure}\n", call.other.path)
}
