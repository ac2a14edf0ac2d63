//! The algorithm: gather, assess, rank, choose.

use std::path::Path;

use super::analysis::{QueryAnalysis, analyse};
use super::assess::{CounterfactualImpact, InformationContribution, counterfactual, information};
use super::candidates::{Candidate, Gather, Way};
use super::chain::{CausalChainLink, chain_strength};
use super::confidence::ConfidenceValue;
use super::document::{Document, Recollection};
use super::model::{Answer, AnswerModel, AskedModel, Fact, FactModel, ModelError, OutsideModel};
use super::tell::{Texts, explain, focus};
use crate::digest::Reader;
use crate::locate::{FILE_SIGNALS, FUNCTION_SIGNALS, Place, Question, Ranking, Weights, rank};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Balanced,
    /// Few, and only strong ones.
    Precision,
    /// Many, weak ones too.
    Recall,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Balanced => "balanced",
            Mode::Precision => "precision",
            Mode::Recall => "recall",
        }
    }
}

/// What each part counts in the score.
///
/// On real bug reports the information and the counterfactual terms do not put the cause higher
/// than the tie to the question does, nor lower; they decide what is redundant, and explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelevanceWeights {
    pub information_contribution: f32,
    pub counterfactual_impact: f32,
    pub causal_chain_strength: f32,
}

impl Default for RelevanceWeights {
    fn default() -> Self {
        Self { information_contribution: 0.05, counterfactual_impact: 0.05, causal_chain_strength: 0.9 }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    /// None: as the mode says.
    pub max_docs: Option<usize>,
    pub min_relevance: Option<f32>,
    pub weights: RelevanceWeights,
    pub signals: Weights,
    pub include_explanations: bool,
    pub mode: Mode,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_docs: None,
            min_relevance: None,
            weights: RelevanceWeights::default(),
            signals: Weights::default(),
            include_explanations: true,
            mode: Mode::Balanced,
        }
    }
}

impl Options {
    pub fn max_docs(&self) -> usize {
        self.max_docs.unwrap_or(match self.mode {
            Mode::Balanced => 10,
            Mode::Precision => 5,
            Mode::Recall => 30,
        })
    }

    pub fn min_relevance(&self) -> f32 {
        self.min_relevance.unwrap_or(match self.mode {
            Mode::Balanced => 0.2,
            Mode::Precision => 0.5,
            Mode::Recall => 0.05,
        })
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CausalRelevance {
    pub information: InformationContribution,
    pub counterfactual: CounterfactualImpact,
    pub chain: Vec<CausalChainLink>,
    pub score: f32,
    pub confidence: ConfidenceValue,
}

/// A document with its place in the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Ranked {
    pub rank: usize,
    pub document: Document,
    pub relevance: CausalRelevance,
    pub ways: Vec<Way>,
    /// Changing it could change what the program does.
    pub can_be_cause: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

/// Why a candidate is not in the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    Retrieved {
        rank: usize,
    },
    /// Its score is too low.
    Weak {
        score: f32,
        least: f32,
    },
    /// Another says the same.
    Redundant {
        with: String,
    },
    /// Others of its file stand before it.
    SameFile,
    /// There were better ones.
    BeyondLimit {
        place: usize,
        limit: usize,
    },
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LeftOut {
    pub document: Document,
    pub score: f32,
    #[serde(flatten)]
    pub fate: Fate,
    pub chain: Vec<CausalChainLink>,
}

/// A file and how strongly everything speaks for it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RankedFile {
    pub path: String,
    pub score: f32,
}

pub struct CausalRetrieval {
    pub documents: Vec<Ranked>,
    pub total_considered: usize,
    pub analysis: QueryAnalysis,
    pub strategy: String,
    /// The probability that the cause is among the first five.
    pub stated: f32,
    /// How sure is it that the cause is among them?
    pub completeness: ConfidenceValue,
    /// How sure is it that the first file is right?
    pub first_is_right: ConfidenceValue,
    pub left_out: Vec<LeftOut>,
    pub files: Vec<RankedFile>,
    pub functions: Vec<(String, String, (u32, u32))>,
    pub answers: Vec<(Answer, f32)>,
    /// What speaks for every file and function.
    pub ranking: Ranking,
}

/// So many places can be the answer.
const ANSWERS: usize = 12;
/// So many documents of one file.
const PER_FILE: usize = 2;
/// Explaining documents beside the causes, and of one kind: tests and pages must not crowd out what was said before.
const EXPLAINING: usize = 8;
const EXPLAINING_OF_KIND: usize = 2;
/// A model that is asked over the network is asked about so many documents only.
const ASKED: usize = 5;
/// On real bug reports the shares of the first five add up to somewhat too much.
const TOO_SURE: f32 = 0.9;
/// A method that matches so nearly as well as its type stands for it.
const NEARLY: f32 = 0.7;
/// Less information than this is none.
const NOTHING_NEW: f32 = 0.005;
const FILES: usize = 20;

/// Retrieves what is causally relevant to a question.
pub fn retrieve(
    place: &Place<'_>,
    reader: &mut Reader,
    text: &str,
    memory: &mut dyn Recollection,
    root: Option<&Path>,
    options: &Options,
    outside: Option<&mut dyn OutsideModel>,
) -> Result<CausalRetrieval, ModelError> {
    let question = Question::new(text, reader);
    let ranking = rank(place, &question, &options.signals);
    let analysis = analyse(place, text, &question);
    let gather = Gather {
        place,
        question: &question,
        analysis: &analysis,
        ranking: &ranking,
        memory,
        words: &mut reader.words,
        by_id: Default::default(),
        found: Vec::new(),
    };
    let found = gather.run();
    let mut candidates = found.candidates;
    // What can be the cause comes first, and then the stronger tie.
    let asks_for_calls = analysis.intent.asks_for_users();
    let leads = |candidate: &Candidate| {
        candidate.document.kind.can_be_cause() || (asks_for_calls && candidate.ways.contains(&Way::Graph))
    };
    candidates
        .sort_by(|a, b| leads(b).cmp(&leads(a)).then(b.tie.total_cmp(&a.tie)).then(a.document.id.cmp(&b.document.id)));

    let (answers, facts) = facts(place, &ranking, &options.signals, &candidates);
    let mut local = FactModel::new(answers.len(), facts);
    let mut texts = Texts::new(root);
    let mut documents: Vec<Document> = candidates.iter().map(|candidate| candidate.document.clone()).collect();
    if outside.is_some() {
        let telling = Telling { place, question: &question, analysis: &analysis, ranking: &ranking, answers: &answers };
        documents.iter_mut().take(ASKED).for_each(|document| drop(focus(&telling, document, &mut texts)));
    }
    let mut asked;
    let is_asked = outside.is_some();
    let model: &mut dyn AnswerModel = match outside {
        Some(outside) => {
            asked = AskedModel { outside, question: text, answers: &answers, documents: &documents, known: Vec::new() };
            &mut asked
        }
        None => &mut local,
    };
    let strategy = format!("{:?} · {} · answer model {}", analysis.intent, options.mode.name(), model.name());
    let assessed_count = if is_asked { ASKED.min(candidates.len()) } else { candidates.len() };
    let scored = assess(model, &candidates, assessed_count, &answers, options)?;
    let everything: Vec<usize> = (0..assessed_count).collect();
    let distribution = model.distribution(&everything)?;

    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| {
        let key = |at: usize| (leads(&candidates[at]), scored[at].score);
        key(*b).0.cmp(&key(*a).0).then(key(*b).1.total_cmp(&key(*a).1)).then(a.cmp(b))
    });
    let fates = choose(&order, &candidates, &scored, &leads, options);
    let mut retrieval = CausalRetrieval {
        documents: Vec::new(),
        total_considered: found.considered,
        strategy,
        stated: 0.0,
        completeness: completeness(&ranking),
        first_is_right: first_is_right(&ranking),
        left_out: Vec::new(),
        files: Vec::new(),
        functions: Vec::new(),
        answers: answers.iter().cloned().zip(distribution).collect(),
        ranking,
        analysis,
    };
    for at in order {
        let candidate = &candidates[at];
        let relevance = scored[at].clone();
        match &fates[at] {
            Fate::Retrieved { rank } => {
                let mut document = candidate.document.clone();
                let context = Telling {
                    place,
                    question: &question,
                    analysis: &retrieval.analysis,
                    ranking: &retrieval.ranking,
                    answers: &answers,
                };
                let explanation = explain(&context, candidate, &relevance, &mut document, &mut texts);
                retrieval.documents.push(Ranked {
                    rank: *rank,
                    document,
                    relevance,
                    ways: candidate.ways.clone(),
                    can_be_cause: candidate.document.kind.can_be_cause(),
                    explanation: options.include_explanations.then_some(explanation),
                });
            }
            fate => retrieval.left_out.push(LeftOut {
                document: candidate.document.clone(),
                score: relevance.score,
                fate: fate.clone(),
                chain: relevance.chain,
            }),
        }
    }
    let first = retrieval.documents.iter().take(5).filter_map(|ranked| ranked.relevance.confidence.value());
    retrieval.stated = TOO_SURE * first.sum::<f32>().clamp(0.0, 1.0);
    retrieval.files = retrieval
        .ranking
        .files
        .iter()
        .take(FILES)
        .map(|file| RankedFile { path: place.tree.path(file.at as u32).to_owned(), score: file.score })
        .collect();
    if !retrieval.documents.iter().any(|ranked| ranked.can_be_cause) {
        retrieval.completeness = ConfidenceValue::absent("nothing in the code matches the question");
        retrieval.first_is_right = retrieval.completeness.clone();
    }
    let functions =
        retrieval.ranking.functions.iter().take(FILES).filter_map(|function| place.tree.function(function.at));
    retrieval.functions = functions
        .map(|entity| (entity.path.to_owned(), entity.qualified.to_owned(), (entity.first_line, entity.last_line)))
        .collect();
    Ok(retrieval)
}

/// What a sentence about a document can draw from.
pub struct Telling<'a, 'p> {
    pub place: &'a Place<'p>,
    pub question: &'a Question,
    pub analysis: &'a QueryAnalysis,
    pub ranking: &'a Ranking,
    pub answers: &'a [Answer],
}

/// The best places that can be the cause, and which reason each document gives for them.
fn facts(
    place: &Place<'_>,
    ranking: &Ranking,
    weights: &Weights,
    candidates: &[Candidate],
) -> (Vec<Answer>, Vec<Vec<Fact>>) {
    // Copies of one text are one answer.
    let mut owners: Vec<usize> = Vec::new();
    let mut answer_of: Vec<Option<usize>> = vec![None; candidates.len()];
    for (at, candidate) in candidates.iter().enumerate() {
        if !candidate.document.kind.can_be_cause() {
            continue;
        }
        let same = owners.iter().position(|owner| is_copy(place, &candidates[*owner], candidate));
        answer_of[at] = same.or_else(|| {
            (owners.len() < ANSWERS).then(|| {
                owners.push(at);
                owners.len() - 1
            })
        });
    }
    let answers = owners
        .iter()
        .map(|at| {
            let document = &candidates[*at].document;
            Answer {
                name: document.name.clone(),
                path: document.path.clone().unwrap_or_default(),
                lines: document.lines.unwrap_or_default(),
            }
        })
        .collect();
    let own: Vec<Vec<(&'static str, f32)>> =
        owners.iter().map(|at| reasons(ranking, weights, &candidates[*at])).collect();
    let part = |answer: usize, reason: &str| {
        own[answer].iter().filter(|known| known.0 == reason).map(|known| known.1).sum::<f32>()
    };
    let facts = candidates.iter().zip(&answer_of).map(|(candidate, answer)| {
        if let Some(answer) = *answer {
            return own[answer].iter().map(|&(reason, weight)| Fact { reason, answer, weight }).collect();
        }
        let about = owners
            .iter()
            .enumerate()
            .filter(|(_, owner)| candidates[**owner].files.iter().any(|file| candidate.files.contains(file)));
        let through = candidate.chain.iter().flat_map(|link| [&link.from.id, &link.to.id]);
        let through: Vec<&String> = through.collect();
        let linked = owners.iter().enumerate().filter(|(_, owner)| through.contains(&&candidates[**owner].document.id));
        let mut about: Vec<usize> = about.chain(linked).map(|(answer, _)| answer).collect();
        about.sort_unstable();
        about.dedup();
        let of_way = |answer: usize| match candidate.ways.first() {
            Some(Way::History) => Fact { reason: "close-commits", answer, weight: part(answer, "close-commits") },
            Some(Way::Memory) => Fact { reason: "memory", answer, weight: 0.3 * candidate.tie },
            Some(Way::Graph) => {
                Fact { reason: "tests", answer, weight: part(answer, "tests").max(0.1 * candidate.tie) }
            }
            _ => Fact { reason: "words", answer, weight: 0.3 * part(answer, "words") },
        };
        about.into_iter().map(of_way).collect()
    });
    (answers, facts.collect())
}

/// What speaks for a place by itself.
fn reasons(ranking: &Ranking, weights: &Weights, candidate: &Candidate) -> Vec<(&'static str, f32)> {
    let Some(function) = candidate.function else { return vec![("tie", 2.0 * candidate.tie)] };
    let best_file = ranking.files.first().map_or(1.0, |file| file.score).max(f32::MIN_POSITIVE);
    let of_function = ranking.parts_of_function(function).take(FUNCTION_SIGNALS.len());
    let file = candidate.files.first().map_or(0, |file| *file as usize);
    let of_file = ranking.parts_of_file(file).take(FILE_SIGNALS.len());
    let scaled = of_file.map(|(name, part)| {
        // Words of the function and of its file are two reasons.
        let name = if name == "words" { "words-of-file" } else { name };
        (name, part * weights.file_of_function / best_file)
    });
    of_function.chain(scaled).filter(|(_, weight)| *weight > 0.0).collect()
}

/// The same name and the same signals: a copy, as in vendored or generated code.
fn is_copy(place: &Place<'_>, a: &Candidate, b: &Candidate) -> bool {
    let (Some(a), Some(b)) = (a.function, b.function) else { return false };
    let vector = |at: usize| {
        let dim = backstory_engine::embed::DIM;
        place.tree.vectors().get(at * dim..(at + 1) * dim).unwrap_or_default()
    };
    let names =
        place.tree.function(a).zip(place.tree.function(b)).is_some_and(|(a, b)| {
            a.qualified == b.qualified && a.last_line - a.first_line == b.last_line - b.first_line
        });
    a != b && names && crate::locate::cosine(vector(a), vector(b)) > 0.98
}

fn assess(
    model: &mut dyn AnswerModel,
    candidates: &[Candidate],
    assessed: usize,
    answers: &[Answer],
    options: &Options,
) -> Result<Vec<CausalRelevance>, ModelError> {
    let all: Vec<usize> = (0..assessed).collect();
    let most = (answers.len().max(2) as f32).log2();
    let distribution = model.distribution(&all)?;
    let mut scored = Vec::with_capacity(candidates.len());
    for (at, candidate) in candidates.iter().enumerate() {
        let (information, counterfactual) = if at < assessed {
            (information(model, at, &all[..at])?, counterfactual(model, at, &all)?)
        } else {
            let none = super::assess::CounterfactualImpact {
                would_change_answer: false,
                change_probability: 0.0,
                change: super::AnswerChange::None,
                severity: super::ChangeSeverity::Negligible,
                instead: None,
            };
            (InformationContribution::default(), none)
        };
        let weights = &options.weights;
        let score = weights.information_contribution * (information.mutual_information / most).clamp(0.0, 1.0)
            + weights.counterfactual_impact * counterfactual.change_probability
            + weights.causal_chain_strength * candidate.tie;
        let answer = answers.iter().position(|answer| {
            answer.name == candidate.document.name && Some(&answer.path) == candidate.document.path.as_ref()
        });
        let confidence = match answer {
            Some(answer) => ConfidenceValue::Derived {
                value: distribution.get(answer).copied().unwrap_or(0.0),
                formula: "share of the answer distribution given all documents",
                inputs: vec![("answers", answers.len() as f32), ("chain", chain_strength(&candidate.chain))],
            },
            None if candidate.document.kind.can_be_cause() => {
                ConfidenceValue::absent("not among the places that the answer is chosen from")
            }
            None => ConfidenceValue::absent("it can explain, but is no cause"),
        };
        scored.push(CausalRelevance { information, counterfactual, chain: candidate.chain.clone(), score, confidence });
    }
    Ok(scored)
}

/// What is shown: strong enough, new, and not all from one file.
fn choose(
    order: &[usize],
    candidates: &[Candidate],
    scored: &[CausalRelevance],
    leads: &dyn Fn(&Candidate) -> bool,
    options: &Options,
) -> Vec<Fate> {
    let limit = options.max_docs();
    let mut fates: Vec<Fate> = vec![Fate::SameFile; candidates.len()];
    let (mut chosen, mut explaining): (Vec<usize>, usize) = (Vec::new(), 0);
    for (place, &at) in order.iter().enumerate() {
        let (candidate, relevance) = (&candidates[at], &scored[at]);
        let is_lead = leads(candidate);
        let least = options.min_relevance() * if is_lead { 1.0 } else { 0.5 };
        let same_file = |other: &&usize| {
            candidate.document.path.is_some() && candidates[**other].document.path == candidate.document.path
        };
        // A copy says nothing beside the first.
        let told = |other: &&usize| {
            let other = &candidates[**other];
            let copy = other.document.name == candidate.document.name
                && other.function.is_some()
                && relevance.information.mutual_information > NOTHING_NEW
                && relevance.information.information_gain.abs() <= NOTHING_NEW;
            copy && is_lead
        };
        let of_kind =
            chosen.iter().filter(|other| candidates[**other].document.kind == candidate.document.kind).count();
        let same_text = |other: &&usize| {
            let (a, b) = (&candidates[**other].document, &candidate.document);
            a.kind == b.kind && !a.text.is_empty() && a.text.trim() == b.text.trim()
        };
        // A type says nothing beside its own methods.
        let member = order.iter().filter(|_| candidate.is_type).find(|other| {
            let document = &candidates[**other].document;
            document.path == candidate.document.path
                && document.name.strip_prefix(&candidate.document.name).is_some_and(|rest| rest.starts_with('.'))
                && scored[**other].score >= NEARLY * relevance.score
        });
        fates[at] = if let Some(member) = member.filter(|_| is_lead) {
            Fate::Redundant { with: candidates[*member].document.id.clone() }
        } else if relevance.score < least {
            Fate::Weak { score: relevance.score, least }
        } else if let Some(with) = chosen.iter().find(|other| told(other) || same_text(other)) {
            Fate::Redundant { with: candidates[*with].document.id.clone() }
        } else if chosen.iter().filter(same_file).count() >= PER_FILE.max(limit / 5) {
            Fate::SameFile
        } else if (is_lead && chosen.len() - explaining >= limit)
            || (!is_lead && (explaining >= EXPLAINING || of_kind >= EXPLAINING_OF_KIND))
        {
            Fate::BeyondLimit { place: place + 1, limit }
        } else {
            chosen.push(at);
            explaining += usize::from(!is_lead);
            Fate::Retrieved { rank: chosen.len() }
        };
    }
    fates
}

/// How often all files of a fix were among the documents shown, on real bug reports.
fn completeness(ranking: &Ranking) -> ConfidenceValue {
    if ranking.files.first().is_none_or(|first| first.score <= 0.0) {
        return ConfidenceValue::absent("nothing in the code matches the question");
    }
    let MeasuredRow { n, share: value, low, high, .. } = ALL_SHOWN;
    let dataset = "real bug reports of five repositories: all files of the fix are shown";
    ConfidenceValue::Measured { value, dataset, n, low, high }
}

/// How often the first file was one of the fix, by how far it stands before the second.
fn first_is_right(ranking: &Ranking) -> ConfidenceValue {
    let (Some(first), Some(second)) = (ranking.files.first(), ranking.files.get(1)) else {
        return ConfidenceValue::absent("too few source files to compare");
    };
    let lead = if first.score > 0.0 { 1.0 - second.score / first.score } else { 0.0 };
    let row = FIRST_RIGHT.iter().rev().find(|row| lead >= row.lead).unwrap_or(&FIRST_RIGHT[0]);
    let dataset = "real bug reports of five repositories: the first file is one of the fix";
    ConfidenceValue::Measured { value: row.share, dataset, n: row.n, low: row.low, high: row.high }
}

/// One row of what was measured, with a 95 % interval.
struct MeasuredRow {
    /// From this lead of the best file on.
    lead: f32,
    n: u32,
    share: f32,
    low: f32,
    high: f32,
}

/// `backstory-eval bugloc DATA REPOSITORIES` prints what these two are taken from.
const ALL_SHOWN: MeasuredRow = MeasuredRow { lead: 0.0, n: 754, share: 0.86, low: 0.83, high: 0.88 };
const FIRST_RIGHT: [MeasuredRow; 5] = [
    MeasuredRow { lead: 0.0, n: 152, share: 0.43, low: 0.36, high: 0.51 },
    MeasuredRow { lead: 0.1, n: 177, share: 0.65, low: 0.58, high: 0.72 },
    MeasuredRow { lead: 0.2, n: 146, share: 0.71, low: 0.63, high: 0.77 },
    MeasuredRow { lead: 0.3, n: 115, share: 0.80, low: 0.72, high: 0.86 },
    MeasuredRow { lead: 0.4, n: 164, share: 0.90, low: 0.84, high: 0.93 },
];
