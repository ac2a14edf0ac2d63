use backstory_code::{Call, CodeTree, Place};
use backstory_engine::ingest::work_tree;

use crate::error::{AppError, ErrorKind};
use crate::{home, screen, wire};

/// Who calls this function?
///
/// Reads the code of the working tree (Rust, Python, TypeScript, JavaScript, Go,
/// Java, C, C++, C#, Ruby, PHP, Kotlin, Swift; what git ignores is left out) and
/// lists the calls, the sure ones first. A call is unsure where only its name
/// says what is meant, or several could be.
#[derive(clap::Args)]
pub struct CallersCommand {
    #[command(flatten)]
    asked: Asked,
}

/// What does this function call?
///
/// The other side of `callers`: see there.
#[derive(clap::Args)]
pub struct CalleesCommand {
    #[command(flatten)]
    asked: Asked,
}

#[derive(clap::Args)]
struct Asked {
    /// A function, a method (`Cart.add`) or a type; `FILE:NAME` narrows it down
    #[arg(value_name = "NAME")]
    name: String,
    /// The list as JSON
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
        let here = home::current_folder()?;
        let tree = CodeTree::read(&work_tree(&here).unwrap_or(here));
        let calls_of = |entity| if verb == "callers" { tree.callers(entity) } else { tree.callees(entity) };
        let named = tree.named(&self.name);
        if named.is_empty() {
            let files = screen::count(tree.file_count() as u64, "file");
            let message = format!("nothing that can be called is named '{}' in {files}", self.name);
            return Err(AppError::new(ErrorKind::NotFound, message)
                .hint("Name a function, a method (`Cart.add`) or a type; `FILE:NAME` narrows it down."));
        }
        let found: Vec<(Place<'_>, Vec<Call<'_>>)> =
            named.into_iter().map(|entity| (tree.place(entity), calls_of(entity))).collect();
        if self.json {
            return wire::print(verb, wire::calls(&found));
        }
        let mut out = String::new();
        for (place, calls) in &found {
            let head = format!("{} {}", place.entity.kind.as_str(), place.entity.qualified);
            let at = screen::paint(screen::DIM, &format!("{}:{}", place.path, place.entity.name_line));
            out.push_str(&format!("{} {at}\n", screen::paint(screen::BOLD, &head)));
            if calls.is_empty() {
                out.push_str(&format!("   no {verb} in {}\n", screen::count(tree.file_count() as u64, "file")));
            }
            for call in calls {
                out.push_str(&line(call, verb));
            }
        }
        screen::print(&out)
    }
}

fn line(call: &Call<'_>, verb: &str) -> String {
    let unsure = if call.unsure { screen::paint(screen::WARN, " (unsure)") } else { String::new() };
    // The line of a call is in the caller's file.
    let at = if verb == "callers" { call.line } else { call.other.entity.name_line };
    let name = &call.other.entity.qualified;
    let name = if name.is_empty() { "(top of the file)" } else { name };
    format!("   {}:{at} {name}{unsure}\n", call.other.path)
}
