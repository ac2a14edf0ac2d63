//! The cost of finding replies and links: time per line, relative to tokenising it.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use backstory_language::talk::reply::{Profile, ReplyReader, WINDOW};
use backstory_language::talk::{DefaultKernel, LinkOptions, Request, Setting, TalkLine, link};
use backstory_language::text::Tokenizer;
use cpu_time::ThreadTime;

use crate::stats::verdict;

use super::data::{self, Split};

/// The size at which tokenising and linking are compared: repeated lines make tokenising ever cheaper.
const AT: usize = 100_000;

/// The chat's lines repeated up to each of the sizes.
pub fn run(data: &Path, sizes: &[usize]) -> Result<(), Box<dyn Error>> {
    let chats = data::chat(data, Split::Dev)?;
    let lines: Vec<TalkLine<'_>> = chats.iter().flat_map(data::Labelled::lines).collect();
    let head = ["lines", "tokenise ns", "spread ns", "ratio", "link ns", "ratio"];
    println!("{:>10} {:>12} {:>12} {:>6} {:>12} {:>6}", head[0], head[1], head[2], head[3], head[4], head[5]);
    let options = LinkOptions { setting: Some(Setting::Chat), ..LinkOptions::default() };
    let mut times = Vec::new();
    let mut at_full = None;
    for size in sizes {
        let line = |at: usize| TalkLine { index: at as u32, ..lines[at % lines.len()] };
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
            let mut reader = ReplyReader::new(Profile::of(Setting::Chat), WINDOW);
            for at in 0..*size {
                reader.read(&line(at));
                black_box(reader.spread());
            }
        });
        let all: Vec<TalkLine<'_>> = (0..*size).map(line).collect();
        let linked = best(|| {
            black_box(
                link(Request { session: "cost", lines: &all, kernel: &DefaultKernel, options: &options }).is_ok(),
            );
        });
        let per_line = |seconds: f64| seconds * 1e9 / *size as f64;
        println!(
            "{size:>10} {:>12.0} {:>12.0} {:>6.1} {:>12.0} {:>6.1}",
            per_line(tokenise),
            per_line(spread),
            spread / tokenise,
            per_line(linked),
            linked / tokenise
        );
        times.push(per_line(linked));
        if *size == AT {
            at_full = Some(linked / tokenise);
        }
    }
    println!();
    if let Some(ratio) = at_full {
        verdict("link / tokenise at 100k lines", ratio, 20.0, "×");
    }
    let (shortest, longest) = (times.first().copied().unwrap_or(1.0), times.last().copied().unwrap_or(1.0));
    verdict("link, longest / shortest", longest / shortest, 1.5, "×");
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
