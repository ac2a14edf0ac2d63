//! How does a causal graph look? As an SVG file, or as Mermaid text.
//!
//! Causes are on the left. [`layout`] says where each box stands, from sizes and links alone, so that a page can use
//! it too; the writers only draw. The same drawing gives the same bytes.

mod chains;
mod layout;
mod mermaid;
mod svg;

pub use chains::{Drawing, DrawnLink, DrawnNode};
pub use layout::{BoxPosition, layout};
pub use mermaid::mermaid;
pub use svg::svg;
