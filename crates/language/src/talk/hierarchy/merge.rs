//! Which neighbours are merged?
//!
//! The pair whose bond is highest above its bar merges first. The bar grows with both masses, `bar * ln(1 + sqrt(a *
//! b))`, so that large nodes need a stronger bond to grow further.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::OutlineNode;

pub fn merge(nodes: &[OutlineNode], bonds: &[Option<f32>], bar: f32) -> Vec<OutlineNode> {
    let mut merging = Merging {
        nodes: nodes.iter().cloned().map(Some).collect(),
        bonds: bonds.to_vec(),
        next: (1..=nodes.len()).collect(),
        before: (0..nodes.len()).map(|at| at.checked_sub(1)).collect(),
        heap: BinaryHeap::new(),
        bar,
    };
    (0..nodes.len()).for_each(|left| merging.propose(left));
    merging.run();
    merging.nodes.into_iter().flatten().collect()
}

/// The bonds between merged nodes: those where they meet.
pub fn between(nodes: &[OutlineNode], bonds: &[Option<f32>], merged: &[OutlineNode]) -> Vec<Option<f32>> {
    let ends = merged.iter().map(|node| node.places.end);
    let last = |end: usize| nodes.partition_point(|node| node.places.end < end);
    ends.take(merged.len().saturating_sub(1)).map(|end| bonds.get(last(end)).copied().flatten()).collect()
}

struct Merging {
    /// A merged pair is stored in its left node.
    nodes: Vec<Option<OutlineNode>>,
    /// The bond between each node's end and the next; updated as nodes grow.
    bonds: Vec<Option<f32>>,
    next: Vec<usize>,
    before: Vec<Option<usize>>,
    heap: BinaryHeap<Pair>,
    bar: f32,
}

impl Merging {
    fn run(&mut self) {
        while let Some(pair) = self.heap.pop() {
            let (left, right) = (pair.left, self.next[pair.left]);
            let Some(Some(a)) = self.nodes.get(left) else { continue };
            let Some(Some(b)) = self.nodes.get(right) else { continue };
            // The pair may have grown since it was proposed.
            if (a.mass(), b.mass()) != pair.masses || pair.right != right {
                continue;
            }
            let joined = a.join(b);
            self.nodes[left] = Some(joined);
            self.nodes[right] = None;
            self.next[left] = self.next[right];
            if let Some(bond) = self.bonds.get(right).copied() {
                self.bonds[left] = bond;
            }
            let after = self.next[left];
            if after < self.before.len() {
                self.before[after] = Some(left);
            }
            self.propose(left);
            if let Some(before) = self.before[left] {
                self.propose(before);
            }
        }
    }

    fn propose(&mut self, left: usize) {
        let right = self.next[left];
        let (Some(Some(a)), Some(Some(b))) = (self.nodes.get(left), self.nodes.get(right)) else { return };
        let Some(Some(bond)) = self.bonds.get(left) else { return };
        let masses = (a.mass(), b.mass());
        let bar = self.bar * (1.0 + (masses.0 as f32 * masses.1 as f32).sqrt()).ln();
        if *bond >= bar {
            self.heap.push(Pair { margin: bond - bar, left, right, masses });
        }
    }
}

struct Pair {
    margin: f32,
    left: usize,
    right: usize,
    masses: (usize, usize),
}

impl Ord for Pair {
    /// Highest margin first; among equals the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        self.margin.total_cmp(&other.margin).then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}
