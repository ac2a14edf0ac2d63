//! Groups vectors that are close together.

use std::collections::{BTreeMap, HashMap};

use backstory_language::embed::to_unit_length;
use hdbscan::{Hdbscan, HdbscanHyperParams};

use super::reduce::Axes;

/// Distances in hundreds of dimensions mean little and are expensive.
const DIMENSIONS: usize = 32;
/// The minimum size of a group, absolute and as a share of all.
const SMALLEST: usize = 5;
const SMALLEST_SHARE: usize = 600;
/// A group larger than this share of all is split: "everything" is no topic.
const LARGEST_CLUSTER_DIVISOR: usize = 25;
/// The number of neighbours (including itself) that define a vector's density: with more, most
/// vectors become noise.
const NEIGHBOURS: usize = 2;
/// The share of a group's members within its reach.
const REACH: f32 = 0.95;

/// A group's centre and reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// Unit length.
    pub centroid: Vec<f32>,
    pub reach: f32,
}

/// For each vector the number of its group, if it is in one. Vectors of unit
/// length; the order of the vectors decides ties only.
pub fn groups(vectors: &[Vec<f32>]) -> Vec<Option<usize>> {
    // Duplicates count once, or they would dominate.
    let mut distinct: Vec<&Vec<f32>> = Vec::new();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let stand_in: Vec<usize> = vectors
        .iter()
        .map(|vector| {
            *known.entry(vector.iter().map(|value| value.to_bits()).collect()).or_insert_with(|| {
                distinct.push(vector);
                distinct.len() - 1
            })
        })
        .collect();
    drop(known);
    let distinct: Vec<Vec<f32>> = distinct.into_iter().cloned().collect();
    let axes = Axes::fit(&distinct, DIMENSIONS);
    let points: Vec<Vec<f32>> = distinct.iter().map(|vector| unit(axes.project(vector))).collect();
    let smallest = (points.len() / SMALLEST_SHARE).max(SMALLEST);
    if points.len() < 2 * smallest {
        return vec![None; vectors.len()];
    }
    let params = HdbscanHyperParams::builder()
        .min_cluster_size(smallest)
        .max_cluster_size((points.len() / LARGEST_CLUSTER_DIVISOR).max(points.len().min(100)))
        .min_samples(NEIGHBOURS)
        .build();
    let labels = Hdbscan::new(&points, params).cluster().unwrap_or_default();
    let of_point = |point: usize| labels.get(point).and_then(|label| usize::try_from(*label).ok());
    stand_in.into_iter().map(of_point).collect()
}

/// The centre of each group.
pub fn centres(vectors: &[Vec<f32>], groups: &[Option<usize>]) -> BTreeMap<usize, Centre> {
    let mut sums: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for (vector, group) in vectors.iter().zip(groups) {
        if let Some(group) = group {
            let sum = sums.entry(*group).or_insert_with(|| vec![0.0; vector.len()]);
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        }
    }
    let centre = |(group, sum): (usize, Vec<f32>)| {
        let centroid = unit(sum);
        let members = vectors.iter().zip(groups).filter(|(_, of)| **of == Some(group));
        let mut distances: Vec<f32> = members.map(|(vector, _)| distance(vector, &centroid)).collect();
        distances.sort_by(f32::total_cmp);
        let at = ((distances.len() as f32 * REACH) as usize).min(distances.len().saturating_sub(1));
        let reach = distances.get(at).copied().unwrap_or_default();
        (group, Centre { centroid, reach })
    };
    sums.into_iter().map(centre).collect()
}

/// The nearest centre, if the vector is within its reach, and the distance.
pub fn nearest<Number: Copy>(vector: &[f32], centres: &BTreeMap<Number, Centre>) -> Option<(Number, f32)> {
    let near = centres.iter().map(|(number, centre)| (number, distance(vector, &centre.centroid), centre.reach));
    let (number, distance, reach) = near.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (distance <= reach).then_some((*number, distance))
}

/// The cosine distance of two unit vectors.
pub fn distance(a: &[f32], b: &[f32]) -> f32 {
    // Lanes let the compiler use wide instructions.
    let mut lanes = [0f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    (1.0 - lanes.iter().sum::<f32>() - rest).max(0.0)
}

pub fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    to_unit_length(&mut vector);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors around the axes `0..topics`, each a little different.
    fn around(topics: usize, each: usize) -> Vec<Vec<f32>> {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / (1 << 24) as f32 - 0.5) * 0.1
        };
        let mut vectors = Vec::new();
        for topic in 0..topics * each {
            let mut vector: Vec<f32> = (0..48).map(|_| noise()).collect();
            vector[topic % topics] += 1.0;
            vectors.push(unit(vector));
        }
        vectors
    }

    #[test]
    fn what_lies_together_is_one_group() {
        let mut vectors = around(3, 30);
        // An outlier, and one text forty times.
        vectors.push(unit((0..48).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect()));
        vectors.extend(vec![vectors[0].clone(); 40]);
        let groups = groups(&vectors);
        let centres = centres(&vectors, &groups);
        assert_eq!(centres.len(), 3);
        for (at, group) in groups.iter().enumerate().take(90) {
            assert_eq!(*group, groups[at % 3], "{at}");
        }
        assert!(groups[91..].iter().all(|group| *group == groups[0]), "a repeated text goes with the first");
        assert_eq!(nearest(&vectors[90], &centres), None);
        let found = nearest(&centres[&1].centroid, &centres);
        assert_eq!(found.map(|(number, _)| number), Some(1));
    }

    #[test]
    fn few_or_equal_vectors_make_no_group() {
        assert_eq!(groups(&around(1, 4)), vec![None; 4]);
        assert_eq!(groups(&vec![unit(vec![1.0; 48]); 50]), vec![None; 50]);
        assert_eq!(groups(&[]), Vec::new());
    }
}
