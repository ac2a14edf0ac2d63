//! What must a session know at its start, and what was left open?

use std::time::{Duration, Instant};

use backstory_engine::Memory;
use backstory_engine::model::{Card, CardId, CardSource, Channel, EvidenceRef, ProjectId, estimate_tokens};
use backstory_engine::retrieve::{
    FixItem, LastSession, Loops, OpenLoop, PACK_BUDGET, PackItem, PackQuestion, RecentActivity, RecentQuestion,
    UnconfirmedCards, loops, pack, recent, unconfirmed_cards,
};
use serde_json::json;

use crate::commands::pack::title as pack_title;
use crate::commands::sessions::short;
use crate::error::AppError;
use crate::hook_runs::RunResult;
use crate::working_tree::WorkingTree;
use crate::{home, terminal, unconfirmed};

use super::call::{HookCall, HookOutcome};
use super::render::{day, render_card, render_fix};
use super::{already_shown, answer, memory};

/// The time limit for refreshing the views.
const CATCH_UP: Duration = Duration::from_millis(200);
/// Open loops of this many newest sessions are shown.
const SESSIONS: usize = 6;
const MOST_LOOPS: usize = 4;
const MOST_FIXES: usize = 3;
/// The maximum share of cards in the budget if there is other news.
const SHARE_OF_CARDS: f64 = 0.6;
/// Tokens of the text around the lines.
const FRAME: u64 = 41;
/// Below this budget constraints come first: the lines about how to find more and about waiting cards are added only if
/// there is room.
const ROOMY: u64 = 150;
const MORE: &str = "\nMore: `backstory cards show ID`, `backstory log show ID`, `backstory loops`.";

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    if !call.settings().session_start {
        return Ok(HookOutcome::off());
    }
    // A resumed session still has the text; a compacted one has lost it.
    if call.input.source() == Some("resume") {
        return Ok(HookOutcome::nothing("resumed: it was told when it began"));
    }
    let Some(mut memory) = memory::open_fast(call)? else { return Ok(HookOutcome::nothing("no memory yet")) };
    let late = catch_up(&mut memory);
    let project = memory::project(&mut memory, call)?;
    let page = SessionBrief::of(&mut memory, call, project.id)?;
    // Nothing else can be reported: not even this run is recorded.
    let unheard = memory.is_read_only().then(|| format!("Backstory: {}", home::cannot_be_written()));
    if page.lines.is_empty() {
        let answer = unheard.map(|told| answer::with_message(json!({}), &told));
        let message = page.why_empty(call.settings().session_start_budget).or(late);
        return Ok(HookOutcome { answer, message, project: Some(project.path), ..HookOutcome::default() });
    }
    let text = page.text();
    let context = answer::context(call, "session-start", &text);
    let message = unheard.or_else(|| to_review(call, &project.path, &page.waiting));
    let session = call.input.session().map(str::to_owned);
    let noted = memory::shown(&mut memory, Channel::AutoPack, page.cards, session);
    let told = format!("{} tokens", estimate_tokens(&text));
    let noted = noted.err().map(|error| format!("not noted: {}", error.message));
    Ok(HookOutcome {
        answer: Some(match message {
            Some(message) => answer::with_message(context, &message),
            None => context,
        }),
        result: RunResult::Told,
        message: noted.or(late).or(Some(told)),
        project: Some(project.path),
        ..HookOutcome::default()
    })
}

/// Derives what the last session left. Returns a note about missing parts.
fn catch_up(memory: &mut Memory) -> Option<String> {
    let until = Instant::now() + CATCH_UP;
    let caught = match memory.is_behind() {
        Ok(false) => return None,
        Ok(true) => memory.refresh_while(&|| Instant::now() < until),
        Err(error) => Err(error),
    };
    match caught {
        Ok(Some(caught)) if caught.all => None,
        Ok(_) => Some("the newest sessions are not derived yet; `backstory status` says how far".to_owned()),
        Err(error) => Some(format!("not caught up: {}", AppError::from(error).message)),
    }
}

/// One line for the person whenever a new card waits: only a person can confirm it.
fn to_review(call: &HookCall, project: &str, waiting: &UnconfirmedCards) -> Option<String> {
    let newest = waiting.said.first()?;
    let is_new = already_shown::is_new(&call.home, Some(&format!("review of {project}")), &newest.id.to_string());
    is_new.then(|| format!("Backstory: {}", unconfirmed::wait_for_review(waiting.count)))
}

/// Lines within a budget, including the cards.
struct SessionBrief {
    lines: Vec<String>,
    cards: Vec<CardId>,
    waiting: UnconfirmedCards,
    room: u64,
    /// The text after the lines.
    after: String,
    /// Tokens of the shortest line that did not fit.
    unfit: Option<u64>,
}

impl SessionBrief {
    fn of(memory: &mut Memory, call: &HookCall, project: ProjectId) -> Result<Self, AppError> {
        let other_than = call.input.session().map(str::to_owned);
        let (log, views) = memory.parts();
        let recent = recent(log, views, &RecentQuestion { project, other_than: other_than.clone() })?;
        let question = Loops { project: Some(project), latest: Some(SESSIONS), ..Loops::default() };
        let mut open = loops(log, views, &question)?;
        open.retain(|open| Some(&open.session) != other_than.as_ref());
        open.truncate(MOST_LOOPS);

        let budget = call.settings().session_start_budget;
        let waiting = unconfirmed_cards(views, project)?;
        let room = budget.saturating_sub(FRAME);
        let mut page =
            SessionBrief { lines: Vec::new(), cards: Vec::new(), waiting, room, after: String::new(), unfit: None };
        let is_roomy = budget >= ROOMY;
        if is_roomy {
            page.end();
        }
        let has_news = recent.last.is_some() || !open.is_empty() || !page.waiting.said.is_empty();
        let of_cards = match (is_roomy, has_news) {
            (true, true) => (budget as f64 * SHARE_OF_CARDS) as u64,
            (true, false) => budget,
            // The fit is checked line by line.
            (false, _) => PACK_BUDGET,
        };
        let tree = call.input.folder().map_or_else(WorkingTree::elsewhere, |folder| WorkingTree::around(&folder));
        let question =
            PackQuestion { project: Some(project), task: topic(&recent), budget: of_cards, ..PackQuestion::default() };
        let packed = pack(views, &question, &|named| tree.has(named))?;
        // Recent fixes are shown as news, if there is room.
        let fixed: Vec<&FixItem> = recent.fixed.iter().take(MOST_FIXES).collect();
        let (news, items): (Vec<PackItem>, Vec<PackItem>) =
            packed.items.into_iter().partition(|item| fixed.iter().any(|fixed| is_of(item, fixed)));
        page.cards(&items);
        page.said();
        let told = page.news(&recent, &fixed, &open);
        let untold: Vec<PackItem> =
            news.into_iter().filter(|item| !told.iter().any(|told| is_of(item, told))).collect();
        page.cards(&untold);
        if !is_roomy {
            page.end();
        }
        Ok(page)
    }

    /// The lines about the memory itself, as far as there is room.
    fn end(&mut self) {
        for told in [self.review(), MORE.to_owned()] {
            if self.takes(u64::from(estimate_tokens(&told))) {
                self.after.push_str(&told);
            }
        }
    }

    /// Explains that all content exceeds the chosen budget.
    fn why_empty(&self, budget: u64) -> Option<String> {
        let least = self.unfit? + FRAME;
        Some(format!("nothing fits into hooks.session_start_budget = {budget}; the shortest line needs {least}"))
    }

    fn cards(&mut self, items: &[PackItem]) {
        let mut head = None;
        for item in items {
            let title = (head != Some(item.slot)).then(|| pack_title(item.slot));
            if self.add(title, render_card(&item.card, item.doubt.as_deref())) {
                head = Some(item.slot);
                self.cards.push(item.card.id);
            }
        }
    }

    /// Separate from cards in force: it may have been meant for the moment only.
    fn said(&mut self) {
        let said: Vec<Card> = unconfirmed::newest(&self.waiting.said).to_vec();
        let mut title = Some(unconfirmed::TITLE);
        for card in said {
            if self.add(title, unconfirmed::line(&card.statement, card.id, &day(card.renewed))) {
                title = None;
                self.cards.push(card.id);
            }
        }
    }

    /// Returns the fixes that fit.
    fn news<'a>(&mut self, recent: &RecentActivity, fixed: &[&'a FixItem], open: &[OpenLoop]) -> Vec<&'a FixItem> {
        if let Some(stopped) = &recent.last {
            self.add(None, where_it_stopped(stopped));
        }
        let mut told = Vec::new();
        for item in fixed {
            let title = told.is_empty().then_some("Failed recently, and what fixed it");
            if self.add(title, render_fix(item)) {
                told.push(*item);
            }
        }
        let mut title = Some("Open loops");
        for open in open {
            if self.add(title, left_open(open)) {
                title = None;
            }
        }
        told
    }

    fn add(&mut self, title: Option<&str>, line: String) -> bool {
        let title = title.map(|title| format!("{title}\n")).unwrap_or_default();
        // Each line ends with a break.
        let tokens = u64::from(estimate_tokens(&format!("{title}{line}\n")));
        if !self.takes(tokens) {
            self.unfit = Some(self.unfit.map_or(tokens, |least| least.min(tokens)));
            return false;
        }
        self.lines.push(format!("{title}{line}"));
        true
    }

    /// Reserves the tokens of a text, if they fit.
    fn takes(&mut self, tokens: u64) -> bool {
        let fits = tokens <= self.room;
        self.room -= if fits { tokens } else { 0 };
        fits
    }

    fn text(&self) -> String {
        format!("{}{}", self.lines.join("\n"), self.after)
    }

    fn review(&self) -> String {
        match self.waiting.count {
            0 => String::new(),
            count => format!("\n{}", unconfirmed::for_the_user(count)),
        }
    }
}

/// Is the card about this fix?
fn is_of(item: &PackItem, fixed: &FixItem) -> bool {
    let cites = |id| item.card.evidence.iter().any(|cited| cited.id == id);
    matches!(item.card.source, CardSource::Fix | CardSource::Correction)
        && (cites(fixed.failed.id) || cites(fixed.passed.id))
}

/// There is no request yet. The topic of the last session is the best guess.
fn topic(recent: &RecentActivity) -> String {
    let Some(stopped) = &recent.last else { return String::new() };
    let about = stopped.about.iter().map(|(about, _)| about.as_str());
    about.chain(stopped.asked.iter().map(|(asked, _)| asked.as_str())).collect::<Vec<_>>().join(" ")
}

fn where_it_stopped(stopped: &LastSession) -> String {
    let quoted = |text: &str, evidence: Option<&EvidenceRef>, width| {
        let cited = evidence.map(|evidence| format!(" [{}]", &evidence.id.to_string()[..12])).unwrap_or_default();
        format!("\"{}\"{cited}", terminal::clip(text, width))
    };
    let mut out = format!("The last session ({}, {})", short(&stopped.session), day(stopped.ended));
    if let Some((about, evidence)) = &stopped.about {
        out.push_str(&format!(" was about {} and", quoted(about, evidence.as_ref(), 160)));
    }
    match &stopped.asked {
        Some((asked, evidence)) => out.push_str(&format!(" stopped at {}", quoted(asked, Some(evidence), 160))),
        None => out.push_str(" left nothing to quote"),
    }
    if let Some((answered, evidence)) = &stopped.answered {
        out.push_str(&format!(", answered {}", quoted(answered, Some(evidence), 200)));
    }
    out
}

fn left_open(open: &OpenLoop) -> String {
    let id = &open.id.to_string()[..12];
    let last = open.last.as_deref().map(|last| format!("; last: {}", terminal::clip(last, 100))).unwrap_or_default();
    let kind = open.kind.name().replace('_', " ");
    let text = terminal::clip(&open.text, 160);
    format!("- {kind}: \"{text}\"{last} [{id} {} session {}]", day(open.time), short(&open.session))
}
