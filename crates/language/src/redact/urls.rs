//! Secrets in URLs: passwords of `scheme://user:password@host`, webhooks, signatures.

use std::ops::Range;

use super::MARKER_START;
use super::entropy::{TextShape, is_hex, is_uuid, looks_random};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{self, *};
use super::placeholder::{has_template_signs, is_placeholder};
use super::rules::token_at;
use super::text::{byte_before, contains, is_token_byte, run_end, run_end_within, word_start};

const LONGEST_AUTHORITY: usize = 512;
const LONGEST_PATH: usize = 512;

/// At `://`. Only the password is secret: scheme, user and host stay readable.
pub(super) fn check_credentials(text: &[u8], at: usize, found: &mut Findings) {
    if !byte_before(text, at).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return;
    }
    let start = at + 3;
    let end = run_end_within(text, start, LONGEST_AUTHORITY, |byte| !ends_authority(byte));
    if end - start >= LONGEST_AUTHORITY {
        return;
    }
    let authority = &text[start..end];
    if contains(authority, MARKER_START.as_bytes()) {
        return;
    }
    let Some(sign) = authority.iter().rposition(|&byte| byte == b'@') else {
        return;
    };
    let Some(colon) = authority[..sign].iter().position(|&byte| byte == b':') else {
        check_user(text, at, start..start + sign, end, found);
        return;
    };
    let (user, password) = (&authority[..colon], &authority[colon + 1..sign]);
    check_user(text, at, start..start + colon, end, found);
    if is_real_password(user, password) && sign + 1 < authority.len() {
        let range = start + colon + 1..start + sign;
        let issued = token_at(text, range.start);
        let kind = issued.map_or(UrlPassword, |token| token.kind);
        found.add(at, FoundSecret::new(kind, range));
    }
}

/// A token as the user: `https://TOKEN@host`. The token of an error-reporting address (`https://…@host/42`) is public.
fn check_user(text: &[u8], anchor: usize, user: Range<usize>, host_end: usize, found: &mut Findings) {
    let value = &text[user.clone()];
    let number_end = run_end(text, host_end + 1, |byte| byte.is_ascii_digit());
    let reports_errors = text.get(host_end) == Some(&b'/') && number_end > host_end + 1
        || contains(&text[user.end..host_end], b"sentry");
    let is_token = value.len() >= 20 && value.iter().all(|&byte| is_token_byte(byte)) && looks_random(value);
    if is_token && !is_uuid(value) && !reports_errors && !is_placeholder(value) {
        let kind = token_at(text, user.start).map_or(Token, |token| token.kind);
        found.add(anchor, FoundSecret::new(kind, user));
    }
}

/// At `?key=` or `&key=`: so common a name needs a random value.
pub(super) fn check_key_parameter(text: &[u8], at: usize, found: &mut Findings) {
    let start = at + b"?key=".len();
    let end = run_end_within(text, start, LONGEST_PATH, is_token_byte);
    let value = &text[start..end];
    if value.len() >= 20
        && looks_random(value)
        && !(is_hex(value) && value.iter().any(u8::is_ascii_lowercase))
        && !is_uuid(value)
        && !is_placeholder(value)
    {
        found.add(at, FoundSecret::new(ApiKey, start..end));
    }
}

/// At `Signature=` of a signed address or request.
pub(super) fn check_signature(text: &[u8], at: usize, found: &mut Findings) {
    let start = at + b"Signature=".len();
    let end = run_end_within(text, start, LONGEST_PATH, |byte| {
        is_token_byte(byte) || matches!(byte, b'%' | b'+' | b'/' | b'=' | b'~')
    });
    let begins_parameter = matches!(byte_before(text, at), Some(b'?' | b'&' | b'-' | b' ' | b',' | b'6'));
    let value = &text[start..end];
    if begins_parameter && value.len() >= 27 && looks_random(value) && !is_placeholder(value) {
        found.add(at, FoundSecret::new(Credential, start..end));
    }
}

fn ends_authority(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b',')
}

fn is_real_password(user: &[u8], password: &[u8]) -> bool {
    let shape = TextShape::of(password);
    let is_port = shape.digits == shape.length && shape.length <= 5;
    password.len() >= 3
        && password != user
        && !is_port
        && !password.contains(&b'{')
        && !password.contains(&b'(')
        && !has_template_signs(user)
        && !is_placeholder(password)
}

/// At `hooks.slack.com/`.
pub(super) fn check_slack_webhook(text: &[u8], at: usize, found: &mut Findings) {
    check_webhook(text, at, "hooks.slack.com/", SlackWebhook, found);
}

/// At `/api/webhooks/` of Discord.
pub(super) fn check_discord_webhook(text: &[u8], at: usize, found: &mut Findings) {
    check_webhook(text, at, "/api/webhooks/", DiscordWebhook, found);
}

/// At `webhook.office.com/` of Microsoft Teams.
pub(super) fn check_teams_webhook(text: &[u8], at: usize, found: &mut Findings) {
    check_webhook(text, at, "webhook.office.com/", TeamsWebhook, found);
}

/// At the address of a service with the key in its path.
pub(super) fn check_endpoint(text: &[u8], at: usize, found: &mut Findings) {
    let is_path = |byte: u8| is_token_byte(byte) || matches!(byte, b'/' | b'.' | b'@');
    let end = run_end_within(text, at, LONGEST_PATH, is_path);
    let mut part = at;
    while part < end {
        let part_end = run_end(&text[..end], part, |byte| byte != b'/');
        let value = &text[part..part_end];
        if value.len() >= 20
            && value.iter().all(|&byte| is_token_byte(byte))
            && looks_random(value)
            && !is_placeholder(value)
        {
            found.add(at, FoundSecret::new(Credential, part..part_end));
        }
        part = part_end + 1;
    }
}

/// A webhook's path is a credential; its last parts are random.
fn check_webhook(text: &[u8], at: usize, anchor: &str, kind: SecretKind, found: &mut Findings) {
    let start = at + anchor.len();
    let end =
        run_end_within(text, start, LONGEST_PATH, |byte| is_token_byte(byte) || matches!(byte, b'/' | b'@' | b'.'));
    let path = &text[start..end];
    let random = |part: &[u8]| looks_random(part) && !is_placeholder(part);
    if path.split(|&byte| byte == b'/').any(random) {
        found.add(at, FoundSecret::new(kind, start..end));
    }
}

/// At `sig=`: the signature of an Azure shared access URL, base64 of 32 bytes.
pub(super) fn check_azure_signature(text: &[u8], at: usize, found: &mut Findings) {
    let start = at + b"sig=".len();
    let end = run_end_within(text, start, LONGEST_PATH, |byte| {
        is_token_byte(byte) || matches!(byte, b'%' | b'+' | b'/' | b'=')
    });
    let begins_parameter = matches!(byte_before(text, at), Some(b'?' | b'&' | b';' | b'6'));
    let value = &text[start..end];
    if begins_parameter && (40..90).contains(&value.len()) && looks_random(value) && !is_placeholder(value) {
        found.add(at, FoundSecret::new(AzureSignature, start..end));
    }
}

/// At `.atlasv1.`, in the middle of a Terraform Cloud token.
pub(super) fn check_terraform(text: &[u8], at: usize, found: &mut Findings) {
    let start = word_start(text, at, 20, |byte| byte.is_ascii_alphanumeric());
    let end = run_end(text, at + b".atlasv1.".len(), is_token_byte);
    if at - start >= 10 && end - at >= 50 && looks_random(&text[start..end]) {
        found.add(at, FoundSecret::new(TerraformToken, start..end));
    }
}
