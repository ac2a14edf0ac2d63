//! What led to the case that answers, how did it go, and what followed? For `recall`.

use backstory_engine::model::Channel;
use backstory_engine::retrieve::{
    CaseStory, Extent, SEARCH_LIMIT, STORY_BUDGET, STORY_LINES, StoryAnswer, ToldCase, recall_case,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, terminal};

use super::case_text::Across;
use super::query::QueryArgs;
use super::{case_text, search};

/// None where only passages answer.
pub fn reply(context: &mut AskContext, query: &QueryArgs, limit: Option<usize>) -> Result<Option<Reply>, AppError> {
    let mut question = query.search(context, limit)?;
    if !case_text::can_answer(&question) {
        return Ok(None);
    }
    let cases = limit.unwrap_or(SEARCH_LIMIT);
    let extent = query.extent(
        &question,
        Extent { lines: STORY_LINES, columns: terminal::terminal_width(), tokens: STORY_BUDGET, cases },
    )?;
    let (memory, model) = context.with_model(&mut question)?;
    let (log, views) = memory.parts();
    let answer = recall_case(log, views, model, &question, extent)?;
    if answer.only_passages {
        return Ok(None);
    }
    let cards = answer.cards.iter().map(|hit| hit.card.id).collect();
    context.shown(Channel::Search, cards, None, question.text.clone())?;
    answer.notices.iter().for_each(|notice| context.notice(notice));
    let json = json::case_story(&question.text, &answer);
    Ok(Some(match answer.story.is_none() && answer.cards.is_empty() {
        true => Reply::nothing("recall", json, query.suggestion(&question)),
        false => Reply::recalled("recall", json, text(&answer, Across::of(&question))),
    }))
}

pub fn text(answer: &StoryAnswer, across: Across) -> String {
    let cards: String = answer.cards.iter().map(search::card_text).collect();
    let story = answer.story.as_ref().map(|story| render(story, across)).unwrap_or_default();
    let others: String = answer.others.iter().map(|case| case_text::render("also: ", case, across)).collect();
    format!("{cards}{story}{others}")
}

/// In the order of time; of the cases around it only what they came to.
fn render(story: &CaseStory, across: Across) -> String {
    let around = |label: &str, told: &[ToldCase]| -> String {
        told.iter().map(|case| case_text::render_statements(label, case, across)).collect()
    };
    let (before, after) = (around("before: ", &story.before), around("after: ", &story.after));
    format!("{before}{}{after}", case_text::render("", &story.case, across))
}
