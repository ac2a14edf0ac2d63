//! Plots the growth of the card set: a line for each status.

use std::fmt::Write;

const WIDTH: usize = 720;
const HEIGHT: usize = 320;
const LEFT: usize = 50;
const COLOURS: [&str; 4] = ["#4477aa", "#ccbb44", "#ee6677", "#aaaaaa"];

/// `series`: a name and one value for each session.
pub fn svg(title: &str, series: &[(&str, Vec<usize>)]) -> String {
    let most = series.iter().flat_map(|(_, values)| values).copied().max().unwrap_or(0).max(1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"20\">{title}</text>\n"
    );
    let (wide, high) = (WIDTH - LEFT - 120, HEIGHT - 80);
    let bottom = HEIGHT - 40;
    for part in 0..=4 {
        let (value, y) = (most * part / 4, bottom - high * part / 4);
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{value}</text>", LEFT - 6, y + 4);
        let _ = writeln!(out, "<path d=\"M{LEFT} {y}h{wide}\" stroke=\"#dddddd\"/>");
    }
    for (at, (name, values)) in series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let last = values.len().saturating_sub(1).max(1);
        let points = values
            .iter()
            .enumerate()
            .map(|(session, value)| format!("{},{}", LEFT + wide * session / last, bottom - high * value / most));
        let points = points.collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        let (x, y) = (WIDTH - 112, 44 + at * 18);
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{name}</text>");
    }
    let sessions = series.first().map_or(0, |(_, values)| values.len());
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\">sessions in the order of time (1 to {sessions})</text>",
        LEFT,
        HEIGHT - 14
    );
    out.push_str("</svg>\n");
    out
}
