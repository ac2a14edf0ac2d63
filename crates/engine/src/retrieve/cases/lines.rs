//! Which statements of a case are told?
//!
//! Those that conclude, not those that repeat the question: a sentence that answers
//! rarely has the words of what was asked.

use std::collections::{HashMap, HashSet};

use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::model::{Case, Event, EventId, EvidenceKind, Finding, ProjectId, Role, estimate_tokens};
use crate::store::{StoreError, ViewReader};

use super::super::projects::ProjectName;
use super::super::rank::QueryTerm;
use super::super::render::unknown;
use super::{Extent, FoundCase, ToldCase, ToldFinding};

/// Lines of the first case, of the second, and so on; a conversation needs more.
const WORK_LINES: [usize; 5] = [11, 8, 6, 5, 5];
const TALK_LINES: [usize; 4] = [20, 10, 8, 6];
/// A case with fewer says nothing.
const LEAST_LINES: usize = 3;
/// A statement and the request are shown with at most so many bytes.
const LONGEST_STATEMENT: usize = 230;
const LONGEST_REQUEST: usize = 110;
const SHORTEST_STATEMENT: usize = 8;
/// What a statement loses for not being in the best turn of a work case, in hundredths.
const NEXT_BEST_TURN: i32 = 25;
const OTHER_TURN: i32 = 40;
/// And for each turn between it and what matched, in a conversation.
const TURN_AWAY: i32 = 5;
/// Files that are named.
const MOST_FILES: usize = 4;

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    why: bool,
    tried: bool,
    left: bool,
}

pub struct Teller<'a> {
    wanted: Wanted,
    weights: HashMap<&'a str, f32>,
    all: f32,
    tokenizer: Tokenizer,
    lines: usize,
    tokens: u64,
    told: usize,
    seen: HashSet<String>,
}

impl<'a> Teller<'a> {
    pub fn new(question: &str, terms: &'a [QueryTerm], extent: Extent) -> Self {
        let weights: HashMap<&str, f32> = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        let all = weights.values().sum::<f32>().max(f32::MIN_POSITIVE);
        Teller {
            wanted: Wanted::of(question),
            weights,
            all,
            tokenizer: Tokenizer::new(),
            lines: extent.lines,
            tokens: extent.tokens,
            told: 0,
            seen: HashSet::new(),
        }
    }

    /// None when there is no more space.
    pub fn tell(
        &mut self,
        log: &mut Log,
        view: &ViewReader<'_>,
        projects: &HashMap<ProjectId, ProjectName>,
        found: &FoundCase,
    ) -> Result<Option<ToldCase>, StoreError> {
        let plan: &[usize] = if found.row.case.is_talk { &TALK_LINES } else { &WORK_LINES };
        let lines = plan[self.told.min(plan.len() - 1)].min(self.lines);
        if lines < LEAST_LINES {
            return Ok(None);
        }
        let Some(episode) = log.store().episode(found.row.episode)? else { return Ok(None) };
        let mut texts = Texts::new(log);
        let case = &found.row.case;
        let asked = folded(texts.get(EventId(case.asked.id))?, case.asked.start, case.asked.end, LONGEST_REQUEST);
        let time = texts.event(EventId(case.asked.id))?.and_then(|event| event.time);
        let mut spent = u64::from(estimate_tokens(&asked)) + 12;
        let mut findings = Vec::new();
        for (order, finding) in self.in_order(&mut texts, found)? {
            if findings.len() + 1 >= lines {
                break;
            }
            let text = told_text(&mut texts, &finding)?;
            let cost = u64::from(estimate_tokens(&text)) + 2;
            if text.len() < SHORTEST_STATEMENT || self.seen.contains(&text) || spent + cost > self.tokens {
                continue;
            }
            spent += cost;
            self.seen.insert(text.clone());
            findings.push((order, finding, text));
        }
        if findings.is_empty() {
            return Ok(None);
        }
        self.tokens = self.tokens.saturating_sub(spent);
        self.lines -= findings.len() + 1;
        self.told += 1;
        findings.sort_by_key(|(order, finding, _)| match case.is_talk {
            true => (0, *order),
            // How it ended stands before how it began.
            false => (u32::MAX - finding.turn, *order),
        });
        let mut told = Vec::new();
        for (_, finding, text) in findings {
            let active = view.turn(found.row.episode, finding.turn)?.is_none_or(|turn| turn.active);
            told.push(ToldFinding {
                role: finding.role,
                turn: finding.turn,
                abandoned: !active,
                person: finding.evidence.kind == EvidenceKind::UserSpan,
                text,
                evidence: finding.evidence,
            });
        }
        Ok(Some(ToldCase {
            id: case.id,
            session: episode.key.session,
            source: episode.key.source,
            project: projects.get(&episode.project).cloned().unwrap_or_else(|| unknown(episode.project)),
            time,
            turns: (case.first_turn, case.last_turn),
            asked,
            findings: told,
            files: files_of(view, found)?,
            superseded_by: found.superseded_by,
            matched: None,
            score: found.score,
        }))
    }

    /// Is there space for one more line, and does none have its words?
    pub fn takes(&mut self, line: &str) -> bool {
        let cost = u64::from(estimate_tokens(line));
        let start = &line[..line.floor_char_boundary(60)];
        let takes = self.lines > 0 && cost <= self.tokens && !self.seen.iter().any(|seen| seen.contains(start));
        if takes {
            self.lines -= 1;
            self.tokens -= cost;
        }
        takes
    }

    /// The findings of a case, the most telling first, each with its place in the case.
    fn in_order(&mut self, texts: &mut Texts<'_>, found: &FoundCase) -> Result<Vec<(usize, Finding)>, StoreError> {
        let case = &found.row.case;
        let mut weighed: Vec<(i32, usize, Finding)> = Vec::new();
        for (order, finding) in case.findings.iter().enumerate() {
            let away = turn_penalty(case, &found.hits, finding.turn);
            let own = finding.weight - away + self.wanted.bonus(finding.role);
            let text = texts.get(EventId(finding.evidence.id))?;
            let span = text.get(finding.evidence.start as usize..finding.evidence.end as usize).unwrap_or_default();
            weighed.push((own + if case.is_talk { 0 } else { self.overlap(span) }, order, *finding));
        }
        weighed.sort_by_key(|(weight, order, _)| (-weight, *order));
        Ok(weighed.into_iter().map(|(_, order, finding)| (order, finding)).collect())
    }

    /// A little for words of the question, in hundredths.
    fn overlap(&mut self, text: &str) -> i32 {
        let terms: HashSet<String> = self.tokenizer.strings(text).into_iter().collect();
        let shared: f32 = terms.iter().filter_map(|term| self.weights.get(term.as_str())).sum();
        (25.0 * (2.0 * shared / self.all).min(1.0)) as i32
    }
}

fn turn_penalty(case: &Case, hits: &[u32], turn: u32) -> i32 {
    if case.is_talk {
        let away = hits.iter().map(|hit| hit.abs_diff(turn)).min().unwrap_or(0);
        return TURN_AWAY * away as i32;
    }
    hits.iter().position(|hit| *hit == turn).map_or(OTHER_TURN, |rank| NEXT_BEST_TURN * rank as i32)
}

impl Wanted {
    fn of(question: &str) -> Self {
        let question = question.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| question.contains(word));
        Wanted {
            why: has(&["why", "cause", "reason", "warum", "por qué"]),
            tried: has(&["did that work", "did it work", "attempt", "tried", "manage to", "did not"]),
            left: has(&["left", "how far", "stand", "lacking", "still open", "remaining", "todo"]),
        }
    }

    fn bonus(self, role: Role) -> i32 {
        match role {
            Role::Cause if self.why => 35,
            Role::Tried if self.tried => 30,
            Role::Open if self.left => 40,
            Role::Rejected => -60,
            _ => 0,
        }
    }
}

/// A statement with the heading above it.
fn told_text(texts: &mut Texts<'_>, finding: &Finding) -> Result<String, StoreError> {
    let text = texts.get(EventId(finding.evidence.id))?;
    let heading = finding.heading.map(|(start, end)| folded(text, start, end, LONGEST_REQUEST));
    let said = folded(text, finding.evidence.start, finding.evidence.end, LONGEST_STATEMENT);
    Ok(heading.map_or_else(|| said.clone(), |heading| format!("{heading}: {said}")))
}

/// A span on one line, cut where it is too long.
fn folded(text: &str, start: u32, end: u32, longest: usize) -> String {
    let span = text.get(start as usize..end as usize).unwrap_or_default();
    let line = span.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= longest {
        return line;
    }
    format!("{}…", &line[..line.floor_char_boundary(longest - 1)])
}

fn files_of(view: &ViewReader<'_>, found: &FoundCase) -> Result<Vec<String>, StoreError> {
    let case = &found.row.case;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for edit in view.edits_in(found.row.episode)? {
        if (case.first_turn..=case.last_turn).contains(&edit.turn) {
            *counts.entry(edit.path).or_default() += 1;
        }
    }
    let mut files: Vec<(String, usize)> = counts.into_iter().collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(files.into_iter().take(MOST_FILES).map(|(path, _)| path).collect())
}

/// Events of the log, read once each.
struct Texts<'a> {
    log: &'a mut Log,
    events: HashMap<EventId, Option<Event>>,
}

impl<'a> Texts<'a> {
    fn new(log: &'a mut Log) -> Self {
        Texts { log, events: HashMap::new() }
    }

    fn event(&mut self, id: EventId) -> Result<Option<&Event>, StoreError> {
        if !self.events.contains_key(&id) {
            let event = self.log.store().event(id)?;
            self.events.insert(id, event);
        }
        Ok(self.events.get(&id).and_then(Option::as_ref))
    }

    fn get(&mut self, id: EventId) -> Result<&str, StoreError> {
        Ok(self.event(id)?.map_or("", |event| event.text.as_str()))
    }
}
