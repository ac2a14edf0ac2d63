//! A drawing as Mermaid text, for pages that render it themselves.

use super::Drawing;

pub fn mermaid(drawing: &Drawing) -> String {
    let mut out = format!("flowchart LR\n  %% {}\n", escaped(&drawing.title));
    for (number, node) in drawing.nodes.iter().enumerate() {
        let (kind, ..) = node.style();
        let detail = if node.detail.is_empty() { String::new() } else { format!("<br/>{}", escaped(&node.detail)) };
        out.push_str(&format!("  n{number}[\"{}{detail}\"]:::{kind}\n", escaped(&node.label)));
    }
    for link in &drawing.links {
        out.push_str(&format!("  n{} -->|\"{}\"| n{}\n", link.from, escaped(&link.label), link.to));
    }
    let mut kinds: Vec<_> = drawing.nodes.iter().map(|node| node.style()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for (kind, border, fill) in kinds {
        out.push_str(&format!("  classDef {kind} fill:{fill},stroke:{border},color:#1b1f24\n"));
    }
    out
}

/// One line with all markup escaped.
fn escaped(text: &str) -> String {
    let line = super::svg::clean(text);
    line.chars()
        .map(|c| if c.is_alphanumeric() || " ._-/:,()".contains(c) { c.to_string() } else { format!("#{};", c as u32) })
        .collect()
}
