use backstory_engine::model::{Channel, EvidenceKind, Role};
use backstory_engine::retrieve::{
    CASE_BUDGET, CASE_LINES, CandidateFate, CardHit, CaseAnswer, CaseWork, CheckEnd, Extent, SEARCH_LIMIT, SearchItem,
    SearchResults, ToldCase, ToldFinding, search, search_cases,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, terminal};

use super::query::{QueryArgs, limit};
use super::{Answers, answer};

/// Find passages that answer a question
///
/// Searches by words and by meaning and shows the best passages with their session,
/// agent and date. Not all words have to match; rare words weigh most. Cards that
/// match come first. `backstory explain search` shows how each item was ranked.
#[derive(clap::Args)]
pub struct SearchCommand {
    #[command(flatten)]
    query: QueryArgs,
    /// Show at most N items
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
        if !question.filter.kinds.is_empty() || question.thinking {
            return Ok(None);
        }
        let extent = match self.query.budget() {
            Some(tokens) => Extent { lines: usize::MAX, tokens },
            None => Extent { lines: CASE_LINES, tokens: CASE_BUDGET },
        };
        let (memory, model) = context.with_model(&mut question)?;
        let (log, views) = memory.parts();
        let answer = search_cases(log, views, model, &question, extent)?;
        if answer.outside {
            return Ok(None);
        }
        let cards = answer.cards.iter().map(|hit| hit.card.id).collect();
        context.shown(Channel::Search, cards, self.asking_session.clone(), question.text.clone())?;
        answer.notices.iter().for_each(|notice| context.notice(notice));
        let json = json::cases(&question.text, &answer);
        if answer.cases.is_empty() && answer.cards.is_empty() {
            return Ok(Some(Reply::plain("search", json, self.query.suggestion(&question))));
        }
        Ok(Some(Reply::recalled("search", json, case_text(&answer))))
    }
}

/// Files that a line names.
const FILES_NAMED: usize = 2;

fn case_text(answer: &CaseAnswer) -> String {
    let cards: String = answer.cards.iter().map(tell_card).collect();
    let cases: String = answer.cases.iter().enumerate().map(|(at, case)| render_case(at + 1, case)).collect();
    format!("{cards}{cases}")
}

fn render_case(number: usize, case: &ToldCase) -> String {
    let state = match case.superseded_by {
        Some(later) => format!("superseded by {}", later.short()),
        None => case.state.name().to_owned(),
    };
    let cite = format!("[{state} · case {} · session {}]", case.id.short(), terminal::clip(&case.session, 9));
    let heading =
        format!("{number}. {} {} {}", terminal::day(case.time), case.asked, terminal::paint(terminal::DIM, &cite));
    let findings: String = case.findings.iter().map(render_finding).collect();
    let matched = case.matched.as_ref().map(|text| format!("   = {}\n", terminal::foreign(text))).unwrap_or_default();
    format!("{heading}\n{findings}{matched}{}", render_work(&case.work))
}

/// `cart.rs, login.rs (12 lines) · cargo test passed after failing · commit 1a2b3c4 Keep carts`
fn render_work(work: &CaseWork) -> String {
    let mut parts = Vec::new();
    if !work.files.is_empty() {
        let names: Vec<&str> = work.files.iter().take(FILES_NAMED).map(|file| file.path.as_str()).collect();
        let more = work.files.len().saturating_sub(FILES_NAMED) + work.more_files;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("changed {}{more}", names.join(", ")));
    }
    parts.extend(work.checks.iter().take(1).map(render_check));
    if let Some(commit) = work.commits.last() {
        let more = if work.commits.len() > 1 { format!(" (+{})", work.commits.len() - 1) } else { String::new() };
        let subject = terminal::foreign(&terminal::clip(&commit.subject, 50));
        parts.push(format!("commit {} {subject}{more}", commit.hash));
    }
    if work.is_unverified() {
        parts.push("not verified".to_owned());
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("   {}\n", terminal::paint(terminal::DIM, &parts.join(" · ")))
}

fn render_check(check: &CheckEnd) -> String {
    let ended = match (check.passed, check.failed_before) {
        (true, true) => "passed after failing",
        (true, false) => "passed",
        (false, _) => "failed",
    };
    format!("{} {ended}", terminal::clip(&check.command, 40))
}

/// `>` stands before a person's words.
fn render_finding(finding: &ToldFinding) -> String {
    let mark = if finding.person { '>' } else { '-' };
    let role = match finding.role {
        Role::Rejected => "rejected: ",
        Role::Refuted => "refuted: ",
        _ if finding.abandoned => "abandoned: ",
        _ => "",
    };
    // What a sub-agent reported came as the output of a tool.
    let text = match finding.evidence.kind {
        EvidenceKind::ToolOutput => terminal::foreign(&finding.text),
        _ => finding.text.clone(),
    };
    format!("   {mark} {role}{text}\n")
}

/// How many more a larger budget would show.
fn left_out(found: &SearchResults, limit: usize) -> usize {
    let over = found.candidates.iter().filter(|candidate| candidate.fate == CandidateFate::OverBudget).count();
    over.min(limit.saturating_sub(found.items.len()))
}

pub fn text(found: &SearchResults) -> String {
    let cards: String = found.cards.iter().map(tell_card).collect();
    let items: Vec<String> = found.items.iter().enumerate().map(|(at, item)| tell(at + 1, item)).collect();
    let between = if cards.is_empty() || items.is_empty() { "" } else { "\n" };
    format!("{cards}{between}{}\n", items.join("\n"))
}

/// What is remembered stands before where it was said.
fn tell_card(hit: &CardHit) -> String {
    let doubt =
        hit.doubt.as_deref().map(|doubt| terminal::paint(terminal::WARN, &format!(" ({doubt})"))).unwrap_or_default();
    let (kind, id) = (hit.card.kind.name(), hit.card.id.short());
    let cite = terminal::paint(terminal::DIM, &format!("[card {id} · {kind} · {}]", terminal::day(hit.card.renewed)));
    format!("- {}{doubt} {cite}\n", answer::statement(&hit.card))
}

fn tell(number: usize, item: &SearchItem) -> String {
    let score = terminal::paint(terminal::DIM, &format!("{:.2}", item.score.score));
    format!("{} {score}\n{}", answer::heading(&format!("{number}."), &item.shown), answer::body(&item.shown))
}
