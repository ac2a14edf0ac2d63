//! Reading evaluation data.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::{GzDecoder, MultiGzDecoder};

use crate::phase::files;

/// The rows of a gzipped file of JSON lines.
pub fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, Box<dyn Error>> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for (number, line) in BufReader::new(GzDecoder::new(file)).lines().enumerate() {
        let row = serde_json::from_str(&line?);
        rows.push(row.map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?);
    }
    Ok(rows)
}

/// The text of a file, unpacked if gzipped.
pub fn text(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => MultiGzDecoder::new(file).read_to_end(&mut bytes)?,
        false => BufReader::new(file).read_to_end(&mut bytes)?,
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Copies a folder with its gzip files unpacked, and returns the number of bytes.
pub fn unpack(data: &Path, raw: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for path in files(data) {
        let mut target = raw.join(path.strip_prefix(data)?);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut input: Box<dyn io::Read> = Box::new(File::open(&path)?);
        if target.extension().is_some_and(|extension| extension == "gz") {
            target.set_extension("");
            input = Box::new(MultiGzDecoder::new(input));
        }
        bytes += io::copy(&mut input, &mut File::create(&target)?)?;
    }
    Ok(bytes)
}

pub fn bytes_in(folder: &Path) -> u64 {
    files(folder).iter().map(|path| fs::metadata(path).map_or(0, |metadata| metadata.len())).sum()
}
