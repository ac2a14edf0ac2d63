use backstory_engine::retrieve::rank::Scored;
use backstory_engine::retrieve::{
    CandidateFate, Direction, Episodic, Explained, ExplainedVerb, Reason, explain, find_chunk,
};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, terminal};

use super::episodic::ChainScoreMode;
use super::query::{QueryArgs, limit};
use super::why::explain_causes;
use super::{Answers, free_text};

/// Show how the items of an answer were ranked
///
/// Repeats the question and prints for each item its rank and score by words and by
/// vectors, what its neighbours and its session added, and whether it was shown.
/// --chunk explains why a chunk is not in the answer; with `why`, --document does the
/// same for a place in the code.
#[derive(clap::Args)]
pub struct ExplainCommand {
    /// The command that answers
    verb: Verb,
    #[command(flatten)]
    query: QueryArgs,
    /// A chunk that you expected: its id, or its first digits
    #[arg(long, value_name = "ID")]
    chunk: Option<String>,
    /// For `why`: what you expected: FILE, FILE:LINE, FILE:NAME, a commit, or the id of a session or card
    #[arg(long, value_name = "PLACE")]
    document: Option<String>,
    /// Show at most N items
    #[arg(long, short = 'n', value_name = "N", value_parser = limit)]
    limit: Option<usize>,
    /// How to choose the best chain (recall, predict)
    #[arg(long, value_name = "MODE", default_value = "median")]
    chain_score: ChainScoreMode,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Verb {
    Search,
    Recall,
    Predict,
    /// The causes that `why` ranks
    Why,
}

impl Answers for ExplainCommand {
    fn as_json(&self) -> bool {
        self.query.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        if let Verb::Why = self.verb {
            let question =
                free_text::needed(self.query.text(), "the question", "backstory explain why \"checkout times out\"")?;
            let scope = &self.query.scope;
            return explain_causes(context, &question, self.document.as_deref(), self.limit, scope);
        }
        let search = self.query.search(context, self.limit)?;
        let direction = match self.verb {
            Verb::Search | Verb::Why => None,
            Verb::Recall => Some(Direction::Backward),
            Verb::Predict => Some(Direction::Forward),
        };
        let views = context.memory()?.views();
        let chunk = self.chunk.as_deref().map(|asked| find_chunk(&views.read(), asked)).transpose()?;
        let mut question = Episodic {
            search,
            direction: direction.unwrap_or(Direction::Backward),
            chain_score: self.chain_score.score(),
        };
        let verb = if direction.is_some() { ExplainedVerb::Chains } else { ExplainedVerb::Search };
        let (memory, model) = context.with_model(&mut question.search)?;
        let (log, views) = memory.parts();
        let explained = explain(log, views, model, &question, verb, chunk)?;
        explained.notices.iter().for_each(|notice| context.notice(notice));
        let json = json::explained(&question.search.text, &explained);
        Ok(Reply::recalled("explain", json, text(&explained)))
    }
}

fn text(explained: &Explained) -> String {
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "Words of the question"));
    for term in &explained.terms {
        let found = match term.passages {
            0 => terminal::paint(terminal::WARN, "nowhere"),
            1 => "in 1 passage".to_owned(),
            many => format!("in {many} passages"),
        };
        out.push_str(&format!("  {:<28} weight {:>5.2}  {found}\n", term.term, term.weight));
    }
    out.push_str(&format!(
        "\n{}\n",
        terminal::paint(terminal::BOLD, &format!("{} chunks considered", explained.considered))
    ));
    for candidate in &explained.candidates {
        out.push_str(&format!(
            "  [{}] {}\n      {}\n",
            candidate.chunk.short(),
            fate(candidate.fate),
            parts(&candidate.score)
        ));
    }
    if !explained.chains.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::BOLD, "Chains walked")));
        for (at, chain) in explained.chains.iter().enumerate() {
            let won = if explained.best == Some(at) { terminal::paint(terminal::USER, "  won") } else { String::new() };
            let from = chain.seed().map(|seed| seed.short().to_string()).unwrap_or_default();
            let length = terminal::count(chain.nodes.len() as u64, "chunk");
            let scores = format!("median {:.3}, per token {:.6}", chain.median, chain.per_token);
            out.push_str(&format!("  from [{from}] {length}, {scores}{won}\n"));
            let steps = chain.nodes.iter().skip(1).take(SHOWN_STEPS);
            let steps: Vec<String> = steps.map(|node| format!("[{}] {:.2}", node.chunk.short(), node.score)).collect();
            if !steps.is_empty() {
                let more = if chain.nodes.len() > SHOWN_STEPS + 1 { " → …" } else { "" };
                out.push_str(&terminal::paint(terminal::DIM, &format!("    → {}{more}\n", steps.join(" → "))));
            }
        }
    }
    if let Some((chunk, reason)) = &explained.asked {
        out.push_str(&format!(
            "\n{}\n  {}\n",
            terminal::paint(terminal::BOLD, &format!("[{}]", chunk.short())),
            why(reason)
        ));
    }
    out
}

/// The number of steps of a chain that are listed.
const SHOWN_STEPS: usize = 6;

fn fate(fate: CandidateFate) -> String {
    match fate {
        CandidateFate::Shown => terminal::paint(terminal::USER, "shown"),
        CandidateFate::Duplicate => "omitted: a duplicate of a shown item".to_owned(),
        CandidateFate::TooWeak => "omitted: too far from the question".to_owned(),
        CandidateFate::OtherFiles => "omitted: touches none of the requested files".to_owned(),
        CandidateFate::OverLimit => "omitted: over the limit (--limit)".to_owned(),
        CandidateFate::OverBudget => "omitted: over the budget (--budget)".to_owned(),
        CandidateFate::NoSeed => "omitted: only the best five are followed".to_owned(),
    }
}

fn parts(score: &Scored) -> String {
    let rank = |rank: Option<u32>| rank.map_or("not in the list".to_owned(), |rank| format!("#{rank}"));
    let mut parts = vec![
        format!("score {:.3} =", score.score),
        format!(
            "own {:.3} (words {} {:.3} with {:.0} % of the question, vectors {} cosine {:.3})",
            score.own,
            rank(score.words_rank),
            score.words,
            100.0 * score.covered,
            rank(score.vectors_rank),
            score.cosine
        ),
        format!("+ neighbours {:.3}", score.neighbours),
        format!("+ session {:.3}", score.session),
        format!("+ turn {:.3}", score.turn),
    ];
    if score.date > 0.0 {
        parts.push(format!("+ requested day {:.3}", score.date));
    }
    if score.verbatim > 0.0 {
        parts.push(format!("+ verbatim {:.3}", score.verbatim));
    }
    if score.recency > 0.0 {
        parts.push(format!("+ recency {:.3}", score.recency));
    }
    if let Some(cluster) = score.cluster {
        parts.push(format!("(sibling in cluster {cluster})"));
    }
    if score.likeness > 0.0 {
        parts.push(format!("(similar to an earlier item: {:.2})", score.likeness));
    }
    parts.join(" ")
}

fn why(reason: &Reason) -> String {
    match reason {
        Reason::Considered { place, fate: chunk_fate, score } => {
            format!("{} of the list: {}\n  {}", place, fate(*chunk_fate), parts(score))
        }
        Reason::InChain { seed, shown, won } => {
            let chain = format!("the chain from [{}]", seed.short());
            match (shown, won) {
                (true, _) => format!("{chain} leads to it"),
                (false, true) => format!("{chain} leads to it, but the budget was used up (--budget)"),
                (false, false) => format!("{chain} leads to it, but another chain won"),
            }
        }
        Reason::Filtered { by } => format!("never considered: another {by} than requested"),
        Reason::NoMatch { cosine } => {
            format!(
                "never considered: none of the question's words, cosine {cosine:.3}, not among the best of either list"
            )
        }
        Reason::Outranked { words, cosine } => {
            format!("not among the best of either list: has {words} of the question's words, cosine {cosine:.3}")
        }
        Reason::NotIndexed => "not in the index; `backstory rebuild` recreates the index".to_owned(),
    }
}
