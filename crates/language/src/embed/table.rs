//! The file layout of a table of word vectors.
//!
//! A header of 64 bytes (magic, layout version, rows, dimensions, length of the
//! vocabulary, hash, name), 16 scales, the vocabulary, one scale number per row,
//! the rows as int8. Numbers are little-endian. Everything is used in place.

use super::{EmbedError, PieceVocabulary};

const MAGIC: &[u8; 8] = b"BSTABLE\0";
const LAYOUT: u32 = 1;
const HEADER: usize = 64;
const HASH: std::ops::Range<usize> = 24..32;
const NAME: std::ops::Range<usize> = 32..64;

/// How many scales a table has. Rows share few scales so that the rows of a
/// text can be added as integers, scale by scale.
pub(super) const SCALES: usize = 16;

/// A table of word vectors in the bytes of its file.
pub struct WordVectors {
    name: String,
    dim: usize,
    scales: [f32; SCALES],
    vocabulary: &'static [u8],
    scale_of_row: &'static [u8],
    rows: &'static [u8],
}

impl WordVectors {
    /// The table in these bytes; the cost does not depend on its size.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, EmbedError> {
        let (header, body) = bytes.split_at_checked(HEADER).ok_or_else(|| bad("it is too short"))?;
        if !header.starts_with(MAGIC) || number(header, 8) != LAYOUT {
            return Err(bad("it does not begin like one of this version"));
        }
        let [rows, dim, vocabulary] = [12, 16, 20].map(|at| number(header, at) as usize);
        let sizes = [4 * SCALES, vocabulary, rows, rows * dim];
        if body.len() != sizes.iter().sum::<usize>() {
            return Err(bad("its length is not what its header says"));
        }
        let (scales, body) = body.split_at(sizes[0]);
        let (vocabulary, body) = body.split_at(sizes[1]);
        let (scale_of_row, rows) = body.split_at(sizes[2]);
        let name = format!("{}-{}", text(&header[NAME]), text(&header[HASH]));
        let scales = std::array::from_fn(|at| f32::from_bits(number(scales, 4 * at)));
        Ok(Self { name, dim, scales, vocabulary, scale_of_row, rows })
    }

    /// The name with the first 8 hex digits of the hash of everything but the header.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Dimensions of the rows.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The vocabulary; row N belongs to piece N.
    pub fn vocabulary(&self) -> Result<PieceVocabulary, EmbedError> {
        let vocabulary =
            PieceVocabulary::from_bytes(self.vocabulary).ok_or_else(|| bad("its vocabulary is damaged"))?;
        let fits = vocabulary.len() == self.scale_of_row.len();
        fits.then_some(vocabulary).ok_or_else(|| bad("its vocabulary is not as long as the table"))
    }

    /// The factor of rows with scale number `class`.
    pub(super) fn scale(&self, class: usize) -> f32 {
        self.scales[class]
    }

    /// A row as the number of its scale and its values, each an i8; None for an unknown id.
    pub(super) fn row(&self, id: u32) -> Option<(usize, &'static [u8])> {
        let id = id as usize;
        let class = usize::from(*self.scale_of_row.get(id)?) % SCALES;
        Some((class, self.rows.get(id * self.dim..(id + 1) * self.dim)?))
    }
}

/// The contents of a table file.
pub struct TableParts<'a> {
    /// At most 32 bytes; the hash is appended.
    pub name: &'a str,
    /// The word pieces in the order of the rows.
    pub pieces: &'a [&'a str],
    /// All rows, concatenated.
    pub rows: &'a [f32],
    /// The number of values in a row.
    pub dim: usize,
}

impl TableParts<'_> {
    /// The bytes of the file. Values are rounded to int8 with the smallest scale that holds the row.
    pub fn encode(&self) -> Vec<u8> {
        let vocabulary = PieceVocabulary::new(self.pieces);
        let largest = self.rows.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        let scales: [f32; SCALES] = std::array::from_fn(|class| largest / 127.0 / 2f32.powf(class as f32 / 2.0));
        let mut body: Vec<u8> = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
        body.extend(vocabulary.bytes());
        let classes: Vec<usize> = self.rows.chunks(self.dim).map(|row| smallest_scale(&scales, row)).collect();
        body.extend(classes.iter().map(|&class| class as u8));
        for (row, &class) in self.rows.chunks(self.dim).zip(&classes) {
            body.extend(row.iter().map(|value| quantise(*value, scales[class]).cast_unsigned()));
        }
        let mut file = self.header(&vocabulary, &body);
        file.extend(body);
        file
    }

    fn header(&self, vocabulary: &PieceVocabulary, body: &[u8]) -> Vec<u8> {
        let mut header = vec![0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        let numbers = [LAYOUT as usize, self.pieces.len(), self.dim, vocabulary.bytes().len()];
        for (at, number) in (8..).step_by(4).zip(numbers) {
            header[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        header[HASH].copy_from_slice(&blake3::hash(body).to_hex().as_bytes()[..HASH.len()]);
        header[NAME].iter_mut().zip(self.name.bytes()).for_each(|(slot, byte)| *slot = byte);
        header
    }
}

fn smallest_scale(scales: &[f32; SCALES], row: &[f32]) -> usize {
    let largest = row.iter().fold(0f32, |largest, value| largest.max(value.abs()));
    scales.iter().rposition(|scale| largest <= scale * 127.5).unwrap_or(0)
}

fn quantise(value: f32, scale: f32) -> i8 {
    // Casting to i8 saturates, and a table of zeros has scale 0.
    if scale > 0.0 { (value / scale).round().max(-127.0) as i8 } else { 0 }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk().copied()).map_or(0, u32::from_le_bytes)
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default().trim_end_matches('\0')
}

fn bad(reason: &str) -> EmbedError {
    EmbedError::BadTable { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{TableParts, WordVectors};

    fn file() -> &'static [u8] {
        let rows = [1.0, -0.5, 0.01, 0.0];
        Vec::leak(TableParts { name: "tiny", pieces: &["a", "b"], rows: &rows, dim: 2 }.encode())
    }

    #[test]
    fn rows_come_back_nearly_the_same() {
        let table = WordVectors::from_bytes(file()).expect("a table");
        let values = |id| {
            let (class, row) = table.row(id).expect("a row");
            row.iter().map(|&value| f32::from(value.cast_signed()) * table.scale(class)).collect::<Vec<_>>()
        };
        let close = |a: &[f32], b: &[f32], error| a.iter().zip(b).all(|(a, b)| (a - b).abs() < error);
        assert!(close(&values(0), &[1.0, -0.5], 0.004));
        assert!(close(&values(1), &[0.01, 0.0], 0.0001));
        assert!(table.row(2).is_none());
        assert!(table.name().starts_with("tiny-"));
    }

    #[test]
    fn other_bytes_are_refused() {
        assert!(WordVectors::from_bytes(&file()[..80]).is_err());
        assert!(WordVectors::from_bytes(b"hello").is_err());
        assert!(WordVectors::from_bytes(&[0; 200]).is_err());
    }
}
