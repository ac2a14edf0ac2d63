//! How are vectors stored and compared? As rows of small integers. A query scans all rows, or those
//! that their signs select.

use std::ops::Range;

use backstory_language::embed::to_unit_length;

use super::IndexDamage;
use super::docs::DocNum;
use super::files::Bytes;
use super::signs::Signs;

/// A row: a scale, then one byte per dimension.
const SCALE: usize = 4;
/// Rows that signs select. They contain nearly all of the hundred nearest (measured in
/// `docs/measurements.md`).
const LIKELY: usize = 8_000;

pub fn row_bytes(dim: usize) -> usize {
    SCALE + dim
}

/// A unit vector as bytes; zeros stay zeros.
pub fn quantise(vector: &[f32], out: &mut Vec<u8>) {
    let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
    let scale = largest / 127.0;
    out.extend_from_slice(&scale.to_le_bytes());
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    out.extend(vector.iter().map(|value| (value * inverse).round() as i8 as u8));
}

/// The vectors of one model, up to the last valid row.
#[derive(Clone)]
pub struct Matrix {
    bytes: Bytes,
    dim: usize,
    rows: DocNum,
    /// None if the matrix is too small for them to save time.
    signs: Option<Result<Signs, IndexDamage>>,
}

impl Matrix {
    pub fn new(name: &str, bytes: Bytes, dim: usize, rows: DocNum) -> Result<Self, IndexDamage> {
        if dim == 0 || bytes.len() < rows as usize * row_bytes(dim) {
            return Err(IndexDamage { file: name.to_owned(), reason: "shorter than it was" });
        }
        Ok(Matrix { bytes, dim, rows, signs: None })
    }

    pub fn with_signs(self, signs: Option<Result<Signs, IndexDamage>>) -> Self {
        Matrix { signs, ..self }
    }

    /// Why every row must be scanned although the matrix is large.
    pub fn damaged_signs(&self) -> Option<&IndexDamage> {
        self.signs.as_ref()?.as_ref().err()
    }

    pub fn rows(&self) -> DocNum {
        self.rows
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    fn row(&self, doc: DocNum) -> Option<(f32, &[u8])> {
        if doc >= self.rows {
            return None;
        }
        let start = doc as usize * row_bytes(self.dim);
        let (scale, values) = self.bytes.get(start..start + row_bytes(self.dim))?.split_at(SCALE);
        Some((scale.try_into().map_or(0.0, f32::from_le_bytes), values))
    }

    /// The row before quantisation, up to rounding.
    pub fn vector(&self, doc: DocNum) -> Option<Vec<f32>> {
        let (scale, values) = self.row(doc)?;
        Some(values.iter().map(|value| scale * f32::from(*value as i8)).collect())
    }

    /// The mean of the rows, normalised; None if a row is missing or all are zero.
    pub fn mean(&self, rows: Range<DocNum>) -> Option<Vec<f32>> {
        let mut sum = vec![0f32; self.dim];
        for doc in rows {
            let (scale, values) = self.row(doc)?;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += scale * f32::from(*value as i8));
        }
        to_unit_length(&mut sum);
        sum.iter().any(|value| *value != 0.0).then_some(sum)
    }

    /// The cosine of the query and the row, with the query's full precision.
    pub fn cosine(&self, query: &[f32], doc: DocNum) -> f32 {
        let Some((scale, values)) = self.row(doc) else { return 0.0 };
        scale * values.iter().zip(query).map(|(value, query)| f32::from(*value as i8) * query).sum::<f32>()
    }

    /// Cosines of all rows with the quantised query, in order.
    pub fn scan(&self, query: &[f32], mut visit: impl FnMut(DocNum, f32)) {
        let query = Small::new(query);
        for (doc, row) in self.bytes.chunks_exact(row_bytes(self.dim)).take(self.rows as usize).enumerate() {
            visit(doc as DocNum, query.cosine(row));
        }
    }

    /// The rows that may be among the nearest by their signs, in order; None if all must be
    /// scanned.
    pub fn likely(&self, query: &[f32], wanted: usize, lets: impl Fn(DocNum) -> bool) -> Option<Vec<DocNum>> {
        Some(self.signs.as_ref()?.as_ref().ok()?.nearest(query, LIKELY.max(wanted), lets))
    }

    /// Cosines of some rows only.
    pub fn scan_some(&self, query: &[f32], rows: &[DocNum], mut visit: impl FnMut(DocNum, f32)) {
        let query = Small::new(query);
        let bytes = row_bytes(self.dim);
        for doc in rows.iter().filter(|doc| **doc < self.rows) {
            visit(*doc, query.cosine(&self.bytes[*doc as usize * bytes..][..bytes]));
        }
    }
}

/// A query, quantised like the rows.
struct Small {
    scale: f32,
    values: Vec<u8>,
    dot: Dot,
}

impl Small {
    fn new(query: &[f32]) -> Self {
        let mut bytes = Vec::new();
        quantise(query, &mut bytes);
        let values = bytes.split_off(SCALE);
        let scale = bytes.try_into().map_or(0.0, f32::from_le_bytes);
        Small { scale, values, dot: best_dot() }
    }

    fn cosine(&self, row: &[u8]) -> f32 {
        let (scale, values) = row.split_at(SCALE);
        let scale = scale.try_into().map_or(0.0, f32::from_le_bytes);
        scale * self.scale * (self.dot)(values, &self.values) as f32
    }
}

type Dot = fn(&[u8], &[u8]) -> i32;

/// Written so that the compiler turns it into wide instructions.
#[inline(always)]
fn dot_loop(a: &[u8], b: &[u8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a as i8) * i16::from(*b as i8))).sum()
}

fn dot_portable(a: &[u8], b: &[u8]) -> i32 {
    dot_loop(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_with_avx2(a: &[u8], b: &[u8]) -> i32 {
    dot_loop(a, b)
}

/// SAFETY: the function with AVX2 is only returned if the processor has it.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code)]
fn best_dot() -> Dot {
    if std::arch::is_x86_feature_detected!("avx2") {
        return |a, b| unsafe { dot_with_avx2(a, b) };
    }
    dot_portable
}

#[cfg(not(target_arch = "x86_64"))]
fn best_dot() -> Dot {
    dot_portable
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn unit(seed: u32, dim: usize) -> Vec<f32> {
        let mut state = seed;
        let raw: Vec<f32> = (0..dim)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect();
        let norm = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
        raw.into_iter().map(|value| value / norm).collect()
    }

    #[test]
    fn a_scan_gives_the_cosines() -> Result<(), IndexDamage> {
        let vectors: Vec<Vec<f32>> = (0..20).map(|seed| unit(seed, 256)).collect();
        let mut bytes = Vec::new();
        vectors.iter().for_each(|vector| quantise(vector, &mut bytes));
        let matrix = Matrix::new("m", Bytes::Owned(Arc::new(bytes)), 256, 20)?;
        matrix.scan(&vectors[7], |doc, cosine| {
            let exact: f32 = vectors[7].iter().zip(&vectors[doc as usize]).map(|(a, b)| a * b).sum();
            assert!((cosine - exact).abs() < 0.01, "{doc}: {cosine} {exact}");
            assert!((matrix.cosine(&vectors[7], doc) - exact).abs() < 0.005);
            matrix.scan_some(&vectors[7], &[doc, 20], |same, again| assert_eq!((same, again), (doc, cosine)));
        });
        assert!(Matrix::new("m", Bytes::Owned(Arc::default()), 256, 1).is_err());
        Ok(())
    }

    #[test]
    fn every_machine_computes_the_same() {
        let (a, b): (Vec<u8>, Vec<u8>) = (0..=255u8).map(|byte| (byte, byte.wrapping_mul(37))).unzip();
        assert_eq!(best_dot()(&a, &b), dot_portable(&a, &b));
    }
}
