//! Where is each box placed? In layers from left to right, ordered so that few links cross.

/// The top left corner of a box, and its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxPosition {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

const ROW_GAP: f64 = 20.0;
const SWEEPS: usize = 4;

/// One position for each size. A link that closes a cycle is ignored for the layering.
pub fn layout(sizes: &[(f64, f64)], links: &[(usize, usize)], column_gap: f64) -> Vec<BoxPosition> {
    let links = without_cycles(sizes.len(), links);
    let mut columns = columns(sizes.len(), &links);
    for sweep in 0..SWEEPS {
        order(&mut columns, &links, sweep);
    }
    positions(sizes, &columns, column_gap)
}

fn without_cycles(count: usize, links: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut after = vec![Vec::new(); count];
    let mut kept = Vec::new();
    for &(from, to) in links.iter().filter(|(from, to)| from.max(to) < &count) {
        if !reaches(&after, to, from) {
            after[from].push(to);
            kept.push((from, to));
        }
    }
    kept
}

fn reaches(after: &[Vec<usize>], start: usize, end: usize) -> bool {
    let (mut open, mut seen) = (vec![start], vec![false; after.len()]);
    while let Some(node) = open.pop() {
        if node == end {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&after[node]);
        }
    }
    false
}

/// A node's column is the length of the longest path to it.
fn columns(count: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut column = vec![0; count];
    while let Some((from, to)) = links.iter().find(|(from, to)| column[*to] <= column[*from]) {
        column[*to] = column[*from] + 1;
    }
    let mut columns = vec![Vec::new(); column.iter().max().map_or(0, |last| last + 1)];
    column.iter().enumerate().for_each(|(node, column)| columns[*column].push(node));
    columns
}

/// Moves nodes to the mean rank of their neighbours, alternating between left-to-right and right-to-left.
fn order(columns: &mut [Vec<usize>], links: &[(usize, usize)], sweep: usize) {
    let count = columns.len();
    for step in 0..count {
        let column = if sweep.is_multiple_of(2) { step } else { count - 1 - step };
        let ranks = ranks(columns);
        let mean = |node: usize| {
            let near: Vec<f64> = links
                .iter()
                .filter_map(|(from, to)| match sweep % 2 {
                    0 => (*to == node).then(|| ranks[*from]),
                    _ => (*from == node).then(|| ranks[*to]),
                })
                .collect();
            if near.is_empty() { ranks[node] } else { near.iter().sum::<f64>() / near.len() as f64 }
        };
        columns[column].sort_by(|a, b| mean(*a).total_cmp(&mean(*b)));
    }
}

/// Ranks as shares of the column, so that short and long columns compare.
fn ranks(columns: &[Vec<usize>]) -> Vec<f64> {
    let mut ranks = vec![0.0; columns.iter().map(Vec::len).sum()];
    for column in columns {
        for (at, node) in column.iter().enumerate() {
            ranks[*node] = (at as f64 + 0.5) / column.len() as f64;
        }
    }
    ranks
}

fn positions(sizes: &[(f64, f64)], columns: &[Vec<usize>], column_gap: f64) -> Vec<BoxPosition> {
    let height = |column: &[usize]| column.iter().map(|node| sizes[*node].1 + ROW_GAP).sum::<f64>() - ROW_GAP;
    let tallest = columns.iter().map(|column| height(column)).fold(0.0, f64::max);
    let mut positions = vec![BoxPosition::default(); sizes.len()];
    let mut x = 0.0;
    for column in columns {
        let mut y = (tallest - height(column)) / 2.0;
        for node in column {
            let (width, height) = sizes[*node];
            positions[*node] = BoxPosition { x, y, width, height };
            y += height + ROW_GAP;
        }
        x += column.iter().map(|node| sizes[*node].0).fold(0.0, f64::max) + column_gap;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(count: usize, links: &[(usize, usize)]) -> Vec<usize> {
        let laid = layout(&vec![(10.0, 10.0); count], links, 10.0);
        laid.iter().map(|position| (position.x / 20.0) as usize).collect()
    }

    #[test]
    fn a_column_is_the_longest_way_and_cycles_end() {
        assert_eq!(columns_of(4, &[(0, 1), (1, 2), (0, 2), (3, 2)]), [0, 1, 2, 0]);
        assert_eq!(columns_of(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]), [0, 1, 2]);
        assert!(layout(&[], &[], 1.0).is_empty());
    }

    #[test]
    fn sweeps_undo_a_crossing() {
        let laid = layout(&[(10.0, 10.0); 4], &[(0, 3), (1, 2)], 10.0);
        assert!(laid[3].y < laid[2].y, "{laid:?}");
    }

    #[test]
    fn boxes_do_not_overlap() {
        let sizes: Vec<(f64, f64)> = (0..30).map(|number| (40.0 + f64::from(number % 7) * 20.0, 32.0)).collect();
        let links: Vec<(usize, usize)> = (0..60).map(|number| (number * 7 % 30, number * 13 % 30)).collect();
        let laid = layout(&sizes, &links, 30.0);
        for (at, one) in laid.iter().enumerate() {
            let apart = |other: &BoxPosition| {
                one.x + one.width <= other.x
                    || other.x + other.width <= one.x
                    || one.y + one.height <= other.y
                    || other.y + other.height <= one.y
            };
            assert!(laid[..at].iter().all(apart), "{one:?}");
        }
    }
}
