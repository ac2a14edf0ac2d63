//! The shipped embedding: a text's vector is the normalised sum of the rows of its word pieces. No model runs; the
//! table was distilled from one.

use super::table::{SCALES, WordVectors};
use super::{DIM, EmbedError, Embedder, WordPiece};

const SHIPPED: &[u8] = include_bytes!("../../assets/minilm-static-256.bin");

/// This many rows can be added in i16 without overflow.
const ROWS_PER_SUM: u32 = 256;

/// A table of word vectors with the state for fast use.
pub struct StaticTable {
    table: WordVectors,
    wordpiece: WordPiece,
    ids: Vec<u32>,
    sums: Box<[Sum; SCALES]>,
}

/// The rows with one scale, summed as integers.
#[derive(Clone, Copy)]
struct Sum {
    values: [i16; DIM],
    rows: u32,
}

impl StaticTable {
    /// The table in the binary. Cheap: nothing is read until it is used.
    #[expect(clippy::missing_panics_doc, reason = "a test opens the table")]
    pub fn shipped() -> Self {
        Self::from_bytes(SHIPPED).expect("the binary holds a whole table")
    }

    /// The table in the bytes of a file; it must have [`DIM`] dimensions.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, EmbedError> {
        let table = WordVectors::from_bytes(bytes)?;
        if table.dim() != DIM {
            return Err(EmbedError::BadTable { reason: format!("it has {} dimensions, not {DIM}", table.dim()) });
        }
        let wordpiece = WordPiece::new(table.vocabulary()?);
        let sums = Box::new([Sum { values: [0; DIM], rows: 0 }; SCALES]);
        Ok(Self { table, wordpiece, ids: Vec::new(), sums })
    }

    /// The tokenizer of its vocabulary.
    pub fn wordpiece(&mut self) -> &mut WordPiece {
        &mut self.wordpiece
    }

    /// The unit-length vector of `text`; zeros if it has no known word.
    pub fn embed_one(&mut self, text: &str, out: &mut [f32; DIM]) {
        self.ids.clear();
        self.wordpiece.encode(text, &mut self.ids);
        out.fill(0.0);
        for &id in &self.ids {
            let Some((class, row)) = self.table.row(id) else { continue };
            self.sums[class].add(row);
            if self.sums[class].rows == ROWS_PER_SUM {
                self.sums[class].pour(self.table.scale(class), out);
            }
        }
        for (class, sum) in self.sums.iter_mut().enumerate().filter(|(_, sum)| sum.rows > 0) {
            sum.pour(self.table.scale(class), out);
        }
        to_unit_length(out);
    }
}

impl Embedder for StaticTable {
    fn model(&self) -> &str {
        self.table.name()
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vector = [0.0; DIM];
        let embed = |text: &&str| {
            self.embed_one(text, &mut vector);
            vector.to_vec()
        };
        Ok(texts.iter().map(embed).collect())
    }
}

impl Sum {
    fn add(&mut self, row: &[u8]) {
        for (value, byte) in self.values.iter_mut().zip(row) {
            *value += i16::from(byte.cast_signed());
        }
        self.rows += 1;
    }

    /// Adds the sum to `out` and resets it.
    fn pour(&mut self, scale: f32, out: &mut [f32; DIM]) {
        for (out, value) in out.iter_mut().zip(&mut self.values) {
            *out += f32::from(std::mem::take(value)) * scale;
        }
        self.rows = 0;
    }
}

/// Zero vectors are left unchanged.
pub fn to_unit_length(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

#[cfg(test)]
mod tests;
