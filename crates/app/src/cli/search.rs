use backstory_engine::retrieve::{Found, FoundItem, SEARCH_LIMIT, search};

use super::answer;
use super::query::{QueryArgs, limit};
use crate::error::AppError;
use crate::{home, screen, wire};

/// What do I know about X?
///
/// Finds the passages that answer a question, by words and by meaning, and shows
/// the best with where they are from. Any of the words will do; rare ones count
/// most. `backstory explain search` says why each item came.
#[derive(clap::Args)]
pub struct SearchCommand {
    #[command(flatten)]
    query: QueryArgs,
    /// At most this many items
    #[arg(long, short = 'n', value_name = "N", default_value_t = SEARCH_LIMIT, value_parser = limit)]
    limit: usize,
}

impl SearchCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_memory()?;
        let mut question = self.query.search(&mut memory, Some(self.limit))?;
        let mut model = self.query.model(&mut question)?;
        let (log, views) = memory.parts();
        let found = search(log, views, model.embedder(), &question)?;
        answer::notices(&found.notices);
        if self.query.json {
            return wire::print("search", wire::found(&question.text, &found));
        }
        if found.items.is_empty() {
            return screen::print(&self.query.suggestion(&question));
        }
        screen::print_recalled("search", &text(&found))
    }
}

pub fn text(found: &Found) -> String {
    let items: Vec<String> = found.items.iter().enumerate().map(|(at, item)| tell(at + 1, item)).collect();
    format!("{}\n", items.join("\n"))
}

fn tell(number: usize, item: &FoundItem) -> String {
    let score = screen::paint(screen::DIM, &format!("{:.2}", item.score.score));
    format!("{} {score}\n{}", answer::heading(&format!("{number}."), &item.shown), answer::body(&item.shown))
}
