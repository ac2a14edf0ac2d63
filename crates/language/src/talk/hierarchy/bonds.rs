//! How strongly are two neighbours related?
//!
//! Depends on their distance, on whether the same people continue asking, and on shared topics, each from a few lines
//! on either side.

use std::collections::BTreeSet;

use crate::talk::lines::TalkLine;
use crate::talk::mask::MaskReason;
use crate::talk::run::Linked;

use super::OutlineNode;
use super::titles::Titles;

/// The number of lines that are read on either side.
const WINDOW: usize = 8;
/// The number of lines after which nearness has decayed to a third.
const FADES: f32 = 10.0;
const NEAR: f32 = 0.4;
const PEOPLE: f32 = 0.3;
const WORDS: f32 = 0.3;

/// The bond between each node and the next; None at a scene cut.
pub fn bonds(lines: &[TalkLine<'_>], linked: &Linked, nodes: &[OutlineNode], titles: &Titles) -> Vec<Option<f32>> {
    nodes.windows(2).map(|pair| bond(lines, linked, &pair[0], &pair[1], titles)).collect()
}

fn bond(
    lines: &[TalkLine<'_>],
    linked: &Linked,
    left: &OutlineNode,
    right: &OutlineNode,
    titles: &Titles,
) -> Option<f32> {
    let gap = left.places.end..right.places.start;
    let is_cut = gap.clone().any(|place| linked.mask.reasons(place).any(|reason| reason == MaskReason::Transition));
    if is_cut {
        return None;
    }
    let before = left.places.end.saturating_sub(WINDOW).max(left.places.start)..left.places.end;
    let after = right.places.start..right.places.end.min(right.places.start + WINDOW);
    let near = (-(gap.len() as f32) / FADES).exp();
    let speakers = |places: &std::ops::Range<usize>| -> BTreeSet<&str> {
        places.clone().filter(|at| linked_asks(linked, *at)).map(|at| lines[at].speaker).collect()
    };
    let people = overlap(&speakers(&before), &speakers(&after), |_| 1.0);
    let terms =
        |places: std::ops::Range<usize>| -> BTreeSet<u32> { places.flat_map(|at| titles.terms(at)).copied().collect() };
    let words = overlap(&terms(before), &terms(after), |term| titles.weight(*term));
    Some(NEAR * near + PEOPLE * people + WORDS * words)
}

fn linked_asks(linked: &Linked, at: usize) -> bool {
    linked.participants.of_lines[at].is_some_and(|speaker| linked.participants.speakers[speaker as usize].part.asks)
}

/// The common items, as a share of the smaller set.
fn overlap<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>, weight: impl Fn(&T) -> f32) -> f32 {
    let sum = |set: &BTreeSet<T>| set.iter().map(&weight).sum::<f32>();
    let smaller = sum(a).min(sum(b));
    if smaller <= 0.0 { 0.0 } else { a.intersection(b).map(&weight).sum::<f32>() / smaller }
}
