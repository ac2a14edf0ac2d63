//! What finding replies costs: time per line beside that of tokenising it.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use backstory_engine::derive::links::Line;
use backstory_engine::derive::links::Setting;
use backstory_engine::derive::links::reply::{Profile, Reader, WINDOW};
use backstory_engine::text::Tokenizer;
use cpu_time::ThreadTime;

use super::data::{self, Split};
use crate::stats::verdict;

/// The chat's lines over and over, to each of the sizes.
pub fn run(data: &Path, sizes: &[usize]) -> Result<(), Box<dyn Error>> {
    let chats = data::chat(data, Split::Dev)?;
    let lines: Vec<Line<'_>> = chats.iter().flat_map(data::Labelled::lines).collect();
    println!("{:>10} {:>14} {:>14} {:>8}", "lines", "tokenise ns", "spread ns", "ratio");
    let mut ratios = Vec::new();
    for size in sizes {
        let line = |at: usize| Line { index: at as u32, ..lines[at % lines.len()] };
        let tokenise = best(|| {
            let mut tokenizer = Tokenizer::new();
            let mut terms = Vec::new();
            for at in 0..*size {
                terms.clear();
                tokenizer.terms(line(at).text, &mut terms);
                black_box(&terms);
            }
        });
        let spread = best(|| {
            let mut reader = Reader::new(Profile::of(Setting::Chat), WINDOW);
            for at in 0..*size {
                reader.read(&line(at));
                black_box(reader.spread());
            }
        });
        let per_line = |seconds: f64| seconds * 1e9 / *size as f64;
        println!("{size:>10} {:>14.0} {:>14.0} {:>8.1}", per_line(tokenise), per_line(spread), spread / tokenise);
        ratios.push(spread / tokenise);
    }
    println!();
    verdict("spread / tokenise, at worst", ratios.iter().copied().fold(0.0, f64::max), 20.0, "×");
    Ok(())
}

/// The least CPU time of three.
fn best(work: impl Fn()) -> f64 {
    let time = |_| {
        let start = ThreadTime::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..3).map(time).fold(f64::INFINITY, f64::min)
}
