//! Is a file a Causantic database or archive?

use crate::store::SQLITE_MAGIC;

const ARCHIVE_FORMAT: &str = "causantic-archive";
pub const ENCRYPTED_MAGIC: &[u8] = b"CST\0";

/// Does a file begin like a database, an archive or an encrypted archive?
pub fn looks_like(head: &[u8]) -> bool {
    head.starts_with(SQLITE_MAGIC) || is_encrypted(head) || is_archive(head)
}

pub fn is_encrypted(head: &[u8]) -> bool {
    head.starts_with(ENCRYPTED_MAGIC)
}

/// Does a document begin with the name of the format?
pub fn is_archive(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(400)]);
    let squeezed: String = text.trim_start_matches('\u{feff}').chars().filter(|c| !c.is_whitespace()).collect();
    squeezed.starts_with(&format!("{{\"format\":\"{ARCHIVE_FORMAT}\""))
}
