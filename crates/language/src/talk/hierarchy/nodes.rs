//! Groups lines that links bridge, with the stray lines around them.

use crate::talk::lines::TalkLine;
use crate::talk::run::Linked;

use super::OutlineNode;

/// A node absorbs as many stray lines as it has lines, and at least this many.
const CAPACITY: usize = 2;

pub fn nodes(lines: &[TalkLine<'_>], linked: &Linked, radius: u32) -> Vec<OutlineNode> {
    let mut nodes = cores(lines, linked);
    absorb(&mut nodes, lines.len(), linked, radius as usize);
    nodes
}

/// Runs of lines with a link across each boundary in them. An unanswered intent is a separate run.
fn cores(lines: &[TalkLine<'_>], linked: &Linked) -> Vec<OutlineNode> {
    let place = |number: u32| lines.binary_search_by_key(&number, |line| line.index).ok();
    let mut nodes: Vec<OutlineNode> = Vec::new();
    for (at, link) in linked.links.iter().enumerate() {
        let Some(from) = place(link.intent_anchor) else { continue };
        let to = link.consequence.as_ref().and_then(|found| place(found.anchor)).unwrap_or(from);
        let score = link.consequence.as_ref().map_or(0.0, |found| found.score);
        match nodes.last_mut() {
            Some(last) if from < last.places.end => {
                last.places.end = last.places.end.max(to + 1);
                last.links.end = at + 1;
                last.strength += score;
            }
            _ => nodes.push(OutlineNode { places: from..to + 1, links: at..at + 1, strength: score }),
        }
    }
    nodes
}

/// Widens nodes into the gaps beside them, line by line from both ends, over eligible lines.
fn absorb(nodes: &mut [OutlineNode], lines: usize, linked: &Linked, radius: usize) {
    let mut room: Vec<usize> = nodes.iter().map(|node| node.mass().max(CAPACITY)).collect();
    for right in 0..=nodes.len() {
        let mut from = if right == 0 { 0 } else { nodes[right - 1].places.end };
        let mut until = nodes.get(right).map_or(lines, |node| node.places.start);
        for _ in 0..radius {
            if from < until && right > 0 && room[right - 1] > 0 && linked.mask.is_eligible(from) {
                from += 1;
                room[right - 1] -= 1;
            }
            if from < until && right < nodes.len() && room[right] > 0 && linked.mask.is_eligible(until - 1) {
                until -= 1;
                room[right] -= 1;
            }
        }
        if right > 0 {
            nodes[right - 1].places.end = from;
        }
        if right < nodes.len() {
            nodes[right].places.start = until;
        }
    }
}
