//! How is a case shown?

use backstory_engine::model::{CaseCommit, EvidenceKind, Role};
use backstory_engine::retrieve::rank::RankingMode;
use backstory_engine::retrieve::{
    CaseWork, ChangedSince, CheckEnd, CommitHit, FileChanged, Search, ToldCase, ToldFinding,
};

use crate::terminal;

/// Columns of a line where no terminal says it.
const LONGEST_LINE: usize = 110;
/// Characters of a commit's id.
const SHORT_COMMIT: usize = 9;
/// Files that a line names.
const FILES_NAMED: usize = 2;

/// Kinds of passages, files of chunks, thinking and the original design are known of passages
/// alone.
pub fn can_answer(question: &Search) -> bool {
    let filter = &question.filter;
    let only_passages = !filter.kinds.is_empty() || !filter.files.is_empty() || question.thinking;
    !only_passages && question.ranking.mode != RankingMode::Seed
}

/// From how many projects can the cases of an answer be?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    OneProject,
    Projects,
}

impl Across {
    pub fn of(question: &Search) -> Self {
        if question.filter.project.is_none() { Across::Projects } else { Across::OneProject }
    }
}

/// The request with its state, what it came to, and what was done.
pub fn render(number: &str, case: &ToldCase, across: Across) -> String {
    format!("{}{}", render_statements(number, case, across), render_work(&case.work))
}

/// The request with its state, and what it came to.
pub fn render_statements(number: &str, case: &ToldCase, across: Across) -> String {
    let (state, id) = (state(case), case.id.short());
    let project = match across {
        Across::OneProject => String::new(),
        Across::Projects => format!(" · {}", case.project.name),
    };
    let cite = format!("[{state}{project} · case {id} · session {}]", terminal::clip(&case.session, 9));
    let (day, cite) = (terminal::day(case.time), terminal::paint(terminal::DIM, &cite));
    let heading = format!("{number}{day} {} {cite}", asked(case));
    let findings = case.findings.iter().map(render_finding).collect::<String>();
    let matched = case.matched.as_ref().map(|text| format!("   = {}\n", terminal::foreign(text))).unwrap_or_default();
    format!("{heading}{findings}\n{matched}")
}

/// The request, or the session's title where the request says too little.
fn asked(case: &ToldCase) -> &str {
    case.title.as_deref().unwrap_or(&case.asked)
}

/// `case 9f3c1e2a 2026-03-01 Keep carts for 30 days [done]`
pub fn render_headline(case: &ToldCase) -> String {
    let cite = terminal::paint(terminal::DIM, &format!("[{}]", state(case)));
    format!("case {} {} {} {cite}\n", case.id.short(), terminal::day(case.time), asked(case))
}

/// The same among the cases of its session: each part on one line.
pub fn render_short(number: &str, case: &ToldCase) -> String {
    let cite = format!("[{} · case {}]", state(case), case.id.short());
    let asked = terminal::clip_to_width(asked(case), number.len() + cite.len() + 1, LONGEST_LINE - cite.len());
    let heading = format!("{number}{asked} {}", terminal::paint(terminal::DIM, &cite));
    let findings: String = case.findings.iter().map(render_line).collect();
    format!("{heading}\n{findings}{}", render_work(&case.work))
}

/// What became of it, in words.
pub fn state(case: &ToldCase) -> String {
    match case.superseded_by {
        Some(later) => format!("superseded by {}", later.short()),
        None => case.state.name().to_owned(),
    }
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
    parts.extend(work.changed_since.as_ref().map(render_changed));
    if parts.is_empty() {
        return String::new();
    }
    format!("   {}\n", terminal::paint(terminal::DIM, &parts.join(" · ")))
}

/// `12 of 30 lines changed since by case 9f3c1e2a`
fn render_changed(changed: &ChangedSince) -> String {
    let by = changed.by.map(|case| format!(" by case {}", case.short())).unwrap_or_default();
    format!("{} of {} changed since{by}", changed.lines, terminal::count(changed.of as u64, "line"))
}

/// A commit that answers: `commit 1a2b3c4 2026-03-01 Keep carts for 30 days [Ada · case 9f3c1e2a]`.
pub fn render_commit(hit: &CommitHit) -> String {
    let case = hit.case.map(|case| format!(" · case {}", case.short())).unwrap_or_default();
    let cite = terminal::paint(terminal::DIM, &format!("[{}{case}]", terminal::foreign(&hit.author)));
    let (day, subject) = (terminal::day(Some(hit.time)), terminal::foreign(&hit.subject));
    let lines: String = hit.lines.iter().map(|line| format!("   - {}\n", terminal::foreign(line))).collect();
    let id = hit.id.get(..SHORT_COMMIT).unwrap_or(&hit.id);
    format!("commit {id} {day} {subject} {cite}\n{lines}")
}

fn render_check(check: &CheckEnd) -> String {
    let ended = match (check.passed, check.failed_before) {
        (true, true) => "passed after failing",
        (true, false) => "passed",
        (false, _) => "failed",
    };
    format!("{} {ended}", terminal::clip(&check.command, 40))
}

/// What was changed, each check and each commit on a line of its own.
pub fn work_lines(work: &CaseWork) -> Vec<String> {
    let mut lines = Vec::new();
    if !work.files.is_empty() {
        let name = |file: &FileChanged| format!("{} ({})", file.path, terminal::count(file.lines.into(), "line"));
        let names: Vec<String> = work.files.iter().map(name).collect();
        let more = if work.more_files > 0 { format!(" and {} more", work.more_files) } else { String::new() };
        lines.push(format!("changed {}{more}", names.join(", ")));
    }
    lines.extend(work.checks.iter().map(render_check));
    let commit = |commit: &CaseCommit| format!("commit {} {}", commit.hash, terminal::foreign(&commit.subject));
    lines.extend(work.commits.iter().map(commit));
    if work.is_unverified() {
        lines.push("not verified".to_owned());
    }
    lines.extend(work.changed_since.as_ref().map(render_changed));
    lines
}

/// A statement with what it is to its case.
pub fn render_with_role(finding: &ToldFinding) -> String {
    let abandoned = if finding.abandoned { "abandoned, " } else { "" };
    format!("   {} {abandoned}{}: {}\n", mark(finding), finding.role.name(), said(finding, &finding.text))
}

/// A statement on one line.
fn render_line(finding: &ToldFinding) -> String {
    let (mark, role) = (mark(finding), fate(finding));
    let text = terminal::clip_to_width(&finding.text, 5 + role.len(), LONGEST_LINE);
    format!("   {mark} {role}{}\n", said(finding, &text))
}

/// `>` stands before a person's words.
fn mark(finding: &ToldFinding) -> char {
    if finding.person { '>' } else { '-' }
}

/// A short reply stands behind what it answers.
fn render_finding(finding: &ToldFinding) -> String {
    let before = if finding.is_reply { "  " } else { "\n   " };
    format!("{before}{} {}{}", mark(finding), fate(finding), said(finding, &finding.text))
}

/// What does not hold is marked.
fn fate(finding: &ToldFinding) -> &'static str {
    match finding.role {
        Role::Rejected => "rejected: ",
        Role::Refuted => "refuted: ",
        _ if finding.abandoned => "abandoned: ",
        _ => "",
    }
}

/// What a sub-agent reported came as the output of a tool.
fn said(finding: &ToldFinding, text: &str) -> String {
    match finding.evidence.kind {
        EvidenceKind::ToolOutput => terminal::foreign(text),
        _ => text.to_owned(),
    }
}
