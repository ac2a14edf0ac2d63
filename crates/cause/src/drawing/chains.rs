//! The chains of an answer as one graph: parts that chains share are drawn once.

use backstory_language::text::clip;

use crate::relevance::{CausalNode, CausalRetrieval, DocumentKind, NodeType};

const LONGEST_TITLE: usize = 100;
const LONGEST_QUESTION: usize = 60;

#[derive(Debug, Clone, Default)]
pub struct Drawing {
    pub title: String,
    pub nodes: Vec<DrawnNode>,
    /// No two links join the same two nodes.
    pub links: Vec<DrawnLink>,
}

#[derive(Debug, Clone)]
pub struct DrawnNode {
    pub label: String,
    /// A second line, such as `src/cart.ts:45`; when shortened, its end is kept.
    pub detail: String,
    /// None: the question.
    pub kind: Option<DocumentKind>,
}

#[derive(Debug, Clone)]
pub struct DrawnLink {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// From 0 to 1; sets the line width.
    pub strength: f32,
}

impl DrawnNode {
    /// Name, border and fill of its kind. The fills are light enough for dark text.
    pub(super) fn style(&self) -> (&'static str, &'static str, &'static str) {
        match self.kind {
            None => ("query", "#b42318", "#fde8e4"),
            Some(DocumentKind::Code | DocumentKind::Config) => ("code", "#1f5fbf", "#e4eefc"),
            Some(DocumentKind::Test) => ("test", "#1a7f4b", "#e1f5ea"),
            Some(DocumentKind::Page) => ("document", "#8a6100", "#fbf1d3"),
            Some(DocumentKind::Commit) => ("commit", "#b3510d", "#fdebdc"),
            Some(DocumentKind::Card) => ("card", "#a62a6b", "#fbe6f0"),
            Some(_) => ("session", "#0f7583", "#def3f5"),
        }
    }
}

impl Drawing {
    pub fn of_chains(question: &str, found: &CausalRetrieval) -> Self {
        let mut drawing = Drawing { title: clip(question, LONGEST_TITLE), ..Drawing::default() };
        let mut ids: Vec<&str> = Vec::new();
        for link in found.documents.iter().flat_map(|ranked| &ranked.relevance.chain) {
            let [from, to] = [&link.from, &link.to].map(|node| {
                ids.iter().position(|id| *id == node.id).unwrap_or_else(|| {
                    ids.push(&node.id);
                    drawing.nodes.push(drawn(question, found, node));
                    ids.len() - 1
                })
            });
            let (from, to) = if link.against { (to, from) } else { (from, to) };
            drawing.join(DrawnLink { from, to, label: link.relationship.name().to_owned(), strength: link.strength });
        }
        drawing
    }

    /// A second link between the same nodes adds its label to the first.
    fn join(&mut self, link: DrawnLink) {
        let same = self.links.iter_mut().find(|known| (known.from, known.to) == (link.from, link.to));
        let Some(known) = same else { return self.links.push(link) };
        known.strength = known.strength.max(link.strength);
        if !known.label.split(", ").any(|label| label == link.label) {
            known.label = format!("{}, {}", known.label, link.label);
        }
    }
}

fn drawn(question: &str, found: &CausalRetrieval, node: &CausalNode) -> DrawnNode {
    if node.kind == NodeType::Query {
        return DrawnNode { label: clip(question, LONGEST_QUESTION), detail: String::new(), kind: None };
    }
    let document = found.documents.iter().map(|ranked| &ranked.document).find(|document| document.id == node.id);
    DrawnNode {
        label: node.label.clone(),
        detail: document.and_then(|document| document.place()).unwrap_or_default(),
        kind: Some(document.map_or(DocumentKind::Code, |document| document.kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_the_same_nodes_are_joined() {
        let mut drawing = Drawing::default();
        for (label, strength) in [("calls", 0.5), ("imports", 0.2), ("calls", 0.7)] {
            drawing.join(DrawnLink { from: 0, to: 1, label: label.to_owned(), strength });
        }
        assert_eq!((drawing.links.len(), drawing.links[0].label.as_str()), (1, "calls, imports"));
        assert_eq!(drawing.links[0].strength, 0.7);
    }
}
