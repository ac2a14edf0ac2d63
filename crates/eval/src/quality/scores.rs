//! Hit rates, reciprocal ranks and recall, summed over questions.

/// Sums over questions of the same kind.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    pub questions: u32,
    hits: [f64; 3],
    reciprocal: f64,
    recall: f64,
}

impl Scores {
    /// `ranked`: whether the nth answer is right. `gold`: the number of right ones.
    pub fn add(&mut self, ranked: &[bool], gold: usize) {
        self.questions += 1;
        for (sum, depth) in self.hits.iter_mut().zip([1, 5, 10]) {
            *sum += f64::from(u8::from(ranked.iter().take(depth).any(|right| *right)));
        }
        if let Some(at) = ranked.iter().position(|right| *right) {
            self.reciprocal += 1.0 / (at + 1) as f64;
        }
        let found = ranked.iter().take(10).filter(|right| **right).count();
        self.recall += found as f64 / gold.max(1) as f64;
    }

    pub fn hit_at_1(&self) -> f64 {
        self.hits[0] / self.count()
    }

    pub fn hit_at_10(&self) -> f64 {
        self.hits[2] / self.count()
    }

    pub fn recall_at_10(&self) -> f64 {
        self.recall / self.count()
    }

    fn count(&self) -> f64 {
        f64::from(self.questions.max(1))
    }

    pub const HEADER: &str = "                                  n   hit@1   hit@5  hit@10     MRR  recall@10";

    pub fn print(&self, name: &str) {
        let [one, five, ten] = self.hits.map(|sum| sum / self.count());
        println!(
            "{name:<30} {:>5} {one:>7.3} {five:>7.3} {ten:>7.3} {:>7.3} {:>10.3}",
            self.questions,
            self.reciprocal / self.count(),
            self.recall_at_10()
        );
    }
}

/// Each answer once, in the order of its first appearance.
pub fn distinct<T: PartialEq>(answers: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for answer in answers {
        if !seen.contains(&answer) {
            seen.push(answer);
        }
    }
    seen
}
