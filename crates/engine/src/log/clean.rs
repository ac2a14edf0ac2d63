//! Where can secrets occur in data to be written? In the text and in every string around it: a tool's input
//! and its name, folders, branches, the ids of sessions.

use std::collections::BTreeMap;

use backstory_language::redact::{MARKER_START, Redactor};

use crate::model::{Episode, Meta, Project, Sighting};
use crate::store::{payload_bytes, split_payload};

/// Secrets replaced so far, by kind.
type Counts = BTreeMap<&'static str, u64>;

/// Removes the secrets from an event's text and metadata. Returns the payload to store.
pub(super) fn clean_event(redactor: &Redactor, text: &mut String, meta: &mut Meta, redacted: &mut Counts) -> Vec<u8> {
    redact_string(redactor, text, redacted);
    if let Some(input) = &mut meta.input {
        redact_value(redactor, input, redacted);
    }
    for file in &mut meta.files {
        clean_name(redactor, file, redacted);
    }
    clean_names(redactor, meta, redacted);
    let bytes = payload_bytes(meta, text);
    // Check the metadata once more, in the form that is stored.
    if let Ok(line) = std::str::from_utf8(split_payload(&bytes).0)
        && !redactor.find(line).is_empty()
    {
        redact_meta(redactor, meta, redacted);
        return payload_bytes(meta, text);
    }
    bytes
}

/// The episode as stored. Its id is that of the redacted session, so that a second ingest gives
/// the same id.
pub(super) fn clean_episode(redactor: &Redactor, mut episode: Episode) -> Episode {
    let mut unused = Counts::new();
    clean_name(redactor, &mut episode.key.session, &mut unused);
    if let Some(agent) = &mut episode.key.agent {
        clean_name(redactor, agent, &mut unused);
    }
    episode
}

/// The project as stored. Its id does not change: it is looked up by the unredacted folder.
pub(super) fn clean_project(redactor: &Redactor, project: &Project) -> Project {
    let remote = project.remote.as_deref().map(|remote| clean_path(redactor, remote));
    Project { path: clean_path(redactor, &project.path), remote, ..project.clone() }
}

/// The sighting as stored.
pub(super) fn clean_sighting(redactor: &Redactor, seen: &Sighting) -> Sighting {
    let remote = seen.remote.as_deref().map(|remote| clean_path(redactor, remote));
    Sighting { path: clean_path(redactor, &seen.path), remote, ..seen.clone() }
}

pub(super) fn clean_path(redactor: &Redactor, path: &str) -> String {
    let mut path = path.to_owned();
    clean_name(redactor, &mut path, &mut Counts::new());
    path
}

fn clean_names(redactor: &Redactor, meta: &mut Meta, redacted: &mut Counts) {
    let names = [
        &mut meta.tool, &mut meta.agent, &mut meta.spawned, &mut meta.team, &mut meta.from, &mut meta.to,
        &mut meta.speaker, &mut meta.cwd, &mut meta.branch, &mut meta.slug, &mut meta.forked_from,
        // The same id gives the same marker: a call and its result stay together.
        &mut meta.model, &mut meta.message, &mut meta.tool_use_id, &mut meta.spawned_by,
    ];
    for name in names.into_iter().flatten() {
        clean_name(redactor, name, redacted);
    }
}

/// In names and paths, a secret is joined to other words: `deploy-TOKEN`, `/srv/password=…/app`.
/// So the part after each joint is also checked alone.
fn clean_name(redactor: &Redactor, name: &mut String, redacted: &mut Counts) {
    const SHORTEST: usize = 12;
    const MOST_JOINTS: usize = 32;
    redact_string(redactor, name, redacted);
    if name.len() < SHORTEST || name.contains(MARKER_START) {
        return;
    }
    let is_separator = |letter: char| matches!(letter, '/' | '\\');
    if name.contains('=') && name.contains(is_separator) {
        let parts: Vec<String> =
            name.split_inclusive(is_separator).map(|part| clean_part(redactor, part, redacted)).collect();
        *name = parts.concat();
    }
    let joints: Vec<usize> = name.match_indices(['_', '-']).map(|(at, _)| at + 1).take(MOST_JOINTS).collect();
    for joint in joints {
        let mut rest = name[joint..].to_owned();
        let found = redactor.find(&rest);
        if found.first().is_some_and(|secret| secret.range.start == 0) {
            redact_string(redactor, &mut rest, redacted);
            name.truncate(joint);
            name.push_str(&rest);
            return;
        }
    }
}

fn clean_part(redactor: &Redactor, part: &str, redacted: &mut Counts) -> String {
    let body_end = part.trim_end_matches(['/', '\\']).len();
    let mut body = part[..body_end].to_owned();
    redact_string(redactor, &mut body, redacted);
    body + &part[body_end..]
}

/// Redacts every string of the metadata.
fn redact_meta(redactor: &Redactor, meta: &mut Meta, redacted: &mut Counts) {
    if let Ok(mut value) = serde_json::to_value(&*meta) {
        redact_value(redactor, &mut value, redacted);
        if let Ok(clean) = serde_json::from_value(value) {
            *meta = clean;
        }
    }
}

fn redact_string(redactor: &Redactor, text: &mut String, redacted: &mut Counts) {
    let found = redactor.redact(text);
    if found.found.is_empty() {
        return;
    }
    for secret in &found.found {
        *redacted.entry(secret.kind.name()).or_default() += 1;
    }
    *text = found.text.into_owned();
}

fn redact_value(redactor: &Redactor, value: &mut serde_json::Value, redacted: &mut Counts) {
    match value {
        serde_json::Value::String(text) => redact_string(redactor, text, redacted),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| redact_value(redactor, item, redacted)),
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                // A name that sounds like a secret marks its value: check them together.
                if let serde_json::Value::String(text) = field {
                    let found = redact_field(redactor, name, text);
                    if let Some((found, clean)) = found {
                        for kind in found {
                            *redacted.entry(kind).or_default() += 1;
                        }
                        *text = clean;
                        continue;
                    }
                }
                redact_value(redactor, field, redacted);
            }
        }
        _ => {}
    }
}

/// Redacts a field's text together with the field's name. Returns the kinds of secrets found and
/// the rest. The text is quoted if possible, so that a password of several words is found whole.
fn redact_field(redactor: &Redactor, name: &str, text: &str) -> Option<(Vec<&'static str>, String)> {
    let is_simple = !text.contains(['"', '\\', '\n']);
    let quoted = is_simple.then(|| (format!("\"{name}\": \""), "\""));
    let tight = (format!("{name}="), "");
    for (before, after) in quoted.into_iter().chain([tight]) {
        let pair = format!("{before}{text}{after}");
        let found = redactor.redact(&pair);
        let clean = found.text.strip_prefix(&before).and_then(|rest| rest.strip_suffix(after));
        if let Some(clean) = clean.filter(|_| !found.found.is_empty()) {
            return Some((found.found.iter().map(|secret| secret.kind.name()).collect(), clean.to_owned()));
        }
    }
    None
}
