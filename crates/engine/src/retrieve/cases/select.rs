//! Which statements are told, within lines and tokens?
//!
//! Those that conclude, not those that repeat the question: a sentence that answers
//! rarely has the words of what was asked. The best turns get most of the space; a
//! conversation is told as a whole.

use std::collections::{HashMap, HashSet};

use backstory_language::findings::item_mark;
use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::model::{CaseId, Event, EventId, EvidenceKind, Finding, Role, estimate_tokens};
use crate::store::{CaseRow, EpisodeNum, StoreError};

use super::super::rank::QueryTerm;
use super::Extent;

/// Lines of the best turns, in order.
const TURN_LINES: [usize; 4] = [5, 4, 3, 3];
/// Lines of the other turns of the case that has the best one.
const REST_LINES: usize = 2;
/// Lines of the first conversation, of the second, and so on.
const TALK_LINES: [usize; 4] = [18, 8, 6, 5];
/// Lines of what came later about the same subject.
const LATER_LINES: usize = 5;
/// A statement and the request are shown with at most so many bytes.
pub(super) const LONGEST_STATEMENT: usize = 230;
const LEAST_STATEMENT: usize = 100;
const STATEMENT_ROWS: usize = 2;
/// On a screen with fewer columns most statements take two lines. A case then gets half as many
/// lines again, and not twice as many.
const NARROW: usize = 110;
const NARROW_REQUEST: usize = 60;
pub(super) const LONGEST_REQUEST: usize = 100;
const LONGEST_HEADING: usize = 60;
pub(super) const SHORTEST_STATEMENT: usize = 8;
/// A statement with less weight is told only where a case has no other.
const LEAST_WEIGHT: i32 = 80;
/// A person's reply of at most so many bytes stands behind what it answers, in the same line.
const SHORT_REPLY: usize = 60;
/// What a statement of a conversation loses for each turn between it and what matched,
/// in hundredths.
const TURN_AWAY: i32 = 5;
/// And at most, where a whole case is told.
const MOST_AWAY: i32 = 60;
/// What a statement loses that is no outcome, where one line tells what a case came to.
const NO_OUTCOME: i32 = 60;
/// What a statement gains that has half of the question or more.
const OVERLAP: f32 = 150.0;
/// A statement of at most so many words may only name a commit.
const COMMIT_WORDS: usize = 5;
/// Bytes by which a statement is recognised when it is said again.
const SAME_START: usize = 60;
/// A passage is shown below statements if so much of it is new.
const LEAST_NEW: f32 = 0.5;
/// A case with this share of the best score of its session is as good as the best one.
const NEARLY_BEST: f32 = 0.8;
/// Cases of one screen that say what was done.
pub const CASES_WITH_WORK: usize = 2;
/// Tokens and columns of the date and ids of a heading, and of the line with what was done.
const HEADING_TOKENS: u64 = 16;
const WORK_TOKENS: u64 = 24;
const HEADING_COLUMNS: usize = 62;
const WORK_COLUMNS: usize = 100;
/// Columns before a statement.
const INDENT: usize = 5;

/// A case with those of its statements that are told.
pub struct Draft {
    pub row: CaseRow,
    pub score: f32,
    pub superseded_by: Option<CaseId>,
    pub asked: String,
    /// Each with its place among the findings of the case.
    pub told: Vec<(usize, Finding, String)>,
}

/// Lines and tokens that are kept for something.
pub struct Reserve {
    lines: usize,
    tokens: u64,
}

/// Chooses statements as long as there is space.
pub struct Selection<'a> {
    texts: Texts<'a>,
    wanted: Wanted,
    weights: HashMap<&'a str, f32>,
    all: f32,
    tokenizer: Tokenizer,
    lines: usize,
    tokens: u64,
    columns: Option<usize>,
    most_cases: usize,
    shows_all_work: bool,
    turns_told: usize,
    talks_told: usize,
    seen: Vec<String>,
    pub drafts: Vec<Draft>,
}

impl<'a> Selection<'a> {
    pub fn new(log: &'a mut Log, question: &str, terms: &'a [QueryTerm], extent: Extent) -> Self {
        let weights: HashMap<&str, f32> = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        let all = weights.values().sum::<f32>().max(f32::MIN_POSITIVE);
        Selection {
            texts: Texts::new(log),
            wanted: Wanted::of(question),
            weights,
            all,
            tokenizer: Tokenizer::new(),
            lines: extent.lines,
            tokens: extent.tokens,
            columns: extent.columns,
            most_cases: extent.cases,
            shows_all_work: extent.lines == usize::MAX,
            turns_told: 0,
            talks_told: 0,
            seen: Vec::new(),
            drafts: Vec::new(),
        }
    }

    pub fn log(&mut self) -> &mut Log {
        self.texts.log
    }

    pub fn is_full(&self) -> bool {
        self.lines < 2 || self.tokens < HEADING_TOKENS + WORK_TOKENS + 10
    }

    pub fn tokens_told(&self, extent: Extent) -> u64 {
        extent.tokens.saturating_sub(self.tokens)
    }

    /// On one screen, what was done is shown of the first cases; else of all.
    fn shows_work(&self) -> bool {
        self.shows_all_work || self.drafts.len() < CASES_WITH_WORK
    }

    /// The lines that so much text takes on the screen.
    fn rows(&self, columns: usize) -> usize {
        self.columns.map_or(1, |width| columns.div_ceil(width.max(1)).max(1))
    }

    /// On a narrow screen a statement takes two lines, so that more than one case fits.
    fn longest(&self) -> usize {
        let fitting = |width: usize| (STATEMENT_ROWS * width).saturating_sub(INDENT).max(LEAST_STATEMENT);
        self.columns.map_or(LONGEST_STATEMENT, |width| LONGEST_STATEMENT.min(fitting(width)))
    }

    fn is_narrow(&self) -> bool {
        self.columns.is_some_and(|width| width < NARROW)
    }

    pub fn has(&self, id: CaseId) -> bool {
        self.drafts.iter().any(|draft| draft.row.case.id == id)
    }

    /// What a turn states, and where it is the best one, what the rest of its case does.
    pub fn add_turn(&mut self, row: &CaseRow, turn: u32, score: f32) -> Result<(), StoreError> {
        let lines = TURN_LINES[self.turns_told.min(TURN_LINES.len() - 1)];
        let of_turn = self.weighed(row, |finding| (finding.turn == turn).then_some(0))?;
        if self.add(row, score, of_turn, lines)? {
            self.turns_told += 1;
            if self.turns_told == 1 {
                let rest = self.weighed(row, |finding| (finding.turn != turn).then_some(0))?;
                self.add(row, score, rest, REST_LINES)?;
            }
        }
        Ok(())
    }

    /// A conversation, the statements near `hits` first.
    pub fn add_talk(&mut self, row: &CaseRow, hits: &[u32], score: f32) -> Result<(), StoreError> {
        let lines = TALK_LINES[self.talks_told.min(TALK_LINES.len() - 1)];
        let away = |finding: &Finding| hits.iter().map(|hit| hit.abs_diff(finding.turn)).min().unwrap_or(0);
        let all = self.weighed(row, |finding| Some(TURN_AWAY * away(finding) as i32))?;
        self.talks_told += usize::from(self.add(row, score, all, lines)?);
        Ok(())
    }

    /// What came later about the same subject as a case that is told.
    pub fn add_later(&mut self, row: &CaseRow, score: f32) -> Result<(), StoreError> {
        if row.case.is_talk {
            return self.add_talk(row, &[], score);
        }
        let all = self.weighed(row, |_| Some(0))?;
        self.add(row, score, all, LATER_LINES)?;
        Ok(())
    }

    /// The case that a story is about: the statements near `hits` first, as many as there is
    /// space for.
    pub fn add_subject(&mut self, row: &CaseRow, hits: &[u32], score: f32) -> Result<(), StoreError> {
        let away = |finding: &Finding| hits.iter().map(|hit| hit.abs_diff(finding.turn)).min().unwrap_or(0);
        let all = self.weighed(row, |finding| Some((TURN_AWAY * away(finding) as i32).min(MOST_AWAY)))?;
        self.add(row, score, all, usize::MAX)?;
        Ok(())
    }

    /// What a case came to, in one line.
    pub fn add_outcome(&mut self, row: &CaseRow, score: f32) -> Result<(), StoreError> {
        let is_outcome = |finding: &Finding| matches!(finding.role, Role::Result | Role::Accepted | Role::Decision);
        let all = self.weighed(row, |finding| Some(if is_outcome(finding) { 0 } else { NO_OUTCOME }))?;
        self.add(row, score, all, 1)?;
        Ok(())
    }

    /// Only what was asked.
    pub fn add_request(&mut self, row: &CaseRow, score: f32) -> Result<(), StoreError> {
        let asked = self.request(row)?;
        let cost = u64::from(estimate_tokens(&asked)) + HEADING_TOKENS;
        let rows = self.rows(HEADING_COLUMNS + asked.chars().count());
        if self.has(row.case.id) || self.lines < rows || self.tokens < cost {
            return Ok(());
        }
        self.lines -= rows;
        self.tokens -= cost;
        self.drafts.push(Draft { row: row.clone(), score, superseded_by: None, asked, told: Vec::new() });
        Ok(())
    }

    fn request(&mut self, row: &CaseRow) -> Result<String, StoreError> {
        let asked = row.case.asked;
        let longest = if self.is_narrow() { NARROW_REQUEST } else { LONGEST_REQUEST };
        Ok(folded(self.texts.get(EventId(asked.id))?, asked.start, asked.end, longest))
    }

    /// What superseded a case that is told.
    pub fn superseded_by(&self, id: CaseId) -> Option<CaseId> {
        self.drafts.iter().find(|draft| draft.row.case.id == id)?.superseded_by
    }

    pub fn supersede(&mut self, id: CaseId, later: CaseId) {
        if let Some(draft) = self.drafts.iter_mut().find(|draft| draft.row.case.id == id) {
            draft.superseded_by = Some(later);
        }
    }

    /// At most so many cases from now on.
    pub fn limit_cases(&mut self, more: usize) {
        self.most_cases = self.drafts.len() + more;
    }

    /// Keeps so much, as far as it is there, until it is released.
    pub fn reserve(&mut self, lines: usize, tokens: u64) -> Reserve {
        let reserve = Reserve { lines: lines.min(self.lines), tokens: tokens.min(self.tokens) };
        self.lines -= reserve.lines;
        self.tokens -= reserve.tokens;
        reserve
    }

    pub fn release(&mut self, reserve: Reserve) {
        self.lines += reserve.lines;
        self.tokens += reserve.tokens;
    }

    /// The statements for which `penalty` gives one, the most telling first.
    fn weighed(
        &mut self,
        row: &CaseRow,
        penalty: impl Fn(&Finding) -> Option<i32>,
    ) -> Result<Vec<(usize, Finding)>, StoreError> {
        let case = &row.case;
        let mut weighed: Vec<(i32, usize, Finding)> = Vec::new();
        for (order, finding) in case.findings.iter().enumerate() {
            let Some(penalty) = penalty(finding) else { continue };
            let overlap = if case.is_talk { 0 } else { self.overlap(finding)? };
            weighed.push((finding.weight - penalty + self.wanted.bonus(finding.role) + overlap, order, *finding));
        }
        weighed.sort_by_key(|(weight, order, _)| (-weight, *order));
        let least = weighed.first().map_or(0, |(weight, ..)| LEAST_WEIGHT.min(*weight));
        weighed.retain(|(weight, ..)| *weight >= least);
        Ok(weighed.into_iter().map(|(_, order, finding)| (order, finding)).collect())
    }

    /// For words of the question, in hundredths.
    fn overlap(&mut self, finding: &Finding) -> Result<i32, StoreError> {
        let text = self.texts.get(EventId(finding.evidence.id))?;
        let span = text.get(finding.evidence.start as usize..finding.evidence.end as usize).unwrap_or_default();
        let terms: HashSet<String> = self.tokenizer.strings(span).into_iter().collect();
        let shared: f32 = terms.iter().filter_map(|term| self.weights.get(term.as_str())).sum();
        Ok((OVERLAP * (2.0 * shared / self.all).min(1.0)) as i32)
    }

    /// Whether anything was added.
    fn add(
        &mut self,
        row: &CaseRow,
        score: f32,
        statements: Vec<(usize, Finding)>,
        most: usize,
    ) -> Result<bool, StoreError> {
        let known = self.drafts.iter().position(|draft| draft.row.case.id == row.case.id);
        if known.is_none() && self.drafts.len() >= self.most_cases {
            return Ok(false);
        }
        let asked = self.request(row)?;
        // The heading, and the line with what was done.
        let heading_lines = self.rows(HEADING_COLUMNS + asked.chars().count());
        let heading_tokens = u64::from(estimate_tokens(&asked)) + HEADING_TOKENS;
        let (mut first_lines, mut first_tokens) = match known {
            Some(_) => (0, 0),
            None if self.shows_work() => (heading_lines + self.rows(WORK_COLUMNS), heading_tokens + WORK_TOKENS),
            None => (heading_lines, heading_tokens),
        };
        let mut told = Vec::new();
        let longest = self.longest();
        let mut lines_left = if self.is_narrow() { most.saturating_add(most / 2) } else { most };
        for (order, finding) in statements {
            let text = told_text(&mut self.texts, &finding, longest)?;
            let is_behind = row.case.is_talk && is_short_reply(&finding, &text);
            let lines = if is_behind { 0 } else { self.rows(INDENT + text.chars().count()) };
            if lines_left == 0 && !is_behind || self.lines < first_lines + lines {
                break;
            }
            let cost = u64::from(estimate_tokens(&text)) + 2;
            let says_something = text.len() >= SHORTEST_STATEMENT && !only_names_commit(&text);
            if !says_something || self.is_known(&text) || first_tokens + cost > self.tokens {
                continue;
            }
            self.tokens -= first_tokens + cost;
            self.lines -= first_lines + lines;
            let lines = if self.is_narrow() { lines } else { usize::from(!is_behind) };
            lines_left = lines_left.saturating_sub(lines);
            (first_lines, first_tokens) = (0, 0);
            self.seen.push(text.clone());
            told.push((order, finding, text));
        }
        // A request that nobody answered says enough by itself.
        let is_told = !told.is_empty() || (row.case.findings.is_empty() && first_tokens <= self.tokens);
        if is_told && told.is_empty() && known.is_none() {
            self.tokens -= first_tokens;
            self.lines = self.lines.saturating_sub(first_lines);
        }
        match known {
            Some(at) => self.drafts[at].told.extend(told),
            None if is_told => {
                self.drafts.push(Draft { row: row.clone(), score, superseded_by: None, asked, told });
            }
            None => {}
        }
        Ok(is_told)
    }

    fn is_known(&self, text: &str) -> bool {
        let start = &text[..text.floor_char_boundary(SAME_START)];
        self.seen.iter().any(|seen| seen.contains(start))
    }

    /// Is there space for one more line about a case that is told, and does it say anything new?
    pub fn takes(&mut self, id: CaseId, line: &str) -> bool {
        let (cost, rows) = (u64::from(estimate_tokens(line)), self.rows(INDENT + line.chars().count()));
        let takes = self.lines >= rows && cost <= self.tokens && self.share_of_new(id, line) >= LEAST_NEW;
        if takes {
            self.lines -= rows;
            self.tokens -= cost;
        }
        takes
    }

    /// The share of a line's words that what is told of a case does not have.
    fn share_of_new(&mut self, id: CaseId, line: &str) -> f32 {
        let of_case = self.drafts.iter().filter(|draft| draft.row.case.id == id);
        let told = of_case.flat_map(|draft| draft.told.iter().map(|(.., text)| text).chain([&draft.asked]));
        let told: HashSet<String> = told.flat_map(|text| self.tokenizer.strings(text)).collect();
        let words: HashSet<String> = self.tokenizer.strings(line).into_iter().collect();
        words.difference(&told).count() as f32 / words.len().max(1) as f32
    }

    /// Sessions in the order in which they were found, one case of each before more of the same. In
    /// each, cases that are nearly as good as its best one come first, the newest before the others.
    pub fn in_order(self) -> Vec<Draft> {
        let mut drafts = self.drafts;
        let mut sessions: Vec<(EpisodeNum, f32)> = Vec::new();
        for draft in &drafts {
            match sessions.iter_mut().find(|(session, _)| *session == draft.row.episode) {
                Some((_, best)) => *best = draft.score.max(*best),
                None => sessions.push((draft.row.episode, draft.score)),
            }
        }
        drafts.sort_by_cached_key(|draft| {
            let session = sessions.iter().position(|(session, _)| *session == draft.row.episode).unwrap_or_default();
            let is_near = draft.score >= NEARLY_BEST * sessions[session].1;
            (session, !is_near, std::cmp::Reverse(if is_near { draft.row.case.first_turn } else { 0 }))
        });
        let mut told_of: HashMap<EpisodeNum, usize> = HashMap::new();
        drafts.sort_by_cached_key(|draft| {
            let round = told_of.entry(draft.row.episode).or_default();
            *round += 1;
            *round
        });
        for draft in &mut drafts {
            let is_talk = draft.row.case.is_talk;
            // How work ended stands before how it began; a conversation is told as it went.
            draft.told.sort_by_key(|(order, finding, _)| (if is_talk { 0 } else { u32::MAX - finding.turn }, *order));
        }
        drafts
    }
}

/// Does a statement stand behind the one before it, in the same line?
pub fn is_short_reply(finding: &Finding, text: &str) -> bool {
    finding.evidence.kind == EvidenceKind::UserSpan && text.len() <= SHORT_REPLY
}

/// "Committed as 1a2b3c4.": the line about the work says which commits were made.
fn only_names_commit(text: &str) -> bool {
    let mut words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_hash = |word: &str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("committed"))
        && text.split_whitespace().count() <= COMMIT_WORDS
        && words.any(is_hash)
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    why: bool,
    tried: bool,
    left: bool,
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
            Role::Rejected | Role::Refuted => -60,
            _ => 0,
        }
    }
}

/// A statement with the heading above it.
pub(super) fn told_text(texts: &mut Texts<'_>, finding: &Finding, longest: usize) -> Result<String, StoreError> {
    let text = texts.get(EventId(finding.evidence.id))?;
    let heading = finding.heading.map(|(start, end)| folded(text, start, end, LONGEST_HEADING));
    let said = folded(text, finding.evidence.start, finding.evidence.end, longest);
    let said = item_mark(&said).map_or(said.as_str(), |mark| said[mark..].trim_start()).to_owned();
    Ok(heading.map_or_else(|| said.clone(), |heading| format!("{heading}: {said}")))
}

/// A span on one line, cut where it is too long.
pub(super) fn folded(text: &str, start: u32, end: u32, longest: usize) -> String {
    let span = text.get(start as usize..end as usize).unwrap_or_default();
    let line = span.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= longest {
        return line;
    }
    format!("{}…", &line[..line.floor_char_boundary(longest - 1)])
}

/// Events of the log, read once each.
pub(super) struct Texts<'a> {
    pub log: &'a mut Log,
    events: HashMap<EventId, Option<Event>>,
}

impl<'a> Texts<'a> {
    pub fn new(log: &'a mut Log) -> Self {
        Texts { log, events: HashMap::new() }
    }

    pub fn get(&mut self, id: EventId) -> Result<&str, StoreError> {
        if !self.events.contains_key(&id) {
            let event = self.log.store().event(id)?;
            self.events.insert(id, event);
        }
        Ok(self.events.get(&id).and_then(Option::as_ref).map_or("", |event| event.text.as_str()))
    }
}
