//! Reads lines from a file that may be compressed, huge, cut off or without line breaks.

use std::io::{self, BufRead, Read};

/// A line buffer of this size is freed, not reused.
const LONG_LINE: usize = 16 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Ends with a line break.
    Complete,
    /// The file ends before the line break.
    Unfinished,
    /// Longer than the limit; its bytes were skipped.
    TooLong,
}

/// Reads lines into a reused buffer.
pub struct Lines<R> {
    input: R,
    limit: usize,
    /// Bytes consumed so far, line breaks included.
    pub offset: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines longer than `limit` are skipped.
    pub fn new(input: R, offset: u64, limit: usize) -> Self {
        Lines { input, limit, offset }
    }

    /// Fills `line` (without its line break); `None` at the end of the input.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Option<LineEnd>> {
        line.clear();
        if line.capacity() > LONG_LINE {
            *line = Vec::new();
        }
        let read = self.input.by_ref().take(self.limit as u64 + 1).read_until(b'\n', line)?;
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
        if read > self.limit {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_bytes_and_tells_unfinished_lines() -> io::Result<()> {
        let mut lines = Lines::new(&b"one\r\ntwo\nthr"[..], 0, 9);
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
        let huge = io::repeat(b'x').take(1_005).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(io::BufReader::new(huge), 0, 1_000);
        let mut line = Vec::new();
        assert_eq!(lines.next(&mut line)?, Some(LineEnd::TooLong));
        assert_eq!(lines.next(&mut line)?, Some(LineEnd::Complete));
        assert_eq!(line, b"next");
        Ok(())
    }
}
