//! Boxes, lines and names as SVG.

use super::*;

/// A line's part between two columns.
#[derive(Clone, Copy)]
pub(super) struct Curve {
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
}

impl Curve {
    /// The curve leaves and arrives level.
    pub(super) fn at(&self, t: f64) -> (f64, f64) {
        let rest = 1.0 - t;
        let middle = (self.x.0 + self.x.1) / 2.0;
        let x = self.x.0 * rest * rest * rest + 3.0 * middle * t * rest + self.x.1 * t * t * t;
        let share = t * t * (3.0 - 2.0 * t);
        (x, self.y.0 + (self.y.1 - self.y.0) * share)
    }
}

/// A name's place: its middle and half its size.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) half_width: f64,
    pub(super) half_height: f64,
}

impl Area {
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let wide = self.half_width + other.half_width - (self.x - other.x).abs();
        let high = self.half_height + other.half_height - (self.y - other.y).abs();
        wide.max(0.0) * high.max(0.0)
    }

    pub(super) fn holds(&self, (x, y): (f64, f64)) -> bool {
        (x - self.x).abs() < self.half_width && (y - self.y).abs() < self.half_height
    }
}

pub(super) struct Sheet<'a> {
    pub(super) drawing: &'a Drawing,
    pub(super) links: &'a [Link],
    pub(super) layout: &'a Layout,
}

impl Sheet<'_> {
    pub(super) fn draw(&self) -> String {
        let slots = &self.layout.slots;
        let edges = |side: f64| slots.iter().map(move |slot| slot.y + side * slot.height / 2.0);
        let top = edges(-1.0).reduce(f64::min).unwrap_or_default();
        let depth = edges(1.0).reduce(f64::max).unwrap_or_default() - top;
        let right = self.layout.places.last().map_or(MARGIN, |(x, width)| x + width);
        let whole_title = clean(&self.drawing.title);
        let title = keep_start(&whole_title, NARROWEST_TITLE.max(right - MARGIN), &TITLE);
        let head = if title.is_empty() { MARGIN } else { MARGIN + TITLE.size + 20.0 };
        let (legend, foot, legend_right) = self.legend(head + depth, right);
        let width = number(right.max(MARGIN + TITLE.width(&title)).max(legend_right) + MARGIN);
        let height = number(foot + MARGIN);

        let mut out = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
        put(&mut out, format_args!(" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n"));
        put(&mut out, format_args!("<title>{}</title>\n", escaped(&whole_title)));
        put(&mut out, format_args!("<rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"{PAPER}\"/>\n"));
        TITLE.write(&mut out, MARGIN, MARGIN + TITLE.size * 0.8, Anchor::Start, &title);
        put(&mut out, format_args!("<g transform=\"translate(0 {})\">\n", number(head - top)));
        self.links(&mut out);
        for (node, slot) in self.drawing.nodes.iter().zip(slots) {
            self.node(&mut out, node, slot);
        }
        put(&mut out, format_args!("</g>\n{legend}</svg>\n"));
        out
    }

    pub(super) fn node(&self, out: &mut String, node: &DrawnNode, slot: &Slot) {
        let (label, detail) = shown(node);
        let whole = format!("{}: {}\n{}", node.kind.name(), clean(&node.label), clean(&node.detail));
        let (x, top) = (self.layout.places[slot.column].0, slot.y - slot.height / 2.0);
        put(out, format_args!("<g><title>{}</title>", escaped(whole.trim_end())));
        frame(out, node.kind, (x, top), (slot.width, slot.height), 8.0);
        LABEL.write(out, x + PADDING, top + 20.5, Anchor::Start, &label);
        DETAIL.write(out, x + PADDING, top + 36.0, Anchor::Start, &detail);
        out.push_str("</g>\n");
    }

    /// All lines first, then all names, so that no line strikes out a name.
    pub(super) fn links(&self, out: &mut String) {
        let (starts, ends) = (self.layout.ports(Side::Right), self.layout.ports(Side::Left));
        let curves = |number: usize| self.curves(number, starts[number], ends[number]);
        let curves: Vec<Vec<Curve>> = (0..self.links.len()).map(curves).collect();
        for (number, curves) in curves.iter().enumerate() {
            self.line(out, number, curves);
        }
        for (link, area) in self.links.iter().zip(self.names(&curves)) {
            let Some(area) = area else { continue };
            let (x, y) = (number(area.x - area.half_width), number(area.y - area.half_height));
            let (width, height) = (number(area.half_width * 2.0), number(area.half_height * 2.0));
            put(out, format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""));
            put(out, format_args!(" rx=\"4\" fill=\"{PAPER}\"/>"));
            NAME.write(out, area.x, area.y + NAME.size * 0.35, Anchor::Middle, &link.shown());
        }
    }

    pub(super) fn curves(&self, chain: usize, start: f64, end: f64) -> Vec<Curve> {
        let chain = &self.layout.chains[chain];
        let last = chain.slots.len() - 2;
        let curve = |(at, pair): (usize, &[usize])| {
            let (left, right) = (&self.layout.slots[pair[0]], &self.layout.slots[pair[1]]);
            let (x, width) = self.layout.places[left.column];
            let from = x + width + if at == 0 && chain.is_turned { ARROW } else { 0.0 };
            let to = self.layout.places[right.column].0 - if at == last && !chain.is_turned { ARROW } else { 0.0 };
            let y = (if at == 0 { start } else { left.y }, if at == last { end } else { right.y });
            Curve { x: (from, to), y }
        };
        chain.slots.windows(2).enumerate().map(curve).collect()
    }

    pub(super) fn line(&self, out: &mut String, chain: usize, curves: &[Curve]) {
        let (link, chain) = (&self.links[chain], &self.layout.chains[chain]);
        let (Some(first), Some(last)) = (curves.first(), curves.last()) else { return };
        let slot = &self.layout.slots[chain.slots[0]];
        let edge = self.layout.places[slot.column].0 + slot.width;
        let (begin, tip, tip_y, back) = if chain.is_turned {
            (edge + ARROW, edge, first.y.0, ARROW)
        } else {
            (edge, last.x.1 + ARROW, last.y.1, -ARROW)
        };
        let mut path = format!("M{} {}", number(begin), number(first.y.0));
        for curve in curves {
            let middle = number((curve.x.0 + curve.x.1) / 2.0);
            let (from_x, to_x) = (number(curve.x.0), number(curve.x.1));
            let (from, to) = (number(curve.y.0), number(curve.y.1));
            put(&mut path, format_args!("H{from_x}C{middle} {from} {middle} {to} {to_x} {to}"));
        }
        let nodes = &self.drawing.nodes;
        let whole = format!("{} → {}: {}", clean(&nodes[link.from].label), clean(&nodes[link.to].label), link.label);
        let (width, opacity) = (number(1.2 + 2.0 * link.strength), number(0.5 + 0.5 * link.strength));
        put(out, format_args!("<g opacity=\"{opacity}\"><title>{}</title>", escaped(&whole)));
        put(out, format_args!("<path d=\"{path}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"{width}\"/>"));
        let (tip, tip_y) = (number(tip), number(tip_y));
        put(out, format_args!("<path d=\"M{tip} {tip_y}l{back} -4.5v9z\" fill=\"{LINE}\"/></g>\n"));
    }

    /// Where each link's name goes: into the slot of a long link, else onto the curve.
    pub(super) fn names(&self, curves: &[Vec<Curve>]) -> Vec<Option<Area>> {
        let mut gaps: Vec<Gap> = self.layout.columns.iter().map(|_| Gap::default()).collect();
        for (number, chain) in self.layout.chains.iter().enumerate() {
            for (slot, curve) in chain.slots.iter().zip(&curves[number]) {
                gaps[self.layout.slots[*slot].column].lines.push((number, *curve));
            }
        }
        let name = |(number, chain): (usize, &Chain)| {
            let text = self.links[number].shown();
            if text.is_empty() {
                return None;
            }
            let half_width = NAME.width(&text) / 2.0 + 2.0;
            let area = |(x, y)| Area { x, y, half_width, half_height: NAME_HEIGHT / 2.0 };
            if let Some(middle) = chain.middle() {
                let slot = &self.layout.slots[middle];
                let (x, width) = self.layout.places[slot.column];
                return Some(area((x + width / 2.0, slot.y)));
            }
            gaps[self.layout.slots[chain.slots[0]].column].take(number, curves[number][0], area)
        };
        self.layout.chains.iter().enumerate().map(name).collect()
    }

    /// The kinds in use, in rows below the drawing; also its lower and its right end.
    pub(super) fn legend(&self, top: f64, right: f64) -> (String, f64, f64) {
        let mut kinds: Vec<NodeKind> = self.drawing.nodes.iter().map(|node| node.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let (mut out, mut x, mut y, mut widest) = (String::new(), MARGIN, top + LEGEND_ROW, MARGIN);
        if kinds.is_empty() {
            return (out, top, widest);
        }
        for kind in kinds {
            let width = 18.0 + NAME.width(kind.name());
            if x > MARGIN && x + width > right.max(NARROWEST_TITLE) {
                (x, y) = (MARGIN, y + LEGEND_ROW);
            }
            frame(&mut out, kind, (x, y), (12.0, 12.0), 3.0);
            NAME.write(&mut out, x + 18.0, y + 10.0, Anchor::Start, kind.name());
            widest = widest.max(x + width);
            x += width + 18.0;
        }
        (out, y + 12.0, widest)
    }
}

/// What is between a column and the next.
#[derive(Default)]
pub(super) struct Gap {
    pub(super) lines: Vec<(usize, Curve)>,
    pub(super) names: Vec<Area>,
}

impl Gap {
    /// Takes the place on the curve that is free of other names, then of other lines, then nearest to its middle.
    pub(super) fn take(&mut self, line: usize, curve: Curve, area: impl Fn((f64, f64)) -> Area) -> Option<Area> {
        let tried = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75].into_iter().map(|t| {
            let mut area = area(curve.at(t));
            let room = ((curve.x.1 - curve.x.0) / 2.0 - area.half_width - 2.0).max(0.0);
            let middle = (curve.x.0 + curve.x.1) / 2.0;
            area.x = area.x.clamp(middle - room, middle + room);
            let overlap: f64 = self.names.iter().map(|other| area.overlap(other)).sum();
            (overlap * 100.0 + struck(&area, line, &self.lines) as f64 * 10.0 + (t - 0.5).abs(), area)
        });
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, area)| area);
        self.names.extend(best);
        best
    }
}
