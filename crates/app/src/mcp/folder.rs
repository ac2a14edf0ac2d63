//! The folder of a client: the one in which the server was started, or the only one that the client names.

use std::path::PathBuf;

/// The folder of a `file:` address.
pub fn of_uri(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    // A host may precede the path; only this machine's files count.
    let path = path.strip_prefix("localhost").unwrap_or(path);
    if !path.starts_with('/') {
        return None;
    }
    Some(PathBuf::from(decoded(path)?)).filter(|folder| folder.is_dir())
}

/// A name as a part of an address: invalid characters are written like `%20`.
pub fn encoded(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' | b':' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// `%20` is a space.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = tail;
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_folders_are_read() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let inside = folder.path().join("my shop");
        std::fs::create_dir(&inside)?;
        let uri = format!("file://{}", inside.display()).replace(' ', "%20");
        assert_eq!(of_uri(&uri), Some(inside));
        assert_eq!(of_uri("file:///nowhere/at/all"), None);
        assert_eq!(of_uri("https://example.com/"), None);
        assert_eq!(decoded("%2"), None);
        Ok(())
    }
}
