//! Scenes, beats and the nodes they are merged from.

use std::ops::Range;

use super::super::lines::TalkLine;
use super::super::run::Linked;
use super::bonds;
use super::merge;
use super::nodes;
use super::titles::Titles;

/// A group of related beats in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its distinctive words.
    pub title: String,
    /// Numbers of its first and last line.
    pub first: u32,
    pub last: u32,
    pub beats: Vec<Beat>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    /// Its clearest intent.
    pub title: String,
    /// Numbers of its first and last line.
    pub first: u32,
    pub last: u32,
    /// The indexes of its links in `links`.
    pub links: Range<usize>,
    /// The number of its lines.
    pub mass: u32,
    /// The sum of its links' scores.
    pub strength: f32,
}

/// How readily neighbours merge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    pub beat: f32,
    pub scene: f32,
    /// A stray line is absorbed within this many lines.
    pub radius: u32,
}

impl Default for Bars {
    fn default() -> Self {
        Bars { beat: 0.20, scene: 0.06, radius: 4 }
    }
}

/// The scenes of the transcript that `linked` was made from.
pub fn hierarchy(lines: &[TalkLine<'_>], linked: &Linked, bars: Bars) -> Vec<Scene> {
    let nodes = nodes::nodes(lines, linked, bars.radius);
    if nodes.is_empty() {
        return Vec::new();
    }
    let titles = Titles::new(lines, linked);
    let bonds = bonds::bonds(lines, linked, &nodes, &titles);
    let beats = merge::merge(&nodes, &bonds, bars.beat);
    let between = merge::between(&nodes, &bonds, &beats);
    let scenes = merge::merge(&beats, &between, bars.scene);
    scenes.iter().map(|scene| titles.scene(lines, &beats, scene, linked)).collect()
}

/// A run of lines, by position.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineNode {
    pub places: Range<usize>,
    /// Links whose intent is in it.
    pub links: Range<usize>,
    pub strength: f32,
}

impl OutlineNode {
    pub(super) fn mass(&self) -> usize {
        self.places.len()
    }

    pub(super) fn join(&self, next: &OutlineNode) -> OutlineNode {
        OutlineNode {
            places: self.places.start..next.places.end,
            links: self.links.start..next.links.end,
            strength: self.strength + next.strength,
        }
    }
}

#[cfg(test)]
mod tests;
