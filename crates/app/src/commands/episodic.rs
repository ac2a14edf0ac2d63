use backstory_engine::retrieve::{
    AnswerChain, ChainScore, Direction, Episodic, EpisodicAnswer, Experience, FollowUp, recall_or_predict,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{home, json, terminal};

use super::query::QueryArgs;
use super::{Answers, answer, search};

/// Show the steps that led to something
///
/// Finds the best matches and follows the graph backward from them, across
/// sub-agents and sessions; the steps are printed in order of time. Where no chain
/// of steps exists, it says so and prints ranked results.
#[derive(clap::Args)]
pub struct RecallCommand {
    #[command(flatten)]
    query: QueryArgs,
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
        follow("recall", context, &self.query, Direction::Backward, self.chain_score.score())
    }
}

impl Answers for PredictCommand {
    fn as_json(&self) -> bool {
        self.query.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        follow("predict", context, &self.query, Direction::Forward, self.chain_score.score())
    }
}

fn follow(
    verb: &'static str,
    context: &mut AskContext,
    query: &QueryArgs,
    direction: Direction,
    chain_score: ChainScore,
) -> Result<Reply, AppError> {
    let mut question = Episodic { search: query.search(context, None)?, direction, chain_score };
    let (memory, model) = context.with_model(&mut question.search)?;
    let (log, views) = memory.parts();
    let told = recall_or_predict(log, views, model, &question)?;
    told.notices.iter().for_each(|notice| context.notice(notice));
    let json = json::episodic(&question.search.text, &told);
    let empty = told.chains.is_empty() && told.fallback.as_ref().is_none_or(|found| found.items.is_empty());
    if empty {
        return Ok(Reply::nothing(verb, json, query.suggestion(&question.search)));
    }
    Ok(Reply::recalled(verb, json, text(&told)))
}

pub fn text(told: &EpisodicAnswer) -> String {
    let mut out = told.experience.as_ref().map(experience).unwrap_or_default();
    for chain in &told.chains {
        out.push_str(&tell_chain(chain, told.chains.len() > 1));
    }
    if let Some(found) = &told.fallback {
        out.push_str(&search::text(found));
    }
    out
}

fn tell_chain(chain: &AnswerChain, among_others: bool) -> String {
    let left_out = chain.length - chain.items.len();
    let mut head = format!("── {}, median {:.2}", terminal::count(chain.length as u64, "chunk"), chain.median);
    if left_out > 0 {
        head.push_str(&format!(", {left_out} omitted (--budget)"));
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

fn experience(seen: &Experience) -> String {
    if seen.places == 0 {
        return String::new();
    }
    let places = terminal::count(seen.places as u64, "similar place");
    let sessions = terminal::count(seen.sessions as u64, "session");
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, &format!("What followed in {places} ({sessions}):")));
    for (name, group) in [("ran", &seen.actions), ("changed", &seen.files), ("was asked next", &seen.prompts)] {
        for line in group {
            out.push_str(&format!("  {:>3}× {name}  {}\n", line.support, tell_seen(line)));
        }
    }
    out.push('\n');
    out
}

fn tell_seen(seen: &FollowUp) -> String {
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
