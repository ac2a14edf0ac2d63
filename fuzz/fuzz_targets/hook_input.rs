#![no_main]
//! What a host sends to a hook, and what is read of it.

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/app/src/hooks/input.rs"]
mod input;

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = input::HookInput::parse(bytes) else { return };
    let _ = (input.session(), input.folder(), input.transcript(), input.agent_transcript());
    let _ = (input.source(), input.prompt(), input.event_name(), input.tool_output());
    if let Some(input::Pending::Command(line, _)) = input.pending() {
        backstory_language::shell::runs(&line);
    }
});
