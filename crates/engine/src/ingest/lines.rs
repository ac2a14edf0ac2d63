//! Lines of a file that may be compressed, huge, cut off or in another encoding.

use std::io::{self, BufRead, Read};

/// Longer lines are passed over: nothing a person or an agent wrote is that
/// long, and holding one would break the memory bound.
pub const LONGEST_LINE: usize = 64 << 20;
/// Long enough to be worth a word in the report.
pub const LONG_LINE: usize = 16 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// With its line break.
    Complete,
    /// The file ends before the line does.
    Unfinished,
    /// Longer than [`LONGEST_LINE`]; its bytes were passed over.
    TooLong,
}

/// Hands out lines into a buffer that is used again.
pub struct Lines<R> {
    input: R,
    /// Bytes consumed so far, line breaks included.
    pub offset: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R, offset: u64) -> Self {
        Lines { input, offset }
    }

    /// Fills `line` (without its line break); `None` at the end of the input.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Option<LineEnd>> {
        line.clear();
        if line.capacity() > LONG_LINE {
            *line = Vec::new();
        }
        let read = self.input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
        self.offset += read as u64;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            return Ok(Some(LineEnd::Complete));
        }
        if read > LONGEST_LINE {
            self.skip_line()?;
            line.clear();
            return Ok(Some(LineEnd::TooLong));
        }
        Ok(Some(LineEnd::Unfinished))
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Ok(());
            }
            let (used, found) = match memchr::memchr(b'\n', available) {
                Some(at) => (at + 1, true),
                None => (available.len(), false),
            };
            self.input.consume(used);
            self.offset += used as u64;
            if found {
                return Ok(());
            }
        }
    }
}

/// UTF-16 text by its byte order mark, as UTF-8. `None`: not UTF-16.
pub fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// The UTF-8 byte order mark says nothing; records start after it.
pub fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_bytes_and_tells_unfinished_lines() -> io::Result<()> {
        let mut lines = Lines::new(&b"one\r\ntwo\nthr"[..], 0);
        let mut line = Vec::new();
        let mut seen = Vec::new();
        while let Some(end) = lines.next(&mut line)? {
            seen.push((String::from_utf8_lossy(&line).into_owned(), end, lines.offset));
        }
        assert_eq!(
            seen,
            [
                ("one".to_owned(), LineEnd::Complete, 5),
                ("two".to_owned(), LineEnd::Complete, 9),
                ("thr".to_owned(), LineEnd::Unfinished, 12)
            ]
        );
        Ok(())
    }

    #[test]
    fn passes_over_absurd_lines() -> io::Result<()> {
        let huge = io::repeat(b'x').take(LONGEST_LINE as u64 + 5).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(io::BufReader::new(huge), 0);
        let mut line = Vec::new();
        assert_eq!(lines.next(&mut line)?, Some(LineEnd::TooLong));
        assert_eq!(lines.next(&mut line)?, Some(LineEnd::Complete));
        assert_eq!(line, b"next");
        Ok(())
    }

    #[test]
    fn reads_utf16() {
        let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain("Aé\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode_utf16(&bytes).as_deref(), Some("Aé\n"));
        assert_eq!(decode_utf16(b"plain"), None);
    }
}
