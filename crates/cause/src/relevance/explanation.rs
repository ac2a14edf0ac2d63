//! The line of a document that matters, and one plain sentence on why.

use std::path::Path;

use backstory_code::CodeEdgeKind;
use backstory_files as files;
use backstory_language::text::clip;
use rustc_hash::FxHashMap;

use crate::locate::{CodeRanking, Codebase, FaultQuestion};
use crate::tree::{EntityNum, FileNum, TreeEdge};
use backstory_language::text::identifiers;

use super::analysis::QueryAnalysis;
use super::assess::AnswerChange;
use super::candidates::{DocumentCandidate, Way};
use super::chain::CausalRelationship;
use super::document::Document;
use super::model::Answer;
use super::weigh::CausalRelevance;

/// At most this many shared words are named.
const MOST_WORDS: usize = 4;
/// The best functions by all signals: code that touches one of them may be the cause.
const BEST_FUNCTIONS: usize = 5;
/// A past commit with a lower score is about something else.
const LIKE_THE_QUESTION: f32 = 0.35;
const SHORT_HASH: usize = 7;
/// At most this many lines of a place are shown.
const SHOWN: usize = 3;
const LONGEST_FILE: u64 = 2_000_000;

/// The inputs of a sentence about a document.
pub struct ExplanationContext<'a, 'p> {
    pub codebase: &'a Codebase<'p>,
    pub question: &'a FaultQuestion,
    pub analysis: &'a QueryAnalysis,
    pub ranking: &'a CodeRanking,
    pub answers: &'a [Answer],
    /// How well each past commit matches the question.
    pub commits: &'a [f32],
}

/// Files of the tree, read on demand.
pub struct FileTexts<'a> {
    root: Option<&'a Path>,
    known: FxHashMap<String, Vec<String>>,
}

impl<'a> FileTexts<'a> {
    pub fn new(root: Option<&'a Path>) -> Self {
        Self { root, known: FxHashMap::default() }
    }

    pub fn lines(&mut self, path: &str) -> &[String] {
        if !self.known.contains_key(path) {
            let bytes =
                self.root.and_then(|root| files::read_within(root, path, LONGEST_FILE).ok()).unwrap_or_default();
            let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
            self.known.insert(path.to_owned(), lines);
        }
        &self.known[path]
    }
}

/// Sets the document's line and text; returns the sentence.
pub fn explain(
    context: &ExplanationContext<'_, '_>,
    candidate: &DocumentCandidate,
    relevance: &CausalRelevance,
    document: &mut Document,
    texts: &mut FileTexts<'_>,
) -> String {
    let likely_fault = focus(context, document, texts);
    let is_cause = document.kind.can_be_cause();
    let mut parts: Vec<String> = Vec::new();
    match (&candidate.why, candidate.chain.as_slice()) {
        (why, _) if !why.is_empty() => parts.push(why.trim_end_matches('.').to_owned()),
        // Shared words alone are no reason: name the statement that has them.
        (_, [only]) if is_cause && likely_fault.is_none() && only.relationship == CausalRelationship::Answers => {
            parts.push(statement(context, document, texts).unwrap_or_else(|| elsewhere(&only.evidence)));
        }
        (_, [.., last]) => parts.push(last.evidence.clone()),
        _ => {}
    }
    parts.extend(likely_fault.map(|likely_fault| format!("possible cause: {likely_fault}")));
    if is_cause {
        parts.extend(document.entity.and_then(|entity| touches(context, entity)));
    }
    let asks_for_calls = context.analysis.intent.asks_for_users();
    if is_cause && !asks_for_calls {
        parts.extend(history(context, candidate));
        if !candidate.ways.contains(&Way::Semantic) && candidate.chain.len() > 2 {
            let from = candidate.chain.first().map_or("the question", |link| link.to.label.as_str());
            parts.push(format!("{} steps from {from}", candidate.chain.len() - 1));
        }
    }
    match (relevance.counterfactual.change, relevance.counterfactual.instead) {
        (AnswerChange::Complete, Some(instead)) if !asks_for_calls => {
            let instead = context.answers.get(instead).map_or("another", |answer| answer.name.as_str());
            parts.push(format!("without it the answer would be {instead}"));
        }
        _ => {}
    }
    let mut sentence = parts.join("; ");
    if let Some(first) = sentence.get(..1).map(str::to_uppercase) {
        // Names keep their case: `calculateTotal` does not become `CalculateTotal`.
        let first_word = sentence.split_whitespace().next().unwrap_or_default();
        let is_name = candidate.chain.iter().any(|link| link.from.label == first_word || link.to.label == first_word);
        if first_word.chars().all(|c| c.is_lowercase()) && first_word != document.name && !is_name {
            sentence.replace_range(..1, &first);
        }
    }
    sentence.push('.');
    sentence
}

/// No line of it has the words.
fn elsewhere(evidence: &str) -> String {
    evidence.replacen("has the words", "its name, path or comments have the words", 1)
}

/// Sets the line that the question most likely means, and its text; returns the likely fault of that line, if any.
pub fn focus(
    context: &ExplanationContext<'_, '_>,
    document: &mut Document,
    texts: &mut FileTexts<'_>,
) -> Option<String> {
    let path = document.path.clone()?;
    let lines = texts.lines(&path);
    let (first, last) = document.lines.unwrap_or((1, lines.len() as u32));
    let own = lines.get(first.saturating_sub(1) as usize..(last as usize).min(lines.len())).unwrap_or_default();
    // A place's own name is on every relevant line.
    let own_name = document.name.to_lowercase();
    let asked: Vec<String> = context.question.words.iter().map(|(word, _)| word.to_lowercase()).collect();
    let asked: Vec<&String> = asked.iter().filter(|word| !own_name.contains(word.as_str())).collect();
    let weight = |line: &str| {
        let words: Vec<String> = identifiers(line).map(str::to_lowercase).collect();
        asked.iter().filter(|word| words.iter().any(|known| known.contains(word.as_str()))).count()
    };
    let code = without_docs(own);
    let numbered = || (first..).zip(own).zip(&code).filter(|(_, is_code)| **is_code).map(|(line, _)| line);
    let mut likely_fault = None;
    if document.kind.can_be_cause() {
        for symptom in &context.analysis.looked_for {
            let lines_at_fault = numbered().skip(1).filter(|(_, line)| symptom.matches_line(line));
            let best = lines_at_fault.max_by_key(|(number, line)| (weight(line), std::cmp::Reverse(*number)));
            if let Some((number, line)) = best {
                document.line = document.line.or(Some(number));
                likely_fault = Some(format!("{} (line {number}: `{}`)", symptom.likely_fault, shortened(line)));
                break;
            }
        }
    }
    if document.line.is_none() {
        let best = numbered()
            .map(|(number, line)| (weight(line), number))
            .max_by_key(|(weight, number)| (*weight, std::cmp::Reverse(*number)));
        let named =
            document.entity.and_then(|entity| context.codebase.tree.entity(entity)).map(|entity| entity.name_line);
        document.line = match best {
            Some((weight, number)) if weight > 0 || document.lines.is_none() => Some(number),
            _ => named.or(Some(first)),
        };
    }
    let at = document.line.unwrap_or(first).saturating_sub(1) as usize;
    let shown = lines.get(at..(at + SHOWN).min(last as usize).min(lines.len()).max(at)).unwrap_or_default();
    document.text = shown.join("\n");
    likely_fault
}

/// Which lines are code, as opposed to comments and documentation strings?
fn without_docs(lines: &[String]) -> Vec<bool> {
    let mut inside = false;
    let mut code = Vec::with_capacity(lines.len());
    for line in lines {
        let marks = line.matches("\"\"\"").count() + line.matches("'''").count();
        let trimmed = line.trim_start();
        let is_comment = ["//", "#", "/*", "* ", "*/", "--"].iter().any(|mark| trimmed.starts_with(mark));
        code.push(!inside && marks == 0 && !is_comment);
        if marks % 2 == 1 {
            inside = !inside;
        }
    }
    // A page has no code lines.
    if code.iter().any(|is_code| *is_code) { code } else { vec![true; lines.len()] }
}

fn shortened(line: &str) -> String {
    clip(line.trim(), 80)
}

/// The line that the question most likely means, with the words that they share. Its text is the document's.
fn statement(context: &ExplanationContext<'_, '_>, document: &Document, texts: &mut FileTexts<'_>) -> Option<String> {
    let (path, number) = (document.path.as_deref()?, document.line?);
    let line = texts.lines(path).get(number.checked_sub(1)? as usize)?.clone();
    let said: Vec<String> = identifiers(&line).map(str::to_lowercase).collect();
    let has = |word: &str| word.len() > 2 && said.iter().any(|known| known.contains(&word.to_lowercase()));
    let mut shared: Vec<&str> =
        context.question.words.iter().map(|(word, _)| word.as_str()).filter(|word| has(word)).collect();
    shared.dedup();
    shared.truncate(MOST_WORDS);
    (!shared.is_empty()).then(|| format!("its line {number} is about {}", shared.join(", ")))
}

/// A call, read or write that links it to a named entity or a best match.
fn touches(context: &ExplanationContext<'_, '_>, entity: EntityNum) -> Option<String> {
    let tree = context.codebase.tree;
    let named = context.analysis.entities.iter().flat_map(|named| named.entities.iter().copied());
    let best = context.ranking.functions.iter().take(BEST_FUNCTIONS);
    let best = best.filter_map(|ranked| tree.functions().get(ranked.at).copied());
    for other in named.chain(best).filter(|other| *other != entity) {
        let Some(name) = tree.entity(other).map(|other| other.qualified) else { continue };
        let is_sure = |edge: &TreeEdge| verb(edge.kind).is_some() && !edge.is_unsure();
        let out = tree.edges_from(entity).find(|edge| edge.to == other && is_sure(edge));
        if let Some((edge, verb)) = out.and_then(|edge| Some((edge, verb(edge.kind)?))) {
            return Some(format!("it {verb} {name} (line {})", edge.line));
        }
        let back = tree.edges_to(entity).find(|edge| edge.from == other && is_sure(edge));
        if let Some((edge, verb)) = back.and_then(|edge| Some((edge, verb(edge.kind)?))) {
            return Some(format!("{name} {verb} it (line {})", edge.line));
        }
    }
    None
}

fn verb(kind: CodeEdgeKind) -> Option<&'static str> {
    match kind {
        CodeEdgeKind::Calls => Some("calls"),
        CodeEdgeKind::Reads => Some("reads"),
        CodeEdgeKind::Writes => Some("writes"),
        _ => None,
    }
}

/// The past fix or change of its file that is most similar to the question.
fn past_change(context: &ExplanationContext<'_, '_>, file: FileNum) -> Option<String> {
    let past = context.codebase.past;
    let of_file = (0u32..).zip(context.commits).filter(|(commit, score)| {
        **score >= LIKE_THE_QUESTION && context.codebase.files_of_commit(*commit).any(|other| other == file)
    });
    let (commit, _) = of_file.max_by(|a, b| a.1.total_cmp(b.1))?;
    let commit = past.commit(commit)?;
    let what = if commit.is_fix { "an earlier fix of this file" } else { "an earlier change of this file" };
    // The commit's subject is shown with the commit, among the explanations, marked as untrusted text.
    Some(format!("{what}: commit {}", &commit.hex()[..SHORT_HASH]))
}

/// The signals of its file that support it beyond words.
fn history(context: &ExplanationContext<'_, '_>, candidate: &DocumentCandidate) -> Option<String> {
    let file = *candidate.files.first()?;
    if (file as usize) >= context.codebase.tree.sources() {
        return None;
    }
    let parts: Vec<(&str, f32)> = context.ranking.parts_of_file(file as usize).collect();
    let part = |name: &str| parts.iter().find(|part| part.0 == name).map_or(0.0, |part| part.1);
    if part("named-path") > 0.2 {
        return Some("the question names its file or module".to_owned());
    }
    if let Some(change) = past_change(context, file) {
        return Some(change);
    }
    (part("tests") > 0.1).then(|| "it changes together with tests that match the question".to_owned())
}
