//! Passwords in lines of fields: `.pgpass`, `htpasswd`, `shadow`.

use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::Password;
use super::placeholder::is_placeholder;
use super::text::{byte_before, is_quote, run_end_within, run_start};

const LONGEST_FIELD: usize = 128;

/// At the second field of a line of `.pgpass`, as in `host:5432:database:user:password`.
pub(super) fn check_pgpass(text: &[u8], at: usize, found: &mut Findings) {
    let host = run_start(text, at, LONGEST_FIELD, is_field_byte);
    if host == at || byte_before(text, host) == Some(b'@') {
        return;
    }
    let port_end = run_end_within(text, at + 1, 6, |byte| byte != b':');
    let database_end = run_end_within(text, port_end + 1, LONGEST_FIELD, is_field_byte);
    let user_end = run_end_within(text, database_end + 1, LONGEST_FIELD, is_field_byte);
    let has_fields = text.get(port_end) == Some(&b':')
        && text.get(database_end) == Some(&b':')
        && text.get(user_end) == Some(&b':')
        && database_end > port_end + 1
        && user_end > database_end + 1;
    if !has_fields {
        return;
    }
    let start = user_end + 1;
    let end = run_end_within(text, start, LONGEST_FIELD, |byte| is_field_byte(byte) || byte == b':');
    let password = &text[start..end];
    // `arn:aws:service:*:*:secret:name-*` has as many fields.
    let is_pattern = byte_before(text, host) == Some(b':') && password.ends_with(b"*");
    let is_number = is_pattern || password.iter().all(u8::is_ascii_digit);
    if password.len() >= 4 && end - start < LONGEST_FIELD && !is_number && !is_placeholder(password) {
        found.add(at, FoundSecret::new(Password, start..end));
    }
}

fn is_field_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b':' && byte != b'\\' && !is_quote(byte)
}

/// At the colon of `user:$apr1$…`, `user:$6$…:19000:…` or `user:{SHA}…`: the password hash of a user, as in a password
/// file.
pub(super) fn check_password_file(text: &[u8], at: usize, found: &mut Findings) {
    let user =
        run_start(text, at, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'));
    let is_hash_byte = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b'{' | b'}' | b',' | b'_' | b'-')
    };
    let end = run_end_within(text, at + 1, LONGEST_FIELD * 2, is_hash_byte);
    let begins_field = byte_before(text, user) != Some(b'=');
    let hash = &text[at + 1..end];
    if user < at && begins_field && hash.len() >= 24 && !is_placeholder(hash) {
        found.add(at, FoundSecret::new(Password, at + 1..end));
    }
}
