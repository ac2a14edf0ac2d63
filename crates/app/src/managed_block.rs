//! Maintains our block in a file of another owner: only the bytes between two marker lines are ours.

use std::ops::Range;
use std::path::Path;

use crate::atomic_file::{self, Durability};
use crate::error::{AppError, ErrorKind};
use crate::permissions;

const BEGIN: &str = "<!-- backstory:begin";
const END: &str = "<!-- backstory:end -->";
const BEGIN_LINE: &str =
    "<!-- backstory:begin (`backstory summary --write` keeps this up; what you change between these lines is lost) -->";

/// The file with the block. None: there was no file.
pub fn put(file: Option<&[u8]>, text: &str) -> Result<Vec<u8>, Damage> {
    let old = file.unwrap_or_default();
    let line_end = line_end(old);
    let block = render(text, line_end);
    if let Some(place) = find(old)? {
        return Ok([&old[..place.start], block.as_bytes(), &old[place.end..]].concat());
    }
    // The text before the block records how the file ended, so that removing the block restores the same bytes: nothing
    // if there was no file, a blank line if the last line had a line break, otherwise only the break.
    let before = if file.is_none() { "" } else { line_end };
    Ok([old, before.as_bytes(), block.as_bytes()].concat())
}

/// The file without the block. None: there was no file before the block.
pub fn take_out(file: &[u8]) -> Result<Option<Vec<u8>>, Damage> {
    let Some(place) = find(file)? else { return Ok(Some(file.to_owned())) };
    let (before, after) = (&file[..place.start], &file[place.end..]);
    if before.is_empty() && after.is_empty() {
        return Ok(None);
    }
    // Somebody may have added text after the block, or moved it.
    let before = if after.is_empty() { without_line_end(before) } else { before };
    Ok(Some([before, after].concat()))
}

/// Mismatched markers, at a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Damage {
    pub line: usize,
    pub message: &'static str,
}

/// The range of the block, including its markers and the last line break.
fn find(file: &[u8]) -> Result<Option<Range<usize>>, Damage> {
    let mut found: Option<Range<usize>> = None;
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for (index, line) in file.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (start, number) = (at, index + 1);
        at += line.len();
        let damage = |message| Err(Damage { line: number, message });
        let text = line.trim_ascii();
        if text.starts_with(BEGIN.as_bytes()) {
            if open.is_some() {
                return damage("a block begins inside another");
            }
            if found.is_some() {
                return damage("a second block begins");
            }
            open = Some((start, number));
        } else if text == END.as_bytes() {
            let Some((begin, _)) = open.take() else { return damage("a block ends that never began") };
            found = Some(begin..at);
        }
    }
    match open {
        Some((_, line)) => Err(Damage { line, message: "a block begins that never ends" }),
        None => Ok(found),
    }
}

fn render(text: &str, line_end: &str) -> String {
    let lines = [BEGIN_LINE].into_iter().chain(text.lines()).chain([END]);
    lines.map(|line| format!("{line}{line_end}")).collect()
}

fn line_end(file: &[u8]) -> &'static str {
    match file.iter().position(|byte| *byte == b'\n') {
        Some(at) if at > 0 && file[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

fn without_line_end(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r\n").or_else(|| text.strip_suffix(b"\n")).unwrap_or(text)
}

/// Replaces a file atomically. Keeps links and permissions.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()));
    let Ok(target) = path.canonicalize() else {
        return std::fs::write(path, bytes).and_then(|()| permissions::share(path)).map_err(failed);
    };
    let permissions = std::fs::metadata(&target).map_err(failed)?.permissions();
    atomic_file::replace(&target, bytes, Some(permissions), Durability::Synced).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(file: Option<&[u8]>) {
        let with = put(file, "one\ntwo").expect("a sound file");
        let again = put(Some(&with), "one\ntwo").expect("a sound file");
        assert_eq!(with, again, "nothing changed, so no byte does");
        let other = put(Some(&with), "three").expect("a sound file");
        assert_ne!(with, other);
        assert_eq!(put(Some(&other), "one\ntwo"), Ok(with.clone()));
        assert_eq!(take_out(&other).expect("a sound file").as_deref(), file, "{:?}", String::from_utf8_lossy(&with));
    }

    #[test]
    fn every_other_byte_stays() {
        let files: [Option<&[u8]>; 9] = [
            None,
            Some(b""),
            Some(b"\n"),
            Some(b"# Rules\n"),
            Some(b"# Rules"),
            Some(b"# Rules\n\n\n"),
            Some(b"# Rules\r\n- crlf\r\n"),
            Some(b"# Rules\r\nno end"),
            Some(b"\xef\xbb\xbf\xff\xfe bytes\n"),
        ];
        files.into_iter().for_each(round_trip);
        let crlf = put(Some(b"a\r\n"), "x\ny").expect("a sound file");
        assert!(!crlf.windows(2).any(|pair| pair[1] == b'\n' && pair[0] != b'\r'), "the file's own line ends");
    }

    #[test]
    fn a_block_may_be_moved() {
        let moved = format!("above\n{BEGIN} of an older version -->\nold\n{END}\nbelow\n");
        let fresh = put(Some(moved.as_bytes()), "new").expect("a sound file");
        assert_eq!(String::from_utf8_lossy(&fresh), format!("above\n{BEGIN_LINE}\nnew\n{END}\nbelow\n"));
        assert_eq!(take_out(&fresh), Ok(Some(b"above\nbelow\n".to_vec())));
    }

    #[test]
    fn damaged_markers_are_named_by_line() {
        let fault = |text: &str| put(Some(text.as_bytes()), "x").expect_err("damage");
        let told = |line, message| Damage { line, message };
        assert_eq!(fault(&format!("a\n{BEGIN} -->\nb\n")), told(2, "a block begins that never ends"));
        assert_eq!(fault(&format!("a\n{END}\n")), told(2, "a block ends that never began"));
        assert_eq!(fault(&format!("{BEGIN} -->\n{BEGIN} -->\n{END}\n")), told(2, "a block begins inside another"));
        let twice = format!("{BEGIN} -->\n{END}\n{BEGIN} -->\n{END}\n");
        assert_eq!(fault(&twice), told(3, "a second block begins"));
        assert!(take_out(twice.as_bytes()).is_err());
    }
}
