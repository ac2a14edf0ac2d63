//! Finds the principal directions: eigenvectors of a symmetric matrix, by Jacobi's rotations.

/// A projection onto the principal directions of `rows`; not centred, so that cosines are preserved.
pub(super) struct Projection {
    /// The directions, in order.
    directions: Vec<Vec<f64>>,
}

impl Projection {
    /// The `dim` directions that preserve most of `rows`.
    pub(super) fn fit(rows: &[Vec<f32>], dim: usize) -> Self {
        let (values, mut vectors) = eigen(second_moments(rows));
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let kept: f64 = order.iter().take(dim).map(|&at| values[at]).sum();
        println!("{dim} of {} directions keep {:.4} of the vectors", values.len(), kept / values.iter().sum::<f64>());
        let directions = order.iter().take(dim).map(|&at| std::mem::take(&mut vectors[at])).collect();
        Self { directions }
    }

    /// The coordinates of `row` in these directions.
    pub(super) fn apply(&self, row: &[f32]) -> Vec<f32> {
        let along =
            |direction: &Vec<f64>| row.iter().zip(direction).map(|(x, y)| f64::from(*x) * y).sum::<f64>() as f32;
        self.directions.iter().map(along).collect()
    }
}

fn second_moments(rows: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut moments = vec![vec![0.0; width]; width];
    for row in rows {
        for (sums, &x) in moments.iter_mut().zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, &y)| *sum += f64::from(x * y));
        }
    }
    moments
}

/// Eigenvalues and, row by row, eigenvectors of a symmetric matrix.
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    const SWEEPS: usize = 12;
    let n = matrix.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    ((0..n).map(|i| matrix[i][i]).collect(), vectors)
}

/// Rotates the axes p and q so that the matrix has a zero there.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let meeting = matrix[p][q];
    if meeting.abs() < 1e-12 {
        return;
    }
    let half = (matrix[q][q] - matrix[p][p]) / (2.0 * meeting);
    let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    turn_rows(matrix, p, q, cosine, sine);
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    turn_rows(vectors, p, q, cosine, sine);
}

fn turn_rows(rows: &mut [Vec<f64>], p: usize, q: usize, cosine: f64, sine: f64) {
    let (head, tail) = rows.split_at_mut(q);
    for (a, b) in head[p].iter_mut().zip(&mut tail[0]) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

#[cfg(test)]
mod tests {
    use super::Projection;

    #[test]
    fn keeps_the_longest_direction() {
        let rows = [vec![3.0, 3.0, 0.1], vec![-2.0, -2.0, 0.0], vec![0.0, 0.1, -0.1]];
        let kept = Projection::fit(&rows, 1).apply(&[1.0, 1.0, 0.0]);
        assert!((kept[0].abs() - 2f32.sqrt()).abs() < 0.01, "{kept:?}");
    }
}
