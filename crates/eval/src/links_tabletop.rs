//! What do links of game sessions look like? Without labels: a table of excluded lines, intents and claims, to spot
//! errors.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use backstory_engine::model::IntentType;
use backstory_language::talk::mask::MaskReason;
use backstory_language::talk::{
    DefaultKernel, Kernel, LinkOptions, Linked, Metrics, Request, SeedKernel, TalkLine, link,
};
use serde::Deserialize;

use crate::input;
use crate::phase::files;

#[derive(Deserialize)]
pub struct TabletopRow {
    line_index: u32,
    speaker: String,
    text: String,
}

impl TabletopRow {
    pub fn line(&self) -> TalkLine<'_> {
        TalkLine { index: self.line_index, speaker: &self.speaker, text: &self.text }
    }
}

#[derive(Default)]
struct Totals {
    episodes: usize,
    lines: usize,
    excluded: usize,
    reasons: [usize; MaskReason::ALL.len()],
    types: [usize; IntentType::ALL.len()],
    intents: usize,
    claimed: usize,
    nearest: usize,
    seconds: f64,
}

/// `data`: the folder of evaluation data, or one of `.jsonl.gz` episodes.
pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    for kernel in [&SeedKernel as &dyn Kernel, &DefaultKernel] {
        println!("\n{} kernel\n", kernel.name());
        table(data, kernel)?;
    }
    Ok(())
}

fn table(data: &Path, kernel: &dyn Kernel) -> Result<(), Box<dyn Error>> {
    print!("| episode | answers | lines | excluded |");
    MaskReason::ALL.iter().for_each(|reason| print!(" {} |", reason.name()));
    IntentType::ALL.iter().for_each(|kind| print!(" {} |", kind.name()));
    println!(" claimed | as nearest |\n|---|---|{}", "---:|".repeat(13));
    let mut totals = Totals::default();
    for path in episodes(data) {
        let rows: Vec<TabletopRow> = input::rows(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        totals.add(name.trim_end_matches(".jsonl.gz"), &rows, kernel)?;
    }
    totals.print();
    Ok(())
}

pub fn episodes(data: &Path) -> Vec<PathBuf> {
    let inner = data.join("crd3");
    let mut paths = files(if inner.is_dir() { &inner } else { data });
    paths.retain(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    paths.sort();
    paths
}

impl Totals {
    fn add(&mut self, name: &str, rows: &[TabletopRow], kernel: &dyn Kernel) -> Result<(), Box<dyn Error>> {
        let lines: Vec<TalkLine<'_>> = rows.iter().map(TabletopRow::line).collect();
        let options = LinkOptions::default();
        let start = Instant::now();
        let linked = link(Request { session: name, lines: &lines, kernel, options: &options })?;
        self.seconds += start.elapsed().as_secs_f64();
        self.count(name, &linked, &Metrics::of(&lines, &linked));
        Ok(())
    }

    fn count(&mut self, name: &str, linked: &Linked, metrics: &Metrics) {
        let answers: Vec<&str> =
            linked.participants.responders().map(|speaker| speaker.name.as_str()).take(2).collect();
        let reasons = MaskReason::ALL.map(|reason| linked.mask.lines_with(reason));
        let types: Vec<usize> = metrics.by_type.iter().map(|(_, rate)| rate.intents).collect();
        let share = |part: usize, whole: usize| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
        print!("| {name} | {} | {} |", answers.join(", "), metrics.lines);
        print!(" {} |", share(metrics.excluded_lines, metrics.lines));
        reasons.iter().for_each(|lines| print!(" {lines} |"));
        types.iter().for_each(|intents| print!(" {intents} |"));
        println!(" {} | {} |", metrics.all.claimed, share(metrics.nearest, metrics.all.claimed));
        self.episodes += 1;
        self.lines += metrics.lines;
        self.excluded += metrics.excluded_lines;
        self.reasons.iter_mut().zip(reasons).for_each(|(sum, lines)| *sum += lines);
        self.types.iter_mut().zip(types).for_each(|(sum, intents)| *sum += intents);
        self.intents += metrics.all.intents;
        self.claimed += metrics.all.claimed;
        self.nearest += metrics.nearest;
    }

    fn print(&self) {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        println!("\n{} episodes, {} lines, {:.1} s", self.episodes, self.lines, self.seconds);
        println!("excluded {:.1} % of lines", share(self.excluded, self.lines));
        for (reason, lines) in MaskReason::ALL.iter().zip(self.reasons) {
            println!("  {:<11} {:.1} %", reason.name(), share(lines, self.lines));
        }
        println!("{:.0} intents an episode", self.intents as f64 / self.episodes.max(1) as f64);
        for (kind, intents) in IntentType::ALL.iter().zip(self.types) {
            println!("  {:<11} {:.1} %", kind.name(), share(intents, self.intents));
        }
        println!("claimed {:.1} % of intents", share(self.claimed, self.intents));
        println!("{:.1} % of links are the nearest line's, too", share(self.nearest, self.claimed));
    }
}
