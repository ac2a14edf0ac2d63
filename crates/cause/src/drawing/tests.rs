use super::*;

fn node(label: &str) -> DrawnNode {
    DrawnNode { label: label.to_owned(), detail: format!("src/{label}.rs:1"), kind: NodeKind::Code }
}

fn drawing(count: usize, links: &[(usize, usize)]) -> Drawing {
    let link =
        |(from, to): &(usize, usize)| DrawnLink { from: *from, to: *to, label: "calls".to_owned(), strength: 0.5 };
    Drawing {
        title: "title".to_owned(),
        nodes: (0..count).map(|number| node(&format!("n{number}"))).collect(),
        links: links.iter().map(link).collect(),
    }
}

fn laid_out(drawing: &Drawing) -> (Vec<Link>, Layout) {
    let links = drawing.drawn_links();
    let mut layout = Layout::new(&drawing.nodes, &links);
    layout.order();
    layout.settle();
    layout.set_columns(&links);
    (links, layout)
}

fn columns_of(drawing: &Drawing) -> Vec<usize> {
    laid_out(drawing).1.slots[..drawing.nodes.len()].iter().map(|slot| slot.column).collect()
}

/// Some graph with circles, long links and several links between two nodes.
fn tangle(seed: u64, count: usize, links: usize) -> Drawing {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    let links: Vec<_> = (0..links).map(|_| (random(), random())).collect();
    drawing(count, &links)
}

fn box_area(layout: &Layout, slot: &Slot) -> Area {
    let (half_width, half_height) = (slot.width / 2.0, slot.height / 2.0);
    Area { x: layout.places[slot.column].0 + half_width, y: slot.y, half_width, half_height }
}

#[test]
fn a_column_is_the_longest_way() {
    assert_eq!(columns_of(&drawing(4, &[(0, 1), (1, 2), (0, 2), (3, 2)])), [0, 1, 2, 0]);
}

#[test]
fn circles_end() {
    assert_eq!(columns_of(&drawing(3, &[(0, 1), (1, 2), (2, 0)])), [0, 1, 2]);
    assert_eq!(columns_of(&drawing(4, &[(3, 0), (0, 1), (1, 0)])), [1, 2, 0, 0]);
    assert_eq!(columns_of(&drawing(1, &[(0, 0)])), [0]);
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let links: Vec<_> = (1..3_000).map(|number| (number - 1, number)).collect();
    assert_eq!(columns_of(&drawing(3_000, &links)).last(), Some(&2_999));
}

#[test]
fn sweeps_undo_a_crossing() {
    let (_, layout) = laid_out(&drawing(4, &[(0, 3), (1, 2)]));
    assert_eq!(layout.crossings(), 0);
}

#[test]
fn crossings_are_counted() {
    let drawing = drawing(4, &[(0, 3), (1, 2), (0, 2), (1, 3)]);
    assert_eq!(Layout::new(&drawing.nodes, &drawing.drawn_links()).crossings(), 1);
}

#[test]
fn positions_keep_their_distance() {
    assert_eq!(nearest(&[0.0, 0.0, 100.0], &[10.0, 10.0]), [-5.0, 5.0, 100.0]);
    assert_eq!(nearest(&[30.0, 0.0], &[10.0]), [10.0, 20.0]);
    assert!(nearest(&[], &[]).is_empty());
}

#[test]
fn nothing_sits_on_a_box() {
    for seed in 0..30 {
        let drawing = tangle(seed, 5 + seed as usize, 8 + 2 * seed as usize);
        let (links, layout) = laid_out(&drawing);
        let sheet = Sheet { drawing: &drawing, links: &links, layout: &layout };
        let boxes: Vec<Area> =
            layout.slots.iter().filter(|slot| slot.is_box).map(|slot| box_area(&layout, slot)).collect();
        for (at, area) in boxes.iter().enumerate() {
            assert!(boxes[..at].iter().all(|other| area.overlap(other) == 0.0), "boxes, seed {seed}");
        }
        let (starts, ends) = (layout.ports(Side::Right), layout.ports(Side::Left));
        let curves: Vec<_> =
            (0..links.len()).map(|number| sheet.curves(number, starts[number], ends[number])).collect();
        for name in sheet.names(&curves).into_iter().flatten() {
            assert!(boxes.iter().all(|area| area.overlap(&name) == 0.0), "a name, seed {seed}");
        }
        for slot in layout.slots.iter().filter(|slot| !slot.is_box) {
            let (x, width) = layout.places[slot.column];
            let passage = Area { x: x + width / 2.0, y: slot.y, half_width: width / 2.0, half_height: 2.0 };
            assert!(boxes.iter().all(|area| area.overlap(&passage) == 0.0), "a line, seed {seed}");
        }
    }
}

#[test]
fn the_same_drawing_gives_the_same_bytes() {
    assert_eq!(tangle(3, 30, 60).svg(), tangle(3, 30, 60).svg());
}

#[test]
fn numbers_are_finite() {
    for seed in 0..10 {
        let svg = tangle(seed, 12, 30).svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn text_is_escaped_and_cleaned() {
    let mut drawing = drawing(2, &[(0, 1)]);
    drawing.title = "<script>&\u{0}\u{1b}[0m".to_owned();
    drawing.nodes[0].label = "a\n\"b\"\u{202e}".to_owned();
    drawing.links[0].label = "it's".to_owned();
    let svg = drawing.svg();
    assert!(svg.contains("&lt;script&gt;&amp;[0m"));
    assert!(svg.contains(">a &quot;b&quot;</text>"));
    assert!(svg.contains(">it&#39;s</text>"));
    assert!(!svg.contains("<script") && !svg.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn long_text_is_cut_but_kept_in_the_tooltip() {
    let mut drawing = drawing(1, &[]);
    drawing.nodes[0].label = "x".repeat(300);
    drawing.nodes[0].detail = format!("{}/cart.ts:45", "folder/".repeat(40));
    let svg = drawing.svg();
    assert!(svg.contains(&format!("<title>code: {}", "x".repeat(300))));
    assert!(svg.contains("xx…</text>"));
    assert!(svg.contains(">…") && svg.contains("/cart.ts:45</text>"));
    assert!(laid_out(&drawing).1.slots[0].width <= WIDEST_TEXT + 2.0 * PADDING);
}

#[test]
fn links_between_the_same_nodes_are_joined() {
    let mut drawing = drawing(2, &[(0, 1), (0, 1), (0, 1), (0, 7)]);
    drawing.links[1].label = "imports".to_owned();
    drawing.links[1].strength = f32::NAN;
    let links = drawing.drawn_links();
    assert_eq!(links.len(), 1);
    assert_eq!((links[0].label.as_str(), links[0].strength), ("calls, imports", 0.5));
}

#[test]
fn an_empty_drawing_is_still_a_drawing() {
    let svg = Drawing::default().svg();
    assert!(svg.contains("viewBox=\"0 0 48 48\"") && svg.ends_with("</svg>\n"));
}
