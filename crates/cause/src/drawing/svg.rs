//! A drawing as one SVG without scripts, ids, style sheets or external files, so several can share a page.

use super::{BoxPosition, Drawing, DrawnLink, DrawnNode, layout};

const MARGIN: f64 = 24.0;
const HEAD: f64 = 60.0;
const PADDING: f64 = 12.0;
/// A generous guess, because the reader's font is not known.
const LETTER: f64 = 7.8;
const LONGEST_LINE: usize = 34;
const LONGEST_NAME: usize = 20;
const FONT: &str = "font-family=\"ui-monospace,Menlo,Consolas,monospace\"";

pub fn svg(drawing: &Drawing) -> String {
    let sizes: Vec<(f64, f64)> = drawing.nodes.iter().map(size).collect();
    let links: Vec<(usize, usize)> = drawing.links.iter().map(|link| (link.from, link.to)).collect();
    let boxes = layout(&sizes, &links, LONGEST_NAME as f64 * LETTER);
    let right = boxes.iter().map(|at| at.x + at.width).fold(LONGEST_LINE as f64 * LETTER, f64::max);
    let bottom = boxes.iter().map(|at| at.y + at.height).fold(0.0, f64::max);
    let (width, height) = (right + 2.0 * MARGIN, HEAD + bottom + MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fbfbfd\"/>\n",
        escaped(&drawing.title)
    );
    let most = (right / LETTER) as usize;
    out.push_str(&text((MARGIN, MARGIN), "font-size=\"14\"", &keep_start(&drawing.title, most)));
    out.push_str(&format!("<g transform=\"translate({MARGIN} {HEAD})\" {FONT}>\n"));
    out.extend(drawing.links.iter().map(|link| line(link, &boxes[link.from], &boxes[link.to])));
    out.extend(drawing.nodes.iter().zip(&boxes).map(|(node, at)| boxed(node, at)));
    out.push_str("</g>\n</svg>\n");
    out
}

fn size(node: &DrawnNode) -> (f64, f64) {
    let longest = node.label.chars().count().max(node.detail.chars().count()).clamp(4, LONGEST_LINE);
    (longest as f64 * LETTER + 2.0 * PADDING, if node.detail.is_empty() { 32.0 } else { 46.0 })
}

fn boxed(node: &DrawnNode, at: &BoxPosition) -> String {
    let (kind, border, fill) = node.style();
    let BoxPosition { x, y, width, height } = at;
    format!(
        "<g><title>{kind}: {} {}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         rx=\"8\" fill=\"{fill}\" stroke=\"{border}\"/>\n{}{}</g>\n",
        escaped(&node.label),
        escaped(&node.detail),
        text((x + PADDING, y + 20.0), "font-size=\"13\"", &keep_start(&node.label, LONGEST_LINE)),
        text((x + PADDING, y + 36.0), "font-size=\"11\"", &keep_end(&node.detail, LONGEST_LINE)),
    )
}

/// A curve with an arrow at its end and its name in the middle.
fn line(link: &DrawnLink, from: &BoxPosition, to: &BoxPosition) -> String {
    let (x1, y1) = (from.x + from.width, from.y + from.height / 2.0);
    let (x2, y2) = (to.x, to.y + to.height / 2.0);
    let middle = (x1 + x2) / 2.0;
    let width = 1.0 + 2.0 * link.strength.clamp(0.0, 1.0);
    format!(
        "<path d=\"M{x1:.0} {y1:.0}C{middle:.0} {y1:.0} {middle:.0} {y2:.0} {x2:.0} {y2:.0}m-7 -4l7 4l-7 4\" \
         fill=\"none\" stroke=\"#5b6675\" stroke-width=\"{width:.1}\"/>\n{}",
        text(
            (middle, (y1 + y2) / 2.0 - 5.0),
            "font-size=\"11\" text-anchor=\"middle\"",
            &keep_start(&link.label, LONGEST_NAME)
        )
    )
}

fn text((x, y): (f64, f64), style: &str, line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    format!("<text x=\"{x:.0}\" y=\"{y:.0}\" {style} fill=\"#1b1f24\">{}</text>\n", escaped(line))
}

fn keep_start(line: &str, most: usize) -> String {
    backstory_language::text::clip(&clean(line), most)
}

/// Shortens a path at its start, because its end is more specific.
fn keep_end(line: &str, most: usize) -> String {
    let backwards: String = clean(line).chars().rev().collect();
    backstory_language::text::clip(&backwards, most).chars().rev().collect()
}

/// One line without the characters that XML forbids or that change the direction of the surrounding text.
pub(super) fn clean(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| {
        !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    });
    kept.collect::<String>().trim().to_owned()
}

fn escaped(text: &str) -> String {
    let text = clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::super::mermaid;
    use super::*;

    fn drawing() -> Drawing {
        let node =
            |label: &str, detail: &str| DrawnNode { label: label.to_owned(), detail: detail.to_owned(), kind: None };
        Drawing {
            title: "<script>&\u{0}\u{1b}[0m".to_owned(),
            nodes: vec![
                node("a\n\"b\"\u{202e}", ""),
                node(&"x".repeat(300), &format!("{}cart.ts:45", "f/".repeat(40))),
            ],
            links: vec![DrawnLink { from: 0, to: 1, label: "it's".to_owned(), strength: f32::NAN }],
        }
    }

    #[test]
    fn text_is_escaped_and_cut_but_whole_in_the_tooltip() {
        let svg = svg(&drawing());
        for part in ["&lt;script&gt;&amp;[0m", ">a &quot;b&quot;</text>", ">it&#39;s</text>", "x…</text>", ">…"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(svg.contains("cart.ts:45</text>") && svg.contains(&"x".repeat(300)));
        assert!(!svg.contains("<script") && !svg.contains("inf"));
        assert!(svg.chars().all(|c| !c.is_control() || c == '\n'));
    }

    #[test]
    fn mermaid_has_no_markup_of_others() {
        let text = mermaid(&drawing());
        let head: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(head, ["flowchart LR", "  %% #60;script#62;#38;#91;0m", "  n0[\"a #34;b#34;\"]:::query"]);
        assert!(text.contains("  n0 -->|\"it#39;s\"| n1\n") && text.contains("classDef query"));
    }

    #[test]
    fn an_empty_drawing_is_still_a_drawing() {
        assert!(svg(&Drawing::default()).ends_with("</svg>\n"));
    }
}
