use backstory_engine::model::{EventKind, HandOutcome, OutcomeKind, RetrievalOutcome};
use backstory_engine::retrieve::{SessionQuery, find_retrieval, find_session, sessions};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::{environment, terminal};

use super::Answers;
use super::free_text::not_blank;

/// Record how a session ended, or whether an answer was right
///
/// ID is a session. Outcomes of sessions decide which tactics are shown again. Most
/// outcomes are read from the sessions; use this command for what they do not say.
///
/// With --retrieval the outcome is about an answer of `why`: `helpful` if the cause
/// was among its first five documents, `corrected` if it was not; --cause N names the
/// document. `backstory status --verbose` compares stated probabilities with outcomes.
#[derive(clap::Args)]
pub struct OutcomeCommand {
    /// helpful, corrected, success or failure; for an answer, helpful or corrected
    #[arg(value_name = "OUTCOME", value_parser = outcome())]
    outcome: OutcomeKind,
    /// The session's id, or its first digits
    #[arg(value_name = "ID", required_unless_present_any = ["retrieval", "session"], value_parser = not_blank)]
    id: Option<String>,
    #[arg(long, value_name = "SESSION", conflicts_with = "retrieval", hide = true, value_parser = not_blank)]
    session: Option<String>,
    /// The answer's id, or its first digits
    #[arg(long, value_name = "ID", value_parser = not_blank)]
    retrieval: Option<String>,
    /// The document that was the cause; 1 is the first
    #[arg(long, value_name = "N", requires = "retrieval")]
    cause: Option<usize>,
    /// A short reason
    #[arg(value_name = "NOTE")]
    note: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The names for people; those in the log are accepted too.
const NAMES: [(&str, OutcomeKind); 4] = [
    ("helpful", OutcomeKind::UserConfirmedHelpful),
    ("corrected", OutcomeKind::UserCorrected),
    ("success", OutcomeKind::ToolSuccess),
    ("failure", OutcomeKind::ToolFailure),
];

fn outcome() -> impl TypedValueParser<Value = OutcomeKind> {
    let named = NAMES.map(|(name, _)| PossibleValue::new(name));
    let in_the_log = NAMES.map(|(_, kind)| PossibleValue::new(kind.name()).hide(true));
    PossibleValuesParser::new(named.into_iter().chain(in_the_log)).try_map(|typed| {
        let known = NAMES.into_iter().find(|(name, _)| *name == typed).map(|(_, kind)| kind);
        known.or_else(|| OutcomeKind::parse(&typed)).ok_or("no such name")
    })
}

impl Answers for OutcomeCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(mut self, context: &mut AskContext) -> Result<Reply, AppError> {
        // If an option names the subject, all words are the note.
        if self.retrieval.is_some() || self.session.is_some() {
            self.note.splice(0..0, self.id.take());
        }
        match (&self.retrieval, self.session.as_ref().or(self.id.as_ref())) {
            (Some(retrieval), _) => self.of_retrieval(context, retrieval),
            (None, Some(session)) => self.of_session(context, session),
            (None, None) => Err(AppError::new(ErrorKind::Usage, "name a session, or an answer with --retrieval")),
        }
    }
}

impl OutcomeCommand {
    fn of_session(&self, context: &mut AskContext, asked: &str) -> Result<Reply, AppError> {
        let surface = context.surface;
        let memory = context.memory()?;
        let (log, views) = memory.parts();
        let all = sessions(log, views, &SessionQuery::default())?;
        let session = find_session(&all, asked)?.session;
        let outcome = HandOutcome { outcome: self.outcome, session: session.clone(), surface };
        log.append_of_cards(EventKind::Outcome, environment::now(), self.note.join(" "), &outcome)?;
        memory.refresh(&mut |_| {})?;
        let json = json!({ "outcome": self.outcome.name(), "session": session });
        Ok(Reply::plain("outcome", json, format!("{} for session {session}\n", self.outcome.name())))
    }

    fn of_retrieval(&self, context: &mut AskContext, asked: &str) -> Result<Reply, AppError> {
        if !matches!(self.outcome, OutcomeKind::UserConfirmedHelpful | OutcomeKind::UserCorrected) {
            return Err(AppError::new(ErrorKind::Usage, "the outcome of an answer is helpful or corrected"));
        }
        let memory = context.memory()?;
        let found = find_retrieval(memory.log(), asked)?;
        let shown = found.retrieval.documents.len();
        if let Some(cause) = self.cause.filter(|cause| !(1..=shown).contains(cause)) {
            let message = format!("--cause {cause}: that answer has {}", terminal::count(shown as u64, "document"));
            return Err(AppError::new(ErrorKind::Usage, message).hint("Documents are counted from 1."));
        }
        let outcome = RetrievalOutcome { retrieval: found.event, outcome: self.outcome, cause: self.cause };
        memory.log().append_retrieval_outcome(environment::now(), self.note.join(" "), &outcome)?;
        let cause = self.cause.map(|cause| format!(", document {cause} was the cause")).unwrap_or_default();
        let question = terminal::clip(&found.question, 80);
        let json = json!({
            "outcome": self.outcome.name(), "retrieval": found.event, "cause": self.cause, "question": found.question,
        });
        let text = format!("{}{cause} for the answer to \"{question}\"\n", self.outcome.name());
        Ok(Reply::plain("outcome", json, text))
    }
}
