//! Does the memory contain something that is strongly relevant to this prompt? Usually not.

use backstory_engine::model::{CardStatus, Channel, estimate_tokens};
use backstory_engine::retrieve::{ErrorForm, Fix, PromptedCard, fix, has_diagnostics, prompted};
use backstory_language::prompts::blank_own;

use crate::error::AppError;
use crate::hook_runs::RunResult;
use crate::working_tree::WorkingTree;

use super::call::{HookCall, HookOutcome};
use super::render::{render_card, render_fix};
use super::{already_shown, answer, memory};

const MOST_CARDS: usize = 2;
/// Tokens of the text around the lines.
const FRAME: u64 = 50;
const UNCONFIRMED: &str = "unconfirmed";
/// At most this much of a prompt is read.
const LONGEST_PROMPT: usize = 16 << 10;

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    if !call.settings().user_prompt {
        return Ok(HookOutcome::off());
    }
    let Some(prompt) = call.input.prompt() else { return Ok(HookOutcome::default()) };
    let Some(mut memory) = memory::open_fast(call)? else { return Ok(HookOutcome::nothing("no memory yet")) };
    let project = memory::project(&mut memory, call)?;
    let session = call.input.session().map(str::to_owned);
    // Quoted output of Backstory is ignored.
    let prompt = blank_own(&prompt[..prompt.floor_char_boundary(LONGEST_PROMPT)]);
    let prompt = prompt.trim();

    let question = Fix {
        error: prompt.to_owned(),
        project: Some(project.id),
        other_than: session.clone(),
        form: ErrorForm::Pasted,
        ..Fix::default()
    };
    let (log, views) = memory.parts();
    let fixes = if has_diagnostics(prompt) { fix(log, views, &question)?.items } else { Vec::new() };
    let tree = call.input.folder().map_or_else(WorkingTree::elsewhere, |folder| WorkingTree::around(&folder));
    let instructions = call.input.folder().map(|folder| tree.instructions(&folder)).unwrap_or_default();
    let strong = prompted(views, project.id, prompt, &instructions, &|named| tree.has(named))?;
    let is_new = |id: &dyn ToString| already_shown::is_new(&call.home, session.as_deref(), &id.to_string());

    let mut page = BudgetedLines {
        lines: Vec::new(),
        room: call.settings().user_prompt_budget.saturating_sub(FRAME),
        unfit: false,
    };
    for item in &fixes {
        page.add(render_fix(item), || is_new(&item.failed.id));
    }
    let mut cards = Vec::new();
    for PromptedCard { card, .. } in strong {
        let line = render_card(&card, (card.status == CardStatus::Proposed).then_some(UNCONFIRMED));
        // A line that did not fit was not shown.
        if cards.len() < MOST_CARDS && page.add(line, || is_new(&card.id)) {
            cards.push(card.id);
        }
    }
    if page.lines.is_empty() {
        let budget = call.settings().user_prompt_budget;
        let message = page.unfit.then(|| format!("nothing fits into hooks.user_prompt_budget = {budget}"));
        return Ok(HookOutcome { message, project: Some(project.path), ..HookOutcome::default() });
    }
    let noted = memory::shown(&mut memory, Channel::AutoPack, cards, session);
    Ok(HookOutcome {
        answer: Some(answer::context(call, "pack", &page.lines.join("\n"))),
        result: RunResult::Told,
        message: noted.err().map(|error| format!("not noted: {}", error.message)),
        project: Some(project.path),
        ..HookOutcome::default()
    })
}

/// Lines within a budget.
struct BudgetedLines {
    lines: Vec<String>,
    room: u64,
    /// A line did not fit.
    unfit: bool,
}

impl BudgetedLines {
    /// Adds a line that fits and is wanted.
    fn add(&mut self, line: String, is_wanted: impl FnOnce() -> bool) -> bool {
        let tokens = u64::from(estimate_tokens(&line));
        if tokens > self.room {
            self.unfit = true;
            return false;
        }
        if !is_wanted() {
            return false;
        }
        self.room -= tokens;
        self.lines.push(line);
        true
    }
}
