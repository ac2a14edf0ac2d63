//! What do conversations decide, and what do later ones change?
//!
//! A later conversation about the same subject takes the place of the earlier one: its parts, and
//! those of the earlier one that it leaves as they are.

use std::collections::{BTreeSet, HashMap};

use backstory_language::decisions::{Discussed, WeighedPart, mentions, statements, still_holds};
use backstory_language::text::Tokenizer;

use crate::model::{
    Candidate, CardKind, CardSource, Decided, DecidedPart, EvidenceKind, EvidenceRef, Firmness, Found,
    LONGEST_STATEMENT,
};
use crate::store::{EpisodeNum, FindingRow};

use super::card_set::{CardChange, CardEntry};
use super::sources::kind_of_written;

/// A name alone proves nothing.
const LEAST_OF_NAMED: f32 = 0.08;
/// Conversations with a lower cosine are about different subjects, whatever they refer to.
const LEAST_LIKE: f32 = 0.12;
/// With so many references to an earlier decision this is enough.
const REFERRING: usize = 3;
/// Two references are enough from here on, and none from there on.
const LIKE: f32 = 0.15;
const VERY_LIKE: f32 = 0.2;
/// The parts of an earlier conversation give way to those of a later one.
const CARRIED: i32 = -10;

/// A subject as far as conversations have decided it.
struct Standing {
    decided: Decided,
    episode: EpisodeNum,
    /// The statements that tell it.
    told: Vec<(CardKind, String)>,
}

/// Candidates in the order of time, from the findings of all cases of a project.
pub fn of_findings(rows: &[FindingRow]) -> Vec<CardEntry> {
    let mut found: Vec<(EpisodeNum, u32, Decided)> = rows
        .iter()
        .filter_map(|row| match &row.found {
            Found::Decided(decided) => Some((row.episode, row.turn, decided.clone())),
            _ => None,
        })
        .collect();
    found.sort_by_key(|(episode, turn, decided)| (decided.time, *episode, *turn));
    let rarity = Rarity::of(found.iter().map(|(_, _, decided)| decided));
    let mut tokenizer = Tokenizer::new();
    let mut standing: Vec<Standing> = Vec::new();
    let mut entries = Vec::new();
    for (episode, turn, decided) in found {
        let earlier = earlier(&standing, &decided, episode, &rarity, &mut tokenizer);
        let before = earlier.map(|at| standing.remove(at));
        let replaced = before.as_ref().map(|before| before.told.clone()).unwrap_or_default();
        let decided = match before {
            Some(before) => amended(before.decided, decided, &mut tokenizer),
            None => decided,
        };
        let candidates = candidates(&decided, replaced);
        let told = candidates.iter().map(|made| (made.kind(), made.statement().to_owned())).collect();
        entries.extend(candidates.into_iter().map(|candidate| CardEntry {
            time: candidate.time,
            what: CardChange::Candidate { episode, turn, candidate },
        }));
        standing.push(Standing { decided, episode, told });
    }
    entries
}

/// The standing decision that this one changes.
fn earlier(
    standing: &[Standing],
    decided: &Decided,
    episode: EpisodeNum,
    rarity: &Rarity,
    tokenizer: &mut Tokenizer,
) -> Option<usize> {
    let discussed = discussed(decided);
    let mut near: Vec<(f32, usize)> = Vec::new();
    for (at, before) in standing.iter().enumerate().filter(|(_, before)| before.episode != episode) {
        let subject = &before.decided.subject;
        let is_named = is_code(subject) && mentions(&discussed, subject, tokenizer);
        let cosine = rarity.cosine(decided, &before.decided);
        near.push((if is_named && cosine >= LEAST_OF_NAMED { 1.0 + cosine } else { cosine }, at));
    }
    let (cosine, at) = near.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let needed = match decided.references {
        REFERRING.. => LEAST_LIKE,
        2 => LIKE,
        _ => VERY_LIKE,
    };
    (cosine >= needed).then_some(at)
}

fn discussed(decided: &Decided) -> Discussed {
    let (changed, kept, spoken) = (decided.changed.clone(), decided.kept.clone(), decided.spoken.clone());
    Discussed { changed, kept, spoken, references: decided.references }
}

/// A name of a function or a setting. Names of types and tools are told in talks of any subject.
fn is_code(subject: &str) -> bool {
    !subject.contains(' ')
        && subject.starts_with(char::is_lowercase)
        && subject.chars().skip(1).any(|c| c.is_uppercase() || c == '_')
}

fn amended(before: Decided, mut after: Decided, tokenizer: &mut Tokenizer) -> Decided {
    let discussed = discussed(&after);
    let mut parts: Vec<DecidedPart> = before.parts;
    parts.retain(|part| still_holds(&part.text, &discussed, tokenizer));
    parts.iter_mut().for_each(|part| part.weight += CARRIED);
    parts.append(&mut after.parts);
    let mut refused = before.refused;
    refused.append(&mut after.refused);
    let subject = if is_code(&after.subject) && !is_code(&before.subject) { after.subject } else { before.subject };
    let spoken: BTreeSet<String> = before.spoken.into_iter().chain(after.spoken).collect();
    Decided { subject, parts, refused, spoken: spoken.into_iter().collect(), ..after }
}

fn candidates(decided: &Decided, mut replaced: Vec<(CardKind, String)>) -> Vec<Candidate> {
    let weighed: Vec<WeighedPart<'_>> =
        decided.parts.iter().map(|part| WeighedPart { text: &part.text, weight: part.weight }).collect();
    let mut out: Vec<Candidate> = Vec::new();
    for statement in statements(&decided.subject, &weighed, LONGEST_STATEMENT) {
        let parts: Vec<&DecidedPart> = statement.parts.iter().map(|part| &decided.parts[*part]).collect();
        let firm = parts.iter().filter(|part| part.firmness == Firmness::Firm).count();
        let source = if 2 * firm >= parts.len() { CardSource::Decision } else { CardSource::Agreement };
        let kind = kind_of(&parts);
        let mut evidence: Vec<EvidenceRef> = Vec::new();
        for cited in parts.iter().flat_map(|part| [part.said, part.bound]) {
            if !evidence.contains(&cited) {
                evidence.push(cited);
            }
        }
        evidence.sort_by_key(|cited| cited.kind != EvidenceKind::UserSpan);
        let made =
            Candidate::new(kind, source, &statement.text, &decided.subject.to_lowercase(), evidence, decided.time);
        let Ok(mut candidate) = made else { continue };
        if out.is_empty() {
            candidate.refused = decided.refused.clone();
        }
        out.push(candidate);
    }
    let count = out.len();
    for (at, candidate) in out.iter_mut().enumerate() {
        let taken = if at + 1 == count { replaced.len() } else { replaced.len().min(1) };
        candidate.replaces = replaced.drain(..taken).collect();
    }
    out
}

/// The strictest kind of its parts.
fn kind_of(parts: &[&DecidedPart]) -> CardKind {
    let forbids = |part: &&&DecidedPart| kind_of_written(&part.text) == CardKind::Constraint;
    if parts.iter().any(|part| forbids(&part)) { CardKind::Constraint } else { CardKind::Preference }
}

fn all_terms(decided: &Decided) -> BTreeSet<&str> {
    decided.spoken.iter().chain(&decided.kept).map(String::as_str).collect()
}

/// How rare is a term among all decisions of a project?
struct Rarity {
    counts: HashMap<String, usize>,
    all: usize,
}

impl Rarity {
    fn of<'a>(decisions: impl Iterator<Item = &'a Decided>) -> Self {
        let mut rarity = Rarity { counts: HashMap::new(), all: 0 };
        for decided in decisions {
            rarity.all += 1;
            for term in all_terms(decided) {
                *rarity.counts.entry(term.to_owned()).or_default() += 1;
            }
        }
        rarity
    }

    /// Zero for what all of them say.
    fn weight(&self, term: &str) -> f32 {
        let count = self.counts.get(term).copied().unwrap_or(0) as f32;
        ((1.0 + self.all as f32) / (1.0 + count)).ln()
    }

    fn cosine(&self, a: &Decided, b: &Decided) -> f32 {
        let (a, b) = (all_terms(a), all_terms(b));
        let square = |terms: &BTreeSet<&str>| terms.iter().map(|term| self.weight(term).powi(2)).sum::<f32>();
        let shared: f32 = a.intersection(&b).map(|term| self.weight(term).powi(2)).sum();
        let size = (square(&a) * square(&b)).sqrt();
        if size > 0.0 { shared / size } else { 0.0 }
    }
}
