//! How far is bytes / 3.6 from a real tokenizer, on real chunks?

use std::error::Error;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::model::{PartKind, estimate_tokens};

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let mut memory = Memory::open(scratch.path())?;
    let found = find(&[InputPlace::Given(data.to_owned())], None);
    memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;

    let tokenizer = tiktoken_rs::o200k_base()?;
    let (mut estimated, mut counted, mut ratios) = (0u64, 0u64, Vec::new());
    memory.views().read().scan_chunks(|_, body| {
        let shown: Vec<&str> =
            body.parts.iter().filter(|part| part.kind != PartKind::Thinking).map(|part| part.text.as_str()).collect();
        let text = shown.join("\n");
        let (estimate, count) = (u64::from(estimate_tokens(&text)), tokenizer.encode_ordinary(&text).len() as u64);
        estimated += estimate;
        counted += count;
        ratios.push(estimate as f64 / count.max(1) as f64);
        true
    })?;
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios.get((ratios.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    println!("{} chunks, {counted} tokens by o200k_base, {estimated} estimated", ratios.len());
    println!("all together {:+.1} %", 100.0 * (estimated as f64 / counted as f64 - 1.0));
    println!("estimate / count per chunk: p5 {:.2}, median {:.2}, p95 {:.2}", at(0.05), at(0.5), at(0.95));
    Ok(())
}
