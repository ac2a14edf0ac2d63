//! Which lines of a long output add something to its head and tail?
//!
//! Lines about a failure, lines with a code, and lines unlike the rest of
//! a monotonous log.

use std::collections::HashMap;
use std::ops::Range;

/// The number of lines kept, and the maximum length of each.
const TELLING: usize = 6;
const TELLING_BYTES: usize = 240;
const SIGNS: [&str; 10] =
    ["error", "fail", "panic", "exception", "fatal", "denied", "refused", "rejected", "timed out", "timeout"];
/// A log is monotonous when at least this many of its lines look like others.
const MONOTONOUS: f32 = 0.5;
/// What a line must be worth to be kept.
const ENOUGH: u32 = 2;

struct Line {
    span: Range<usize>,
    shape: u64,
    worth: u32,
}

/// The most distinctive lines of `cut`, each once, in their order.
pub(super) fn distinctive_lines(text: &str, cut: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = lines_of(text, cut);
    let mut alike: HashMap<u64, u32> = HashMap::new();
    for line in &lines {
        *alike.entry(line.shape).or_default() += 1;
    }
    let repeated = lines.iter().filter(|line| alike[&line.shape] > 2).count();
    let monotonous = repeated as f32 >= MONOTONOUS * lines.len() as f32;
    for line in &mut lines {
        let shown = &text[line.span.clone()];
        let odd = monotonous && alike[&line.shape] == 1;
        line.worth = 2 * u32::from(odd) + 2 * u32::from(speaks_of_failure(shown));
        if line.worth > 0 && has_code(shown) {
            line.worth += 1;
        }
    }
    let mut best: Vec<&Line> = lines.iter().filter(|line| line.worth >= ENOUGH).collect();
    best.sort_by_key(|line| (std::cmp::Reverse(line.worth), line.span.start));
    let mut told: Vec<Range<usize>> = Vec::new();
    for line in best {
        if told.len() < TELLING && !told.iter().any(|known| text[known.clone()] == text[line.span.clone()]) {
            told.push(line.span.clone());
        }
    }
    told.sort_by_key(|span| span.start);
    told
}

/// Lines that are not blank, without the blanks around them.
fn lines_of(text: &str, cut: Range<usize>) -> Vec<Line> {
    let mut start = cut.start;
    let mut lines = Vec::new();
    for line in text[cut].split_inclusive('\n') {
        let from = start + (line.len() - line.trim_start().len());
        let to = text.floor_char_boundary((start + line.trim_end().len()).min(from + TELLING_BYTES));
        start += line.len();
        if from < to {
            lines.push(Line { shape: shape(&text[from..to]), span: from..to, worth: 0 });
        }
    }
    lines
}

fn speaks_of_failure(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
}

/// Capital letters together with digits, as in `TS2304`, `ERR-17`, `0x80070005`.
fn has_code(line: &str) -> bool {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '#'))).any(|word| {
        let figures = word.bytes().filter(u8::is_ascii_digit).count();
        let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
        (4..=40).contains(&word.len()) && figures >= 2 && (capitals >= 1 || word.starts_with("0x"))
    })
}

/// Equal for lines that differ only in digits and letters: the first word, and the punctuation between words.
fn shape(line: &str) -> u64 {
    let first = line.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or("");
    let mut hash = hash(first.as_bytes(), 0xcbf2_9ce4_8422_2325);
    let mut last = 0;
    for byte in line.bytes() {
        let class = match byte {
            b'0'..=b'9' => b'0',
            b' ' | b'\t' => b' ',
            byte if byte.is_ascii_alphabetic() || byte >= 0x80 => b'a',
            mark => mark,
        };
        if class != last {
            hash = self::hash(&[class], hash);
            last = class;
        }
    }
    hash
}

/// FNV-1a: the same on every machine.
fn hash(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<&str> {
        distinctive_lines(text, 0..text.len()).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn the_odd_line_of_a_log_is_told() {
        let mut lines: Vec<String> = (0..80).map(|n| format!("[{n:>3}] step {n} took {} ms", n * 7)).collect();
        lines.insert(40, "ld: E_STACK_77: the segment is too large".to_owned());
        assert_eq!(told(&lines.join("\n")), ["ld: E_STACK_77: the segment is too large"]);
    }

    #[test]
    fn failures_are_told_once_each() {
        let text = "one\ntwo error: x\nthree\ntwo error: x\nfour went well\nfive panicked\n";
        assert_eq!(told(text), ["two error: x", "five panicked"]);
    }

    #[test]
    fn prose_has_no_odd_lines() {
        assert_eq!(told("It was late.\nShe went - at last - home; why?\nNobody knows (yet).\n"), [""; 0]);
    }
}
