//! Chat and game transcripts.
use super::{Format, Origin, Reading, Source};
pub(super) fn detect(_head: &str) -> Option<Format> { None }
pub(super) struct TranscriptSource;
impl TranscriptSource { pub(super) fn new(_origin: &Origin, _whole: bool) -> Self { TranscriptSource } }
impl Source for TranscriptSource { fn line(&mut self, _line: &[u8], _number: u64, _out: &mut Reading) {} }
