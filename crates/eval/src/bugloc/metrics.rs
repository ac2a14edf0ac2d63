//! How good is a ranking?

use serde::{Deserialize, Serialize};

/// The length of a ranking that is judged.
pub const DEPTH: usize = 10;

/// The measures of one ranking, or their means over many.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Quality {
    /// MAP@10.
    pub map: f64,
    /// Is the first item wanted?
    pub first: f64,
    /// Is one of the first five?
    pub five: f64,
    /// Are all wanted ones among the first ten?
    pub all: f64,
}

/// A number of [`Quality`] with its name.
pub type Measure = (&'static str, fn(&Quality) -> f64);

pub const MEASURES: [Measure; 4] =
    [("MAP@10", |q| q.map), ("Acc@1", |q| q.first), ("Acc@5", |q| q.five), ("all gold@10", |q| q.all)];

impl Quality {
    /// Judges a ranking of items. `is` says whether an item is the wanted one with that number; each counts once.
    pub fn of<T>(ranking: impl IntoIterator<Item = T>, wanted: usize, is: impl Fn(&T, usize) -> bool) -> Self {
        let mut found = vec![false; wanted];
        let (mut sum, mut hits, mut best) = (0.0, 0, usize::MAX);
        for (rank, item) in ranking.into_iter().take(DEPTH).enumerate() {
            let Some(gold) = (0..wanted).find(|&gold| !found[gold] && is(&item, gold)) else { continue };
            found[gold] = true;
            hits += 1;
            best = best.min(rank);
            sum += f64::from(hits) / (rank + 1) as f64;
        }
        Self {
            map: sum / wanted.clamp(1, DEPTH) as f64,
            first: f64::from(u8::from(best == 0)),
            five: f64::from(u8::from(best < 5)),
            all: f64::from(u8::from(found.iter().all(|found| *found))),
        }
    }

    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        let mut count = 0.0;
        for one in all {
            sum.map += one.map;
            sum.first += one.first;
            sum.five += one.five;
            sum.all += one.all;
            count += 1.0;
        }
        let count = f64::max(count, 1.0);
        Self { map: sum.map / count, first: sum.first / count, five: sum.five / count, all: sum.all / count }
    }
}

/// The best `count` by score, best first; equal scores keep their order, as in the program.
pub fn best(scores: &[f32], count: usize) -> Vec<usize> {
    let mut top: Vec<usize> = Vec::with_capacity(count + 1);
    for (item, &score) in scores.iter().enumerate() {
        if top.len() == count && score <= scores[top[count - 1]] {
            continue;
        }
        let at = top.partition_point(|&other| scores[other] >= score);
        top.insert(at, item);
        top.truncate(count);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::{Quality, best};

    #[test]
    fn quality_of_a_ranking() {
        let of = |ranking: &[usize], wanted: &[usize]| {
            Quality::of(ranking.iter().copied(), wanted.len(), |item, gold| wanted[gold] == *item)
        };
        let quality = of(&[7, 3, 5], &[3, 5]);
        assert!((quality.map - (1.0 / 2.0 + 2.0 / 3.0) / 2.0).abs() < 1e-9);
        assert_eq!((quality.first, quality.five, quality.all), (0.0, 1.0, 1.0));
        assert_eq!(of(&[3, 3], &[3, 5]).map, 0.5, "the same twice counts once");
        assert_eq!(of(&[], &[3]).all, 0.0);
    }

    #[test]
    fn the_best_come_first_and_equals_in_order() {
        assert_eq!(best(&[0.1, 0.9, 0.5, 0.9], 3), [1, 3, 2]);
    }
}
