//! Draws a causal graph as an SVG file or as Mermaid text.
//!
//! Causes are on the left. [`layout`] places the boxes from sizes and links alone, so a page can use it too; the
//! writers only draw. Equal drawings give equal bytes.

mod chains;
mod layout;
mod mermaid;
mod svg;

pub use chains::{Drawing, DrawnLink, DrawnNode};
pub use layout::{BoxPosition, layout};
pub use mermaid::mermaid;
pub use svg::svg;
