//! Renders the answer to a question as text.

use backstory_cause::relevance::{
    CausalChainLink, ConfidenceValue, Document, DocumentKind, NodeType, QuestionIntent, RankedDocument, WrittenBy,
};
use backstory_engine::model::{EvidenceKind, Role};
use backstory_engine::retrieve::{ToldCase, ToldFinding};
use backstory_language::text::{identifiers, is_stop_word};

use crate::commands::sessions::short;
use crate::terminal;

use super::question::AnsweredQuestion;

const MOST_SHOWN_LINES: usize = 2;
const MOST_EXPLAINING: usize = 5;
const LONGEST_REQUEST: usize = 110;
const LONGEST_BODY: usize = 240;

pub fn render(question: &str, asked: &AnsweredQuestion, retrieval: Option<&str>) -> String {
    let found = &asked.found;
    let mut out = format!("{}\n", terminal::paint(terminal::HEAD, question.trim().lines().next().unwrap_or_default()));
    let (leading, explaining): (Vec<&RankedDocument>, Vec<&RankedDocument>) =
        found.documents.iter().partition(|ranked| ranked.leads);
    out.push_str(&past_work(&asked.cases));
    if leading.is_empty() {
        out.push_str(match found.left_out.iter().any(|left| left.document.kind.can_be_cause()) {
            true => "\nNothing is relevant enough. Try `--mode recall` or a lower `--min-relevance`; `explain why` says more.\n",
            false => "\nNothing in the code of this project matches. Name a function, a file or an error message.\n",
        });
    }
    if !asked.cases.is_empty() && !leading.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::BOLD, "Places in the code")));
    }
    for ranked in &leading {
        out.push_str(&format!("\n{}", item(ranked)));
    }
    // Sessions are shown above already, as the work they belong to.
    let is_told = |ranked: &&RankedDocument| ranked.document.kind == DocumentKind::Session && !asked.cases.is_empty();
    let explaining: Vec<&RankedDocument> = explaining.into_iter().filter(|ranked| !is_told(ranked)).collect();
    if !explaining.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::BOLD, "Explains it, without being the cause")));
        for ranked in explaining.iter().take(MOST_EXPLAINING) {
            out.push_str(&short_item(ranked));
            out.push_str(&body(ranked, question, asked));
        }
        if let Some(more) = explaining.len().checked_sub(MOST_EXPLAINING).filter(|more| *more > 0) {
            out.push_str(&terminal::paint(terminal::DIM, &format!("   … and {more} more (--json)\n")));
        }
    }
    out.push_str(&format!("\n{}\n", terminal::paint(terminal::DIM, &footer(asked, retrieval))));
    out
}

/// Past work about it comes first: it may have the answer.
fn past_work(cases: &[ToldCase]) -> String {
    if cases.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", terminal::paint(terminal::BOLD, "Dealt with before"));
    for case in cases {
        let later = case.superseded_by.map(|later| format!(" · later: case {}", later.short())).unwrap_or_default();
        let cite = format!("[case {} · session {}{later}]", case.id.short(), short(&case.session));
        let asked = terminal::clip(&case.asked, LONGEST_REQUEST);
        out.push_str(&format!("   {} {asked} {}\n", terminal::day(case.time), terminal::paint(terminal::DIM, &cite)));
        out.extend(case.findings.iter().map(finding));
    }
    out
}

/// `>` marks a person's words.
fn finding(finding: &ToldFinding) -> String {
    let mark = if finding.person { '>' } else { '-' };
    let role = match finding.role {
        Role::Rejected => "rejected: ",
        _ if finding.abandoned => "abandoned: ",
        _ => "",
    };
    let text = match finding.evidence.kind {
        EvidenceKind::ToolOutput => terminal::foreign(&finding.text),
        _ => finding.text.clone(),
    };
    format!("      {mark} {role}{text}\n")
}

/// The line of a commit's message that shares most with the question.
fn body(ranked: &RankedDocument, question: &str, asked: &AnsweredQuestion) -> String {
    let Some(id) = ranked.document.id.strip_prefix("commit:") else { return String::new() };
    let Some(commit) = asked.commit_bodies.get(id) else { return String::new() };
    let words: Vec<String> = identifiers(question).filter(|word| !is_stop_word(word)).map(str::to_lowercase).collect();
    let shared = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| word.len() > 2 && line.contains(word.as_str())).count()
    };
    let paragraphs = commit.split("\n\n").flat_map(|part| part.split("\n- ")).map(str::trim);
    let best = paragraphs.filter(|part| shared(part) > 0).max_by_key(|part| shared(part));
    let best = best.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    best.map(|part| format!("      {}\n", terminal::foreign(&terminal::clip(&part, LONGEST_BODY)))).unwrap_or_default()
}

fn item(ranked: &RankedDocument) -> String {
    let document = &ranked.document;
    let place = document.place().unwrap_or_else(|| document.id.clone());
    let score = terminal::paint(terminal::DIM, &format!("{:.2}", ranked.relevance.score));
    let head = terminal::paint(terminal::BOLD, &format!("{}. {place}", ranked.rank));
    // Files that are not parsed have no names of their own.
    let name =
        if document.path.as_ref() == Some(&document.name) { String::new() } else { format!("{} ", document.name) };
    let mut out = format!("{head} {name}{score}\n");
    let lines = document.text.lines().take(MOST_SHOWN_LINES).map(|line| format!("      | {line}\n"));
    out.push_str(&terminal::foreign(&lines.collect::<String>()));
    if let Some(explanation) = &ranked.explanation {
        out.push_str(&format!("   {}\n", with_foreign_code(explanation)));
    }
    if ranked.relevance.chain.len() > 1 {
        out.push_str(&chain(&ranked.relevance.chain));
    }
    out
}

fn short_item(ranked: &RankedDocument) -> String {
    let document = &ranked.document;
    let name =
        if document.path.as_deref() == Some(document.name.as_str()) { None } else { Some(document.name.clone()) };
    let parts: Vec<String> =
        document.place().into_iter().chain(name.map(|name| of_document(document, &name))).collect();
    let mut out = format!("   {} {}\n", terminal::paint(terminal::DIM, document.kind.name()), parts.join(" "));
    let citation = document.citation.as_ref().map(|citation| format!(" [{citation}]")).unwrap_or_default();
    if let Some(explanation) = &ranked.explanation {
        let explanation = of_document(document, explanation);
        out.push_str(&format!("      {explanation}{}\n", terminal::paint(terminal::DIM, &citation)));
    }
    out
}

/// Words of a document: only a person's are trusted. Names in the code are not words.
fn of_document(document: &Document, text: &str) -> String {
    let is_code = matches!(document.kind, DocumentKind::Code | DocumentKind::Config | DocumentKind::Test);
    match document.written_by {
        WrittenBy::Others if !is_code => terminal::foreign(text),
        _ => terminal::paint(terminal::DIM, text),
    }
}

/// Our sentence, with the quoted code marked as untrusted.
fn with_foreign_code(sentence: &str) -> String {
    match (sentence.find('`'), sentence.rfind('`')) {
        (Some(from), Some(to)) if from < to => {
            let (before, rest) = sentence.split_at(from + 1);
            let (code, after) = rest.split_at(to - from - 1);
            format!("{before}{}{after}", terminal::foreign(code))
        }
        _ => sentence.to_owned(),
    }
}

/// `question ──implements──▶ onClick`, one step per line.
fn chain(links: &[CausalChainLink]) -> String {
    let mut out = String::new();
    for (step, link) in links.iter().enumerate() {
        let from = if link.from.kind == NodeType::Query { "question" } else { &link.from.label };
        let indent = "  ".repeat(step);
        let name = link.relationship.name();
        let arrow = if link.against { format!("◀──{name}──") } else { format!("──{name}──▶") };
        let is_page = ["page:", "commit:"].iter().any(|kind| link.to.id.starts_with(kind));
        let to = if is_page { terminal::foreign(&link.to.label) } else { link.to.label.clone() };
        out.push_str(&format!("   {indent}{from} {arrow} {to}\n"));
    }
    out
}

fn footer(asked: &AnsweredQuestion, retrieval: Option<&str>) -> String {
    let found = &asked.found;
    let sure = match &found.first_is_right {
        ConfidenceValue::Measured { value, n, low, high, .. } if found.analysis.intent == QuestionIntent::Why => {
            format!(
                "With so clear a lead the first file was right in {:.0} % of {n} real bug reports ({:.0} to {:.0} %).\n",
                value * 100.0,
                low * 100.0,
                high * 100.0,
            )
        }
        _ => String::new(),
    };
    let stated =
        found.stated.map(|stated| format!("{:.0} % that the very place is among the first five · ", stated * 100.0));
    format!(
        "{sure}{}{} considered · {}{}",
        stated.unwrap_or_default(),
        terminal::count(found.total_considered as u64, "document"),
        found.strategy.to_lowercase(),
        retrieval.map(|id| format!(" · retrieval {id}")).unwrap_or_default()
    )
}
