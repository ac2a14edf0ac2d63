//! Keeps the best entries of a list.

use crate::store::index::DocNum;

/// Keeps the best N of the added passages, which are added in numerical order.
pub(super) struct Best {
    wanted: usize,
    kept: Vec<(DocNum, f32)>,
    /// Passages that are not better than this are dropped.
    least: f32,
}

impl Best {
    pub fn new(wanted: usize) -> Self {
        Best { wanted, kept: Vec::new(), least: 0.0 }
    }

    /// Most passages are not better than the current threshold.
    pub fn wants(&self, score: f32) -> bool {
        score > self.least
    }

    #[inline]
    pub fn add(&mut self, doc: DocNum, score: f32) {
        if self.wants(score) {
            self.keep(doc, score);
        }
    }

    fn keep(&mut self, doc: DocNum, score: f32) {
        self.kept.push((doc, score));
        if self.kept.len() >= 2 * self.wanted.max(1) {
            self.shrink();
            self.least = self.worst();
        }
    }

    /// Best first, in a deterministic order.
    pub fn sorted(mut self) -> Vec<(DocNum, f32)> {
        self.kept.sort_unstable_by(order);
        self.kept.truncate(self.wanted);
        self.kept
    }

    /// In order of their numbers.
    pub fn numbered(mut self) -> Vec<DocNum> {
        self.shrink();
        let mut docs: Vec<DocNum> = self.kept.into_iter().map(|(doc, _)| doc).collect();
        docs.sort_unstable();
        docs
    }

    /// The score of the last kept passage; 0 if there are fewer than wanted.
    pub fn threshold(mut self) -> f32 {
        self.shrink();
        if self.kept.len() < self.wanted { 0.0 } else { self.worst() }
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.wanted {
            self.kept.select_nth_unstable_by(self.wanted, order);
            self.kept.truncate(self.wanted);
        }
    }

    fn worst(&self) -> f32 {
        self.kept.iter().fold(f32::INFINITY, |least, (_, score)| least.min(*score))
    }
}

fn order(a: &(DocNum, f32), b: &(DocNum, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}
