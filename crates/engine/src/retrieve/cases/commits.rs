//! Which commits of the repository answer a question?
//!
//! A message is short: it answers if it has most of the question. What it says below its
//! subject is quoted where it has the question's words.

use std::collections::HashMap;

use backstory_language::findings::passages;
use backstory_language::text::Tokenizer;

use crate::ingest::CommitMessage;
use crate::model::{CaseCommit, CaseId, Timestamp, estimate_tokens};
use crate::store::{StoreError, ViewReader};

use super::super::rank::QueryTerm;
use super::select::{Selection, folded};

/// The least share of the question's weight that a message has.
const LEAST_COVERED: f32 = 0.5;
/// Fewer known words match any message.
const FEWEST_TERMS: usize = 2;
/// Commits, and lines of each, that are shown.
const MOST_COMMITS: usize = 2;
const MOST_LINES: usize = 2;
const LONGEST_LINE: usize = 200;
/// Tokens of the date and the id.
const CITED_TOKENS: u64 = 20;
/// The last lines of a message name people: `Signed-off-by: Ada <ada@example.com>`.
const TRAILERS: [&str; 2] = ["-by: ", "-Id: "];

/// A commit that answers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CommitHit {
    pub id: String,
    #[serde(skip)]
    pub time: Timestamp,
    pub author: String,
    pub subject: String,
    /// What answers in the text below the subject.
    pub lines: Vec<String>,
    /// The share of the question that the message has.
    pub covered: f32,
    /// The case that made it.
    pub case: Option<CaseId>,
}

impl CommitHit {
    /// Keeps the lines and tokens that the commit needs.
    pub(super) fn take_space(&self, selection: &mut Selection<'_>) {
        let said: u32 = self.lines.iter().map(|line| estimate_tokens(line)).sum();
        let tokens = u64::from(estimate_tokens(&self.subject) + said) + CITED_TOKENS;
        selection.reserve(1 + self.lines.len(), tokens);
    }
}

/// Those that have most of the question, the best first.
pub fn matching_commits(
    view: &ViewReader<'_>,
    commits: &[CommitMessage],
    terms: &[QueryTerm],
) -> Result<Vec<CommitHit>, StoreError> {
    let known: Vec<&QueryTerm> = terms.iter().filter(|term| term.weight > 0.0 && !term.day).collect();
    if known.len() < FEWEST_TERMS {
        return Ok(Vec::new());
    }
    let mut question = Question {
        weights: known.iter().map(|term| (term.term.as_str(), term.weight)).collect(),
        all: known.iter().map(|term| term.weight).sum::<f32>().max(f32::MIN_POSITIVE),
        tokenizer: Tokenizer::new(),
    };
    let mut found: Vec<(f32, &CommitMessage)> = commits
        .iter()
        .map(|commit| (question.share_of(&[&commit.subject, &commit.body]), commit))
        .filter(|(covered, _)| *covered >= LEAST_COVERED)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut hits = Vec::new();
    for (covered, commit) in found.into_iter().take(MOST_COMMITS) {
        let place = view.case_of_commit(&commit.id)?;
        let case = place.map(|(episode, turn)| view.case_of_turn(episode, turn)).transpose()?.flatten();
        hits.push(CommitHit {
            id: commit.id.clone(),
            time: commit.time,
            author: commit.author.clone(),
            subject: commit.subject.clone(),
            lines: question.lines_of(&commit.body),
            covered,
            case: case.map(|row| row.case.id),
        });
    }
    Ok(hits)
}

/// Does a later commit take back one of these, by its subject or its id?
pub fn is_taken_back(made: &[CaseCommit], commits: &[CommitMessage]) -> bool {
    let takes_back = |commit: &CaseCommit, later: &CommitMessage| {
        later.subject == format!("Revert \"{}\"", commit.subject)
            || later.body.contains(&format!("This reverts commit {}", commit.hash))
    };
    made.iter().any(|commit| commits.iter().any(|later| takes_back(commit, later)))
}

struct Question<'a> {
    weights: HashMap<&'a str, f32>,
    all: f32,
    tokenizer: Tokenizer,
}

impl Question<'_> {
    fn share_of(&mut self, texts: &[&str]) -> f32 {
        let mut terms: Vec<String> = texts.iter().flat_map(|text| self.tokenizer.strings(text)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.iter().filter_map(|term| self.weights.get(term.as_str())).sum::<f32>() / self.all
    }

    /// The statements with most of the question, in their order.
    fn lines_of(&mut self, body: &str) -> Vec<String> {
        let is_trailer = |text: &str| TRAILERS.iter().any(|trailer| text.contains(trailer));
        let mut lines: Vec<(f32, usize, String)> = Vec::new();
        for (at, passage) in passages(body).into_iter().enumerate() {
            let text = &body[passage.range.clone()];
            let share = self.share_of(&[text]);
            if share > 0.0 && !is_trailer(text) {
                let line = folded(body, passage.range.start as u32, passage.range.end as u32, LONGEST_LINE);
                lines.push((share, at, line));
            }
        }
        lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        lines.truncate(MOST_LINES);
        lines.sort_by_key(|(_, at, _)| *at);
        lines.into_iter().map(|(.., line)| line).collect()
    }
}
