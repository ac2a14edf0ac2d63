//! How does a file begin? Enough of it to recognise its format.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::super::lines::without_bom;

pub const HEAD_BYTES: usize = 64 << 10;
/// A longer first record may have its distinguishing fields at its end.
const LONGEST_HEAD: usize = 4 << 20;

/// The first bytes of a file, extended to the end of a long first record.
pub fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    take_head(file, &mut head)?;
    Ok(head)
}

/// The head of a stream, and the complete stream: head, then the rest or the error that ended it.
/// Fails only if the stream gives nothing.
pub fn peek<'a>(mut input: impl BufRead + 'a) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut head = Vec::new();
    let again = |head: &[u8]| Cursor::new(head.to_vec());
    match take_head(&mut input, &mut head) {
        Ok(()) => Ok((head.clone(), Box::new(again(&head).chain(input)))),
        Err(error) if head.is_empty() => Err(error),
        Err(error) => Ok((head.clone(), Box::new(again(&head).chain(BufReader::new(Broken(Some(error))))))),
    }
}

fn take_head(input: &mut impl Read, head: &mut Vec<u8>) -> io::Result<()> {
    let mut more = HEAD_BYTES;
    loop {
        let taken = input.by_ref().take(more as u64).read_to_end(head)?;
        let is_cut = without_bom(head).starts_with(b"{") && !head.contains(&b'\n');
        if taken < more || !is_cut || head.len() >= LONGEST_HEAD {
            return Ok(());
        }
        more = head.len();
    }
}

/// A stream that fails with this error.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
