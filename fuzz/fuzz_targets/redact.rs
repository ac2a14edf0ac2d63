#![no_main]

use std::sync::LazyLock;

use backstory_language::redact::Redactor;
use libfuzzer_sys::fuzz_target;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);

// Findings stand in order, do not overlap, and cut no character.
fuzz_target!(|text: &str| {
    let redacted = REDACTOR.redact(text);
    let mut end = 0;
    for finding in &redacted.found {
        assert!(finding.range.start >= end && text.get(finding.range.clone()).is_some());
        end = finding.range.end;
    }
    REDACTOR.redact(&redacted.text);
});
