#![no_main]

use backstory_engine::ingest::Format;
use backstory_fuzz::feed;
use libfuzzer_sys::fuzz_target;

// Archives; a database is read by path, not from bytes.
fuzz_target!(|bytes: &[u8]| feed(Format::Causantic, bytes));
