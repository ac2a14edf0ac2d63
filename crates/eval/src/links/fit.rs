//! Fits weights that make the labelled links likely: regularised multinomial logistic regression, by L-BFGS over all
//! examples at once. Deterministic.

use backstory_language::talk::reply::Feature;

const N: usize = Feature::COUNT;
type Weights = [f64; N];

/// Lines with their candidates.
#[derive(Default)]
pub struct Examples {
    features: Vec<u8>,
    values: Vec<f32>,
    /// The start of each row in `features`, and whether the row is right.
    rows: Vec<(u32, bool)>,
    /// The start of each example in `rows`.
    begins: Vec<u32>,
}

impl Examples {
    pub fn begin(&mut self) {
        self.begins.push(self.rows.len() as u32);
    }

    pub fn row(&mut self, values: &[(Feature, f32)], is_right: bool) {
        self.rows.push((self.features.len() as u32, is_right));
        self.features.extend(values.iter().map(|(feature, _)| *feature as u8));
        self.values.extend(values.iter().map(|(_, value)| *value));
    }

    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// The loss of the examples `from..to` and its gradient.
    fn part(&self, from: usize, to: usize, weights: &Weights) -> (f64, Weights) {
        let (mut loss, mut slope) = (0.0, [0.0; N]);
        let mut scores: Vec<f64> = Vec::new();
        let row_end = |row: usize| self.rows.get(row + 1).map_or(self.features.len(), |next| next.0 as usize);
        for example in from..to {
            let begin = self.begins[example] as usize;
            let end = self.begins.get(example + 1).map_or(self.rows.len(), |next| *next as usize);
            scores.clear();
            for row in begin..end {
                let span = self.rows[row].0 as usize..row_end(row);
                let pairs = self.features[span.clone()].iter().zip(&self.values[span]);
                scores.push(pairs.map(|(feature, value)| weights[*feature as usize] * f64::from(*value)).sum());
            }
            let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let (mut all, mut right) = (0.0, 0.0);
            for (row, score) in (begin..end).zip(&mut scores) {
                *score = (*score - highest).exp();
                all += *score;
                right += if self.rows[row].1 { *score } else { 0.0 };
            }
            loss -= (right / all).ln();
            for (row, score) in (begin..end).zip(&scores) {
                let push = score / all - if self.rows[row].1 { score / right } else { 0.0 };
                let span = self.rows[row].0 as usize..row_end(row);
                for (feature, value) in self.features[span.clone()].iter().zip(&self.values[span]) {
                    slope[*feature as usize] += push * f64::from(*value);
                }
            }
        }
        (loss, slope)
    }

    /// The mean loss with the penalty, and its gradient. Parts are summed in order, so that the number of threads
    /// changes nothing.
    fn loss(&self, weights: &Weights, penalty: f64, used: &[bool; N]) -> (f64, Weights) {
        const PARTS: usize = 8;
        let cut = |part: usize| self.len() * part / PARTS;
        let parts: Vec<(f64, Weights)> = std::thread::scope(|scope| {
            let half = |from: usize| {
                move || {
                    (from..from + PARTS / 2)
                        .map(|part| self.part(cut(part), cut(part + 1), weights))
                        .collect::<Vec<_>>()
                }
            };
            let second = scope.spawn(half(PARTS / 2));
            let mut parts = half(0)();
            parts.extend(second.join().unwrap_or_default());
            parts
        });
        let count = self.len().max(1) as f64;
        let (mut loss, mut slope) = (0.0, [0.0; N]);
        for (part_loss, part_slope) in parts {
            loss += part_loss / count;
            for at in 0..N {
                slope[at] += part_slope[at] / count;
            }
        }
        for at in 0..N {
            loss += 0.5 * penalty / count * weights[at] * weights[at];
            slope[at] = if used[at] { slope[at] + penalty / count * weights[at] } else { 0.0 };
        }
        (loss, slope)
    }
}

/// Weights for the features that are `used`; the others keep their start.
pub fn fit(examples: &Examples, penalty: f64, used: &[bool; N], start: [f32; N]) -> [f32; N] {
    const ROUNDS: usize = 150;
    const MEMORY: usize = 10;
    let mut weights = start.map(f64::from);
    let (mut loss, mut slope) = examples.loss(&weights, penalty, used);
    let mut steps: Vec<(Weights, Weights)> = Vec::new();
    for _ in 0..ROUNDS {
        let direction = direction(&slope, &steps);
        let fall = dot(&direction, &slope);
        let mut length = if steps.is_empty() { 1.0 / dot(&slope, &slope).sqrt().max(1.0) } else { 1.0 };
        let (next, next_loss, next_slope) = loop {
            let next: Weights = std::array::from_fn(|at| weights[at] + length * direction[at]);
            let (next_loss, next_slope) = examples.loss(&next, penalty, used);
            if next_loss <= loss + 1e-4 * length * fall || length < 1e-8 {
                break (next, next_loss, next_slope);
            }
            length *= 0.5;
        };
        let moved: Weights = std::array::from_fn(|at| next[at] - weights[at]);
        let bent: Weights = std::array::from_fn(|at| next_slope[at] - slope[at]);
        let gain = loss - next_loss;
        (weights, loss, slope) = (next, next_loss, next_slope);
        if dot(&moved, &bent) > 1e-12 {
            steps.push((moved, bent));
            if steps.len() > MEMORY {
                steps.remove(0);
            }
        }
        if gain < 1e-7 {
            break;
        }
    }
    weights.map(|weight| weight as f32)
}

/// The descent direction, from the curvature of the last steps.
fn direction(slope: &Weights, steps: &[(Weights, Weights)]) -> Weights {
    let mut way = slope.map(|at| -at);
    let mut along = Vec::new();
    for (moved, bent) in steps.iter().rev() {
        let share = dot(moved, &way) / dot(moved, bent);
        along.push(share);
        (0..N).for_each(|at| way[at] -= share * bent[at]);
    }
    if let Some((moved, bent)) = steps.last() {
        let scale = dot(moved, bent) / dot(bent, bent);
        way.iter_mut().for_each(|at| *at *= scale);
    }
    for ((moved, bent), share) in steps.iter().zip(along.iter().rev()) {
        let back = dot(bent, &way) / dot(moved, bent);
        (0..N).for_each(|at| way[at] += (share - back) * moved[at]);
    }
    way
}

fn dot(a: &Weights, b: &Weights) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
