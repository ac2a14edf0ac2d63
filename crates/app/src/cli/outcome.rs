use backstory_engine::model::{EventKind, HandOutcome, OutcomeKind};
use backstory_engine::retrieve::{Sessions, find_session, sessions};

use crate::error::AppError;
use crate::{home, screen};

/// Record by hand how a session ended
///
/// Outcomes decide which tactics are worth showing again. Most are read from
/// the sessions themselves; this is for what they cannot know.
#[derive(clap::Args)]
pub struct OutcomeCommand {
    /// helpful, corrected, success or failure
    #[arg(value_name = "OUTCOME", value_parser = outcome)]
    outcome: OutcomeKind,
    /// The session's id, or how it begins
    #[arg(long, value_name = "SESSION")]
    session: String,
    /// Why, in a few words
    #[arg(value_name = "NOTE")]
    note: Vec<String>,
}

fn outcome(typed: &str) -> Result<OutcomeKind, String> {
    match typed {
        "helpful" => Ok(OutcomeKind::UserConfirmedHelpful),
        "corrected" => Ok(OutcomeKind::UserCorrected),
        "success" => Ok(OutcomeKind::ToolSuccess),
        "failure" => Ok(OutcomeKind::ToolFailure),
        _ => OutcomeKind::parse(typed).ok_or_else(|| "there is helpful, corrected, success, failure".to_owned()),
    }
}

impl OutcomeCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_memory()?;
        let (log, views) = memory.parts();
        let all = sessions(log, views, &Sessions::default())?;
        let session = find_session(&all, &self.session)?.session;
        let outcome = HandOutcome { outcome: self.outcome, session: session.clone() };
        log.append_of_cards(EventKind::Outcome, home::now(), self.note.join(" "), &outcome)?;
        memory.refresh(&mut |_| {})?;
        screen::print(&format!("{} for session {session}\n", self.outcome.name()))
    }
}
