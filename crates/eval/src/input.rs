//! Reading rows of evaluation data.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;

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
