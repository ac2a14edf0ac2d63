//! Distinguishes a password that is a plain word, or a phrase of words, from other text after a name such as
//! `password`: types, states, labels, prose.

use super::placeholder::{is_empty_word, is_placeholder};

/// Words after `password` in code, settings and forms that are not passwords.
const NO_PASSWORDS: &[&str] = &[
    // types
    "string", "strings", "text", "byte", "bytes", "varchar", "char", "chars", "integer", "number", "numeric", "boolean",
    "object", "array", "tuple", "unknown", "never", "float", "double", "symbol", "binary", "optional", "option",
    "buffer", "stringvalue", "nonempty", "secretstr", "secretstring", "bytestring", "bytearray",
    // states
    "required", "missing", "incorrect", "correct", "blank", "hashed", "encrypted", "plaintext", "plain", "cleartext",
    "unset", "changed", "updated", "created", "deleted", "removed", "disabled", "enabled", "supported", "allowed",
    "denied", "forbidden", "rejected", "accepted", "failed", "passed", "pending", "stored", "rotated", "present",
    "absent", "available", "unavailable", "needed", "ignored", "deprecated", "unsupported", "unchanged", "matched",
    "mismatch", "matches", "protected", "unprotected", "secured", "weak", "strong", "short", "visible", "leaked",
    "exposed", "compromised", "provided", "given", "specified", "nothing", "something", "everything", "ready",
    "confirmed", "verified", "unverified", "expires", "success", "successful", "failure", "error", "errors", "warning",
    "nullable", "readonly", "writeonly", "sensitive", "secure", "insecure", "unauthorized", "rotate",
    // forms and their labels
    "label", "field", "fields", "input", "inputs", "submit", "button", "signin", "signup", "signout", "logout",
    "register", "registration", "reset", "forgot", "forgotten", "confirm", "confirmation", "repeat", "change",
    "update", "create", "delete", "remove", "enter", "show", "toggle", "onchange", "change-password", "new-password",
    "current-password", "passwort", "kennwort", "wachtwoord", "senha", "parola", "heslo", "lozinka", "salasana",
    "adgangskode", "passord", "jelszo", "sifre", "haslo", "lozinku", "contrasena", "motdepasse", "clave",
    "palavra-passe", // ways to log in and places to look
    "authentication", "authenticate", "authenticated", "digest", "prompt", "stdin", "keyring", "keychain", "vault",
    "environment", "generate", "generated", "generator", "random", "manual", "manually", "interactive", "custom",
    "automatic", "automatically", "inherit", "inherited", "bcrypt", "argon", "scrypt", "ldap", "oauth", "saml",
    "kerberos", "internal", "external", "publickey", "pubkey", "trust", "trusted", "scram", "native", "external",
    "manager", "sealed", "dynamic", "static", "managed", "rotation", "policy", "policies", "provider", "method",
    // names of variables
    "name", "names", "data", "config", "configuration", "settings", "options", "args", "argument", "arguments",
    "params", "param", "props", "state", "self", "request", "response", "body", "payload", "output", "result",
    "results", "entry", "entries", "content", "contents", "line", "lines", "buffer", "reader", "writer", "context",
    "model", "schema", "type", "types", "format", "size", "length", "count", "index", "item", "items", "list", "const",
    "function", "return", "async", "await", "yield", "lambda", "class", "struct", "enum", "type", "public",
    "protected", "final", "static", "self", "super", "import", "export", "from", "with", "when", "then", "else",
    "elif", "match", "unless", "while", "until", "after", "before", "only", "also", "both", "either", "same",
    "identical", "different", "other", "another", "above", "below", "first", "last", "next", "previous", "current",
    "email", "phone", "address", "database", "server", "host", "hostname", "port", "account", "accounts", "users",
    "people", "person", "project", "company", "application", "system", "device", "network", "website", "browser",
    "hash", "hashes", "salt", "digest", "cipher", "crypto", "encryption", "decryption", "security", "session",
    "cookie", "header", "headers", "keys", "tokens", "secrets", "passwords", "identifier", "keyword", "literal",
    "operator", "punctuation", "comment", "whitespace", "newline", "variable", "expression", "statement", "builtin",
    "example", "tests", "testing", "production", "development", "staging", "release", "debug", "verbose", "quiet",
    "readline", "getpass", "askpass", "getenv", "gitcredentials", "osxkeychain", "wincred", "libsecret", "maybe",
    "depends", "varies", "various", "redact", "omitted", "obscured", "elided", "censored", "filtered", "always",
    "requisite", "sufficient", "include", "substack", "on_create", "sometimes", "parameter", "flag", "instead",
    "usually",
];

/// Words of sentences that are not in passphrases.
const SENTENCE_WORDS: &[&str] = &[
    "a", "an", "the", "is", "are", "was", "be", "been", "must", "should", "shall", "may", "can", "could", "will",
    "would", "do", "does", "did", "not", "no", "and", "or", "if", "to", "of", "for", "from", "in", "on", "at", "by",
    "with", "without", "as", "it", "its", "this", "that", "these", "those", "your", "you", "my", "our", "their", "his",
    "her", "we", "i", "he", "she", "they", "please", "enter", "type", "invalid", "password", "passphrase", "secret",
    "token", "key", "user", "username", "wrong", "field", "required", "least", "characters", "long", "word", "words",
    "than", "when", "where", "which", "who", "what", "how", "have", "has", "had", "use", "used", "using", "set", "get",
    "new", "old", "all", "any", "only", "too", "also", "into", "per", "via", "test", "example", "confirm", "login",
    "sign", "up", "here", "there", "string", "value", "default", "optional",
];

/// Whether a single word may be a chosen password: lower-case letters only, and not a word with another meaning.
pub(super) fn is_chosen_word(value: &[u8]) -> bool {
    let is_word = (5..=40).contains(&value.len()) && value.iter().all(u8::is_ascii_lowercase);
    is_word && !says_something_else(value) && !is_placeholder(value)
}

/// Whether the word follows `password` with another meaning.
pub(super) fn says_something_else(value: &[u8]) -> bool {
    NO_PASSWORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether the word is known from names, labels, types or sentences.
pub(super) fn is_known(word: &[u8]) -> bool {
    says_something_else(word)
        || SENTENCE_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
        || is_empty_word(word)
}

/// Whether the value is a phrase of at least four lower-case words that do not form a sentence.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    let mut words = 0;
    for word in value.split(|&byte| byte == b' ') {
        let is_word = (3..=12).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
        if !is_word || SENTENCE_WORDS.iter().any(|known| word == known.as_bytes()) {
            return false;
        }
        words += 1;
    }
    (4..=30).contains(&words)
}

/// Whether the value is a wallet's word list: twelve to twenty-four lower-case words, and not one word repeated.
pub(super) fn is_word_list(value: &[u8]) -> bool {
    let words: Vec<&[u8]> = value.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).collect();
    let all_small = words.iter().all(|word| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase));
    let mut distinct = words.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (12..=24).contains(&words.len()) && all_small && distinct.len() * 2 > words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_told_from_types_and_prose() {
        for word in ["sunflower", "correcthorse", "swordfish", "kaffeekanne"] {
            assert!(is_chosen_word(word.as_bytes()), "{word}");
        }
        for word in ["string", "required", "changeme", "secret", "passwort", "db-credentials", "Password", "abc"] {
            assert!(!is_chosen_word(word.as_bytes()), "{word}");
        }
        assert!(is_phrase(b"correct horse battery staple"));
        assert!(!is_phrase(b"must be at least eight characters"));
        assert!(!is_phrase(b"sunflower meadow"));
    }
}
