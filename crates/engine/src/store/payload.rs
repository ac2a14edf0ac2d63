//! How are an event's text and metadata stored? One line of JSON, then the text, compressed if
//! that saves space.

use std::io::Read;

use crate::model::Meta;

use super::sqlite::StoreError;

/// Shorter payloads are mostly ids, which do not compress.
const WORTH_COMPRESSING: usize = 400;
/// A fast level without entropy coding of literals, which costs more on short texts than it
/// saves (docs/measurements.md).
const LEVEL: i32 = -3;
/// At most this many bytes are recovered from a damaged payload.
const MOST_SALVAGED: usize = 64 << 20;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    pub meta: Meta,
    pub text: String,
}

/// The bytes that are stored, before compression.
pub fn payload_bytes(meta: &Meta, text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + 160);
    // JSON can express all of Meta, so this cannot fail.
    let _ = serde_json::to_writer(&mut bytes, meta);
    bytes.push(b'\n');
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// The hash in the chain: of the metadata line and the hash of the text.
pub fn payload_hash(bytes: &[u8]) -> [u8; 32] {
    let (meta, text) = split(bytes);
    payload_hash_with(meta, blake3::hash(text).as_bytes())
}

/// The same for a text whose hash is known.
pub fn payload_hash_with(meta_line: &[u8], text_hash: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(meta_line);
    hasher.update(text_hash);
    *hasher.finalize().as_bytes()
}

/// The metadata line with its line break, and the text.
pub fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1))
}

/// Compresses and decompresses, and reuses the contexts.
pub struct Codec {
    compressor: zstd::bulk::Compressor<'static>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl Codec {
    pub fn new() -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| StoreError::Payload(error.to_string());
        Ok(Codec {
            compressor: zstd::bulk::Compressor::new(LEVEL).map_err(failed)?,
            decompressor: zstd::bulk::Decompressor::new().map_err(failed)?,
        })
    }

    pub fn pack(&mut self, bytes: &[u8]) -> Vec<u8> {
        if bytes.len() >= WORTH_COMPRESSING
            && let Ok(length) = u32::try_from(bytes.len())
            && let Ok(frame) = self.compressor.compress(bytes)
            && frame.len() + 4 < bytes.len()
        {
            let mut packed = Vec::with_capacity(frame.len() + 5);
            packed.push(ZSTD);
            packed.extend_from_slice(&length.to_le_bytes());
            packed.extend_from_slice(&frame);
            return packed;
        }
        let mut packed = Vec::with_capacity(bytes.len() + 1);
        packed.push(PLAIN);
        packed.extend_from_slice(bytes);
        packed
    }

    pub fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, StoreError> {
        match packed.split_first() {
            Some((&PLAIN, bytes)) => Ok(bytes.to_vec()),
            Some((&ZSTD, rest)) if rest.len() >= 4 => {
                let (length, frame) = rest.split_at(4);
                let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
                self.decompressor
                    .decompress(frame, length as usize)
                    .map_err(|error| StoreError::Payload(error.to_string()))
            }
            _ => Err(StoreError::Payload("unknown encoding".to_owned())),
        }
    }
}

/// The bytes that can be recovered from a payload that cannot be unpacked.
pub(super) fn salvage(packed: &[u8]) -> Vec<u8> {
    let mut found = packed.to_vec();
    if let Some((&ZSTD, rest)) = packed.split_first()
        && let Some(frame) = rest.get(4..)
        && let Ok(mut decoder) = zstd::stream::read::Decoder::new(frame)
    {
        let mut block = [0; 4096];
        // Up to the damaged place, within the longest possible payload.
        while let (Ok(read @ 1..), true) = (decoder.read(&mut block), found.len() < MOST_SALVAGED) {
            found.extend_from_slice(&block[..read]);
        }
    }
    found
}

/// Do these bytes contain the words? `needle` is in lower case.
pub fn is_said_in(bytes: &[u8], needle: &str) -> bool {
    String::from_utf8_lossy(bytes).to_lowercase().contains(needle)
}

pub fn decode_payload(bytes: Vec<u8>) -> Result<Payload, StoreError> {
    let line = memchr::memchr(b'\n', &bytes).ok_or_else(|| StoreError::Payload("no metadata line".to_owned()))?;
    // serde's message would quote what it read.
    let unknown = |error: serde_json::Error| {
        let column = error.column();
        StoreError::Payload(format!("its metadata is not what this version knows (column {column})"))
    };
    let meta = serde_json::from_slice(&bytes[..line]).map_err(unknown)?;
    let mut bytes = bytes;
    bytes.drain(..=line);
    let text = String::from_utf8(bytes).map_err(|error| StoreError::Payload(error.to_string()))?;
    Ok(Payload { meta, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_small_and_large() -> Result<(), StoreError> {
        let mut codec = Codec::new()?;
        for text in ["", "short", &"long line of text\n".repeat(100)] {
            let meta = Meta { tool: Some("Bash".to_owned()), ..Meta::default() };
            let bytes = payload_bytes(&meta, text);
            let packed = codec.pack(&bytes);
            assert_eq!(decode_payload(codec.unpack(&packed)?)?, Payload { meta, text: text.to_owned() });
        }
        Ok(())
    }

    #[test]
    fn damage_is_an_error() -> Result<(), StoreError> {
        let mut codec = Codec::new()?;
        assert!(codec.unpack(&[]).is_err());
        assert!(codec.unpack(&[9, 1, 2]).is_err());
        assert!(codec.unpack(&[ZSTD, 255, 0, 0, 0, 1, 2, 3]).is_err());
        assert!(decode_payload(b"no newline".to_vec()).is_err());
        Ok(())
    }
}
