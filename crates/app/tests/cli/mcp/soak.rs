//! A server's resources do not grow with the number of calls.

use std::fs;

use serde_json::{Value, json};

use super::raw::Raw;
use crate::env::{TestEnv, TestResult};

/// The number of concurrent calls; more than are answered at once.
const AT_ONCE: u64 = 8;
/// Workers that were idle since may still map old generations of the index.
const MAPS_OF_OLD_INDEXES: usize = 24;

/// The system's counters of a process.
#[derive(Debug)]
struct Held {
    /// Heaps of the allocator besides the first: they start at multiples of 64 MB.
    heaps: usize,
    maps: usize,
    files: usize,
    threads: usize,
}

impl Held {
    fn of(process: u32) -> TestResult<Self> {
        const HEAP: u64 = 64 << 20;
        let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
        let is_heap = |line: &&str| {
            let mut words = line.split_whitespace();
            let start = words.next().and_then(|range| range.split('-').next()).unwrap_or_default();
            let is_aligned = u64::from_str_radix(start, 16).is_ok_and(|start| start % HEAP == 0);
            // Writable, and not of a file.
            is_aligned && words.next() == Some("rw-p") && words.nth(3).is_none()
        };
        Ok(Held {
            heaps: maps.lines().filter(is_heap).count(),
            maps: maps.lines().count(),
            files: fs::read_dir(format!("/proc/{process}/fd"))?.count(),
            threads: fs::read_dir(format!("/proc/{process}/task"))?.count(),
        })
    }
}

fn call(number: u64) -> (&'static str, Value) {
    let query = ["cart total", "NaN price", "wrapping paper", "npm test", "checkout"][number as usize % 5];
    match number % 9 {
        0 => ("search", json!({"query": query, "all_projects": true})),
        1 => ("recall", json!({"query": query, "all_projects": true})),
        2 => ("reconstruct", json!({"days": 3000, "all_projects": true})),
        3 => ("why", json!({"query": format!("why is the {query} wrong in total")})),
        4 => ("why", json!({"query": "cart.js:2"})),
        5 => ("predict", json!({"query": query, "all_projects": true})),
        6 => ("list", json!({"what": "sessions", "all_projects": true})),
        7 => ("remember", json!({"text": format!("Shelf {} is for lanterns", number % 7), "everywhere": true})),
        _ => ("search", json!({"querry": query})),
    }
}

#[test]
fn a_server_holds_no_more_after_many_calls() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/cart.js", "function total(x) {\n  return sum(x);\n}\n")?;
    let mut raw = Raw::begun(&env)?;
    let mut held = Vec::new();
    let mut id = 0;
    for round in 0..24 {
        for _ in 0..AT_ONCE {
            id += 1;
            let (tool, arguments) = call(id);
            raw.call(id, tool, &arguments)?;
        }
        for _ in 0..AT_ONCE {
            raw.request()?;
        }
        // The memory and the code grow meanwhile.
        if round % 4 == 0 {
            env.write(
                &format!("notes/{round}.txt"),
                format!("Ada: is lantern {round} lit?\nBob: lantern {round} is.\n"),
            )?;
            env.run(&["ingest", &env.path("notes").to_string_lossy(), "--quiet"]).ok()?;
            env.write(&format!("work/more{round}.js"), "function more(x) {\n  return total(x);\n}\n")?;
        }
        held.push(Held::of(raw.id())?);
    }
    let (early, late) = (&held[held.len() / 2], &held[held.len() - 1]);
    assert_eq!(late.heaps, 0, "each thread has a heap of its own: {late:?}");
    assert!(late.threads <= early.threads.max(8), "{early:?} {late:?}");
    assert!(late.files <= early.files + 4, "{early:?} {late:?}");
    assert!(late.maps <= early.maps + MAPS_OF_OLD_INDEXES, "{early:?} {late:?}");
    assert_eq!(raw.end()?, Some(0));
    Ok(())
}
