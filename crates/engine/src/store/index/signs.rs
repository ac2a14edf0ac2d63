//! Which rows of the matrix are worth comparing? The signs of each vector select them: one bit per
//! dimension, an eighth of the matrix.

use super::IndexDamage;
use super::docs::DocNum;
use super::files::Bytes;

const WORD: usize = 8;
/// Rows per block of computed distances.
const AT_ONCE: usize = 1024;

/// Whole words per row, so that rows are compared word by word.
pub fn sign_bytes(dim: usize) -> usize {
    dim.div_ceil(8 * WORD) * WORD
}

/// A set bit is a negative number.
pub fn signs(vector: &[f32], out: &mut Vec<u8>) {
    for values in vector.chunks(8 * WORD) {
        let bits = values.iter().enumerate().map(|(at, value)| u64::from(*value < 0.0) << at);
        out.extend_from_slice(&bits.sum::<u64>().to_le_bytes());
    }
}

/// The signs of one model's vectors, up to the last valid row.
#[derive(Clone)]
pub struct Signs {
    bytes: Bytes,
    dim: usize,
    rows: DocNum,
}

impl Signs {
    pub fn new(name: &str, bytes: Bytes, dim: usize, rows: DocNum) -> Result<Self, IndexDamage> {
        if dim == 0 || bytes.len() < rows as usize * sign_bytes(dim) {
            return Err(IndexDamage { file: name.to_owned(), reason: "shorter than it was" });
        }
        Ok(Signs { bytes, dim, rows })
    }

    /// The rows that differ from the query in the fewest signs, in order: `wanted` rows, and all
    /// others with the same distance as the last of them.
    pub fn nearest(&self, query: &[f32], wanted: usize, lets: impl Fn(DocNum) -> bool) -> Vec<DocNum> {
        let mut bits = Vec::new();
        signs(query, &mut bits);
        let mut fewest = Fewest::new(self.dim, wanted);
        let mut distances = [0; AT_ONCE];
        let distances_of = best_distances();
        let counted = &self.bytes[..self.rows as usize * sign_bytes(self.dim)];
        for (block, rows) in counted.chunks(AT_ONCE * sign_bytes(self.dim)).enumerate() {
            distances_of(rows, &bits, &mut distances);
            for (at, distance) in distances.iter().take(rows.len() / sign_bytes(self.dim)).enumerate() {
                let doc = (block * AT_ONCE + at) as DocNum;
                // Most rows are too far, so the cheap test comes first.
                if *distance <= fewest.bound && lets(doc) {
                    fewest.add(doc, *distance);
                }
            }
        }
        fewest.finish()
    }
}

/// Keeps the rows with the smallest distances. There are few possible distances, so the number
/// of rows per distance gives the largest distance that is still useful.
struct Fewest {
    rows: Vec<(DocNum, u32)>,
    counts: Vec<usize>,
    /// The largest useful distance, and how many rows are within it.
    bound: u32,
    within: usize,
    wanted: usize,
}

impl Fewest {
    fn new(dim: usize, wanted: usize) -> Self {
        Fewest { rows: Vec::new(), counts: vec![0; dim + 1], bound: dim as u32, within: 0, wanted }
    }

    fn add(&mut self, doc: DocNum, distance: u32) {
        self.rows.push((doc, distance));
        self.counts[distance as usize] += 1;
        self.within += 1;
        while self.bound > 0 && self.within - self.counts[self.bound as usize] >= self.wanted {
            self.within -= self.counts[self.bound as usize];
            self.bound -= 1;
        }
    }

    fn finish(self) -> Vec<DocNum> {
        self.rows.into_iter().filter(|(_, distance)| *distance <= self.bound).map(|(doc, _)| doc).collect()
    }
}

type Distances = fn(&[u8], &[u8], &mut [u32; AT_ONCE]);

/// Written so that the compiler turns it into wide instructions.
#[inline(always)]
fn distances_loop(rows: &[u8], query: &[u8], out: &mut [u32; AT_ONCE]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let words = row.as_chunks::<WORD>().0.iter().zip(query.as_chunks::<WORD>().0);
        *out = words.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum();
    }
}

fn distances_portable(rows: &[u8], query: &[u8], out: &mut [u32; AT_ONCE]) {
    distances_loop(rows, query, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_with_popcnt(rows: &[u8], query: &[u8], out: &mut [u32; AT_ONCE]) {
    distances_loop(rows, query, out);
}

/// SAFETY: the function with `popcnt` is only returned if the processor has it.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code)]
fn best_distances() -> Distances {
    if std::arch::is_x86_feature_detected!("popcnt") {
        return |rows, query, out| unsafe { distances_with_popcnt(rows, query, out) };
    }
    distances_portable
}

#[cfg(not(target_arch = "x86_64"))]
fn best_distances() -> Distances {
    distances_portable
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn stored(vectors: &[Vec<f32>], dim: usize) -> Result<Signs, IndexDamage> {
        let mut bytes = Vec::new();
        vectors.iter().for_each(|vector| signs(vector, &mut bytes));
        Signs::new("s", Bytes::Owned(Arc::new(bytes)), dim, vectors.len() as DocNum)
    }

    fn differing(a: &[f32], b: &[f32]) -> usize {
        a.iter().zip(b).filter(|(a, b)| (**a < 0.0) != (**b < 0.0)).count()
    }

    proptest! {
        /// Dimensions that fill whole words and dimensions that do not; more rows than one
        /// block.
        #[test]
        fn the_nearest_rows_are_found(
            vectors in (1usize..80).prop_flat_map(|dim| {
                prop::collection::vec(prop::collection::vec(-1f32..1.0, dim), 1..40)
            }),
            copies in 1usize..60,
            wanted in 1usize..50,
            every in 1u32..4,
        ) {
            let dim = vectors[0].len();
            let query = vectors[0].clone();
            let all: Vec<Vec<f32>> = std::iter::repeat_n(vectors, copies).flatten().collect();
            let signs = stored(&all, dim).map_err(|damage| TestCaseError::fail(damage.to_string()))?;
            let lets = |doc: DocNum| doc.is_multiple_of(every);

            let mut expected: Vec<(usize, DocNum)> = (0..all.len() as DocNum)
                .filter(|doc| lets(*doc))
                .map(|doc| (differing(&query, &all[doc as usize]), doc))
                .collect();
            expected.sort_unstable();
            let farthest = expected.get(wanted - 1).or(expected.last()).map_or(0, |(distance, _)| *distance);
            expected.retain(|(distance, _)| *distance <= farthest);
            let mut expected: Vec<DocNum> = expected.into_iter().map(|(_, doc)| doc).collect();
            expected.sort_unstable();
            prop_assert_eq!(signs.nearest(&query, wanted, lets), expected);
        }
    }

    #[test]
    fn every_machine_counts_the_same() {
        let rows: Vec<u8> = (0..AT_ONCE * WORD).map(|at| (at * 37 % 251) as u8).collect();
        let query = [0x5a; WORD];
        let (mut best, mut portable) = ([0; AT_ONCE], [0; AT_ONCE]);
        best_distances()(&rows, &query, &mut best);
        distances_portable(&rows, &query, &mut portable);
        assert_eq!(best, portable);
    }

    #[test]
    fn what_was_cut_short_is_noticed() {
        assert!(stored(&[vec![1.0; 256]], 256).is_ok());
        assert!(Signs::new("s", Bytes::Owned(Arc::default()), 256, 1).is_err());
    }
}
