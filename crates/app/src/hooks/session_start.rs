//! What must a session know at its start, and what was left open?
//!
//! A few lines: where the last work on this branch stopped, what is in force for the files it touched, what fails here
//! and its fix, what is open on this branch, and rules that no instruction file says. What concerns none of this is
//! left to the prompts.

use std::time::{Duration, Instant};

use backstory_engine::Memory;
use backstory_engine::model::{CardId, CardSource, Channel, EvidenceRef, ProjectId, estimate_tokens};
use backstory_engine::retrieve::{
    BranchQuestion, FixItem, LastSession, Loops, OpenLoop, Pack, PackItem, PackQuestion, RecentActivity,
    RecentQuestion, ToldCase, branch_work, loops, one_case, pack, recent, unconfirmed_cards,
};
use serde_json::json;

use crate::commands::case_text;
use crate::commands::pack::title as pack_title;
use crate::commands::sessions::short;
use crate::error::AppError;
use crate::hook_runs::RunResult;
use crate::working_tree::WorkingTree;
use crate::{environment, home, terminal, unconfirmed};

use super::call::{HookCall, HookOutcome};
use super::render::{day, render_card, render_fix};
use super::{already_shown, answer, memory};

/// The time limit for refreshing the views.
const CATCH_UP: Duration = Duration::from_millis(200);
/// Open loops of this many newest sessions are shown.
const SESSIONS: usize = 6;
const MOST_LOOPS: usize = 2;
const MOST_FIXES: usize = 2;
/// Files of the last work whose rules are looked up.
const MOST_FILES: usize = 8;
/// The maximum share of cards in the budget if there is other news.
const SHARE_OF_CARDS: f64 = 0.6;
/// Tokens of the text around the lines.
const FRAME: u64 = 41;
/// Below this budget rules come first, and the line about how to find more is added only if there is room.
const ROOMY: u64 = 150;
const MORE: &str =
    "\nMore: `backstory cards show ID`, `backstory show CASE`, `backstory log show ID`, `backstory loops`.";

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
    let message = match unheard {
        Some(unheard) => Some(unheard),
        None => to_review(&memory, call, project.id, &project.path)?,
    };
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

/// One line for the person when a new card waits, at most once a day: only a person can confirm it.
fn to_review(memory: &Memory, call: &HookCall, project: ProjectId, path: &str) -> Result<Option<String>, AppError> {
    let waiting = unconfirmed_cards(memory.views(), project)?;
    let Some(newest) = waiting.said.first() else { return Ok(None) };
    let about = Some(format!("review of {path}"));
    let is_new = already_shown::is_new(&call.home, about.as_deref(), &newest.id.to_string())
        && already_shown::is_new(&call.home, about.as_deref(), &day(Some(environment::now())));
    Ok(is_new.then(|| format!("Backstory: {}", unconfirmed::wait_for_review(waiting.count))))
}

/// What the memory has for the start of a session.
struct News {
    last: Option<ToldCase>,
    recent: RecentActivity,
    open: Vec<OpenLoop>,
    packed: Pack,
}

impl News {
    fn read(memory: &mut Memory, call: &HookCall, project: ProjectId) -> Result<Self, AppError> {
        let other_than = call.input.session().map(str::to_owned);
        let folder = call.input.folder();
        let branch = folder.as_ref().and_then(|folder| WorkingTree::branch_in(folder));
        let (log, views) = memory.parts();
        let recent = recent(log, views, &RecentQuestion { project, other_than: other_than.clone() })?;
        let question = BranchQuestion { project, branch, other_than: other_than.clone() };
        let work = branch_work(log, views, &question)?;
        // A new branch has no work of its own: then it is told where the work stopped elsewhere.
        let elsewhere = match work.last {
            Some(_) => None,
            None => branch_work(log, views, &BranchQuestion { branch: None, ..question })?.last,
        };
        let last = work
            .last
            .or(elsewhere)
            .map(|case| one_case(log, views, case, 1))
            .transpose()?
            .flatten()
            .map(|found| found.case);
        let question = Loops { project: Some(project), latest: Some(SESSIONS), ..Loops::default() };
        let mut open = loops(log, views, &question)?;
        open.retain(|open| Some(&open.session) != other_than.as_ref() && work.sessions.contains(&open.session));
        open.truncate(MOST_LOOPS);
        let tree = folder.as_ref().map_or_else(WorkingTree::elsewhere, |folder| WorkingTree::around(folder));
        let question = PackQuestion {
            project: Some(project),
            task: last.as_ref().map_or_else(|| topic(&recent), |case| case.asked.clone()),
            about: last.iter().flat_map(files_of).collect(),
            instructions: folder.map(|folder| tree.instructions(&folder)).unwrap_or_default(),
            ..PackQuestion::default()
        };
        let packed = match question.task.is_empty() && question.about.is_empty() {
            // Without earlier work, only rules for every task can concern this session.
            true => only_always(pack(views, &question, &|named| tree.has(named))?),
            false => pack(views, &question, &|named| tree.has(named))?,
        };
        Ok(News { last, recent, open, packed })
    }
}

fn files_of(case: &ToldCase) -> Vec<String> {
    case.work.files.iter().take(MOST_FILES).map(|file| file.path.clone()).collect()
}

fn only_always(mut pack: Pack) -> Pack {
    pack.items.retain(|item| item.slot == backstory_engine::retrieve::PackSlot::Always);
    pack
}

/// Lines within a budget, including the cards.
struct SessionBrief {
    lines: Vec<String>,
    cards: Vec<CardId>,
    room: u64,
    /// The text after the lines.
    after: String,
    /// Tokens of the shortest line that did not fit.
    unfit: Option<u64>,
}

impl SessionBrief {
    fn of(memory: &mut Memory, call: &HookCall, project: ProjectId) -> Result<Self, AppError> {
        let news = News::read(memory, call, project)?;
        let budget = call.settings().session_start_budget;
        let room = budget.saturating_sub(FRAME);
        let mut page = SessionBrief { lines: Vec::new(), cards: Vec::new(), room, after: String::new(), unfit: None };
        let fixed: Vec<&FixItem> = news.recent.fixed.iter().take(MOST_FIXES).collect();
        // Recent fixes are shown as news.
        let told = |item: &&PackItem| !fixed.iter().any(|fixed| is_of(item, fixed));
        let items: Vec<PackItem> = news.packed.items.iter().filter(told).cloned().collect();
        if budget < ROOMY {
            page.cards(&items, u64::MAX);
            page.stopped(&news);
        } else {
            page.end();
            page.stopped(&news);
            page.cards(&items, (budget as f64 * SHARE_OF_CARDS) as u64);
        }
        page.unconfirmed(&news.packed.unconfirmed);
        page.list("Fails here, and what fixed it", fixed.into_iter().map(render_fix));
        page.list("Open on this branch", news.open.iter().map(left_open));
        if budget < ROOMY {
            page.end();
        }
        Ok(page)
    }

    /// How to find more, if there is room.
    fn end(&mut self) {
        if self.takes(u64::from(estimate_tokens(MORE))) {
            self.after.push_str(MORE);
        }
    }

    /// Explains that all content exceeds the chosen budget.
    fn why_empty(&self, budget: u64) -> Option<String> {
        let least = self.unfit? + FRAME;
        Some(format!("nothing fits into hooks.session_start_budget = {budget}; the shortest line needs {least}"))
    }

    fn stopped(&mut self, news: &News) {
        match (&news.last, &news.recent.last) {
            (Some(case), _) => self.add(None, where_work_stopped(case)),
            (None, Some(stopped)) => self.add(None, where_it_stopped(stopped)),
            (None, None) => false,
        };
    }

    fn cards(&mut self, items: &[PackItem], part: u64) {
        let (mut head, before) = (None, self.room);
        for item in items {
            let title = (head != Some(item.slot)).then(|| pack_title(item.slot));
            if before - self.room + item.tokens <= part
                && self.add(title, render_card(&item.card, item.doubt.as_deref()))
            {
                head = Some(item.slot);
                self.cards.push(item.card.id);
            }
        }
    }

    /// Separate from cards in force: it may have been meant for the moment only.
    fn unconfirmed(&mut self, items: &[PackItem]) {
        let mut title = Some(unconfirmed::TITLE);
        for PackItem { card, .. } in items {
            if self.add(title, unconfirmed::line(&card.statement, card.id, &day(card.renewed))) {
                title = None;
                self.cards.push(card.id);
            }
        }
    }

    fn list(&mut self, title: &str, lines: impl Iterator<Item = String>) {
        let mut title = Some(title);
        for line in lines {
            if self.add(title, line) {
                title = None;
            }
        }
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

/// The request, what became of it, and what is not proven.
fn where_work_stopped(case: &ToldCase) -> String {
    let on = case.branch.as_ref().map(|branch| format!(" on {}", terminal::clip(branch, 60))).unwrap_or_default();
    let asked = terminal::clip(&case.asked, 140);
    let came = case.findings.first().map(|finding| format!(": {}", terminal::clip(&finding.text, 160)));
    let failing = case.work.checks.iter().find(|check| !check.passed);
    let mut unproven: Vec<String> =
        failing.map(|check| format!("`{}` failed last", terminal::clip(&check.command, 50))).into_iter().collect();
    unproven.extend(case.work.is_unverified().then(|| "not verified".to_owned()));
    let unproven = if unproven.is_empty() { String::new() } else { format!(" ({})", unproven.join(", ")) };
    let (day, state, id) = (day(case.time), case_text::state(case), case.id.short());
    format!("Last work{on} ({day}): \"{asked}\" → {state}{}{unproven} [case {id}]", came.unwrap_or_default())
}

fn where_it_stopped(stopped: &LastSession) -> String {
    let quoted = |text: &str, evidence: Option<&EvidenceRef>, width| {
        let cited = evidence.map(|evidence| format!(" [{}]", &evidence.id.to_string()[..12])).unwrap_or_default();
        format!("\"{}\"{cited}", terminal::clip(text, width))
    };
    let mut out = format!("The last session ({}, {})", short(&stopped.session), day(stopped.ended));
    if let Some((about, evidence)) = &stopped.about {
        out.push_str(&format!(" was about {} and", quoted(about, evidence.as_ref(), 120)));
    }
    match &stopped.asked {
        Some((asked, evidence)) => out.push_str(&format!(" stopped at {}", quoted(asked, Some(evidence), 120))),
        None => out.push_str(" left nothing to quote"),
    }
    if let Some((answered, evidence)) = &stopped.answered {
        out.push_str(&format!(", answered {}", quoted(answered, Some(evidence), 140)));
    }
    out
}

fn left_open(open: &OpenLoop) -> String {
    let id = &open.id.to_string()[..12];
    let last = open.last.as_deref().map(|last| format!("; last: {}", terminal::clip(last, 80))).unwrap_or_default();
    let kind = open.kind.name().replace('_', " ");
    let text = terminal::clip(&open.text, 120);
    format!("- {kind}: \"{text}\"{last} [{id} {} session {}]", day(open.time), short(&open.session))
}
