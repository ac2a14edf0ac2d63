//! How long may a line be, and in which encoding does it come?

/// Longer lines are skipped: no real message is that long, and holding one would break the memory bound.
pub const LONGEST_LINE: usize = 64 << 20;
/// Longer lines are mentioned in the report.
pub const LONG_LINE: usize = 16 << 20;

/// Decodes UTF-16 text that has a byte order mark. `None` if it has none.
pub fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Removes a UTF-8 byte order mark.
pub fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_utf16() {
        let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain("Aé\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode_utf16(&bytes).as_deref(), Some("Aé\n"));
        assert_eq!(decode_utf16(b"plain"), None);
    }
}
