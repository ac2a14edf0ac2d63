//! JSON web tokens: three base64url parts, the first of which decodes to a header.

use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::Jwt;
use super::text::{can_begin_token, contains, decode_base64, is_token_byte, run_end, starts_with};

/// The payload of the token shown on jwt.io and in countless manuals (John Doe).
const DOCUMENTED_PAYLOAD: &[u8] = b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l";

/// At `eyJ`, the start of base64 of `{"`.
pub(super) fn check_jwt(text: &[u8], at: usize, found: &mut Findings) {
    if let Some(finding) = jwt_at(text, at) {
        found.add(at, finding);
    }
}

pub(super) fn jwt_at(text: &[u8], at: usize) -> Option<FoundSecret> {
    if !starts_with(text, at, b"eyJ") || !can_begin_token(text, at) {
        return None;
    }
    let header_end = run_end(text, at, is_token_byte);
    if text.get(header_end) != Some(&b'.') || !is_header(&text[at..header_end]) {
        return None;
    }
    let payload = header_end + 1;
    let payload_end = run_end(text, payload, is_token_byte);
    let is_object = starts_with(text, payload, b"eyJ") || starts_with(text, payload, b"ewo");
    let long_enough = payload_end - payload >= 16;
    // An encrypted token (JWE) has four more parts, the first of them a wrapped key.
    let end = last_part_end(text, payload_end);
    let has_signature = end > payload_end + 20;
    if !long_enough || !(is_object || has_signature) || is_documented(text, payload) {
        return None;
    }
    Some(FoundSecret::new(Jwt, at..end))
}

fn is_documented(text: &[u8], payload: usize) -> bool {
    starts_with(text, payload, DOCUMENTED_PAYLOAD)
}

fn last_part_end(text: &[u8], payload_end: usize) -> usize {
    let mut end = payload_end;
    for _ in 0..3 {
        if text.get(end) != Some(&b'.') {
            break;
        }
        let next = run_end(text, end + 1, is_token_byte);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

/// Whether the part decodes to a JSON object that names an algorithm or a type.
fn is_header(part: &[u8]) -> bool {
    const LONGEST_HEADER: usize = 4096;
    let Some(json) = decode_base64(part, LONGEST_HEADER) else {
        return false;
    };
    let names_what_it_is =
        [&b"\"alg\""[..], b"\"typ\"", b"\"kid\"", b"\"enc\""].iter().any(|field| contains(&json, field));
    names_what_it_is && json.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}
