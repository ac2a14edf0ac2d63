//! Secrets in the column below their name: tables drawn with bars, aligned with blanks or
//! tabs, CSV; and the values of an SQL `INSERT` that names its columns.

use std::ops::Range;

use super::assigned::{is_drawn_password, is_drawn_token, is_said_password};
use super::findings::{Findings, FoundSecret};
use super::names::Name;
use super::text::{
    after_line_end, is_blank, is_quote, rest_of_line, run_end_within, starts_with_any_case, text_before,
};
use super::told::Promise;

const LONGEST_LINE: usize = 400;
/// A table of secrets has at most this many rows.
const MOST_ROWS: usize = 32;
const MOST_CELLS: usize = 24;

/// The separator of a line's cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parted {
    Bars,
    Tabs,
    Commas,
    Blanks,
}

/// At a name that may be a column heading.
pub(super) fn check_columns(text: &[u8], name: &Name, found: &mut Findings) {
    let Some(promise) = Promise::of(name.family) else {
        return;
    };
    let Some((parted, head)) = heading(text, name) else {
        return;
    };
    let cells = cells_of(text, head.clone(), parted);
    let Some(column) = cells.iter().position(|cell| cell.contains(&name.start)) else {
        return;
    };
    if cells.iter().filter(|cell| !cell.is_empty()).count() < 2 || !is_name_of(&text[cells[column].clone()]) {
        return;
    }
    let place = cells[column].start - head.start..cells[column].end - head.start;
    let mut next = after_line_end(text, head.end);
    for _ in 0..MOST_ROWS {
        let Some(start) = next else {
            return;
        };
        let row = rest_of_line(text, start, LONGEST_LINE);
        next = after_line_end(text, row.end);
        if is_rule(&text[row.clone()]) {
            continue;
        }
        let values = cells_of(text, row.clone(), parted);
        if row.is_empty() || values.len() < 2 {
            return;
        }
        let cell = match parted {
            Parted::Blanks => values.iter().find(|cell| overlaps(cell, &place, row.start)),
            Parted::Commas if values.len() != cells.len() => return,
            _ => values.get(column),
        };
        let candidates = cell.into_iter().chain(values.iter().filter(|_| parted == Parted::Tabs));
        for cell in candidates {
            let value = bare(text, cell.clone());
            if is_kept(promise, &text[value.clone()]) {
                found.add(name.start, FoundSecret::new(name.kind, value));
                break;
            }
        }
    }
}

fn is_kept(promise: Promise, value: &[u8]) -> bool {
    match promise {
        Promise::Password => is_drawn_password(value) || is_marked(value) && is_said_password(value),
        Promise::Token => is_drawn_token(value),
    }
}

/// Whether the value has both letters and digits and is not a name.
fn is_marked(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && !value.contains(&b'_') && !value.contains(&b'.')
}

/// The separator and range of the line with the name, if it is a table heading.
fn heading(text: &[u8], name: &Name) -> Option<(Parted, Range<usize>)> {
    let before = text_before(text, name.start, LONGEST_LINE);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let start = name.start - line.len();
    let after = rest_of_line(text, name.end, LONGEST_LINE);
    let head = start..after.end;
    let (left, right) = (line.trim_ascii_start(), &text[after]);
    let has = |byte: u8| left.contains(&byte) || right.contains(&byte);
    if [b'(', b'{', b'=', b';', b'"'].into_iter().any(has) {
        return None;
    }
    let next_to = |sign: &dyn Fn(&[u8]) -> bool| sign(right) || right.trim_ascii().is_empty();
    let has_gap = |text: &[u8]| text.windows(2).any(|pair| pair.iter().all(|&byte| is_blank(byte)));
    let parted = match () {
        () if has(b'|') && next_to(&|right| right.trim_ascii_start().starts_with(b"|")) => Parted::Bars,
        () if has(b'\t') && next_to(&|right| right.starts_with(b"\t")) => Parted::Tabs,
        () if has(b',') && !has(b' ') && next_to(&|right| right.starts_with(b",")) => Parted::Commas,
        () if (has_gap(left) || has_gap(right)) && next_to(&|right| right.starts_with(b"  ")) => Parted::Blanks,
        () => return None,
    };
    Some((parted, head))
}

/// The cells of a line, without the blanks around them.
fn cells_of(text: &[u8], line: Range<usize>, parted: Parted) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    let mut at = line.start;
    while at <= line.end && cells.len() < MOST_CELLS {
        let parts = at == line.end || parts_at(&text[..line.end], at, parted);
        if parts {
            let cell = trimmed(text, start..at);
            if !cell.is_empty() || matches!(parted, Parted::Commas | Parted::Bars) {
                cells.push(cell);
            }
            start = at + 1;
        }
        at += 1;
    }
    cells
}

fn parts_at(text: &[u8], at: usize, parted: Parted) -> bool {
    match parted {
        Parted::Bars => text[at] == b'|',
        Parted::Tabs => text[at] == b'\t',
        Parted::Commas => text[at] == b',',
        Parted::Blanks => {
            is_blank(text[at]) && (text.get(at + 1).is_none_or(|&next| is_blank(next)) || text[at] == b'\t')
        }
    }
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let start = run_end_within(&text[..range.end], range.start, LONGEST_LINE, is_blank);
    let end = range.end - text[start..range.end].iter().rev().take_while(|&&byte| is_blank(byte)).count();
    start..end
}

/// Whether the cell at this index is below `place`.
fn overlaps(cell: &Range<usize>, place: &Range<usize>, row: usize) -> bool {
    cell.start - row < place.end && cell.end - row > place.start
}

/// A line that only separates the heading from the rows.
fn is_rule(line: &[u8]) -> bool {
    !line.is_empty()
        && line.iter().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b'|' | b' ' | b':' | b'\t') || !byte.is_ascii())
}

/// Whether the heading is a name, not a sentence.
fn is_name_of(heading: &[u8]) -> bool {
    heading.len() <= 32 && heading.iter().filter(|&&byte| byte == b' ').count() <= 2
}

fn bare(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let is_mark = |byte: u8| is_quote(byte) || byte == b'*';
    let start = run_end_within(&text[..cell.end], cell.start, 3, is_mark);
    let end = cell.end - text[start..cell.end].iter().rev().take_while(|&&byte| is_mark(byte)).count();
    start..end
}

/// At a name in the column list of an `INSERT`: the value at the same position.
pub(super) fn check_insert(text: &[u8], name: &Name, found: &mut Findings) {
    let Some(promise) = Promise::of(name.family) else {
        return;
    };
    let before = text_before(text, name.start, LONGEST_LINE);
    let Some(open) = before.iter().rposition(|&byte| byte == b'(') else {
        return;
    };
    let list = &before[open + 1..];
    let is_list = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b' ' | b'`' | b'"' | b'\n');
    let place = list.iter().filter(|&&byte| byte == b',').count();
    let close = run_end_within(text, name.end, LONGEST_LINE, |byte| is_list(&byte));
    if text.get(close) != Some(&b')') || !list.iter().all(is_list) {
        return;
    }
    let values = run_end_within(text, close + 1, 8, |byte| byte.is_ascii_whitespace());
    if !starts_with_any_case(text, values, "values") {
        return;
    }
    let mut row = values + b"values".len();
    for _ in 0..MOST_ROWS {
        row = run_end_within(text, row, 16, |byte| byte.is_ascii_whitespace() || byte == b',');
        if text.get(row) != Some(&b'(') {
            return;
        }
        let (strings, end) = tuple(text, row + 1);
        if let Some(Some(value)) = strings.get(place).cloned()
            && is_kept(promise, &text[value.clone()])
        {
            found.add(name.start, FoundSecret::new(name.kind, value));
        }
        row = end;
    }
}

/// The strings of `'a', 1, 'b')`, by position, and the end of the list.
fn tuple(text: &[u8], from: usize) -> (Vec<Option<Range<usize>>>, usize) {
    let mut cells = vec![None];
    let mut at = from;
    let limit = text.len().min(from + 4 * LONGEST_LINE);
    while at < limit && cells.len() < MOST_CELLS {
        match text[at] {
            b')' => return (cells, at + 1),
            b',' => cells.push(None),
            mark @ (b'\'' | b'"') => {
                let end = run_end_within(&text[..limit], at + 1, limit, |byte| byte != mark && byte != b'\n');
                let last = cells.len() - 1;
                cells[last] = Some(at + 1..end);
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    (cells, limit)
}
