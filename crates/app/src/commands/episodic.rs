use backstory_engine::model::estimate_tokens;
use backstory_engine::retrieve::{
    AnswerChain, ChainItem, ChainScore, Direction, Episodic, EpisodicAnswer, Experience, FollowUp, Search,
    recall_or_predict,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{home, json, terminal};

use super::query::{QueryArgs, limit};
use super::{Answers, answer, case_story, search};

/// Show how something came about
///
/// Finds the piece of work that answers best and tells it in order of time: what led to it,
/// what was decided, found and refuted on the way, how it was checked, and what followed.
/// Other work that answers comes after it. A larger --budget tells more. With --seed-mode,
/// and for what is known of passages alone (--kind, --files, --thinking), it follows the
/// graph backward from the best matches and prints the passages on the way.
#[derive(clap::Args)]
pub struct RecallCommand {
    #[command(flatten)]
    query: QueryArgs,
    /// Show at most N cases, or N passages: of each chain those nearest to the match
    #[arg(long, short = 'n', value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// How to choose the best chain
    #[arg(long, value_name = "MODE", default_value = "median")]
    chain_score: ChainScoreMode,
}

/// Show what came next in similar situations
///
/// Describe the current situation. The command finds similar ones, follows the graph
/// forward from them, and counts what followed: commands, files, requests.
#[derive(clap::Args)]
pub struct PredictCommand {
    #[command(flatten)]
    query: QueryArgs,
    /// Show at most N items: of each chain those nearest to the match
    #[arg(long, short = 'n', value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// How to choose the best chain
    #[arg(long, value_name = "MODE", default_value = "median")]
    chain_score: ChainScoreMode,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub enum ChainScoreMode {
    /// The highest median similarity of its chunks
    Median,
    /// The highest similarity per token
    PerToken,
}

impl ChainScoreMode {
    pub fn score(self) -> ChainScore {
        match self {
            ChainScoreMode::Median => ChainScore::Median,
            ChainScoreMode::PerToken => ChainScore::PerToken,
        }
    }
}

impl Answers for RecallCommand {
    fn as_json(&self) -> bool {
        self.query.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        if let Some(reply) = case_story::reply(context, &self.query, self.limit)? {
            return Ok(reply);
        }
        let answer = follow(context, &self.query, self.limit, Direction::Backward, self.chain_score.score())?;
        Ok(reply("recall", &self.query, answer))
    }
}

impl Answers for PredictCommand {
    fn as_json(&self) -> bool {
        self.query.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let answer = follow(context, &self.query, self.limit, Direction::Forward, self.chain_score.score())?;
        Ok(reply("predict", &self.query, answer))
    }
}

fn follow(
    context: &mut AskContext,
    query: &QueryArgs,
    limit: Option<usize>,
    direction: Direction,
    chain_score: ChainScore,
) -> Result<(Search, EpisodicAnswer), AppError> {
    let mut question = Episodic { search: query.search(context, limit)?, direction, chain_score };
    let (memory, model) = context.with_model(&mut question.search)?;
    let (log, views) = memory.parts();
    let mut answer = recall_or_predict(log, views, model, &question)?;
    answer.notices.iter().for_each(|notice| context.notice(notice));
    if let Some(limit) = limit {
        keep_nearest(&mut answer, limit, direction);
    }
    Ok((question.search, answer))
}

/// Keeps the first chains, and of each the items nearest to the match, which is at the start of the walk.
fn keep_nearest(answer: &mut EpisodicAnswer, limit: usize, direction: Direction) {
    let mut room = limit;
    for chain in &mut answer.chains {
        let over = chain.items.len().saturating_sub(room);
        let dropped: Vec<ChainItem> = match direction {
            Direction::Backward => chain.items.drain(..over).collect(),
            Direction::Forward => chain.items.drain(chain.items.len() - over..).collect(),
        };
        let tokens: u64 = dropped.iter().map(|item| u64::from(estimate_tokens(&item.shown.text))).sum();
        answer.tokens = answer.tokens.saturating_sub(tokens);
        room -= chain.items.len();
    }
    answer.chains.retain(|chain| !chain.items.is_empty());
}

fn reply(verb: &'static str, query: &QueryArgs, (question, answer): (Search, EpisodicAnswer)) -> Reply {
    let json = json::episodic(&question.text, &answer);
    let is_empty = answer.chains.is_empty() && answer.fallback.as_ref().is_none_or(|found| found.items.is_empty());
    match is_empty {
        true => Reply::nothing(verb, json, query.suggestion(&question)),
        false => Reply::recalled(verb, json, render(&answer)),
    }
}

pub fn render(answer: &EpisodicAnswer) -> String {
    let mut out = answer.experience.as_ref().map(render_experience).unwrap_or_default();
    for chain in &answer.chains {
        out.push_str(&render_chain(chain, answer.chains.len() > 1));
    }
    if let Some(found) = &answer.fallback {
        out.push_str(&search::text(found));
    }
    out
}

fn render_chain(chain: &AnswerChain, among_others: bool) -> String {
    let left_out = chain.length - chain.items.len();
    let mut head = format!("── {}, median {:.2}", terminal::count(chain.length as u64, "chunk"), chain.median);
    if left_out > 0 {
        head.push_str(&format!(", {left_out} omitted"));
    }
    if among_others {
        head.push_str(match (chain.best, chain.best_match) {
            (true, _) => " · the best chain",
            (false, true) => " · with the best match",
            (false, false) => " · with another match",
        });
    }
    let mut out = format!("{}\n", terminal::paint(terminal::DIM, &head));
    for item in &chain.items {
        let mark = if item.matched { terminal::paint(terminal::USER, "▶") } else { " ".to_owned() };
        out.push_str(&format!("{}\n{}", answer::heading(&mark, &item.shown), answer::body(&item.shown)));
    }
    out.push('\n');
    out
}

fn render_experience(seen: &Experience) -> String {
    if seen.places == 0 {
        return String::new();
    }
    let places = terminal::count(seen.places as u64, "similar place");
    let sessions = terminal::count(seen.sessions as u64, "session");
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, &format!("What followed in {places} ({sessions}):")));
    for (name, group) in [("ran", &seen.actions), ("changed", &seen.files), ("was asked next", &seen.prompts)] {
        for line in group {
            out.push_str(&format!("  {:>3}× {name}  {}\n", line.support, render_follow_up(line)));
        }
    }
    out.push('\n');
    out
}

fn render_follow_up(seen: &FollowUp) -> String {
    let ended = match seen.ended {
        Some(ended) if ended.failed > 0 => {
            terminal::paint(terminal::BAD, &format!("  {} ok, {} failed", ended.ok, ended.failed))
        }
        Some(ended) if ended.ok > 0 => terminal::paint(terminal::USER, &format!("  {} ok", ended.ok)),
        _ => String::new(),
    };
    let chunk = terminal::paint(terminal::DIM, &format!("[{}]", seen.chunk.short()));
    format!("{}{ended} {chunk}", terminal::clip(home::relative(&seen.what), 100))
}
