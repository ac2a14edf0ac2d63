#![no_main]

use backstory_language::shell::{read, runs, simple_commands};
use libfuzzer_sys::fuzz_target;

// Every text is read, and ranges lead to commands that exist.
fuzz_target!(|line: &str| {
    let script = read(line);
    let count = script.commands.len();
    for command in &script.commands {
        assert!(command.upstream.end <= count && command.downstream.end <= count);
        assert!(line.get(command.span.clone()).is_some());
    }
    let reading = runs(line);
    assert!(script.faults.is_empty() || !reading.unread.is_empty());
    simple_commands(line);
});
