use backstory_engine::derive::cards::sources::kind_of_written;
use backstory_engine::model::{CardKind, Scope};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;

use super::cards::{New, add};
use super::{Answers, free_text};

/// Kinds of cards that need no evidence but words.
const KINDS: [CardKind; 4] = [CardKind::Preference, CardKind::Constraint, CardKind::Commitment, CardKind::Fact];

/// Remember a rule, a preference, a decision or a fact
///
/// Your words are the evidence. The card is active at once, in this project or, with
/// --everywhere, in all projects. It supersedes cards that it contradicts. `backstory
/// cards` lists all cards.
#[derive(clap::Args)]
pub struct RememberCommand {
    /// The statement, at most 280 characters, understandable on its own
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// preference, constraint, commitment or fact; by default inferred from the words
    #[arg(long, value_name = "KIND", value_parser = super::cards::card_kind(&KINDS))]
    kind: Option<CardKind>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Use it in a domain of repositories. Domains have no members yet: such a card
    /// counts in all projects, after the cards of the repository
    #[arg(long, value_name = "NAME", conflicts_with_all = ["everywhere", "project", "all_projects"], value_parser = clap::builder::NonEmptyStringValueParser::new())]
    domain: Option<String>,
    /// Use it in all projects
    #[arg(long, conflicts_with_all = ["project", "all_projects"])]
    everywhere: bool,
    /// A word to find it by (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for RememberCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let statement =
            free_text::needed(self.text.join(" "), "the statement", "backstory remember \"Never push to main\"")?;
        context.memory_or_new()?;
        let scope = match &self.domain {
            _ if self.everywhere => Scope::global(),
            Some(name) => Scope::domain(name),
            None => match context.scope(&self.scope)?.even_unknown() {
                Some(project) => Scope::repo(project),
                None => {
                    return Err(AppError::new(
                        ErrorKind::Usage,
                        "--all-projects cannot be used here; use --everywhere",
                    ));
                }
            },
        };
        let kind = self.kind.unwrap_or_else(|| kind_of_written(&statement));
        add(context, New { statement, from_user: None, kind, scope, tags: self.tags, rests_on: Vec::new() })
    }
}
