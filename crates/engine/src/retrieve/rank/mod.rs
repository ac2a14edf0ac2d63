//! Which passages answer a question best?
//!
//! [`lists`]: the passages with its [`words`] (by their [`scores`]) and those near to it ([`vectors`]). [`fuse`]
//! combines the two scores; [`context`] adds the scores of neighbours and session, [`dates`] a bonus for the day in the
//! question. [`seed`] follows the rules of the original design instead.

mod best;
mod context;
mod dates;
mod fuse;
mod lists;
mod options;
mod ranked;
mod scores;
mod seed;
mod vectors;
mod words;

pub use dates::Days;
pub use options::{EpisodeSet, Filter, Now, REPORT_WORDS, RankFor, RankQuestion, Ranking, RankingMode};
pub use ranked::{Ranked, Scored};
pub use words::QueryTerm;

use backstory_language::embed::Embedder;

use crate::store::{Index, ViewReader};

use super::RetrieveError;
use lists::Lists;
use ranked::{AnswerThreshold, Records};

/// Ranks the passages that pass the filter.
pub fn rank(
    view: &ViewReader<'_>,
    index: &Index,
    embedder: &mut dyn Embedder,
    question: &RankQuestion<'_>,
) -> Result<Ranked, RetrieveError> {
    let RankQuestion { text, filter, ranking, now, purpose } = *question;
    let days = match ranking.mode {
        RankingMode::Measured => Days::of(text, now),
        RankingMode::Seed => Days::default(),
    };
    let mut notices = Vec::new();
    let lists = Lists::find(view, index, embedder, (text, &days), filter, ranking, &mut notices)?;
    let (passages, threshold) = match ranking.mode {
        RankingMode::Measured => {
            let threshold = AnswerThreshold::of(text, &lists.terms);
            let fused = fuse::fuse(&lists, ranking);
            let mut passages =
                context::with_context(view, index, (text, threshold), fused, &lists.words, filter, ranking)?;
            dates::boost(index, &mut passages, &days, ranking);
            (passages, Some(threshold))
        }
        RankingMode::Seed => {
            let mut passages = seed::fuse_and_expand(view, index, &lists, filter, ranking)?;
            if purpose == RankFor::Search {
                seed::rerank(index, &mut passages, now);
            }
            (passages, None)
        }
    };
    let query = lists.query.filter(|query| query.iter().any(|value| *value != 0.0));
    Ok(Ranked { passages, terms: lists.terms, query, notices, threshold })
}
