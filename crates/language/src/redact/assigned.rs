//! Decides whether the value of a secret-like name is a secret.

use std::ops::Range;

use super::authorization::{has_checked_scheme, is_basic_credential, skip_scheme};
use super::context::{check_after_aws_key, discord_token_at};
use super::entropy::{TextShape, is_hex, is_uuid, looks_random};
use super::findings::{Findings, FoundSecret};
use super::jwt::jwt_at;
use super::kind::SecretKind;
use super::names::{Name, NameFamily, read_name};
use super::placeholder::{has_template_signs, is_placeholder};
use super::rules::token_at;
use super::said::speaks_of_account;
use super::text::{contains, contains_any_case, is_quote, starts_with, text_before};
use super::told::check_told;
use super::values::{Style, changed_to, value_of};
use super::words::{is_chosen_word, is_known, is_phrase, says_something_else};

/// At a secret-like word at `start..end`.
#[inline]
pub(super) fn check_name(text: &[u8], start: usize, end: usize, family: NameFamily, found: &mut Findings) {
    let Some(name) = read_name(text, start, end, family) else {
        return;
    };
    let Some(value) = value_of(text, &name) else {
        check_told(text, &name, found);
        return;
    };
    if has_checked_scheme(text, value.range.start) {
        return;
    }
    let range = skip_scheme(text, value.range);
    let is_told = family == NameFamily::Pass && value.style == Style::Bare && speaks_of_account(text, start);
    let style = if is_told { Style::Column } else { value.style };
    let is_told = style == Style::Said && name.family == NameFamily::Password && name.may_be_word;
    let style = if is_told && is_told_password(text, &range, start) { Style::Column } else { style };
    // `pass: …` can also be the number of passed tests.
    let is_counted =
        name.family == NameFamily::Pass && style == Style::Setting && !names_user(text_before(text, start, 80));
    if is_counted && !is_drawn_password(&text[range.clone()]) {
        return;
    }
    if is_secret(&text[range.clone()], style, &name) {
        if let Some(next) = changed_to(text, range.end).filter(|next| !is_placeholder(&text[next.clone()])) {
            found.add(start, FoundSecret::new(name.kind, next));
        }
        let finding = identify(text, range, &name);
        if finding.kind == SecretKind::AwsAccessKey {
            check_after_aws_key(text, start, finding.range.end, found);
        }
        found.add(start, finding);
    }
    if matches!(style, Style::Said | Style::Column | Style::Bare | Style::Setting) {
        check_told(text, &name, found);
    }
}

pub(super) fn names_user(text: &[u8]) -> bool {
    ["user", "login", "smtp", "account", "email"].iter().any(|word| contains_any_case(text, word))
}

/// Names the secret after its issuer, if its form shows that; otherwise after its name.
fn identify(text: &[u8], range: Range<usize>, name: &Name) -> FoundSecret {
    let at = range.start;
    let issued = token_at(text, at).or_else(|| jwt_at(text, at)).or_else(|| discord_token_at(text, at));
    if let Some(finding) = issued {
        // The scope in `Credential=AKIA…/20240101/eu-west-1/s3` is not a secret.
        let is_scoped = finding.kind == SecretKind::AwsAccessKey;
        let end = if is_scoped { finding.range.end } else { finding.range.end.max(range.end) };
        return FoundSecret::new(finding.kind, at..end);
    }
    let is_terraform = contains(&text[range.clone()], b".atlasv1.");
    let kind = if is_terraform { SecretKind::TerraformToken } else { name.kind };
    FoundSecret::new(kind, range)
}

fn is_secret(value: &[u8], style: Style, name: &Name) -> bool {
    if style == Style::Quoted && name.may_be_word && is_phrase(value) {
        return true;
    }
    let is_string = matches!(style, Style::Quoted | Style::Argument | Style::Plain);
    if is_string && name.is_constant && matches!(name.family, NameFamily::Key | NameFamily::Secret) && is_salt(value) {
        return !has_template_signs(value);
    }
    if is_other_than_a_secret(value) || is_placeholder(value) {
        return false;
    }
    if style == Style::Bare && is_code(value) || style == Style::Setting && is_code(value) && !is_dotted_password(value)
    {
        return false;
    }
    if style == Style::Setting && name.is_title && value.len() == 40 && is_hex(value) {
        return false; // the checksum of a package: `FirebaseAuth: …`
    }
    if is_uuid(value) {
        return name.is_strong;
    }
    // Code may contain an identifier here, so stronger evidence is needed.
    let is_text = matches!(style, Style::Quoted | Style::Plain);
    let shortest = if is_text { 12 } else { 16 };
    match name.family {
        NameFamily::Password | NameFamily::Pass if !name.may_be_word => {
            is_unmistakable_password(value) && is_plain(value)
        }
        NameFamily::Password if is_text => {
            is_password(value)
                || is_chosen_word(value)
                || is_pin(value)
                || is_scrambled(value, name, style)
                || is_joined(value)
        }
        NameFamily::Password | NameFamily::Pass if style == Style::Column => is_tabled_password(value),
        NameFamily::Password if style == Style::Setting && is_pin(value) => true,
        NameFamily::Password if style == Style::Setting => is_set_password(value),
        NameFamily::Pass if style == Style::Setting => is_set_password(value),
        NameFamily::Pass => {
            style == Style::Quoted && (is_password(value) || name.follows_user && is_chosen_password(value))
        }
        NameFamily::Password if name.is_constant && style == Style::Argument => {
            is_password(value) || is_chosen_word(value)
        }
        NameFamily::Password if name.is_setter && style == Style::Argument && is_chosen_password(value) => {
            is_plain(value)
        }
        NameFamily::Password if style == Style::Argument && is_drawn_password(value) => true,
        NameFamily::Password => is_unmistakable_password(value) && is_plain(value),
        NameFamily::Secret
            if name.may_be_word && (style == Style::Plain || style == Style::Quoted && name.is_constant) =>
        {
            let is_made = is_token(value, 12) || is_complex_password(value) || is_scrambled(value, name, style);
            is_made || is_chosen_secret(value) || is_joined(value) || is_pin(value)
        }
        NameFamily::Secret if name.may_be_word && style == Style::Setting => {
            is_token(value, 12) || is_set_password(value)
        }
        NameFamily::Secret => {
            is_token(value, shortest) || is_text && (is_complex_password(value) || is_drawn_password(value))
        }
        NameFamily::Token if name.is_constant && style == Style::Plain => {
            let is_chosen = is_chosen_word(value) || is_joined(value) || is_password(value) && is_plain(value);
            is_token(value, 12) || is_issued(value) || is_chosen
        }
        NameFamily::Token if name.is_constant && matches!(style, Style::Plain | Style::Setting | Style::Quoted) => {
            is_token(value, 12) || is_issued(value)
        }
        NameFamily::Token if name.is_strong && matches!(style, Style::Plain | Style::Setting | Style::Quoted) => {
            is_token(value, shortest) || is_issued(value)
        }
        NameFamily::Key | NameFamily::Token if name.is_header && style != Style::Bare => {
            is_token(value, 12) || is_issued(value)
        }
        NameFamily::Key if !name.is_strong => {
            is_token(value, 20) && (!is_hex(value) || name.may_be_hex && value.len() >= 32)
        }
        NameFamily::Vendor => is_token(value, 20) && (!is_hex(value) || matches!(value.len(), 32 | 37 | 40)),
        NameFamily::Credential if is_pair(value) => true,
        NameFamily::Auth if name.is_flag && is_drawn_password(value) && !value.contains(&b'$') => true,
        NameFamily::Auth if style == Style::Setting => is_token(value, 20) || is_pair(value),
        NameFamily::Auth => is_token(value, 20) || is_text && (is_basic_credential(value) || is_pair(value)),
        NameFamily::Key | NameFamily::Token | NameFamily::Credential => is_token(value, shortest),
    }
}

/// A password in unquoted settings, where a type's name or another word of code is possible too.
fn is_set_password(value: &[u8]) -> bool {
    let is_hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let shape = TextShape::of(value);
    let reads_as_words = !looks_random(value) && !shape.looks_drawn() && shape.digits < 3;
    let is_shouted = |three: &[u8]| three.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_odd = shape.digits > 0 && value.windows(3).any(is_shouted);
    let is_type = sign_count(value) == 0 && reads_as_words && !is_odd && value.windows(2).any(is_hump);
    let is_drawn = is_drawn_word(value);
    is_plain(value) && (is_password(value) && !is_type || is_chosen_word(value) || is_drawn || is_joined(value))
}

/// Words joined by hyphens or underscores, none of which indicates a name: `db-credentials` and `password_field` are
/// names.
fn is_joined(value: &[u8]) -> bool {
    let is_joint = |byte: &u8| matches!(byte, b'-' | b'_');
    let is_part = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric) && !is_known(part);
    (8..=64).contains(&value.len())
        && value.iter().any(&is_joint)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.split(is_joint).all(is_part)
}

/// A short token: letters and digits mixed as in no word or name.
fn is_issued(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let is_number = shape.digits == shape.length && shape.length >= 10 && shape.distinct >= 5;
    let is_mixed = shape.letters() >= 2 && shape.digits >= 2 && shape.distinct >= 6 && shape.length >= 8;
    let is_tight = !value.iter().any(|byte| matches!(byte, b'/' | b':' | b'.' | b'=' | b','));
    is_plain(value) && !is_fingerprint(value) && !is_constant_name(value) && (is_number || is_mixed && is_tight)
}

/// A password in a column beside its name.
fn is_tabled_password(value: &[u8]) -> bool {
    let is_word = is_password(value) && !is_version(value) || is_chosen_word(value);
    is_plain(value) && (is_word || is_joined(value) || is_pin(value) || is_drawn_word(value))
}

/// A password in a sentence: unlike any word or name.
pub(super) fn is_said_password(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let signs = value[..value.len().saturating_sub(1)].iter().filter(|byte| is_sign(byte)).count();
    let is_mixed = shape.letters() > 2 && shape.length >= 6 && (shape.digits > 0 || signs > 0) && shape.distinct >= 5;
    let is_marked = is_mixed && !is_version(value) && !is_constant_name(value);
    let is_word = is_marked || is_joined(value) && !value.contains(&b'-') || is_drawn_word(value);
    is_plain(value) && !is_other_than_a_secret(value) && !is_placeholder(value) && !is_member_call(value) && is_word
}

/// `10:30am`, `user=x`, `a/b`: more than one word.
fn is_member_call(value: &[u8]) -> bool {
    value.iter().any(|byte| matches!(byte, b'/' | b'=' | b':'))
}

/// Only letters, in mixed case unlike any name.
fn is_drawn_word(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let is_mixed = shape.lower > 1 && shape.upper > 1 && shape.letters() == shape.length;
    let is_odd = shape.looks_drawn() || shape.upper > 2 && shape.is_unwordy();
    (8..=64).contains(&shape.length) && is_mixed && is_odd
}

/// Whether the text after `password is` is a password and not the rest of a sentence.
fn is_told_password(text: &[u8], range: &Range<usize>, name: usize) -> bool {
    let value = &text[range.clone()];
    let owner = text_before(text, name, 24);
    let is_owned = ["my ", "our "].iter().any(|word| contains_any_case(owner, word));
    let ends = text.get(range.end).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b',' | b'.'));
    let is_numbered = value.iter().any(u8::is_ascii_digit);
    let is_word = is_chosen_word(value) && is_owned && ends;
    is_said_password(value) || is_word || is_pin(value) || is_joined(value) && (is_numbered || ends)
}

/// `v1.2.3`, `sha256`, `utf8`: a word or letter and its number.
fn is_version(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let word = &value[..value.len() - digits];
    digits > 0 && word.len() <= 5 && word.iter().all(u8::is_ascii_alphabetic)
}

/// `ab.cd12.ef`: a digit in a part that is not a member's name.
fn is_dotted_password(value: &[u8]) -> bool {
    let is_plain_part = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric);
    let has_number = |part: &[u8]| part.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2;
    value.contains(&b'.')
        && value.split(|&byte| byte == b'.').all(is_plain_part)
        && (value.split(|&byte| byte == b'.').any(has_number) || is_unwordy(value))
}

/// Parts of mixed letters that are not words.
fn is_unwordy(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    shape.upper > 0 && shape.lower > 0 && shape.is_unwordy() && !value.split(|&byte| byte == b'.').any(is_known)
}

/// The secret of an application, chosen by a person.
fn is_chosen_secret(value: &[u8]) -> bool {
    let is_chosen = |part: &[u8]| is_password(part) || is_chosen_word(part);
    is_plain(value) && value.len() >= 6 && (is_chosen(value) || value.split(|&byte| byte == b'-').all(is_chosen))
}

/// Only letters, in mixed case unlike any word. If only text is possible, words joined by capitals are passwords too.
fn is_scrambled(value: &[u8], name: &Name, style: Style) -> bool {
    let shape = TextShape::of(value);
    let is_mixed = shape.lower > 0 && shape.upper > 0 && shape.letters() == shape.length;
    let is_title = value.iter().skip(1).all(u8::is_ascii_lowercase);
    let is_text = style == Style::Plain || name.is_constant;
    let is_odd = is_drawn_word(value) || is_text && shape.length >= 8 && !is_title;
    (7..=64).contains(&shape.length) && is_mixed && is_odd && !says_something_else(value)
}

/// `user:password`, as the value of a name such as `BASIC_AUTH`.
fn is_pair(value: &[u8]) -> bool {
    let colon = value.iter().position(|&byte| byte == b':');
    colon.is_some_and(|colon| {
        let (user, password) = (&value[..colon], &value[colon + 1..]);
        user.len() >= 2
            && user.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'))
            && is_password(password)
            && is_plain(password)
            && !is_placeholder(password)
    })
}

/// A password of digits only, not a date or a count.
fn is_pin(value: &[u8]) -> bool {
    (6..=16).contains(&value.len()) && value.iter().all(u8::is_ascii_digit) && TextShape::of(value).distinct >= 4
}

/// Paths, URLs, references to secrets kept elsewhere, prose, patterns, hashes.
fn is_other_than_a_secret(value: &[u8]) -> bool {
    const STARTS: &[&str] = &[
        "!!", "./", "../", "~/", "^", "arn:", "op://", "vault:", "env:", "env.", "file:", "projects/", "secrets.",
        "process.env", "os.environ", "@keychain", "keychain:", "keyring:", "@Microsoft.KeyVault", "ssm:",
        "secretsmanager:", "awssm:", "ref+", "@env", "@file", "@secret", "@vault", "doppler:", "infisical:",
        "bitwarden:", "lastpass:", "1password:", "azurekeyvault:", "gcpsm:", "credstash:", "ENC[", "sha256:",
        "sha256-", "sha384-", "sha512-", "sha1:", "$2a$", "$2b$", "$2y$", "$argon2", "$6$", "$5$", "pbkdf2", "scrypt:",
        "{SSHA}", "data:", "#",
    ];
    const PARTS: &[&str] = &["://", "[a-z", "[A-Z", "[0-9", "\\d", "\\w", "()", "=>", "::", "->"];
    value.iter().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
        || STARTS.iter().any(|start| starts_with(value, 0, start.as_bytes()))
        || PARTS.iter().any(|part| contains(value, part.as_bytes())) && !looks_random(value)
        || has_template_signs(value)
        || is_path(value)
        || is_dotted_name(value)
        || is_list_of_rules(value)
}

/// `required|min:8`: the validation rules of a form.
fn is_list_of_rules(value: &[u8]) -> bool {
    let mut parts = value.split(|&byte| matches!(byte, b'|' | b':' | b','));
    let first = parts.next().unwrap_or_default();
    parts.next().is_some() && says_something_else(first)
}

/// `auth.login.password2.label`: the key of a text or a setting.
fn is_dotted_name(value: &[u8]) -> bool {
    let dots = value.iter().filter(|&&byte| byte == b'.').count();
    dots >= 2 && is_member_access(value) && !is_dotted_password(value)
}

/// Base64 can begin with a slash as well; but a path is made of words.
fn is_path(value: &[u8]) -> bool {
    value.starts_with(b"/") && !looks_random(value)
}

/// Whether an unquoted value is an expression or an identifier rather than text.
fn is_code(value: &[u8]) -> bool {
    let has_brackets = value.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{' | b')' | b']' | b'}'));
    has_brackets || is_member_access(value) || matches!(value, [b'&' | b'@' | b'!' | b'*', ..] | [b'$', .., b'-'])
}

/// `config.password2`, `self.token_1`: names joined by dots.
fn is_member_access(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_') && !looks_random(part)
    };
    value.contains(&b'.') && value.split(|&byte| byte == b'.').all(is_name) && !is_drawn(value)
}

/// Whether the parts of the value are random rather than names: the whole looks random, and a digit or a capital is
/// where names have none.
fn is_drawn(value: &[u8]) -> bool {
    let is_odd = |three: &[u8]| {
        let after_digit = three[0].is_ascii_digit() && three[1].is_ascii_alphabetic();
        let lone_capital =
            three[0].is_ascii_lowercase() && three[1].is_ascii_uppercase() && !three[2].is_ascii_lowercase();
        after_digit || lone_capital
    };
    looks_random(value) && value.windows(3).any(is_odd)
}

/// A token, key or secret: long enough, of plain bytes, random.
fn is_token(value: &[u8], shortest: usize) -> bool {
    value.len() >= shortest && is_plain(value) && !is_fingerprint(value) && looks_random(value)
}

/// Whether the value holds neither brackets nor quotes nor anything but ASCII.
fn is_plain(value: &[u8]) -> bool {
    value.iter().all(|byte| {
        let is_bracket = matches!(byte, b'(' | b')' | b'<' | b'>' | b'{' | b'}' | b'[' | b']');
        byte.is_ascii_graphic() && !is_bracket && !is_quote(*byte)
    })
}

/// `aa:bb:cc:…`, the form in which public fingerprints are shown.
fn is_fingerprint(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b':')
}

/// A long random string of letters, digits and all kinds of signs, as salt generators make it.
fn is_salt(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let signs = shape.length - shape.letters() - shape.digits;
    shape.length >= 32
        && shape.distinct >= 20
        && signs >= 4
        && shape.digits >= 2
        && value.iter().all(u8::is_ascii_graphic)
}

/// A value where only a password is possible: any word without another meaning.
pub(super) fn is_chosen_password(value: &[u8]) -> bool {
    is_password(value) || is_chosen_word(value) || is_joined(value) || is_drawn_word(value)
}

/// A password that a person may have chosen: letters with digits or signs.
pub(super) fn is_password(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let signs = sign_count(value);
    let mixed = shape.letters() > 0 && (shape.digits > 0 || signs > 0 && shape.length >= 8);
    let fits = (6..=128).contains(&shape.length) && shape.distinct >= 5;
    fits && (mixed || looks_random(value)) && !is_constant_name(value) && !says_something_else(value)
}

/// `FORBIDDEN_VALUE2`: the name of a constant, or a value named like one.
fn is_constant_name(value: &[u8]) -> bool {
    let is_name_byte = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    value.contains(&b'_') && value.iter().all(is_name_byte) && !looks_random(value)
}

/// A password that cannot be an identifier: it has signs, or digits among the letters.
pub(super) fn is_unmistakable_password(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let trailing_digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let mixed = shape.letters() > 0 && shape.digits > 0;
    let marked = sign_count(value) > 0 || trailing_digits > 2 || looks_random(value);
    is_password(value) && shape.length >= 8 && mixed && marked
}

/// Letters, digits and signs, mixed as by a generator or a careful person.
fn is_complex_password(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let signs = sign_count(value);
    let is_varied = shape.upper > 0 && shape.lower > 0 && signs > 0 || signs > 3;
    shape.length >= 10 && shape.letters() > 0 && shape.digits > 0 && is_varied
}

/// A password at some distance from its name. It must not look like a word, name, number or address.
pub(super) fn is_drawn_password(value: &[u8]) -> bool {
    let shape = TextShape::of(value);
    let fits = (8..=64).contains(&shape.length) && shape.distinct >= 6 && shape.letters() > 2 && is_plain(value);
    if !fits {
        return false;
    }
    let is_number = value.starts_with(b"0x") || shape.lower == 0 && value.contains(&b'-');
    let is_reference = matches!(value[0], b'$' | b'%' | b'&' | b'-') || is_hex(value) || is_uuid(value);
    if is_number || is_reference || is_setting(value) || is_address(value) {
        return false;
    }
    if is_other_than_a_secret(value) || is_placeholder(value) {
        return false;
    }
    let inner = &value[1..value.len() - 1];
    let has_inner_sign = inner.iter().any(is_sign);
    let is_mixed = shape.digits > 0 || shape.upper > 0 && shape.lower > 0;
    let is_marked = has_inner_sign && is_mixed;
    let is_drawn = shape.upper > 0 && shape.lower > 0 && shape.digits > 0 && shape.is_unwordy();
    is_marked
        || looks_random(value) && !is_version(value) && !is_code_like(value)
        || is_drawn && !value.contains(&b'/') && !is_code_like(value)
        || is_numbered_word(value)
        || is_joined_draw(value)
        || is_drawn_word(value)
}

/// A token or key at some distance from its name.
pub(super) fn is_drawn_token(value: &[u8]) -> bool {
    let is_long = value.len() >= if is_hex(value) { 32 } else { 20 };
    is_long
        && is_plain(value)
        && looks_random(value)
        && !is_uuid(value)
        && !is_fingerprint(value)
        && !is_other_than_a_secret(value)
        && !is_placeholder(value)
        && !is_code_like(value)
        && !is_address(value)
}

/// A path, a call, a name of several parts: text of a program.
pub(super) fn is_code_like(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|&&byte| byte == b'/').count();
    let has_name =
        |part: &[u8]| part.len() > 3 && part.iter().all(u8::is_ascii_alphabetic) && !TextShape::of(part).is_unwordy();
    let is_path = slashes > 0 && value.split(|&byte| byte == b'/').any(has_name);
    let joints = value.iter().filter(|&&byte| matches!(byte, b'_' | b'-' | b'.')).count();
    let parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.')).filter(|part| has_name(part)).count();
    is_path || joints > 1 && parts * 2 > joints || is_member_access(value)
}

/// `jan@example.com`, `user@host`, `https://…`.
fn is_address(value: &[u8]) -> bool {
    let Some(sign) = value.iter().position(|&byte| byte == b'@') else {
        return contains(value, b"://");
    };
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'/' | b'_');
    let host = &value[sign + 1..];
    host.contains(&b'.') && host.iter().all(is_host) || value.starts_with(b"@")
}

/// `name=value`, `a&b`, `x?y=1`: a word before the first sign names the rest.
fn is_setting(value: &[u8]) -> bool {
    let Some(sign) = value.iter().position(is_sign) else {
        return false;
    };
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    matches!(value[sign], b'=' | b'?' | b'&' | b'+' | b'@' | b'#') && value[..sign].iter().all(is_name)
}

/// `Starfish872`: a capitalized word and a number of its own.
fn is_numbered_word(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &value[..value.len() - digits];
    let is_title = word.first().is_some_and(u8::is_ascii_uppercase) && word.iter().skip(1).all(u8::is_ascii_lowercase);
    (3..=6).contains(&digits) && word.len() >= 5 && is_title && !is_known(word)
}

/// `harbor-x3k9vq`: words and a random part.
fn is_joined_draw(value: &[u8]) -> bool {
    let is_joint = |byte: &u8| matches!(byte, b'-' | b'_');
    let is_part = |part: &[u8]| part.len() > 2 && part.iter().all(u8::is_ascii_alphanumeric) && !is_known(part);
    let is_drawn = |part: &[u8]| {
        let alternates = part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
        let shape = TextShape::of(part);
        part.len() >= 5 && (alternates > 1 || alternates == 1 && (shape.letters() > 3 || shape.digits > 3))
    };
    let parts = value.split(is_joint).count();
    let last = value.rsplit(is_joint).next().unwrap_or_default();
    (2..=4).contains(&parts)
        && value.split(is_joint).all(is_part)
        && (is_drawn(last) || TextShape::of(last).looks_drawn())
}

/// The number of signs that occur in passwords but not in identifiers, paths and versions.
fn sign_count(value: &[u8]) -> usize {
    value.iter().filter(|byte| is_sign(byte)).count()
}

fn is_sign(byte: &u8) -> bool {
    matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~' | b'+' | b'=')
}
