//! What `causantic export` writes: one JSON document, which may be large.
//!
//! It is read as a stream. Chunks and edges are kept; vectors, which take most of the space, are
//! skipped. If the document is cut off, everything before the cut is kept.

use std::fmt;
use std::io::{BufReader, Cursor, Read};

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::model::ProblemKind;
use crate::store::{CausanticChunk, CausanticEdge};

use super::super::lines::without_bom;
use super::super::reading::Reading;

/// Versions with a known chunk format; newer ones are read as far as they match it.
const VERSIONS: [&str; 2] = ["1.0", "1.1"];
/// More text than any real archive has, and a limit for endless streams.
const LARGEST_ARCHIVE_TEXT: usize = 2 << 30;

#[derive(Default)]
pub struct Archive {
    pub chunks: Vec<CausanticChunk>,
    pub edges: Vec<CausanticEdge>,
    version: Option<String>,
    /// Positions of chunks that could not be read.
    unread: Vec<usize>,
    seen: usize,
    bytes: usize,
}

impl Archive {
    pub fn read(input: impl Read, file: &str, out: &mut Reading) -> Self {
        let mut archive = Archive::default();
        let mut parser = serde_json::Deserializer::from_reader(after_bom(input));
        let parsed = Document(&mut archive).deserialize(&mut parser);
        if let Err(error) = parsed {
            let reason =
                format!("the archive breaks off or is damaged at line {}: the part before is kept", error.line());
            out.problem(file, None, ProblemKind::Skipped, reason);
        }
        if let Some(version) = &archive.version
            && !VERSIONS.contains(&version.as_str())
        {
            let reason = "an unknown version of the archive: read as far as it is known";
            out.problem(file, None, ProblemKind::Repaired, reason);
        }
        for place in &archive.unread {
            let reason = format!("chunk {place} is not what a chunk should be");
            out.problem(file, None, ProblemKind::Skipped, reason);
        }
        archive
    }

    fn add_chunk(&mut self, chunk: &Value) {
        self.seen += 1;
        let field = |name: &str| match chunk.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        if !chunk.get("content").is_some_and(Value::is_string) {
            self.unread.push(self.seen);
            return;
        }
        let chunk = CausanticChunk {
            id: field("id"),
            session: field("sessionId"),
            slug: field("sessionSlug"),
            path: field("projectPath"),
            turns: field("turnIndices"),
            started: field("startTime"),
            ended: field("endTime"),
            content: field("content"),
            agent: field("agentId"),
            team: field("teamName"),
        };
        self.bytes += chunk.content.len();
        self.chunks.push(chunk);
    }

    fn add_edge(&mut self, edge: &Value) {
        let field = |name: &str| edge.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_forward = field("type").is_none_or(|kind| kind == "forward");
        if let (true, Some(source), Some(target), Some(kind)) =
            (is_forward, field("source"), field("target"), field("referenceType"))
            && matches!(kind.as_str(), "brief" | "within-chain")
        {
            self.edges.push(CausanticEdge { source, target, kind });
        }
    }
}

/// Fills the archive while the document is parsed.
struct Document<'a>(&'a mut Archive);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an archive")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "version" => self.0.version = map.next_value::<Value>()?.as_str().map(str::to_owned),
                "chunks" => map.next_value_seed(List(self.0, Archive::add_chunk))?,
                "edges" => map.next_value_seed(List(self.0, Archive::add_edge))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Passes on each item of a list as soon as it is complete.
struct List<'a>(&'a mut Archive, fn(&mut Archive, &Value));

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<Value>()? {
            (self.1)(self.0, &item);
            if self.0.bytes > LARGEST_ARCHIVE_TEXT {
                return Err(A::Error::custom("too large"));
            }
        }
        Ok(())
    }
}

/// Skips a byte order mark.
fn after_bom(mut input: impl Read) -> impl Read {
    let mut start = Vec::new();
    // A read error returns at the next read.
    drop(input.by_ref().take(3).read_to_end(&mut start));
    let start = without_bom(&start).to_vec();
    BufReader::with_capacity(1 << 18, Cursor::new(start).chain(input))
}
