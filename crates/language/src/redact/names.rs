//! Names that say their value is a secret: `DB_PASSWORD`, `apiKey`, `--token`.

use super::assigned::names_user;
use super::kind::SecretKind;
use super::text::{
    byte_before, ends_escape, is_token_byte, run_end_within, starts_with_any_case, text_before, word_start,
};

/// The kind of value that the last word of a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameFamily {
    /// `password`, `passwd`, `pwd`, `passphrase`, `_pass`: may be chosen by a person
    Password,
    /// `pass` alone, which can also mean that a test passed
    Pass,
    Secret,
    Token,
    /// `…key`: a secret only with a word such as `api` or `private` before it
    Key,
    Credential,
    /// A vendor's name used for its key.
    Vendor,
    /// `auth`, `authorization`: may begin with a scheme such as `Bearer`
    Auth,
}

/// A name that ends with a secret-like word.
pub(super) struct Name {
    pub(super) family: NameFamily,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Spelt like constants and environment variables: no lower-case letters.
    pub(super) is_constant: bool,
    /// Spelt like packages and types: `FirebaseAuth`.
    pub(super) is_title: bool,
    /// A command-line flag: `--token`.
    pub(super) is_flag: bool,
    /// The name itself leaves little doubt (`api_key`, `client_secret`), so that
    /// even a value that could be an identifier, such as a UUID, is a secret.
    pub(super) is_strong: bool,
    /// People choose the value, so it may be a word: a password, the secret that signs sessions.
    pub(super) may_be_word: bool,
    /// Keys of this name are often written in hex.
    pub(super) may_be_hex: bool,
    /// A method that sets it: `.password(…)`, `setPassword(…)`.
    pub(super) is_setter: bool,
    /// Named like a request header: `X-Api-Key`.
    pub(super) is_header: bool,
    /// A user or an account is named before it.
    pub(super) follows_user: bool,
    /// The kind of secret that the name stands for.
    pub(super) kind: SecretKind,
}

const LONGEST_NAME: usize = 64;

/// Words before `token` that make it a token of a list, a form or a text stream.
const HARMLESS_BEFORE_TOKEN: &[&str] = &[
    "next", "page", "continuation", "cursor", "sync", "csrf", "starting", "change", "update", "unit", "authenticity",
    "xsrf", "publickey", "pubkey", "resume", "watch", "scroll", "delta", "public", "cancel", "cancellation", "design",
    "middleware", "marker", "pagination", "stop", "lexer", "eos", "bos", "pad", "sep", "cls", "mask", "unk", "special",
    "eof", "end", "start", "input", "output", "max", "first", "last", "prev", "previous", "current", "image",
];

/// Words before `key` that make it a secret.
const SECRET_BEFORE_KEY: &[&str] = &[
    "api", "access", "secret", "private", "priv", "encryption", "signing", "sign", "master", "account", "auth",
    "service", "role", "admin", "subscription", "shared", "license", "app", "application", "webhook", "consumer",
    "client", "server", "jwt", "hmac", "crypto", "root", "session", "deploy", "functions", "integration", "write",
    "ingest", "token", "security", "cookie", "aes", "seal", "unseal", "wallet", "ssh", "project", "storage", "routing",
    "management", "read", "search", "rest", "sdk", "engine", "sas", "host", "device", "enrollment", "provisioning",
    "validation", "decryption", "cipher", "activation", "product", "merchant", "partner", "terminal", "connection",
    "preshared", "nwks", "apps", "dev", "recovery", "backup", "vault", "data", "user", "bot", "stream", "gateway",
    "maps", "push", "vapid", "fernet",
];

/// Words before `key` that are unambiguous.
const STRONG_BEFORE_KEY: &[&str] = &["api", "access", "secret", "private", "subscription", "license"];

/// Words before `token` that are unambiguous. Not `session`: such tokens are often only session numbers.
const STRONG_BEFORE_TOKEN: &[&str] = &[
    "api", "auth", "access", "refresh", "bearer", "heroku", "server", "service", "deploy", "admin", "personal", "bot",
    "snyk", "npm", "consul", "http", "nomad", "vault", "codecov", "circleci", "buildkite", "sonar", "figma",
    "registry", "acl", "job", "runner", "linode", "vercel", "netlify", "gitlab", "github",
];

/// Words before `key` that let even a hash-like value be a secret.
const HEX_BEFORE_KEY: &[&str] = &[
    "api", "access", "secret", "private", "admin", "master", "app", "application", "encryption", "signing", "crypto",
    "hmac", "webhook", "auth", "deploy", "license", "root", "aes", "write", "ingest", "subscription", "consumer",
    "routing", "integration", "client", "server", "service", "account", "session", "jwt", "token", "shared", "storage",
    "functions", "seal", "wallet", "cookie", "security", "management", "read", "search", "validation", "decryption",
    "nwks", "apps", "merchant", "preshared",
];

/// Words before `password` that make it a question or a command: `update_password: always`.
const ASKING_BEFORE_PASSWORD: &[&str] = &[
    "update", "require", "allow", "enable", "disable", "force", "has", "is", "no", "show", "hide", "ask", "prompt",
    "generate", "rotate", "verify", "check", "validate", "hash", "change", "forgot", "reset", "confirm", "need",
];

/// Words before `secret` after which people choose its value.
const CHOSEN_BEFORE_SECRET: &[&str] = &[
    "jwt", "session", "client", "app", "webhook", "signing", "cookie", "auth", "hmac", "token", "shared", "api",
    "oauth", "consumer", "encryption", "csrf", "application", "hash", "master", "express", "better",
];

/// Words before `SECRET` that make it the name of an object that holds secrets.
const OBJECT_BEFORE_SECRET: &[&str] = &[
    "tls", "pull", "kubernetes", "kube", "k8s", "image", "vault", "manager", "docker", "registry", "existing", "use",
    "no", "is", "has", "of", "aws", "gcp", "namespace", "sealed", "external", "build", "mount", "get", "list",
    "create", "delete",
];

/// Words before `KEY` in a constant that make it harmless.
const HARMLESS_BEFORE_KEY: &[&str] = &[
    "public", "pub", "cache", "primary", "foreign", "sort", "partition", "idempotency", "object", "row", "index",
    "hash", "map", "host", "registry", "group", "lookup", "unique", "event", "state", "query", "bucket", "sample",
    "site", "publishable", "anon", "dedup", "dedupe", "config", "locale", "message", "lock", "context", "websocket",
    "surrogate", "commit", "build", "trace", "request", "correlation", "shard", "join", "ordering", "content",
    "artifact", "image", "document", "record", "tenant", "dict", "attr", "header", "param", "field",
];

/// What may follow the secret-like word within the name: `PASSWORD_PROD`, `token2`.
const HARMLESS_SUFFIXES: &[&str] = &[
    "", "prod", "production", "dev", "development", "staging", "stage", "live", "old", "new", "backup", "value",
    "base64", "b64", "plain", "raw", "default", "main", "primary", "secondary", "rw", "ro", "readonly", "str", "base",
    "string", "text", "hex", "v", "pepper", "salt", "qa", "uat", "prd", "stg", "test", "local", "ci", "eu", "us",
    "admin", "root", "app", "db", "master", "replica", "current", "previous", "temp", "tmp", "next", "int", "private",
    "confirmation", "confirm", "again", "repeat", "verify", "sandbox", "demo", "internal", "external", "legacy", "api",
    "encrypted", "enc", "web", "server", "client", "service", "reader", "writer", "user", "preview", "prod1", "a", "b",
    "override",
];

/// Reads the name around the keyword at `keyword_start..keyword_end`.
#[inline]
pub(super) fn read_name(text: &[u8], keyword_start: usize, keyword_end: usize, family: NameFamily) -> Option<Name> {
    // Most hits end here: `tokens`, `tokenize`, `keyboard`, `authentication`.
    if continues_word(text, keyword_end) {
        return None;
    }
    let end = run_end_within(text, keyword_end, LONGEST_NAME + 1, is_token_byte);
    let start = after_diff_sign(text, word_start(text, keyword_start, LONGEST_NAME, is_token_byte));
    if end - start > LONGEST_NAME || !is_harmless_suffix(&text[keyword_end..end]) {
        return None;
    }
    let name = &text[start..end];
    let qualifier = Qualifier::of(&text[start..keyword_start]);
    let is_constant = !name.iter().any(u8::is_ascii_lowercase);
    if !is_secret_name(family, &qualifier, is_constant, is_header_name(name)) || is_published(text, start, &qualifier) {
        return None;
    }
    // The value of a `SECRET_KEY` often looks like a password.
    let is_secret_key = family == NameFamily::Key && qualifier.ends_with_any(&["secret", "preshared"]);
    let may_be_word = match family {
        NameFamily::Password | NameFamily::Pass => !qualifier.starts_with_any(ASKING_BEFORE_PASSWORD),
        NameFamily::Secret if is_constant && !qualifier.is_empty() => !qualifier.ends_with_any(OBJECT_BEFORE_SECRET),
        NameFamily::Secret => qualifier.ends_with_any(CHOSEN_BEFORE_SECRET),
        _ => is_secret_key,
    };
    let may_be_hex = is_constant || qualifier.ends_with_any(HEX_BEFORE_KEY);
    let is_part = byte_before(text, keyword_start) == Some(b'_') || text[keyword_start] == b'P' && !is_constant;
    let is_whole_pass = family == NameFamily::Pass
        && (is_constant && qualifier.is_empty() && text.get(end) == Some(&b'=') || is_part && !qualifier.is_empty());
    let family = match family {
        _ if is_secret_key => NameFamily::Secret,
        _ if is_whole_pass => NameFamily::Password,
        _ => family,
    };
    Some(Name {
        family,
        start,
        end,
        is_constant,
        is_title: name[0].is_ascii_uppercase() && !is_constant && name.iter().all(u8::is_ascii_alphanumeric),
        is_flag: name.starts_with(b"-") && name.len() > 2,
        is_strong: is_strong_name(family, &qualifier, is_constant),
        may_be_word,
        may_be_hex,
        is_setter: text.get(end) == Some(&b'(')
            && (qualifier.is_empty() && byte_before(text, start) == Some(b'.')
                || qualifier.starts_with_any(&["set", "with"]) && !is_constant),
        is_header: name.len() > 6 && (name[..2].eq_ignore_ascii_case(b"x-") || is_header_name(name)),
        follows_user: family == NameFamily::Pass && names_user(text_before(text, start, 80)),
        kind: kind_of(family, &qualifier),
    })
}

/// Skips the sign before a removed line of a diff: `-password` is not a flag there.
fn after_diff_sign(text: &[u8], start: usize) -> usize {
    let begins_line = start == 0 || text[start - 1] == b'\n' || ends_escape(text, start);
    let is_sign = text.get(start) == Some(&b'-') && text.get(start + 1) != Some(&b'-');
    if begins_line && is_sign { start + 1 } else { start }
}

/// Whether the word continues after the keyword, so that it is another word.
fn continues_word(text: &[u8], keyword_end: usize) -> bool {
    match text.get(keyword_end) {
        Some(next) if next.is_ascii_lowercase() => true,
        // In `tokenValue` the keyword ends at the hump, in `TOKENS` it does not.
        Some(next) if next.is_ascii_uppercase() => {
            byte_before(text, keyword_end).is_some_and(|last| last.is_ascii_uppercase())
        }
        _ => false,
    }
}

fn is_harmless_suffix(suffix: &[u8]) -> bool {
    let is_joint = |byte: &u8| matches!(byte, b'_' | b'-') || byte.is_ascii_digit();
    let word_start = suffix.iter().position(|byte| !is_joint(byte)).unwrap_or(suffix.len());
    let numbers = suffix[word_start..].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &suffix[word_start..suffix.len() - numbers];
    HARMLESS_SUFFIXES.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// `Fastly-Key`: capitalized words joined by hyphens, like a header.
fn is_header_name(name: &[u8]) -> bool {
    let is_title = |part: &[u8]| part.first().is_some_and(u8::is_ascii_uppercase) && part.len() > 2;
    let has_small = name.iter().any(u8::is_ascii_lowercase);
    has_small && name.contains(&b'-') && name.split(|&byte| byte == b'-').all(is_title)
}

/// Whether the value is public: settings built into pages, the checksum of a secret.
fn is_published(text: &[u8], start: usize, qualifier: &Qualifier) -> bool {
    let is_public = qualifier.starts_with_any(&["nextpublic", "nuxtpublic", "expopublic", "gatsbypublic", "publicenv"]);
    // Platform constants have such names.
    let is_platform = qualifier.starts_with_any(&["ksec", "kcf", "nsurl"]);
    let is_shown = is_platform || qualifier.starts_with_any(&["example", "sample", "dummy", "fake"]);
    is_shown || is_public && !qualifier.ends_with_any(&["secret", "private"]) || text[..start].ends_with(b"checksum/")
}

fn is_secret_name(family: NameFamily, qualifier: &Qualifier, is_constant: bool, is_header: bool) -> bool {
    match family {
        NameFamily::Token => !qualifier.ends_with_any(HARMLESS_BEFORE_TOKEN),
        NameFamily::Vendor => qualifier.is_empty(),
        NameFamily::Key if is_constant => !qualifier.is_empty() && !qualifier.ends_with_any(HARMLESS_BEFORE_KEY),
        NameFamily::Key if is_header => !qualifier.ends_with_any(HARMLESS_BEFORE_KEY),
        NameFamily::Key => qualifier.ends_with_any(SECRET_BEFORE_KEY) && !qualifier.contains("public"),
        _ => true,
    }
}

fn is_strong_name(family: NameFamily, qualifier: &Qualifier, is_constant: bool) -> bool {
    match family {
        NameFamily::Password | NameFamily::Pass | NameFamily::Secret => true,
        NameFamily::Key => qualifier.ends_with_any(STRONG_BEFORE_KEY),
        NameFamily::Token if is_constant => !qualifier.contains("session"),
        NameFamily::Token => qualifier.ends_with_any(STRONG_BEFORE_TOKEN),
        NameFamily::Credential | NameFamily::Auth | NameFamily::Vendor => false,
    }
}

fn kind_of(family: NameFamily, qualifier: &Qualifier) -> SecretKind {
    let says = |word| qualifier.contains(word);
    match family {
        NameFamily::Secret | NameFamily::Key if says("aws") || says("secretaccess") => SecretKind::AwsSecretKey,
        NameFamily::Key if says("account") || says("sharedaccess") || says("azure") => SecretKind::AzureKey,
        NameFamily::Key | NameFamily::Token if says("heroku") => SecretKind::HerokuKey,
        NameFamily::Key if says("private") => SecretKind::PrivateKey,
        NameFamily::Key if says("secret") => SecretKind::Secret,
        NameFamily::Password | NameFamily::Pass => SecretKind::Password,
        NameFamily::Secret => SecretKind::Secret,
        NameFamily::Token => SecretKind::Token,
        NameFamily::Key | NameFamily::Vendor => SecretKind::ApiKey,
        NameFamily::Credential | NameFamily::Auth => SecretKind::Credential,
    }
}

/// The text before the keyword, in lower case and without separators: `nextPage` and `next-page` both become
/// `nextpage`.
struct Qualifier {
    bytes: [u8; LONGEST_NAME],
    length: usize,
}

impl Qualifier {
    fn of(text: &[u8]) -> Self {
        let mut qualifier = Qualifier { bytes: [0; LONGEST_NAME], length: 0 };
        let words = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
        for (slot, byte) in qualifier.bytes.iter_mut().zip(words) {
            *slot = byte.to_ascii_lowercase();
            qualifier.length += 1;
        }
        qualifier
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn ends_with_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text().ends_with(word.as_bytes()))
    }

    fn starts_with_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text().starts_with(word.as_bytes()))
    }

    fn contains(&self, word: &str) -> bool {
        (0..self.length).any(|at| starts_with_any_case(self.text(), at, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, keyword: &str, family: NameFamily) -> bool {
        let at = name.to_ascii_lowercase().rfind(keyword).expect("the keyword is in the name");
        read_name(name.as_bytes(), at, at + keyword.len(), family).is_some()
    }

    #[test]
    fn knows_secret_names() {
        assert!(read("GITHUB_TOKEN", "token", NameFamily::Token));
        assert!(read("accessToken", "token", NameFamily::Token));
        assert!(read("--api-key", "key", NameFamily::Key));
        assert!(read("DB_PASSWORD_PROD", "password", NameFamily::Password));
        assert!(read("STRIPE_KEY", "key", NameFamily::Key));
        assert!(read("\\nTOKEN", "token", NameFamily::Token));
    }

    #[test]
    fn knows_harmless_names() {
        assert!(!read("input_tokens", "token", NameFamily::Token));
        assert!(!read("MAX_TOKENS", "token", NameFamily::Token));
        assert!(!read("nextPageToken", "token", NameFamily::Token));
        assert!(!read("token_type", "token", NameFamily::Token));
        assert!(!read("public_key", "key", NameFamily::Key));
        assert!(!read("cacheKey", "key", NameFamily::Key));
        assert!(!read("CACHE_KEY", "key", NameFamily::Key));
        assert!(!read("secretKeyRef", "secret", NameFamily::Secret));
    }
}
