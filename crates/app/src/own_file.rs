//! Rewrites a command's own file without overwriting other files.

use std::path::Path;

use backstory_files as files;

use crate::error::{AppError, ErrorKind};

/// The maximum size of an own file.
const LARGEST_OWN: u64 = 1 << 30;

/// Overwrites only what this command wrote before: a transcript may be the only copy.
pub fn write(path: &Path, text: &str, begins: &str) -> Result<(), AppError> {
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()));
    if path.exists() && !path.is_file() {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is no ordinary file", path.display())));
    }
    match files::read(path, LARGEST_OWN) {
        Ok(there) if !there.is_empty() && !there.starts_with(begins.as_bytes()) => {
            let message = format!("{} is there already, and was not written by this command", path.display());
            return Err(AppError::new(ErrorKind::Usage, message).hint("Give another name, or remove the file."));
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    files::write(path, text).map_err(failed)
}
