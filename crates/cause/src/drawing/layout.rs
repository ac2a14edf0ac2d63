//! Where each box stands and where each line runs.

use super::*;

/// Which links must be turned round so that none leads back: those that close a circle on a walk through the
/// graph.
pub(super) fn turned(count: usize, links: &[Link]) -> Vec<bool> {
    let mut outgoing = vec![Vec::new(); count];
    let mut has_cause = vec![false; count];
    for (number, link) in links.iter().enumerate() {
        outgoing[link.from].push(number);
        has_cause[link.to] = true;
    }
    let mut turned = vec![false; links.len()];
    let mut state = vec![Visit::New; count];
    let first = (0..count).filter(|node| !has_cause[*node]);
    for start in first.chain(0..count) {
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.pop() {
            if next == 0 && state[node] != Visit::New {
                continue;
            }
            state[node] = Visit::Open;
            let Some(number) = outgoing[node].get(next) else {
                state[node] = Visit::Done;
                continue;
            };
            path.push((node, next + 1));
            match state[links[*number].to] {
                Visit::New => path.push((links[*number].to, 0)),
                Visit::Open => turned[*number] = true,
                Visit::Done => {}
            }
        }
    }
    turned
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    New,
    Open,
    Done,
}

/// The longest way from a node without causes, for each node.
pub(super) fn columns(count: usize, steps: &[(usize, usize)]) -> Vec<usize> {
    let mut after = vec![Vec::new(); count];
    let mut waits_for = vec![0usize; count];
    for (left, right) in steps {
        after[*left].push(*right);
        waits_for[*right] += 1;
    }
    let mut column = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|node| waits_for[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for next in &after[node] {
            column[*next] = column[*next].max(column[node] + 1);
            waits_for[*next] -= 1;
            if waits_for[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    column
}

/// A place in a column: a node's box, or the passage of a long link.
pub(super) struct Slot {
    pub(super) column: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The middle.
    pub(super) y: f64,
    pub(super) is_box: bool,
}

/// A link's slots from left to right; a turned link's arrow points to the first.
pub(super) struct Chain {
    pub(super) slots: Vec<usize>,
    pub(super) is_turned: bool,
}

impl Chain {
    /// The passage that carries the name; a short link has none.
    pub(super) fn middle(&self) -> Option<usize> {
        let passages = &self.slots[1..self.slots.len() - 1];
        passages.get(passages.len() / 2).copied()
    }
}

pub(super) struct Layout {
    /// The boxes come first, in the order of the nodes.
    pub(super) slots: Vec<Slot>,
    /// One for each link.
    pub(super) chains: Vec<Chain>,
    /// The slots of each column from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    /// The neighbours of each slot in the columns to the left and to the right.
    pub(super) left: Vec<Vec<usize>>,
    pub(super) right: Vec<Vec<usize>>,
    /// Where each column begins and how wide it is.
    pub(super) places: Vec<(f64, f64)>,
}

impl Layout {
    pub(super) fn new(nodes: &[DrawnNode], links: &[Link]) -> Self {
        let turned = turned(nodes.len(), links);
        let ends = |(link, turned): (&Link, &bool)| if *turned { (link.to, link.from) } else { (link.from, link.to) };
        let steps: Vec<(usize, usize)> = links.iter().zip(&turned).map(ends).collect();
        let column = columns(nodes.len(), &steps);
        let mut slots: Vec<Slot> = nodes.iter().zip(&column).map(|(node, column)| boxed(node, *column)).collect();
        let mut chains = Vec::with_capacity(links.len());
        for ((link, is_turned), (from, to)) in links.iter().zip(turned).zip(steps) {
            let mut chain = vec![from];
            for column in column[from] + 1..column[to] {
                chain.push(slots.len());
                slots.push(Slot { column, width: 0.0, height: 6.0, y: 0.0, is_box: false });
            }
            chain.push(to);
            let chain = Chain { slots: chain, is_turned };
            if let Some(middle) = chain.middle().filter(|_| !link.label.is_empty()) {
                slots[middle].width = NAME.width(&link.shown()) + 12.0;
                slots[middle].height = NAME_HEIGHT;
            }
            chains.push(chain);
        }
        Self::connected(slots, chains)
    }

    pub(super) fn connected(slots: Vec<Slot>, chains: Vec<Chain>) -> Self {
        let (mut left, mut right) = (vec![Vec::new(); slots.len()], vec![Vec::new(); slots.len()]);
        for pair in chains.iter().flat_map(|chain| chain.slots.windows(2)) {
            right[pair[0]].push(pair[1]);
            left[pair[1]].push(pair[0]);
        }
        let count = slots.iter().map(|slot| slot.column + 1).max().unwrap_or_default();
        let mut columns = vec![Vec::new(); count];
        for (number, slot) in slots.iter().enumerate() {
            columns[slot.column].push(number);
        }
        Self { slots, chains, columns, left, right, places: Vec::new() }
    }

    /// Each sweep moves slots to the mean rank of their neighbours; the order with the fewest crossings stays.
    pub(super) fn order(&mut self) {
        let mut best = (self.crossings(), self.columns.clone());
        for sweep in 0..SWEEPS {
            if best.0 == 0 {
                break;
            }
            let count = self.columns.len();
            for step in 1..count {
                let (column, neighbours) =
                    if sweep % 2 == 0 { (step, &self.left) } else { (count - 1 - step, &self.right) };
                let ranks = self.ranks();
                let mean =
                    |slot: &usize| mean(neighbours[*slot].iter().map(|other| ranks[*other])).unwrap_or(ranks[*slot]);
                self.columns[column].sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    /// Positions within the columns, as shares so that short and long columns compare.
    pub(super) fn ranks(&self) -> Vec<f64> {
        let mut ranks = vec![0.0; self.slots.len()];
        for column in &self.columns {
            for (at, slot) in column.iter().enumerate() {
                ranks[*slot] = (at as f64 + 0.5) / column.len() as f64;
            }
        }
        ranks
    }

    pub(super) fn crossings(&self) -> usize {
        let ranks = self.ranks();
        let mut count = 0;
        for column in &self.columns {
            let ends = |slot: &usize| {
                let mut ends: Vec<f64> = self.right[*slot].iter().map(|other| ranks[*other]).collect();
                ends.sort_by(f64::total_cmp);
                ends
            };
            // Sorted ends of the slots above; each of them that is below a new end crosses it.
            let mut above: Vec<f64> = Vec::new();
            for ends in column.iter().map(ends) {
                count +=
                    ends.iter().map(|end| above.len() - above.partition_point(|other| other <= end)).sum::<usize>();
                above.extend(ends);
                above.sort_by(f64::total_cmp);
            }
        }
        count
    }

    /// Moves slots towards their neighbours, first from both sides in turn and at last between them.
    pub(super) fn settle(&mut self) {
        for column in 0..self.columns.len() {
            self.settle_column(column, |_, _| Vec::new());
        }
        let last = self.columns.len();
        for sweep in 0..SWEEPS {
            for step in 0..last {
                match sweep {
                    _ if sweep + 2 >= SWEEPS => {
                        self.settle_column(step, |layout, slot| [&layout.left[slot][..], &layout.right[slot]].concat())
                    }
                    _ if sweep % 2 == 0 => self.settle_column(step, |layout, slot| layout.left[slot].clone()),
                    _ => self.settle_column(last - 1 - step, |layout, slot| layout.right[slot].clone()),
                }
            }
        }
    }

    pub(super) fn settle_column(&mut self, column: usize, neighbours: impl Fn(&Self, usize) -> Vec<usize>) {
        let column = &self.columns[column];
        let wishes: Vec<f64> = column
            .iter()
            .map(|slot| {
                let near = neighbours(self, *slot);
                mean(near.iter().map(|other| self.slots[*other].y)).unwrap_or(self.slots[*slot].y)
            })
            .collect();
        let apart: Vec<f64> = column
            .windows(2)
            .map(|pair| {
                let (above, below) = (&self.slots[pair[0]], &self.slots[pair[1]]);
                let gap = if above.is_box && below.is_box { ROW_GAP } else { ROW_GAP * 0.6 };
                (above.height + below.height) / 2.0 + gap
            })
            .collect();
        for (slot, y) in column.iter().zip(nearest(&wishes, &apart)) {
            self.slots[*slot].y = y;
        }
    }

    /// Gaps must hold the names of the links that cross them.
    pub(super) fn set_columns(&mut self, links: &[Link]) {
        let mut x = MARGIN;
        for (number, column) in self.columns.iter().enumerate() {
            let width = column.iter().map(|slot| self.slots[*slot].width).fold(0.0, f64::max);
            self.places.push((x, width));
            let crossing = column.iter().map(|slot| self.right[*slot].len()).sum::<usize>();
            let is_here = |chain: &Chain| chain.slots.len() == 2 && self.slots[chain.slots[0]].column == number;
            let named = self.chains.iter().zip(links).filter(|(chain, _)| is_here(chain));
            let widest = named.map(|(_, link)| NAME.width(&link.shown())).fold(0.0, f64::max);
            x += width + widest + 68.0 + (crossing as f64 * 5.0).min(70.0);
        }
    }

    /// Where the links meet a box's side: spread, and in the order of their other ends.
    pub(super) fn ports(&self, side: Side) -> Vec<f64> {
        let mut ports = vec![0.0; self.chains.len()];
        let mut at_box: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
        for (number, chain) in self.chains.iter().enumerate() {
            let last = chain.slots.len() - 1;
            let (own, other) = match side {
                Side::Right => (chain.slots[0], chain.slots[1]),
                Side::Left => (chain.slots[last], chain.slots[last - 1]),
            };
            at_box.entry(own).or_default().push((self.slots[other].y, number));
        }
        for (own, mut ends) in at_box {
            ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let between = (ends.len() - 1) as f64;
            let step = ((self.slots[own].height - 16.0) / between.max(1.0)).min(14.0);
            for (at, (_, number)) in ends.iter().enumerate() {
                ports[*number] = self.slots[own].y + (at as f64 - between / 2.0) * step;
            }
        }
        ports
    }
}

#[derive(Clone, Copy)]
pub(super) enum Side {
    Left,
    Right,
}

pub(super) fn boxed(node: &DrawnNode, column: usize) -> Slot {
    let (label, detail) = shown(node);
    let width = LABEL.width(&label).max(DETAIL.width(&detail)).max(40.0) + 2.0 * PADDING;
    let height = if detail.is_empty() { 32.0 } else { 46.0 };
    Slot { column, width, height, y: 0.0, is_box: true }
}

/// The two lines of a box. Of a path, the end says more than the start.
pub(super) fn shown(node: &DrawnNode) -> (String, String) {
    let label = keep_start(&clean(&node.label), WIDEST_TEXT, &LABEL);
    (label, keep_end(&clean(&node.detail), WIDEST_TEXT, &DETAIL))
}

pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// The positions nearest to the wishes that keep the order and the distances: neighbours that would come too close
/// move as one block to their common mean.
pub(super) fn nearest(wishes: &[f64], apart: &[f64]) -> Vec<f64> {
    let mut shifts = vec![0.0; wishes.len()];
    for at in 1..wishes.len() {
        shifts[at] = shifts[at - 1] + apart[at - 1];
    }
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (wish, shift) in wishes.iter().zip(&shifts) {
        let (mut sum, mut count) = (wish - shift, 1);
        while let Some((above, size)) = blocks.pop_if(|(above, size)| *above / *size as f64 > sum / count as f64) {
            sum += above;
            count += size;
        }
        blocks.push((sum, count));
    }
    let means = blocks.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count));
    means.zip(shifts).map(|(mean, shift)| mean + shift).collect()
}
