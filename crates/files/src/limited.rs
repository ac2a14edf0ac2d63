//! Limits the length of a stream: packed data does not reveal its unpacked size.

use std::io::{self, BufRead, Read};

use super::bounded::too_large;

/// Fails if there are more than `limit` bytes.
pub struct Limited<R> {
    input: R,
    limit: u64,
    left: u64,
}

impl<R: BufRead> Limited<R> {
    pub fn new(input: R, limit: u64) -> Self {
        Limited { input, limit, left: limit }
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.input.fill_buf()?;
        if self.left == 0 && !bytes.is_empty() {
            return Err(too_large(self.limit));
        }
        Ok(&bytes[..bytes.len().min(self.left as usize)])
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount as u64);
        self.input.consume(amount);
    }
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let taken = bytes.len().min(out.len());
        out[..taken].copy_from_slice(&bytes[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_fails_after_the_limit() -> io::Result<()> {
        let mut whole = Vec::new();
        Limited::new(&b"words"[..], 5).read_to_end(&mut whole)?;
        assert_eq!(whole, b"words");
        let mut cut = Vec::new();
        let told = Limited::new(&b"words"[..], 4).read_to_end(&mut cut).map_err(|error| error.to_string());
        assert_eq!((cut.as_slice(), told), (&b"word"[..], Err("larger than 0 KB".to_owned())));
        Ok(())
    }
}
