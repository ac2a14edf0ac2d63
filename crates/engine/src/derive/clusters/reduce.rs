//! Reduces vectors to the few dimensions in which they differ most.

/// Additional directions are iterated, because the wanted ones then converge sooner.
const SPARE: usize = 8;
const ITERATIONS: usize = 40;

/// The principal axes of some vectors.
pub struct Axes {
    mean: Vec<f32>,
    axes: Vec<Vec<f32>>,
}

impl Axes {
    /// At most `count` axes, strongest first. The same vectors in the same order
    /// give the same axes.
    pub fn fit(vectors: &[Vec<f32>], count: usize) -> Self {
        let dim = vectors.first().map_or(0, Vec::len);
        let mean = mean(vectors, dim);
        let covariance = covariance(vectors, &mean, dim);
        let mut directions = start(dim, (count + SPARE).min(dim));
        orthonormalise(&mut directions);
        for _ in 0..ITERATIONS {
            for direction in &mut directions {
                *direction = covariance.iter().map(|row| dot(row, direction)).collect();
            }
            orthonormalise(&mut directions);
        }
        directions.truncate(count);
        let axes = directions.iter().map(|axis| axis.iter().map(|value| *value as f32).collect()).collect();
        Axes { mean: mean.iter().map(|value| *value as f32).collect(), axes }
    }

    pub fn project(&self, vector: &[f32]) -> Vec<f32> {
        let centred: Vec<f32> = vector.iter().zip(&self.mean).map(|(value, mean)| value - mean).collect();
        self.axes.iter().map(|axis| axis.iter().zip(&centred).map(|(a, b)| a * b).sum()).collect()
    }
}

fn mean(vectors: &[Vec<f32>], dim: usize) -> Vec<f64> {
    let mut mean = vec![0.0; dim];
    for vector in vectors {
        mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    mean.iter_mut().for_each(|sum| *sum /= vectors.len().max(1) as f64);
    mean
}

fn covariance(vectors: &[Vec<f32>], mean: &[f64], dim: usize) -> Vec<Vec<f64>> {
    let mut covariance = vec![vec![0.0; dim]; dim];
    for vector in vectors {
        let centred: Vec<f64> = vector.iter().zip(mean).map(|(value, mean)| f64::from(*value) - mean).collect();
        for (row, value) in covariance.iter_mut().zip(&centred) {
            row.iter_mut().zip(&centred).for_each(|(sum, other)| *sum += value * other);
        }
    }
    covariance
}

/// Deterministic pseudo-random directions.
fn start(dim: usize, count: usize) -> Vec<Vec<f64>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| (0..dim).map(|_| next()).collect()).collect()
}

/// Gram-Schmidt; a direction without variance becomes zero.
fn orthonormalise(directions: &mut [Vec<f64>]) {
    for at in 0..directions.len() {
        let (before, rest) = directions.split_at_mut(at);
        let direction = &mut rest[0];
        let length = dot(direction, direction).sqrt();
        for other in before {
            let along = dot(direction, other);
            direction.iter_mut().zip(other).for_each(|(value, other)| *value -= along * *other);
        }
        let left = dot(direction, direction).sqrt();
        let scale = if left > length * 1e-10 { 1.0 / left } else { 0.0 };
        direction.iter_mut().for_each(|value| *value *= scale);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in five dimensions that vary along a line and, much less, beside it.
    fn cigar() -> Vec<Vec<f32>> {
        (0..50)
            .map(|at| {
                let (along, beside) = (at as f32 - 25.0, ((at * 7) % 5) as f32 * 0.1);
                vec![3.0 + along, 1.0 + along, beside, -beside, 2.0]
            })
            .collect()
    }

    #[test]
    fn the_first_axis_is_where_most_happens() {
        let axes = Axes::fit(&cigar(), 2);
        let along = 0.5f32.sqrt();
        let expected = [along, along, 0.0, 0.0, 0.0];
        let sign = axes.axes[0][0].signum();
        for (value, expected) in axes.axes[0].iter().zip(expected) {
            assert!((value * sign - expected).abs() < 1e-2, "{:?}", axes.axes[0]);
        }
    }

    #[test]
    fn distances_within_the_axes_are_kept() {
        let points = cigar();
        let axes = Axes::fit(&points, 4);
        let distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        for pair in points.windows(2) {
            let reduced = distance(&axes.project(&pair[0]), &axes.project(&pair[1]));
            assert!((reduced - distance(&pair[0], &pair[1])).abs() < 1e-3);
        }
    }

    #[test]
    fn survives_what_does_not_vary() {
        assert_eq!(Axes::fit(&[], 4).project(&[]), Vec::<f32>::new());
        let axes = Axes::fit(&vec![vec![1.0, 2.0, 3.0]; 4], 2);
        assert_eq!(axes.project(&[1.0, 2.0, 3.0]), vec![0.0, 0.0]);
    }
}
