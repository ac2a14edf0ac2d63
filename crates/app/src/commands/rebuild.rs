use backstory_engine::derive::STAGES;

use crate::error::AppError;
use crate::progress::{self, Show};
use crate::{embedding, home, terminal};

use super::ingest::{self, totals};

/// Recreate the derived views from the log
///
/// Views can be deleted at any time; this command recreates the same content. With a
/// STAGE it recreates that stage and the stages after it.
#[derive(clap::Args)]
pub struct Rebuild {
    /// The first stage to recreate
    #[arg(value_name = "STAGE", value_parser = stage_names())]
    stage: Option<String>,
    /// No progress bar and no report
    #[arg(long, short)]
    quiet: bool,
}

fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

impl Rebuild {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_without_refresh()?;
        let stage = STAGES.into_iter().find(|stage| Some(stage.name) == self.stage.as_deref());
        let total = memory.log().store().head()?.pos;
        let bar = progress::events(total, "deriving", if self.quiet { Show::Nothing } else { Show::bar() });
        let rebuilt = memory.rebuild(stage, &mut |folded| bar.set_position(folded))?;
        bar.finish_and_clear();
        let embedded = embedding::catch_up(&mut memory, if self.quiet { Show::Nothing } else { Show::bar() })?;
        // Clusters were deleted with the views.
        if rebuilt.events > ingest::LARGE && memory.views().read().cluster_state()?.is_none() {
            ingest::cluster(&mut memory, &embedded.model, if self.quiet { Show::Nothing } else { Show::bar() });
        }
        if self.quiet {
            return Ok(());
        }
        let what =
            self.stage.as_deref().map_or("all stages".to_owned(), |stage| format!("{stage} and the stages after it"));
        terminal::print(&format!(
            "Rebuilt {what} from {}\n{}{}",
            terminal::count(rebuilt.events, "event"),
            embedding::describe(&embedded).map(|done| format!("{done}\n")).unwrap_or_default(),
            totals(&mut memory)?
        ))
    }
}
