//! The model's vectors of the texts, cached on disk, since they take most of the time.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use backstory_language::embed::{Embedder, SentenceModel};

const TEXTS_AT_ONCE: usize = 256;
const HASH: usize = 16;

/// The model's vectors of `texts`, as rows; those in the file `OUT.vectors` are not computed again.
pub(super) fn of_texts(
    model: &mut SentenceModel,
    texts: &[String],
    out: &Path,
) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error>> {
    let path = cache_path(model, out);
    let mut known = read(&path, model.dim());
    let missing: Vec<&str> = texts.iter().filter(|text| !known.contains_key(&key(text))).map(String::as_str).collect();
    let mut file = BufWriter::new(OpenOptions::new().create(true).append(true).open(&path)?);
    let start = Instant::now();
    for (done, texts) in missing.chunks(TEXTS_AT_ONCE).enumerate() {
        for (text, vector) in texts.iter().zip(model.embed(texts)?) {
            file.write_all(&key(text))?;
            file.write_all(&vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
            known.insert(key(text), vector);
        }
        file.flush()?;
        if done % 20 == 0 {
            println!(
                "{} of {} texts in {:.0} s",
                (done * TEXTS_AT_ONCE + texts.len()),
                missing.len(),
                start.elapsed().as_secs_f32()
            );
        }
    }
    Ok(texts.iter().map(|text| known.get(&key(text)).cloned().unwrap_or_default()).collect())
}

/// A separate file per model, because vectors of two models must not be mixed.
fn cache_path(model: &SentenceModel, out: &Path) -> PathBuf {
    out.with_extension(format!("{}.vectors", model.model()))
}

fn read(path: &Path, dim: usize) -> HashMap<[u8; HASH], Vec<f32>> {
    let bytes = fs::read(path).unwrap_or_default();
    let record = |record: &[u8]| {
        let (key, vector) = record.split_first_chunk()?;
        Some((*key, vector.as_chunks().0.iter().map(|value| f32::from_le_bytes(*value)).collect()))
    };
    bytes.chunks_exact(HASH + 4 * dim).filter_map(record).collect()
}

fn key(text: &str) -> [u8; HASH] {
    let mut key = [0; HASH];
    key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..HASH]);
    key
}
