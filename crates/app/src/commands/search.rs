use backstory_engine::model::Channel;
use backstory_engine::retrieve::{
    CASE_BUDGET, CASE_LINES, CASES_WITH_WORK, CandidateFate, CardHit, CaseAnswer, CommitHit, Extent, SEARCH_LIMIT,
    SearchItem, SearchResults, ToldCase, search, search_cases,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, terminal};

use super::case_text::Across;
use super::query::{QueryArgs, limit};
use super::{Answers, answer, case_text};

/// Find past work that answers a question
///
/// Searches by words and by meaning. An answer is a short list of cases: what was asked,
/// decided and found, which files changed, how it was checked, and whether later work
/// superseded it. `>` stands before a person's words. Cards that match come first. A larger
/// --budget shows more; --passages shows the passages that match, with their session, agent
/// and date, and `backstory explain search` how each was ranked.
#[derive(clap::Args)]
pub struct SearchCommand {
    #[command(flatten)]
    query: QueryArgs,
    /// Show at most N cases or passages
    #[arg(long, short = 'n', value_name = "N", default_value_t = SEARCH_LIMIT, value_parser = limit)]
    limit: usize,
    /// Show the passages that match, instead of what was asked, decided and found
    #[arg(long, short = 'v')]
    passages: bool,
    /// The session that asks; its outcome counts for the cards shown
    #[arg(long, value_name = "SESSION", hide_short_help = true)]
    asking_session: Option<String>,
}

impl Answers for SearchCommand {
    fn as_json(&self) -> bool {
        self.query.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        if !self.passages
            && let Some(reply) = self.case_reply(context)?
        {
            return Ok(reply);
        }
        let mut question = self.query.search(context, Some(self.limit))?;
        let (memory, model) = context.with_model(&mut question)?;
        let (log, views) = memory.parts();
        let found = search(log, views, model, &question)?;
        let cards = found.cards.iter().map(|hit| hit.card.id).collect();
        context.shown(Channel::Search, cards, self.asking_session, question.text.clone())?;
        found.notices.iter().for_each(|notice| context.notice(notice));
        let left_out = left_out(&found, self.limit);
        let mut json = json::found(&question.text, &found);
        if left_out > 0 {
            json["left_out"] = left_out.into();
        }
        if found.items.is_empty() && found.cards.is_empty() {
            return Ok(Reply::nothing("search", json, self.query.suggestion(&question)));
        }
        let mut told = text(&found);
        if left_out > 0 {
            told.push_str(&terminal::paint(terminal::DIM, &format!("… {left_out} omitted (--budget)\n")));
        }
        Ok(Reply::recalled("search", json, told))
    }
}

impl SearchCommand {
    /// None where only passages answer.
    fn case_reply(&self, context: &mut AskContext) -> Result<Option<Reply>, AppError> {
        let mut question = self.query.search(context, Some(self.limit))?;
        if !case_text::can_answer(&question) {
            return Ok(None);
        }
        let default =
            Extent { lines: CASE_LINES, columns: terminal::terminal_width(), tokens: CASE_BUDGET, cases: self.limit };
        let extent = self.query.extent(&question, default)?;
        let commits = self.query.commits(context, &question)?;
        let (memory, model) = context.with_model(&mut question)?;
        let (log, views) = memory.parts();
        let answer = search_cases(log, views, model, &question, &commits, extent)?;
        if answer.only_passages {
            return Ok(None);
        }
        let cards = answer.cards.iter().map(|hit| hit.card.id).collect();
        context.shown(Channel::Search, cards, self.asking_session.clone(), question.text.clone())?;
        answer.notices.iter().for_each(|notice| context.notice(notice));
        let json = json::cases(&question.text, &answer);
        if answer.cases.is_empty() && answer.cards.is_empty() && answer.commits.is_empty() {
            return Ok(Some(Reply::nothing("search", json, self.query.suggestion(&question))));
        }
        let with_work = if extent.lines == usize::MAX { usize::MAX } else { CASES_WITH_WORK };
        Ok(Some(Reply::recalled("search", json, case_text(&answer, with_work, Across::of(&question)))))
    }
}

/// The first cases say what was done, too. A commit that has more of the question than any session
/// comes before them.
pub fn case_text(answer: &CaseAnswer, with_work: usize, across: Across) -> String {
    let cards: String = answer.cards.iter().map(card_text).collect();
    let numbered = |(at, case): (usize, &ToldCase)| match at < with_work {
        true => case_text::render(&format!("{}. ", at + 1), case, across),
        false => case_text::render_statements(&format!("{}. ", at + 1), case, across),
    };
    let blocks: String = answer.cases.iter().enumerate().map(numbered).collect();
    let (first, last): (Vec<_>, Vec<_>) = answer.commits.iter().partition(|hit| hit.covered > answer.covered);
    let render = |hits: Vec<&CommitHit>| hits.into_iter().map(case_text::render_commit).collect::<String>();
    format!("{cards}{}{blocks}{}", render(first), render(last))
}

/// How many more a larger budget would show.
fn left_out(found: &SearchResults, limit: usize) -> usize {
    let over = found.candidates.iter().filter(|candidate| candidate.fate == CandidateFate::OverBudget).count();
    over.min(limit.saturating_sub(found.items.len()))
}

pub fn text(found: &SearchResults) -> String {
    let cards: String = found.cards.iter().map(card_text).collect();
    let items: Vec<String> = found.items.iter().enumerate().map(|(at, item)| item_text(at + 1, item)).collect();
    let between = if cards.is_empty() || items.is_empty() { "" } else { "\n" };
    format!("{cards}{between}{}\n", items.join("\n"))
}

/// What is remembered stands before where it was said.
pub fn card_text(hit: &CardHit) -> String {
    let doubt =
        hit.doubt.as_deref().map(|doubt| terminal::paint(terminal::WARN, &format!(" ({doubt})"))).unwrap_or_default();
    let (kind, id) = (hit.card.kind.name(), hit.card.id.short());
    let cite = terminal::paint(terminal::DIM, &format!("[card {id} · {kind} · {}]", terminal::day(hit.card.renewed)));
    format!("- {}{doubt} {cite}\n", answer::statement(&hit.card))
}

fn item_text(number: usize, item: &SearchItem) -> String {
    let score = terminal::paint(terminal::DIM, &format!("{:.2}", item.score.score));
    format!("{} {score}\n{}", answer::heading(&format!("{number}."), &item.shown), answer::body(&item.shown))
}
