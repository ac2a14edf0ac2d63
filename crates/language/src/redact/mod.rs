//! Replaces secrets in text with markers such as `[redacted:github-token]`, before the text is written anywhere.
//!
//! One pass over the text (`prefilter`) finds the places where a secret might be or be announced: a vendor's prefix
//! (`ghp_`), a significant word (`password`), a sign (`://`, `-----BEGIN`). At each such place (`anchors`) a small
//! hand-written check reads only the neighbourhood:
//!
//! - `rules`: tokens with a prefix (`prefixes`): alphabet and length must fit;
//! - `assigned`: a secret-like name (`names`), then its value (`values`), which must look random (`entropy`) or like a
//!   password, and not like a `placeholder`; with a clear name a plain word (`words`) is enough if only text is
//!   possible;
//! - `commands`: the flags and words with which programs (`programs`) take a password;
//! - `told`, `columns`: a name in a sentence, a heading or a column, and its separate value;
//! - `calls`, `said`, `printed`: arguments of calls, sentences and tables, lines of command output;
//! - `manifests`, `records`, `blocks`, `stores`: documents, lines of fields, keys and their pieces;
//! - `issued`: keys shown once, licences, logins in protocol logs;
//! - `jwt`, `urls`, `authorization`, `context`: other forms.
//!
//! Text without findings is returned unchanged, without allocation.
//!
//! Decisions:
//! - Redacting redacted text changes nothing: markers are never evidence or part of a secret, adjacent token bytes are
//!   redacted with a secret, and a text with findings is checked again.
//! - Text may be raw or the inside of JSON (escaped once or more). A redaction never includes a quote or half an
//!   escape, so JSON stays valid.
//! - Example keys that are marked as such (`…EXAMPLE`), the token of jwt.io and other placeholders stay readable: they
//!   are public.
//! - Password hashes (bcrypt, argon2 …) and public keys stay; the hash beside its user in a password file is redacted.
//! - Only the password of a URL is redacted, and only the value of an assignment.
//! - A value without prefix, form or name never counts as a secret: hashes, ids and base64 data look the same.
//!
//! Known to be missed (the positives that `planted` marks as hard are such cases): a plain word or phrase where code is
//! possible too (`password = word`); a word, or two joined ones, separated from its name in a sentence; a value named
//! only by a comment after it; command output whose command is in another event; a value split into several strings;
//! lines from the middle of a key; raw `/` in a URL's password; JSON that escapes `/` or writes quotes as `\u0022`;
//! UUIDs under a vague name.

mod anchors;
mod assigned;
mod authorization;
mod blocks;
mod calls;
mod columns;
mod commands;
mod context;
mod entropy;
mod findings;
mod issued;
mod jwt;
mod kind;
mod manifests;
mod names;
mod placeholder;
pub mod planted;
mod prefilter;
mod prefixes;
mod printed;
mod programs;
mod records;
mod redactor;
mod rules;
mod said;
mod stores;
mod text;
mod told;
mod urls;
mod values;
mod words;

pub use findings::FoundSecret;
pub use kind::SecretKind;
pub use redactor::{Redacted, Redactor};

/// The start of every marker.
pub const MARKER_START: &str = "[redacted:";
