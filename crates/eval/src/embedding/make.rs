//! Makes a table: the model's vectors of word pieces, fitted to its vectors of texts.

use std::error::Error;
use std::fs;
use std::path::Path;

use backstory_language::embed::{DIM, SentenceModel, TableParts};

use super::fit::{self, Example};
use super::pca::Projection;
use super::texts::{self, TextPlace};
use super::{untrained, vectors};

const NAME: &str = "minilm-static-256";

/// Makes a table from the model in `folder` and `count` texts.
pub(super) fn run(
    folder: &Path,
    places: &[TextPlace],
    count: usize,
    out: &Path,
    options: &fit::FitOptions,
) -> Result<(), Box<dyn Error>> {
    let mut model = SentenceModel::open(folder, |file| std::fs::read(file))?;
    let texts = texts::collect(places, count)?;
    let vectors = vectors::of_texts(&mut model, &texts, out)?;
    let projection = Projection::fit(&vectors, DIM);
    let examples: Vec<Example> =
        texts.iter().zip(&vectors).map(|(text, vector)| example(&mut model, &projection, text, vector)).collect();
    let cut: Vec<Vec<u32>> = examples.iter().map(|example| example.pieces.clone()).collect();
    let mut rows = untrained::rows(&mut model, &projection, &cut);
    fit::fit(&mut rows, &examples, options);
    let pieces = untrained::pieces(&mut model);
    let names: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let flat: Vec<f32> = pieces
        .iter()
        .zip(&rows)
        .flat_map(|(piece, row)| row.iter().map(|x| if untrained::is_special(piece) { 0.0 } else { *x }))
        .collect();
    let file = TableParts { name: NAME, pieces: &names, rows: &flat, dim: DIM }.encode();
    fs::write(out, &file)?;
    println!("{}: {} rows, {} bytes", out.display(), rows.len(), file.len());
    Ok(())
}

fn example(model: &mut SentenceModel, projection: &Projection, text: &str, vector: &[f32]) -> Example {
    let mut pieces = Vec::new();
    model.wordpiece().encode(text, &mut pieces);
    let mut target = projection.apply(vector);
    let length = target.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    target.iter_mut().for_each(|x| *x /= length);
    Example { pieces, target }
}
