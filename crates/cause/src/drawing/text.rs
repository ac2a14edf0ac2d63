//! Texts: how wide they are, cut and escaped.

use super::*;

/// How many other lines run through a name.
pub(super) fn struck(area: &Area, own: usize, lines: &[(usize, Curve)]) -> usize {
    if lines.len() > MOST_LINES_LOOKED_AT {
        return 0;
    }
    let runs_through = |curve: &Curve| (0..=24).any(|step| area.holds(curve.at(f64::from(step) / 24.0)));
    lines.iter().filter(|(number, curve)| *number != own && runs_through(curve)).count()
}

pub(super) struct Font {
    pub(super) family: &'static str,
    pub(super) size: f64,
    pub(super) weight: u16,
    pub(super) ink: &'static str,
}

#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
}

impl Font {
    pub(super) fn width(&self, text: &str) -> f64 {
        let mono = |c| if is_wide(c) { 1.2 } else { 0.62 };
        let ems: f64 = text.chars().map(|c| if self.family == MONO { mono(c) } else { em(c) }).sum();
        ems * self.size * if self.weight > 400 { 1.1 } else { 1.0 }
    }

    pub(super) fn write(&self, out: &mut String, x: f64, y: f64, anchor: Anchor, text: &str) {
        if text.is_empty() {
            return;
        }
        let Self { family, size, weight, ink } = self;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
        };
        put(out, format_args!("<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\"", number(x), number(y)));
        put(out, format_args!(" font-family=\"{family}\" font-size=\"{size}\" font-weight=\"{weight}\""));
        put(out, format_args!(" fill=\"{ink}\">{}</text>\n", escaped(text)));
    }
}

pub(super) fn frame(out: &mut String, kind: NodeKind, (x, y): (f64, f64), (width, height): (f64, f64), radius: f64) {
    let (_, border, fill) = kind.style();
    put(out, format_args!("<rect x=\"{}\" y=\"{}\"", number(x), number(y)));
    put(out, format_args!(" width=\"{}\" height=\"{}\" rx=\"{radius}\"", number(width), number(height)));
    put(out, format_args!(" fill=\"{fill}\" stroke=\"{border}\" stroke-width=\"1.5\"/>"));
}

/// Writing to a string cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// A tenth of a pixel is enough.
pub(super) fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Adding zero turns -0 into 0.
    format!("{}", rounded + 0.0)
}

/// One line without characters that XML forbids or that turn the direction of the text around them.
pub(super) fn clean(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| {
        !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    });
    kept.collect::<String>().trim().to_owned()
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

pub(super) fn keep_start(text: &str, limit: f64, font: &Font) -> String {
    if font.width(text) <= limit {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if font.width(&kept) + font.width("…") > limit {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

pub(super) fn keep_end(text: &str, limit: f64, font: &Font) -> String {
    if font.width(text) <= limit {
        return text.to_owned();
    }
    let backwards: String = text.chars().rev().collect();
    keep_start(&backwards, limit, font).chars().rev().collect()
}

/// A generous guess, because the reader's font is not known: better some air than text over the border.
pub(super) fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '—' => 0.98,
        _ if is_wide(c) => 1.1,
        _ if c.is_uppercase() => 0.72,
        _ => 0.63,
    }
}

/// Chinese, Japanese, Korean and pictures take a whole square.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2600}'..='\u{27bf}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{3fffd}')
}
