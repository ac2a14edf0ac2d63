//! Replaces secrets in text by markers such as `[redacted:github-token]`, before the
//! text is written anywhere.
//!
//! How it works: one pass over the text (`prefilter`) finds the places where a
//! secret might stand or be announced: a vendor's prefix (`ghp_`), a telling word
//! (`password`), a sign (`://`, `-----BEGIN`). At each such place (`anchors`) a small
//! hand-written check looks at the neighbourhood only:
//!
//! - `rules`: tokens with a prefix (`prefixes`): alphabet and length must fit;
//! - `assigned`: a secret-like name (`names`), then its value (`values`), which must
//!   look random (`entropy`) or like a password, and not like a `placeholder`;
//!   With a clear name a plain word (`words`) is enough where only text can stand;
//! - `commands`: the flags and words with which programs (`programs`) take a password;
//! - `told`, `columns`: a name in a sentence, a heading or a column, and the value apart from it;
//! - `calls`, `said`, `printed`: arguments of calls, sentences and tables, the line that a
//!   command printed;
//! - `manifests`, `records`, `blocks`, `stores`: documents, lines of fields, keys and their pieces;
//! - `issued`: keys shown once, licences, logins in the log of a protocol;
//! - `jwt`, `urls`, `authorization`, `context`: forms of their own.
//!
//! Text in which nothing is found is given back as it came, without any allocation.
//!
//! Decisions:
//! - Redacting redacted text changes nothing: markers are never evidence and never
//!   part of a secret, a secret is taken with all that is glued to it, and a text in
//!   which something was found is looked at again.
//! - Text may be raw or the inside of JSON (escaped once or more). A secret never
//!   takes a quote or half an escape with it: JSON stays valid.
//! - Keys that documentation shows as examples and marks as such (`…EXAMPLE`), the
//!   token of jwt.io and other placeholders stay readable: they are public.
//! - Hashes of passwords (bcrypt, argon2 …) and public keys stay; but the hash beside its
//!   user in a password file goes.
//! - Of a URL with credentials only the password goes; of an assignment only the value.
//! - A value of its own, without prefix, form or name, is never taken for a secret: hashes,
//!   ids and base64 data look the same.
//!
//! Known to be missed (the positives that `planted` marks as hard are such cases): a
//! plain word or phrase where code could stand as well (`password = word`); a word, or two
//! joined ones, apart from its name in a sentence; a value named only by a comment behind
//! it; what a command printed, where the command stands in another event; one broken into several strings; lines from the middle of a
//! key, without its first or last one; raw `/` in a URL's password; JSON that escapes `/`
//! or writes quotes as `\u0022`; UUIDs under a vague name.

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

/// How every marker begins.
pub const MARKER_START: &str = "[redacted:";
