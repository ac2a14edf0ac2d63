//! Plots metrics: four bar charts in one SVG file.

use std::fmt::Write;

use backstory_language::talk::Metrics;

const WIDTH: usize = 360;
const HEIGHT: usize = 200;
const SHOWN: usize = 17;

/// The start of every drawing.
pub const BEGINS: &str = "<svg xmlns";

pub fn svg(metrics: &Metrics) -> String {
    let from_one = |counts: &[usize]| -> Vec<(String, usize)> {
        counts.iter().take(SHOWN).enumerate().map(|(at, count)| ((at + 1).to_string(), *count)).collect()
    };
    let scores = metrics.scores.iter().enumerate().map(|(bin, count)| (format!("{:.1}", bin as f32 / 10.0), *count));
    let rates = metrics.by_type.iter().flat_map(|(name, rate)| {
        [((*name).to_owned(), rate.claimed), ("open".to_owned(), rate.intents - rate.claimed)]
    });
    let charts = [
        ("claimed and open, by type", rates.collect()),
        ("distance in lines", from_one(&metrics.line_gaps)),
        ("score", scores.collect()),
        ("intents per consequence", from_one(&metrics.fan_out)),
    ];
    let (width, height) = (2 * WIDTH, 2 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (at, (title, bars)) in charts.iter().enumerate() {
        chart(&mut out, (at % 2) * WIDTH, (at / 2) * HEIGHT, title, bars);
    }
    out.push_str("</svg>\n");
    out
}

fn chart(out: &mut String, left: usize, top: usize, title: &str, bars: &[(String, usize)]) {
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let (inner, high) = (WIDTH - 40, HEIGHT - 60);
    let step = inner / bars.len().max(1);
    let mut text = |x: usize, y: usize, anchor: &str, words: &str| {
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>");
    };
    text(left + 20, top + 20, "start", title);
    for (at, (label, count)) in bars.iter().enumerate() {
        let x = left + 20 + at * step;
        let height = high * count / most;
        text(x + step / 2, top + HEIGHT - 14, "middle", label);
        text(x + step / 2, top + HEIGHT - 32 - height, "middle", &count.to_string());
    }
    for (at, (_, count)) in bars.iter().enumerate() {
        let (x, height) = (left + 20 + at * step, high * count / most);
        let y = top + HEIGHT - 28 - height;
        let wide = step.saturating_sub(2).max(1);
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{height}\" fill=\"#4477aa\"/>");
    }
}
