//! How is a case shown?

use backstory_engine::model::{EvidenceKind, Role};
use backstory_engine::retrieve::rank::RankingMode;
use backstory_engine::retrieve::{CaseWork, CheckEnd, Search, ToldCase, ToldFinding};

use crate::terminal;

/// Files that a line names.
const FILES_NAMED: usize = 2;

/// Kinds of passages, files of chunks, thinking and the original design are known of passages
/// alone.
pub fn can_answer(question: &Search) -> bool {
    let filter = &question.filter;
    let only_passages = !filter.kinds.is_empty() || !filter.files.is_empty() || question.thinking;
    !only_passages && question.ranking.mode != RankingMode::Seed
}

/// The request with its state, what it came to, and what was done.
pub fn render(number: &str, case: &ToldCase) -> String {
    format!("{}{}", render_statements(number, case), render_work(&case.work))
}

/// The request with its state, and what it came to.
pub fn render_statements(number: &str, case: &ToldCase) -> String {
    let state = match case.superseded_by {
        Some(later) => format!("superseded by {}", later.short()),
        None => case.state.name().to_owned(),
    };
    let cite = format!("[{state} · case {} · session {}]", case.id.short(), terminal::clip(&case.session, 9));
    let heading =
        format!("{number}{} {} {}", terminal::day(case.time), case.asked, terminal::paint(terminal::DIM, &cite));
    let findings: String = case.findings.iter().map(render_finding).collect();
    let matched = case.matched.as_ref().map(|text| format!("   = {}\n", terminal::foreign(text))).unwrap_or_default();
    format!("{heading}\n{findings}{matched}")
}

/// `cart.rs, login.rs (12 lines) · cargo test passed after failing · commit 1a2b3c4 Keep carts`
pub fn render_work(work: &CaseWork) -> String {
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
