use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{CaseList, CaseState, CaseWork, ToldCase, list_cases};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{json, terminal};

use super::free_text::not_blank;
use super::page::PageArgs;
use super::{Answers, case_text};

/// The default number of days.
const DAYS: u32 = 7;
/// Whoever asked for so many does not want to see fewer.
const LONG_DAYS: u32 = 30;
/// The number of statements about the result.
const STATEMENTS: usize = 1;
/// The widths of the request and of the result.
const REQUEST: usize = 70;
const RESULT: usize = 140;
/// The number of files named on a line.
const FILES: usize = 2;

/// List what was asked and what came of it, newest first
///
/// One line for each case, by project: the request, its state, the statement that says best what
/// it came to, files and commit. Without a time option it covers the last 7 days. --md prints
/// Markdown for a stand-up, a changelog or a pull request; add --plain to leave out the markers
/// around recalled text. `backstory show CASE` tells more of a case.
#[derive(clap::Args)]
pub struct DigestCommand {
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// Only cases in which the person wrote on this git branch
    #[arg(long, value_name = "BRANCH", value_parser = not_blank)]
    branch: Option<String>,
    #[command(flatten)]
    page: PageArgs,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    md: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for DigestCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(mut self, context: &mut AskContext) -> Result<Reply, AppError> {
        let project = context.scope(&self.scope)?.project()?;
        if !self.time.is_given() {
            self.time.days = Some(DAYS);
        }
        let (from, to) = self.time.resolve()?;
        let none = self.nothing_found();
        let question = CaseList { project, from, to, branch: self.branch, findings: STATEMENTS };
        let (log, views) = context.memory()?.parts();
        let all = list_cases(log, views, &question)?;
        let shown = self.page.of(&all);
        let json = self.page.json(shown.iter().map(json::case).collect(), all.len());
        if shown.is_empty() {
            return Ok(Reply::nothing("digest", json, self.page.nothing(all.len(), &none)));
        }
        let form = if self.md { DigestForm::Markdown } else { DigestForm::Text };
        let sections = by_project(shown);
        let text: Vec<String> = sections.iter().map(|told| section(told, &heading(told, &sections), form)).collect();
        let text = text.join("\n");
        let text = text + &self.page.rest(shown.len(), all.len());
        let reply = Reply::recalled("digest", json, text);
        Ok(match form {
            DigestForm::Markdown => reply,
            DigestForm::Text => reply.with_lines(shown.iter().map(plain).collect::<Vec<_>>()),
        })
    }
}

impl DigestCommand {
    /// What to try that was not asked for already.
    fn nothing_found(&self) -> String {
        let mut tries = Vec::new();
        if self.branch.is_some() {
            tries.push("another --branch");
        }
        if self.time.days.is_none_or(|days| days < LONG_DAYS) {
            tries.push("--days 30");
        }
        if !self.scope.all_projects {
            tries.push("--all-projects");
        }
        let tries = if tries.is_empty() { String::new() } else { format!(" Try {}.", tries.join(", ")) };
        format!("No case matches.{tries}\n")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DigestForm {
    Text,
    Markdown,
}

/// Projects in the order of their newest case.
fn by_project(told: &[ToldCase]) -> Vec<Vec<&ToldCase>> {
    let mut projects: Vec<(ProjectId, Vec<&ToldCase>)> = Vec::new();
    for case in told {
        match projects.iter_mut().find(|(project, _)| *project == case.project.id) {
            Some((_, cases)) => cases.push(case),
            None => projects.push((case.project.id, vec![case])),
        }
    }
    projects.into_iter().map(|(_, cases)| cases).collect()
}

fn section(told: &[&ToldCase], name: &str, form: DigestForm) -> String {
    let mut out = match form {
        DigestForm::Text => format!("{} · {}\n", terminal::paint(terminal::HEAD, name), counts(told)),
        DigestForm::Markdown => format!("## {}\n\n", escaped(name)),
    };
    let mut day = String::new();
    for case in told {
        let of_case = terminal::day(case.time);
        if of_case != day && form == DigestForm::Text {
            out.push_str(&format!("{}\n", terminal::paint(terminal::BOLD, &of_case)));
        }
        day = of_case;
        out.push_str(&match form {
            DigestForm::Text => line(case),
            DigestForm::Markdown => item(case),
        });
    }
    out
}

/// `12 done, 2 open`
fn counts(told: &[&ToldCase]) -> String {
    let mut counts: Vec<(CaseState, usize)> = Vec::new();
    for case in told {
        match counts.iter_mut().find(|(state, _)| *state == case.state) {
            Some((_, count)) => *count += 1,
            None => counts.push((case.state, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().map(|(state, count)| format!("{count} {}", state.name())).collect::<Vec<_>>().join(", ")
}

/// `- asked → done: result (cart.rs, commit 1a2b3c4) [case 5d6e7f]`
fn line(case: &ToldCase) -> String {
    let asked = terminal::clip(&case.asked, REQUEST);
    let result = result(case).map(|result| format!(": {result}")).unwrap_or_default();
    let cite =
        terminal::paint(terminal::DIM, &format!("{}[case {}]", work(&case.work, str::to_owned), case.id.short()));
    let asked = asked.trim_start_matches(['-', '*', ' ']);
    format!("- {asked} → {}{result} {cite}\n", case_text::state(case))
}

fn item(case: &ToldCase) -> String {
    let asked = escaped(&terminal::clip(&case.asked, REQUEST));
    let result = result(case).map(|result| format!(": {}", escaped(&result))).unwrap_or_default();
    let work = work(&case.work, |name| format!("`{}`", name.replace('`', "")));
    format!("- **{asked}** → {}{result} {work}", case.state.name()).trim_end().to_owned() + "\n"
}

/// One line for a pipe.
fn plain(case: &ToldCase) -> String {
    let (id, when, project) = (case.id, terminal::time(case.time), &case.project.name);
    let fields = [case.state.name().to_owned(), case.asked.clone(), result(case).unwrap_or_default()];
    format!("{id}\t{when}\t{project}\t{}", fields.join("\t"))
}

fn result(case: &ToldCase) -> Option<String> {
    case.findings.last().map(|finding| terminal::clip(&finding.text.replace("**", ""), RESULT))
}

/// `(cart.rs, login.rs and 3 more, commit 1a2b3c4) `
fn work(work: &CaseWork, name: impl Fn(&str) -> String) -> String {
    let mut parts: Vec<String> = work.files.iter().take(FILES).map(|file| name(base(&file.path))).collect();
    let more = work.files.len().saturating_sub(FILES) + work.more_files;
    if let Some(last) = parts.last_mut().filter(|_| more > 0) {
        last.push_str(&format!(" and {more} more"));
    }
    parts.extend(work.commits.last().map(|commit| format!("commit {}", name(&commit.hash))));
    if parts.is_empty() { String::new() } else { format!("({}) ", parts.join(", ")) }
}

/// With the folder, if several projects have the same name.
fn heading(told: &[&ToldCase], sections: &[Vec<&ToldCase>]) -> String {
    let Some(project) = told.first().map(|case| &case.project) else { return String::new() };
    let same_name = |other: &&Vec<&ToldCase>| other.first().is_some_and(|case| case.project.name == project.name);
    match &project.path {
        Some(path) if sections.iter().filter(same_name).count() > 1 => format!("{} ({path})", project.name),
        _ => project.name.clone(),
    }
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// For Markdown: code is kept, everything else is escaped.
fn escaped(text: &str) -> String {
    let text = text.replace("**", "");
    let parts: Vec<&str> = text.split('`').collect();
    // A truncated code span has no closing mark.
    let is_whole = parts.len() % 2 == 1;
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        let is_code = is_whole && at % 2 == 1;
        match at {
            0 => {}
            _ if is_whole => out.push('`'),
            _ => out.push_str("\\`"),
        }
        let is_mark = |c: char| !is_code && "\\*_[]<>#|~".contains(c);
        out.extend(part.chars().flat_map(|c| is_mark(c).then_some('\\').into_iter().chain([c])));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_code_and_escapes_the_rest() {
        assert_eq!(escaped("**Done.** `a_b` is [a] <b>"), "Done. `a_b` is \\[a\\] \\<b\\>");
        assert_eq!(escaped("the span `a_b was cut"), "the span \\`a\\_b was cut");
    }
}
