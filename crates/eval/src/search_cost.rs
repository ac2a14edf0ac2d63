//! What does a question cost as a whole process, compared with ripgrep searching for one word in the raw files?

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::input::unpack;
use crate::program::{Peak, Program, Ran, run as run_process, watch};
use crate::stats::{percentile, verdict};
use crate::{phase, questions};

const AT_ONCE: usize = 8;

pub fn run(data: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let raw = scratch.path().join("raw");
    let bytes = unpack(&data.join("sessions"), &raw)?;
    let program = Program::beside_this_one(&scratch.path().join("home"))?;
    run_process(program.command(&["ingest", "--quiet"]).arg(&raw))?;
    let questions = questions::asked_by_people();
    println!(
        "{} files, {:.1} MB; {} questions, {rounds} rounds, all files in the page cache\n",
        phase::files(&raw).len(),
        bytes as f64 / 1e6,
        questions.len()
    );

    let greps = Grep::available(&raw);
    // Once untimed, so that both sides find their files in memory.
    ask_all(&program, &greps, &questions)?;
    let mut times = Times::default();
    for _ in 0..rounds {
        times.add(ask_all(&program, &greps, &questions)?);
        times.together.extend(ask_together(&program, &questions)?);
    }
    times.print(&greps);
    let one = percentile(&times.search, 50);
    println!();
    for (grep, times) in greps.iter().zip(&times.greps) {
        verdict(&format!("search / {}", grep.name()), one / percentile(times, 50), 0.25, "×");
    }
    verdict("search, p95", percentile(&times.search, 95), 60.0, " ms");
    verdict(&format!("{AT_ONCE} at once / one"), percentile(&times.together, 50) / one, 3.0, "×");
    let cores = std::thread::available_parallelism()?;
    println!("  ({cores} cores share the work: {:.1}× if none of it is waiting)", AT_ONCE as f64 / cores.get() as f64);
    print_sizes(&program, &questions)?;
    let peaks = peaks(&program, &questions)?;
    let most = |of: fn(&Peak) -> f64| peaks.iter().map(of).fold(0.0, f64::max);
    println!(
        "peak memory of a search: {:.1} MB of its own, {:.1} MB with mapped files (most of all questions)",
        most(|peak| peak.anonymous_mb),
        most(|peak| peak.total_mb)
    );
    Ok(())
}

/// A way to run ripgrep.
struct Grep<'a> {
    flags: &'static [&'static str],
    folder: &'a Path,
}

impl<'a> Grep<'a> {
    /// With its output, without it, and on one core only.
    fn available(folder: &'a Path) -> Vec<Self> {
        let found = Command::new("rg").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            println!("ripgrep (`rg`) is not installed: nothing is compared with it\n");
            return Vec::new();
        }
        let flags: [&[&str]; 3] = [&[], &["--count"], &["--count", "-j1"]];
        flags.into_iter().map(|flags| Grep { flags, folder }).collect()
    }

    fn name(&self) -> String {
        [&["rg"], self.flags, &["WORD"]].concat().join(" ")
    }

    fn find(&self, word: &str) -> Result<Ran, Box<dyn Error>> {
        run_process(Command::new("rg").arg("--no-config").args(self.flags).arg(word).arg(self.folder))
    }
}

fn search(program: &Program, question: &str) -> Command {
    program.command(&["search", "--all-projects", question])
}

#[derive(Default)]
struct Times {
    start: Vec<f64>,
    search: Vec<f64>,
    greps: Vec<Vec<f64>>,
    together: Vec<f64>,
}

impl Times {
    fn add(&mut self, other: Times) {
        self.start.extend(other.start);
        self.search.extend(other.search);
        self.greps.resize_with(other.greps.len(), Vec::new);
        self.greps.iter_mut().zip(other.greps).for_each(|(all, new)| all.extend(new));
    }

    fn print(&self, greps: &[Grep<'_>]) {
        let row = |name: &str, times: &[f64]| {
            println!("{name:<34} {:>9.1} {:>9.1}", percentile(times, 50), percentile(times, 95));
        };
        println!("{:<34} {:>9} {:>9}", "process, from start to end", "median ms", "p95 ms");
        row("backstory --version", &self.start);
        row("backstory search", &self.search);
        row(&format!("{AT_ONCE} backstory search at once, all"), &self.together);
        for (grep, times) in greps.iter().zip(&self.greps) {
            row(&grep.name(), times);
        }
    }
}

/// Each question once, and its word by each grep, alternating: other load affects all of them alike.
fn ask_all(program: &Program, greps: &[Grep<'_>], questions: &[String]) -> Result<Times, Box<dyn Error>> {
    let mut times = Times { greps: vec![Vec::new(); greps.len()], ..Times::default() };
    for question in questions {
        times.start.push(run_process(&mut program.command(&["--version"]))?.ms);
        times.search.push(run_process(&mut search(program, question))?.ms);
        for (grep, times) in greps.iter().zip(&mut times.greps) {
            times.push(grep.find(questions::distinctive_word(question))?.ms);
        }
    }
    Ok(times)
}

/// From the start of the first process to the end of the last.
fn ask_together(program: &Program, questions: &[String]) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut times = Vec::new();
    for questions in questions.chunks_exact(AT_ONCE) {
        let start = Instant::now();
        let mut children = Vec::new();
        for question in questions {
            children.push(search(program, question).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?);
        }
        for child in &mut children {
            if !child.wait()?.success() {
                return Err("a search failed beside others".into());
            }
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// The number of bytes sent for the text that is shown.
fn print_sizes(program: &Program, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let mut ratios = Vec::new();
    let mut sent = Vec::new();
    for question in questions {
        let answer = run_process(search(program, question).arg("--json"))?.printed;
        let value: serde_json::Value = serde_json::from_slice(&answer)?;
        let items = value["items"].as_array().map_or(&[][..], Vec::as_slice);
        let shown: usize = items.iter().filter_map(|item| item["text"].as_str()).map(str::len).sum();
        if shown > 0 {
            sent.push(answer.len() as f64);
            ratios.push(answer.len() as f64 / shown as f64);
        }
    }
    println!(
        "{} of {} questions have an answer; as JSON it has {:.0} bytes in the median",
        ratios.len(),
        questions.len(),
        percentile(&sent, 50)
    );
    verdict("bytes sent / text shown, median", percentile(&ratios, 50), 2.0, "×");
    verdict("bytes sent / text shown, largest", percentile(&ratios, 100), 2.0, "×");
    Ok(())
}

fn peaks(program: &Program, questions: &[String]) -> Result<Vec<Peak>, Box<dyn Error>> {
    questions.iter().map(|question| watch(&mut search(program, question))).collect()
}
