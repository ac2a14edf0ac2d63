//! Which passages contain the words of a question, and which are similar to it?

use backstory_language::embed::Embedder;
use backstory_language::text::Tokenizer;

use crate::store::index::{DocNum, Matrix};
use crate::store::{Index, StoreError, ViewReader};

use super::super::RetrieveError;
use super::best::Best;
use super::dates::Days;
use super::scores::{self, WordScores};
use super::words::{self, QueryTerm};
use super::{Filter, Ranking, RankingMode, Scored, vectors};

/// For a smaller matrix, starting a thread costs more than the scan.
const WORTH_A_THREAD: u32 = 20_000;

/// The two lists before fusion.
pub(super) struct Lists<'a> {
    pub terms: Vec<QueryTerm>,
    pub words: WordScores,
    /// By their cosine, best first; absent without vectors.
    pub nearest: Option<Vec<(DocNum, f32)>>,
    /// The question's vector.
    pub query: Option<Vec<f32>>,
    matrix: Option<&'a Matrix>,
}

impl<'a> Lists<'a> {
    pub fn find(
        view: &ViewReader<'_>,
        index: &'a Index,
        embedder: &mut dyn Embedder,
        (text, days): (&str, &Days),
        filter: &Filter,
        ranking: &Ranking,
        notices: &mut Vec<String>,
    ) -> Result<Self, RetrieveError> {
        let mut tokenizer = Tokenizer::new();
        let mut terms = words::query_terms(&mut tokenizer, text, days);
        let query = match (ranking.mode, ranking.vectors > 0.0) {
            (_, false) => None,
            (RankingMode::Seed, true) => vectors::of_query(view, index, embedder, text, notices)?,
            (RankingMode::Measured, true) => {
                let meant = words::without_speakers(&mut tokenizer, index, filter, text);
                vectors::of_query(view, index, embedder, &meant, notices)?
            }
        };
        if let Err(damage) = &index.words {
            notices.push(format!("words are not used ({damage}); `backstory rebuild` recreates their index"));
        }
        let matrix = query.as_ref().and(index.vectors.as_ref().ok());
        let scan = || {
            let (query, matrix) = (query.as_ref()?, matrix?);
            vectors::nearest(matrix, query, index, filter, ranking.candidates)
        };
        let (mut words, nearest) = std::thread::scope(|scope| {
            let other = (index.docs.count() > WORTH_A_THREAD).then(|| scope.spawn(scan));
            let words = scores::score(index, &mut terms, filter, ranking);
            let nearest = match other {
                Some(thread) => thread.join().unwrap_or_default(),
                None => scan(),
            };
            (words, nearest)
        });
        if matrix.is_some() && nearest.is_none() {
            notices.push("vectors are not used (they are damaged); `backstory rebuild` recreates them".to_owned());
        }
        if let (Err(damage), None) = (&index.words, &nearest) {
            return Err(StoreError::Index(format!("neither words nor vectors can be read: {damage}")).into());
        }
        words.complete(index, &terms, ranking, nearest.iter().flatten().map(|(doc, _)| *doc));
        Ok(Lists { terms, words, nearest, query, matrix })
    }

    /// The cosine in full precision.
    pub fn cosine(&self, doc: DocNum) -> f32 {
        self.query.as_ref().zip(self.matrix).map_or(0.0, |(query, matrix)| matrix.cosine(query, doc))
    }

    /// The best passages by their words, best first.
    pub fn best_words(&self, ranking: &Ranking) -> Vec<DocNum> {
        let mut best = Best::new(ranking.candidates);
        self.words.found.iter().for_each(|doc| best.add(*doc, self.words.scores[*doc as usize]));
        best.sorted().into_iter().map(|(doc, _)| doc).collect()
    }

    pub fn nearest_docs(&self) -> Vec<DocNum> {
        self.nearest.iter().flatten().map(|(doc, _)| *doc).collect()
    }

    /// A passage's match with the question, without a score.
    pub fn scored(&self, doc: DocNum) -> Scored {
        let best = self.words.best.max(f32::MIN_POSITIVE);
        Scored {
            doc,
            words: self.words.confidence() * self.words.scores[doc as usize] / best,
            covered: self.words.covered[doc as usize] / self.words.asked.max(f32::MIN_POSITIVE),
            cosine: if self.nearest.is_some() { self.cosine(doc).max(0.0) } else { 0.0 },
            ..Scored::default()
        }
    }
}
