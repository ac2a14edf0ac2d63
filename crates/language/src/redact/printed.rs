//! Secrets in command output: the line after `$ pass show …`, workflow commands.

use super::assigned::{is_drawn_password, is_drawn_token};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{Password, Secret};
use super::placeholder::is_placeholder;
use super::text::{
    after_line_end, contains, contains_any_case, is_quote, rest_of_line, run_end_within, starts_with, text_before,
};

use super::told::lone_word;

const LONGEST_LINE: usize = 400;
const LONGEST_SECRET: usize = 512;

/// Parts of commands that print one secret and nothing else.
pub(super) const PRINTING: &[&str] = &[
    "$ pass s", "# pass s", "op read ", "generic-password", "internet-password", "versions access ", "jsonpath",
    "/run/secrets/", "output -raw ", "keyvault secret show", "with-decryption", "get-secret-value", "openssl rand ",
    "wg genkey", "wg genpsk", "master.key", "vault_pass", "kv get -field", "read -field", "pwgen ", "bw get ",
    "sops -d ", "doppler secrets get ", "gh auth token", "print-access-token", "kubectl create token ",
    "get-access-token", "initialAdminPassword", "secrets.token_", "vault_password", "key:generate", "generate_key",
    "randomBytes(", "token_hex(", "token_urlsafe(", "token_bytes(", "/dev/urandom", "SecureRandom", "mkpasswd ",
    "apg -", "genkey", "gen-key", "generate-key", "gopass show", "lpass show", "rbw get ", "keyring get ",
    "secret-tool lookup", "pass generate", "systemd-creds decrypt", "base64 -d", "base64 --decode", "chamber read ",
    "aws-vault export", "infisical secrets get", "berglas access", "vault print token", "oc whoami -t",
    "whoami --show-token", "print-identity-token", "get-session-token", "nkeys", "nk -gen", "uuid-secret", "xkcdpass",
    "diceware", "-security.psk ",
];

/// At a part of such a command.
pub(super) fn check_printing(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, LONGEST_LINE);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_prompt = matches!(text[at], b'$' | b'#');
    let line_end = rest_of_line(text, at, LONGEST_LINE).end;
    let command = &text[at - line.len()..line_end];
    let names_secret =
        || ["password", "secret", "token", "passwd", "key"].iter().any(|word| contains_any_case(command, word));
    let is_query = starts_with(text, at, b"jsonpath");
    // Commands that print anything, not only secrets.
    let is_open = ["base64 ", "/dev/urandom", "SecureRandom", "randomBytes", "key:generate"]
        .iter()
        .any(|start| starts_with(text, at, start.as_bytes()));
    if is_open && (is_prompt || has_prompt(line)) {
        if let Some(value) = after_line_end(text, line_end).and_then(|next| lone_word(text, next, b"")) {
            let bytes = &text[value.clone()];
            let bytes = bytes.strip_prefix(b"base64:").unwrap_or(bytes);
            if is_drawn_token(bytes) || names_secret() && is_drawn_password(bytes) {
                found.add(at, FoundSecret::new(Secret, value));
            }
        }
        return;
    }
    if (is_prompt || has_prompt(line)) && (!is_query || names_secret()) {
        check_next_line(text, at, line_end, found);
    }
}

/// At `echo $`: the value of a variable with a secret-like name.
pub(super) fn check_echo(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, 120);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let line_end = rest_of_line(text, at, 120).end;
    let name = &text[at..line_end];
    let is_telling =
        ["password", "secret", "token", "passwd", "_key", "_pass"].iter().any(|word| contains_any_case(name, word));
    if has_prompt(line) && is_telling && !name.contains(&b'|') && !name.contains(&b'>') {
        check_next_line(text, at, line_end, found);
    }
}

/// At `$ cat ` and the like: a file or variable with a secret-like name.
pub(super) fn check_shown_file(text: &[u8], at: usize, found: &mut Findings) {
    let line_end = rest_of_line(text, at, LONGEST_LINE).end;
    let command = &text[at..line_end];
    let words = [
        "password", "secret", "token", "passwd", "_pass", "api_key", "apikey", "private", ".cookie", "credential",
        "passphrase", "authkey",
    ];
    let is_telling = words.iter().any(|word| contains_any_case(command, word));
    let is_code =
        [".rs", ".py", ".ts", ".js", ".go", ".md", ".json", ".yaml", ".yml", ".toml", ".txt", ".c", ".java", ".pub"];
    let is_plain_file = !is_code.iter().any(|end| command.trim_ascii().ends_with(end.as_bytes()));
    if is_telling && is_plain_file && !command.contains(&b'|') && !command.contains(&b'>') {
        check_next_line(text, at, line_end, found);
    }
}

/// At `::add-mask::` or `::set-output name=`.
pub(super) fn check_workflow(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, LONGEST_SECRET);
    let is_mask = starts_with(text, at, b"::add-mask::");
    let command = &text[line.clone()];
    let names_secret = || ["token", "secret", "password", "key"].iter().any(|word| contains_any_case(command, word));
    let Some(last) = command.windows(2).rposition(|pair| pair == b"::") else {
        return;
    };
    if last > 0 && (is_mask || names_secret()) {
        add_line(text, at, at + last + 2, found);
    }
}

/// At the id of a secret in a key vault: its value is in the same object.
pub(super) fn check_vault_item(text: &[u8], at: usize, found: &mut Findings) {
    let limit = text.len().min(at + 200);
    let Some(place) = (at..limit).find(|&index| starts_with(text, index, b"value\"")) else {
        return;
    };
    let start = run_end_within(text, place + 6, 8, |byte| matches!(byte, b':' | b' ' | b'"'));
    let end =
        run_end_within(text, start, LONGEST_SECRET, |byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    if end - start >= 6 && text.get(end) == Some(&b'"') && !is_placeholder(&text[start..end]) {
        found.add(at, FoundSecret::new(Secret, start..end));
    }
}

/// Whether the line starts like a shell prompt.
pub(super) fn has_prompt(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"+").unwrap_or(line).trim_ascii_start();
    let prompt = line.get(..line.len().min(60)).unwrap_or_default();
    line.starts_with(b"$ ")
        || line.starts_with(b"# ")
        || line.starts_with(b"> ")
        || contains(prompt, b"$ ")
        || contains(prompt, b"# ")
        || contains(prompt, "❯ ".as_bytes())
        || contains(prompt, b"% ")
}

fn check_next_line(text: &[u8], anchor: usize, line_end: usize, found: &mut Findings) {
    if let Some(start) = after_line_end(text, line_end) {
        let start = if text.get(start) == Some(&b'+') { start + 1 } else { start };
        add_line(text, anchor, start, found);
    }
}

/// The word that fills the line at `start`.
fn add_line(text: &[u8], anchor: usize, start: usize, found: &mut Findings) {
    let start = run_end_within(text, start, 8, |byte| byte == b' ');
    let end = run_end_within(text, start, LONGEST_SECRET, |byte| {
        byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\' && byte != b'<'
    });
    let value = text.get(start..end).unwrap_or_default();
    let fills_line = text.get(end).is_none_or(|&byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"'));
    let is_prompt = matches!(value.first(), Some(b'$' | b'#' | b'>' | b'{' | b'[' | b'/'));
    let is_message = value.ends_with(b":") || contains_any_case(value, "error") || contains(value, b"://");
    if fills_line && (6..LONGEST_SECRET).contains(&value.len()) && !is_prompt && !is_message && !is_placeholder(value) {
        found.add(anchor, FoundSecret::new(Password, start..end));
    }
}
