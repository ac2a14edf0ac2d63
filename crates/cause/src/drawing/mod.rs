//! How does a small causal graph look? As one SVG without scripts, ids, style sheets or outside files, so that
//! several can stand on one page.
//!
//! Causes are on the left. The steps: links get a direction without cycles, nodes get columns, a link over several
//! columns gets a slot in each, slots are ordered and then moved up and down, and at last everything is drawn.
//! The same drawing gives the same bytes.

mod layout;
mod sheet;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write;

use layout::*;
use sheet::*;
use text::*;

#[derive(Debug, Clone, Default)]
pub struct Drawing {
    pub title: String,
    pub nodes: Vec<DrawnNode>,
    /// Links to nodes that do not exist, and from a node to itself, are left out.
    pub links: Vec<DrawnLink>,
}

#[derive(Debug, Clone)]
pub struct DrawnNode {
    pub label: String,
    /// A second, smaller line, such as `src/cart.ts:45`; its end matters most.
    pub detail: String,
    pub kind: NodeKind,
}

#[derive(Debug, Clone)]
pub struct DrawnLink {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// From 0 to 1: how wide and dark the line is.
    pub strength: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    Query,
    Concept,
    Code,
    Test,
    Document,
    Commit,
    Session,
    Card,
}

impl NodeKind {
    fn name(self) -> &'static str {
        self.style().0
    }

    /// Name, border and fill. The fills are light enough for dark text, the borders dark enough for white.
    fn style(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Query => ("query", "#b42318", "#fde8e4"),
            Self::Concept => ("concept", "#7a3fb8", "#f1e8fb"),
            Self::Code => ("code", "#1f5fbf", "#e4eefc"),
            Self::Test => ("test", "#1a7f4b", "#e1f5ea"),
            Self::Document => ("document", "#8a6100", "#fbf1d3"),
            Self::Commit => ("commit", "#b3510d", "#fdebdc"),
            Self::Session => ("session", "#0f7583", "#def3f5"),
            Self::Card => ("card", "#a62a6b", "#fbe6f0"),
        }
    }
}

const PAPER: &str = "#fbfbfd";
const INK: &str = "#1b1f24";
const PALE_INK: &str = "#525b66";
const LINE: &str = "#5b6675";
const SANS: &str = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

const TITLE: Font = Font { family: SANS, size: 16.0, weight: 700, ink: INK };
const LABEL: Font = Font { family: SANS, size: 13.0, weight: 700, ink: INK };
const DETAIL: Font = Font { family: MONO, size: 11.0, weight: 400, ink: PALE_INK };
const NAME: Font = Font { family: SANS, size: 11.0, weight: 400, ink: PALE_INK };

const MARGIN: f64 = 24.0;
const PADDING: f64 = 12.0;
const WIDEST_TEXT: f64 = 230.0;
const WIDEST_NAME: f64 = 130.0;
const NARROWEST_TITLE: f64 = 360.0;
/// Between two boxes of a column.
const ROW_GAP: f64 = 20.0;
const NAME_HEIGHT: f64 = 14.0;
const ARROW: f64 = 8.0;
const LEGEND_ROW: f64 = 20.0;
const SWEEPS: usize = 12;
/// In larger gaps nobody could follow a line anyway, and looking at each pair would take long.
const MOST_LINES_LOOKED_AT: usize = 150;

impl Drawing {
    /// The whole drawing as an SVG file.
    pub fn svg(&self) -> String {
        let links = self.drawn_links();
        let mut layout = Layout::new(&self.nodes, &links);
        layout.order();
        layout.settle();
        layout.set_columns(&links);
        Sheet { drawing: self, links: &links, layout: &layout }.draw()
    }

    /// Several links between the same two nodes become one line with both names.
    fn drawn_links(&self) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::new();
        let mut positions = BTreeMap::new();
        for link in &self.links {
            if link.from == link.to || link.from.max(link.to) >= self.nodes.len() {
                continue;
            }
            let label = clean(&link.label);
            let strength = if link.strength.is_nan() { 0.0 } else { f64::from(link.strength.clamp(0.0, 1.0)) };
            let at = *positions.entry((link.from, link.to)).or_insert(links.len());
            match links.get_mut(at) {
                Some(same) => same.join(&label, strength),
                None => links.push(Link { from: link.from, to: link.to, label, strength }),
            }
        }
        links
    }
}

struct Link {
    from: usize,
    to: usize,
    label: String,
    strength: f64,
}

impl Link {
    fn join(&mut self, label: &str, strength: f64) {
        self.strength = self.strength.max(strength);
        if self.label.is_empty() {
            self.label = label.to_owned();
        } else if !label.is_empty() && !self.label.split(", ").any(|known| known == label) {
            self.label = format!("{}, {label}", self.label);
        }
    }

    fn shown(&self) -> String {
        keep_start(&self.label, WIDEST_NAME, &NAME)
    }
}
