#![no_main]

use backstory_engine::log::Log;
use libfuzzer_sys::fuzz_target;

// Importing twice changes nothing more, and what was imported can be exported.
fuzz_target!(|bytes: &[u8]| {
    let mut log = Log::open_in_memory().expect("a log in memory");
    if log.import("x.jsonl", &mut &bytes[..]).is_err() {
        return;
    }
    assert_eq!(log.verify().expect("a log that can be read").fault, None);
    let again = log.import("x.jsonl", &mut &bytes[..]).expect("what was read once");
    assert_eq!(again.appended.new, 0);
    log.export(&mut Vec::new()).expect("every log can be exported");
});
