//! Fits the table: the sum of a text's rows should point in the direction of the model's vector.

use clap::Args;

/// How the table is fitted.
#[derive(Args, Clone)]
pub(crate) struct FitOptions {
    /// How often each text is seen; 0 leaves the table as it was before
    #[arg(long, default_value_t = 8)]
    epochs: usize,
    /// The largest step of a value
    #[arg(long, default_value_t = 0.003)]
    step: f32,
    /// How strongly rows are held where they were, against texts that are few
    #[arg(long, default_value_t = 0.1)]
    hold: f32,
    /// Texts per step
    #[arg(long, default_value_t = 512)]
    batch: usize,
}

/// A training text.
pub(super) struct Example {
    pub pieces: Vec<u32>,
    /// The model's vector, projected, of unit length.
    pub target: Vec<f32>,
}

/// Fits `rows` to the examples. Deterministic: same input, same table.
pub(super) fn fit(rows: &mut [Vec<f32>], examples: &[Example], options: &FitOptions) {
    let mut steps = Steps::new(rows);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = Random(1);
    let batches = examples.len() / options.batch;
    for epoch in 0..options.epochs {
        random.shuffle(&mut order);
        let mut closeness = 0.0;
        for (at, batch) in order.chunks_exact(options.batch).enumerate() {
            let batch: Vec<&Example> = batch.iter().map(|&at| &examples[at]).collect();
            let progress = (epoch * batches + at) as f32 / (options.epochs * batches) as f32;
            closeness += gradient(rows, &batch, &mut steps);
            steps.take(rows, options.step * (1.0 - progress), options.hold);
        }
        println!("epoch {}: mean cosine {:.4}", epoch + 1, closeness / batches as f32);
    }
}

/// Adds the batch's gradient to `steps`; returns the mean cosine to the targets.
fn gradient(rows: &[Vec<f32>], batch: &[&Example], steps: &mut Steps) -> f32 {
    let mut closeness = 0.0;
    for example in batch {
        let sum = sum(rows, &example.pieces);
        let length = dot(&sum, &sum).sqrt().max(1e-6);
        let unit: Vec<f32> = sum.iter().map(|x| x / length).collect();
        // Only the part perpendicular to the vector turns it.
        let along = dot(&unit, &example.target);
        let change: Vec<f32> = example.target.iter().zip(&unit).map(|(y, x)| (along * x - y) / length).collect();
        example.pieces.iter().for_each(|&id| steps.add(id, &change));
        closeness += along / batch.len() as f32;
    }
    closeness
}

fn sum(rows: &[Vec<f32>], pieces: &[u32]) -> Vec<f32> {
    let mut sum = vec![0.0; rows[0].len()];
    for &id in pieces {
        add(&mut sum, &rows[id as usize]);
    }
    sum
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// In sixteen lanes, so that the compiler can use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
    let mut lanes = [0.0; 16];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}

/// Adam, for the rows that a batch touches.
struct Steps {
    start: Vec<Vec<f32>>,
    mean: Vec<Vec<f32>>,
    square: Vec<Vec<f32>>,
    gradient: Vec<Vec<f32>>,
    touched: Vec<u32>,
    /// The number of updates of each row, for bias correction.
    times: Vec<i32>,
    waiting: Vec<bool>,
}

impl Steps {
    fn new(rows: &[Vec<f32>]) -> Self {
        let zeros: Vec<Vec<f32>> = rows.iter().map(|row| vec![0.0; row.len()]).collect();
        Self {
            start: rows.to_vec(),
            mean: zeros.clone(),
            square: zeros.clone(),
            gradient: zeros,
            touched: Vec::new(),
            times: vec![0; rows.len()],
            waiting: vec![false; rows.len()],
        }
    }

    fn add(&mut self, id: u32, change: &[f32]) {
        let row = id as usize;
        if !self.waiting[row] {
            self.waiting[row] = true;
            self.touched.push(id);
        }
        add(&mut self.gradient[row], change);
    }

    fn take(&mut self, rows: &mut [Vec<f32>], step: f32, hold: f32) {
        const KEEP_MEAN: f32 = 0.9;
        const KEEP_SQUARE: f32 = 0.999;
        for id in std::mem::take(&mut self.touched) {
            let at = id as usize;
            self.waiting[at] = false;
            self.times[at] += 1;
            let mean_correction = 1.0 - KEEP_MEAN.powi(self.times[at]);
            let square_correction = 1.0 - KEEP_SQUARE.powi(self.times[at]);
            let state =
                self.mean[at].iter_mut().zip(&mut self.square[at]).zip(&mut self.gradient[at]).zip(&self.start[at]);
            for (value, (((mean, square), gradient), start)) in rows[at].iter_mut().zip(state) {
                let change = std::mem::take(gradient) + hold * (*value - start);
                *mean = KEEP_MEAN * *mean + (1.0 - KEEP_MEAN) * change;
                *square = KEEP_SQUARE * *square + (1.0 - KEEP_SQUARE) * change * change;
                *value -= step * (*mean / mean_correction) / ((*square / square_correction).sqrt() + 1e-8);
            }
        }
    }
}

/// A deterministic random-number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Example, FitOptions, dot, fit, sum};

    #[test]
    fn sums_of_rows_come_to_point_at_their_targets() {
        let mut rows: Vec<Vec<f32>> =
            (0..4).map(|id| (0..16).map(|at| ((id * 7 + at * 3) % 5) as f32 - 2.0).collect()).collect();
        let target = |hot: usize| (0..16).map(|at| f32::from(u8::from(at == hot))).collect::<Vec<f32>>();
        let texts = [(vec![0, 1], 3), (vec![2], 5), (vec![0, 0, 2], 7)];
        let examples: Vec<Example> =
            texts.iter().map(|(pieces, hot)| Example { pieces: pieces.clone(), target: target(*hot) }).collect();
        let untouched = rows[3].clone();
        fit(&mut rows, &examples, &FitOptions { epochs: 3000, step: 0.03, hold: 0.0, batch: 3 });
        for example in &examples {
            let sum = sum(&rows, &example.pieces);
            let cosine = dot(&sum, &example.target) / dot(&sum, &sum).sqrt();
            assert!(cosine > 0.95, "{cosine}");
        }
        assert_eq!(rows[3], untouched, "a piece in no text stays as it was");
    }
}
