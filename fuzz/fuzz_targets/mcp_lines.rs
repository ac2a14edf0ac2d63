#![no_main]
//! What a client sends over standard input: lines become messages, or are answered.

use libfuzzer_sys::fuzz_target;
use rmcp::transport::Transport;

#[allow(dead_code)]
#[path = "../../crates/app/src/mcp/line_transport.rs"]
mod line_transport;

thread_local! {
    static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
}

fuzz_target!(|bytes: &[u8]| {
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let mut lines = line_transport::LineTransport::new(bytes, tokio::io::sink());
            while lines.receive().await.is_some() {}
        });
    });
});
