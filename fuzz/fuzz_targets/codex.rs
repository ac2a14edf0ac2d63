#![no_main]

use backstory_engine::ingest::Format;
use backstory_fuzz::feed;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| feed(Format::Codex, bytes));
