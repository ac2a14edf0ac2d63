//! Tokens without a distinctive prefix, recognised by their structure or by a nearby word.

use super::entropy::{TextShape, looks_random};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::*;
use super::placeholder::is_stand_in;
use super::text::{
    byte_before, can_begin_token, decode_base64, is_base64_byte, is_lower_hex, is_quote, is_token_byte, rest_of_line,
    run_end, run_end_within, run_start, skip_to_value, starts_with,
};
use super::words::is_word_list;

/// The maximum distance between a token and the word that names its vendor.
const NEAR: usize = 256;

/// At `:AA`, in the middle of a Telegram bot token: `123456789:AAE…`.
pub(super) fn check_telegram(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_start(text, at, 12, |byte| byte.is_ascii_digit());
    let end = run_end(text, at + 1, is_token_byte);
    let of_a_bot = text[..start].ends_with(b"bot") || can_begin_token(text, start);
    let lengths_fit = (7..=10).contains(&(at - start)) && (34..=36).contains(&(end - at - 1));
    if of_a_bot && lengths_fit && looks_random(&text[at + 1..end]) {
        found.add(at, FoundSecret::new(TelegramToken, start..end));
    }
}

/// At the word `discord`: a bot token may follow on the line.
pub(super) fn check_after_discord(text: &[u8], at: usize, found: &mut Findings) {
    for start in rest_of_line(text, at, NEAR) {
        if let Some(finding) = discord_token_at(text, start) {
            found.add(at, finding);
        }
    }
}

/// At a call that logs a bot in: `.login(`, `.run(`, `.start(`.
pub(super) fn check_login_call(text: &[u8], at: usize, found: &mut Findings) {
    let open = run_end(text, at + 1, |byte| byte.is_ascii_alphabetic());
    let start = skip_to_value(text, open, |byte| byte == b'(' || byte == b' ');
    if let Some(finding) = discord_token_at(text, start).or_else(|| dotted_token_at(text, start)) {
        found.add(at, finding);
    }
}

/// Three parts with a bot token's lengths, at a login of a bot.
fn dotted_token_at(text: &[u8], at: usize) -> Option<FoundSecret> {
    let end = run_end_within(text, at, 96, |byte| is_token_byte(byte) || byte == b'.');
    let value = &text[at..end];
    let lengths: Vec<usize> = value.split(|&byte| byte == b'.').map(<[u8]>::len).collect();
    let fits = matches!(lengths[..], [22..=28, 5..=7, 25..=45]) && byte_before(text, at).is_some_and(is_quote);
    (fits && looks_random(value)).then(|| FoundSecret::new(DiscordToken, at..end))
}

/// A bot token: base64 of the bot's number, a time stamp, a code; joined by dots.
pub(super) fn discord_token_at(text: &[u8], at: usize) -> Option<FoundSecret> {
    if !matches!(text.get(at), Some(b'M' | b'N' | b'O')) || !can_begin_token(text, at) {
        return None;
    }
    let number_end = run_end(text, at, is_token_byte);
    let time_end = run_end(text, number_end + 1, is_token_byte);
    let end = run_end(text, time_end + 1, is_token_byte);
    let has_dots = text.get(number_end) == Some(&b'.') && text.get(time_end) == Some(&b'.');
    let lengths_fit = (22..=28).contains(&(number_end - at))
        && (5..=7).contains(&(time_end - number_end - 1))
        && (25..=45).contains(&end.saturating_sub(time_end + 1));
    let is_number = |part: Vec<u8>| part.iter().all(u8::is_ascii_digit);
    let fits = has_dots && lengths_fit && decode_base64(&text[at..number_end], 64).is_some_and(is_number);
    fits.then(|| FoundSecret::new(DiscordToken, at..end))
}

/// At the word `twilio`: an API key id (`SK` and 32 hex digits) may follow on the line.
pub(super) fn check_after_twilio(text: &[u8], at: usize, found: &mut Findings) {
    for start in rest_of_line(text, at, NEAR) {
        if !starts_with(text, start, b"SK") || !can_begin_token(text, start) {
            continue;
        }
        let end = run_end(text, start + 2, is_token_byte);
        let body = &text[start + 2..end];
        if body.len() == 32 && body.iter().all(|&byte| is_lower_hex(byte)) && !is_stand_in(body) {
            found.add(at, FoundSecret::new(TwilioKey, start..end));
        }
    }
}

/// The secret key that follows an access key id, as in a downloaded CSV file or in
/// the output of `aws iam create-access-key`: 40 bytes of base64.
pub(super) fn check_after_aws_key(text: &[u8], anchor: usize, key_end: usize, found: &mut Findings) {
    let mut at = key_end;
    let limit = text.len().min(key_end + 160);
    while at < limit && !starts_with(text, at, super::MARKER_START.as_bytes()) {
        let end = run_end(text, at, is_base64_byte);
        if is_aws_secret(&text[at..end]) && can_begin_token(text, at) {
            found.add(anchor, FoundSecret::new(AwsSecretKey, at..end));
            return;
        }
        let is_escape = matches!(text.get(at..at + 2), Some([b'\\', b'n' | b'r' | b't']));
        at = if is_escape { at + 2 } else { end.max(at + 1) };
    }
}

fn is_aws_secret(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let mixed = shape.lower > 3 && shape.upper > 3 && shape.digits > 0;
    value.len() == 40
        && value.iter().all(|&byte| is_base64_byte(byte))
        && mixed
        && !is_stand_in(value)
        && looks_random(value)
}

/// At `8Q~` or the like, which follows the first three bytes of the client secret of an Azure application.
pub(super) fn check_azure_client_secret(text: &[u8], at: usize, found: &mut Findings) {
    let belongs = |byte: u8| is_token_byte(byte) || byte == b'~' || byte == b'.';
    let start = run_start(text, at, 3, belongs);
    let end = run_end_within(text, at, 64, belongs);
    let lengths_fit = at - start == 3 && (33..=40).contains(&(end - at));
    if lengths_fit && can_begin_token(text, start) && looks_random(&text[start..end]) {
        found.add(at, FoundSecret::new(AzureClientSecret, start..end));
    }
}

/// At `FULL`, the permission of a key in a table of storage keys.
pub(super) fn check_storage_key(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_end_within(text, at + 4, 24, |byte| byte == b' ');
    let end = run_end_within(text, start, 89, is_base64_byte);
    if end - start == 88 && looks_random(&text[start..end]) {
        found.add(at, FoundSecret::new(AzureKey, start..end));
    }
}

/// At `mnemonic` or `seed phrase`: the words from which a wallet's keys are made.
pub(super) fn check_word_list(text: &[u8], at: usize, found: &mut Findings) {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ');
    let name_end = run_end_within(text, at, 24, is_name);
    let sentence_end = run_end_within(text, at, 72, is_name);
    let is_sentence = text.get(sentence_end) == Some(&b':');
    let name_end = if is_sentence { sentence_end } else { name_end };
    let start = skip_to_value(text, name_end, |byte| matches!(byte, b':' | b'=' | b' ' | b']' | b'\n' | b'*'));
    let end = run_end_within(text, start, NEAR, |byte| byte.is_ascii_lowercase() || byte == b' ');
    if start > name_end && is_word_list(&text[start..end]) {
        found.add(at, FoundSecret::new(Secret, start..end));
    }
}

/// At `:APA91b`, in the middle of a server key of Firebase.
pub(super) fn check_firebase(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_start(text, at, 16, is_token_byte);
    let end = run_end_within(text, at + 1, 256, is_token_byte);
    if at - start >= 8 && end - at >= 100 {
        found.add(at, FoundSecret::new(GoogleApiKey, start..end));
    }
}

/// At `NRAL`, the end of a licence key of New Relic.
pub(super) fn check_new_relic(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_start(text, at, 40, |byte| byte.is_ascii_alphanumeric());
    let end = at + b"NRAL".len();
    let ends = !text.get(end).is_some_and(|&byte| is_token_byte(byte));
    if at - start == 36 && ends && looks_random(&text[start..at]) {
        found.add(at, FoundSecret::new(NewRelicKey, start..end));
    }
}

/// At `-us1` and the like, the end of a key of Mailchimp: 32 hex digits and a region.
pub(super) fn check_mailchimp(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_start(text, at, 33, is_lower_hex);
    let end = run_end_within(text, at + 3, 3, |byte| byte.is_ascii_digit());
    let ends = !text.get(end).is_some_and(|&byte| is_token_byte(byte));
    if at - start == 32 && can_begin_token(text, start) && ends && looks_random(&text[start..at]) {
        found.add(at, FoundSecret::new(ApiKey, start..end));
    }
}

/// At the word `mailgun`: a key of hex digits in three groups may follow on the line.
pub(super) fn check_after_mailgun(text: &[u8], at: usize, found: &mut Findings) {
    for start in rest_of_line(text, at, NEAR) {
        let first = run_end_within(text, start, 33, is_lower_hex);
        if first - start != 32 || !can_begin_token(text, start) {
            continue;
        }
        let end = run_end_within(text, start, 64, |byte| is_lower_hex(byte) || byte == b'-');
        let groups: Vec<usize> = text[start..end].split(|&byte| byte == b'-').map(<[u8]>::len).collect();
        if groups == [32, 8, 8] {
            found.add(at, FoundSecret::new(MailgunKey, start..end));
        }
    }
}

/// At the word `airtable`: a token may follow on the line, `pat`, a dot and 64 hex digits.
pub(super) fn check_after_airtable(text: &[u8], at: usize, found: &mut Findings) {
    for start in rest_of_line(text, at, NEAR) {
        if !starts_with(text, start, b"pat") || !can_begin_token(text, start) {
            continue;
        }
        let dot = run_end_within(text, start, 24, |byte| byte.is_ascii_alphanumeric());
        let end = run_end_within(text, (dot + 1).min(text.len()), 80, is_lower_hex);
        if text.get(dot) == Some(&b'.') && dot - start == 17 && end - dot == 65 {
            found.add(at, FoundSecret::new(Token, start..end));
        }
    }
}

/// At the word `dropbox`: a token may follow on the line, `sl.` and a long code.
pub(super) fn check_after_dropbox(text: &[u8], at: usize, found: &mut Findings) {
    for start in rest_of_line(text, at, NEAR) {
        if !starts_with(text, start, b"sl.") || !can_begin_token(text, start) {
            continue;
        }
        let end = run_end_within(text, start, 1500, |byte| is_token_byte(byte) || byte == b'.');
        if end - start >= 60 && looks_random(&text[start..end]) {
            found.add(at, FoundSecret::new(Token, start..end));
        }
    }
}
