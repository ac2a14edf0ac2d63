//! Distinguishes, in a line of a session file, what copies change (ids, times, words of text) from what they must keep
//! (field names, values with a meaning).
//!
//! It works on bytes and never fails: real files have damaged lines, and a copy
//! has to be damaged in the same way.

use super::disguise::{UUID_LENGTH, id_prefix, is_uuid};
use super::vocabulary::is_word_byte;

/// Receives a line piece by piece; all pieces together are the line.
pub trait Visitor {
    /// Punctuation, field names, numbers.
    fn other(&mut self, bytes: &[u8]);
    fn word(&mut self, word: &[u8]);
    /// A word that programs recognise, or a value from a fixed set.
    fn fixed(&mut self, bytes: &[u8]);
    fn id(&mut self, id: &[u8]);
    fn session_id(&mut self, id: &[u8]);
    fn time(&mut self, time: &[u8]);
    /// The owner of the home folder in a path.
    fn owner(&mut self, name: &[u8]);
}

const ID_FIELDS: [&[u8]; 19] = [
    b"uuid", b"parentUuid", b"leafUuid", b"logicalParentUuid", b"messageUuid", b"sourceToolAssistantUUID",
    b"messageId", b"promptId", b"requestId", b"request_id", b"requestID", b"id", b"tool_use_id", b"toolUseID",
    b"toolUseId", b"parentToolUseID", b"sourceToolUseID", b"call_id", b"turn_id",
];
const SESSION_FIELDS: [&[u8]; 2] = [b"sessionId", b"session_id"];
/// Tools number the items of lists; those are not ids.
const SHORTEST_ID: usize = 5;

/// Fields whose values mean something to readers of the format. Agents keep
/// their names: a name is unique only within its session anyway.
const FIXED_FIELDS: [&[u8]; 34] = [
    b"type", b"subtype", b"role", b"name", b"model", b"version", b"operation", b"status", b"trigger", b"level",
    b"mode", b"userType", b"entrypoint", b"permissionMode", b"stop_reason", b"service_tier", b"inference_geo",
    b"media_type", b"hookEvent", b"hookName", b"subagent_type", b"agentType", b"agentId", b"agent_id", b"agentName",
    b"teamName", b"team_name", b"task_id", b"taskId", b"backgroundTaskId", b"shell_id", b"to", b"from", b"recipient",
];
/// Encoded bytes: long, and without words.
const OPAQUE_FIELDS: [&[u8]; 3] = [b"signature", b"data", b"base64"];

/// A sub-agent's report names the agent with these words.
const AGENT_MARK: &[u8] = b"agentId: ";

const HOME_FOLDERS: [&[u8]; 2] = [b"/Users/", b"/home/"];

pub fn scan(line: &[u8], visitor: &mut impl Visitor) {
    let mut field: &[u8] = b"";
    let mut done = 0;
    while let Some(quote) = find(line, done, b'"') {
        let start = quote + 1;
        let end = end_of_string(line, start);
        visitor.other(&line[done..start]);
        let string = &line[start..end];
        if is_field_name(line, end) {
            visitor.other(string);
            field = string;
        } else {
            value(field, string, visitor);
        }
        // The closing quote, if any, belongs to the next piece.
        done = end;
        if end < line.len() {
            visitor.other(b"\"");
            done += 1;
        }
    }
    visitor.other(&line[done..]);
}

fn value(field: &[u8], string: &[u8], visitor: &mut impl Visitor) {
    if SESSION_FIELDS.contains(&field) {
        visitor.session_id(string);
    } else if ID_FIELDS.contains(&field) && string.len() >= SHORTEST_ID {
        visitor.id(string);
    } else if FIXED_FIELDS.contains(&field) {
        visitor.fixed(string);
    } else if OPAQUE_FIELDS.contains(&field) {
        visitor.other(string);
    } else if is_time(string) {
        visitor.time(string);
    } else {
        text(string, visitor);
    }
}

/// A text as written in JSON, with its escapes.
fn text(text: &[u8], visitor: &mut impl Visitor) {
    let mut done = 0;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if is_word_byte(byte) {
            visitor.other(&text[done..at]);
            done = word_or_id(text, at, visitor);
            at = done;
        } else if byte == b'\\' {
            at += if text.get(at + 1) == Some(&b'u') { 6 } else { 2 };
        } else if byte == b'<' && text.get(at + 1).is_some_and(|next| *next == b'/' || next.is_ascii_alphabetic()) {
            visitor.other(&text[done..at]);
            done = end_of(text, at + 2, |byte| is_word_byte(byte) || byte == b'-');
            visitor.fixed(&text[at..done]);
            at = done;
        } else if byte == b'/'
            && let Some(name) = HOME_FOLDERS.iter().find(|folder| text[at..].starts_with(folder))
        {
            visitor.other(&text[done..at + name.len()]);
            done = end_of(text, at + name.len(), is_word_byte);
            visitor.owner(&text[at + name.len()..done]);
            at = done;
        } else {
            at += 1;
        }
    }
    visitor.other(&text[done..]);
}

fn word_or_id(text: &[u8], start: usize, visitor: &mut impl Visitor) -> usize {
    let end = end_of(text, start, is_word_byte);
    let word = &text[start..end];
    if word.len() == 8 && text.get(end) == Some(&b'-') {
        let uuid_end = start + UUID_LENGTH;
        if uuid_end <= text.len() && is_uuid(&text[start..uuid_end]) {
            visitor.id(&text[start..uuid_end]);
            return uuid_end;
        }
    }
    if text[start..].starts_with(AGENT_MARK) {
        let end = end_of(text, start + AGENT_MARK.len(), is_word_byte);
        visitor.fixed(&text[start..end]);
        return end;
    }
    if id_prefix(word).is_some() {
        visitor.id(word)
    } else {
        visitor.word(word)
    }
    end
}

/// `2026-01-27T09:18:57.835Z`
fn is_time(string: &[u8]) -> bool {
    const MODEL: &[u8] = b"0000-00-00T00:00:00";
    let like = |(byte, model): (&u8, &u8)| if *model == b'0' { byte.is_ascii_digit() } else { byte == model };
    (MODEL.len()..=MODEL.len() + 12).contains(&string.len()) && string.iter().zip(MODEL).all(like)
}

fn is_field_name(line: &[u8], closing_quote: usize) -> bool {
    let after = line.get(closing_quote + 1..).unwrap_or_default();
    after.iter().find(|byte| **byte != b' ') == Some(&b':')
}

fn end_of_string(line: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < line.len() && line[at] != b'"' {
        at += if line[at] == b'\\' { 2 } else { 1 };
    }
    at.min(line.len())
}

fn end_of(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.iter().skip(start).position(|byte| !belongs(*byte)).map_or(text.len(), |length| start + length)
}

fn find(line: &[u8], from: usize, wanted: u8) -> Option<usize> {
    line[from..].iter().position(|byte| *byte == wanted).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts each piece in brackets with a letter for its kind.
    #[derive(Default)]
    struct Marker(String);

    impl Marker {
        fn mark(&mut self, kind: &str, bytes: &[u8]) {
            self.0.push_str(&format!("[{kind} {}]", String::from_utf8_lossy(bytes)));
        }
    }

    impl Visitor for Marker {
        fn other(&mut self, bytes: &[u8]) {
            self.0.push_str(&String::from_utf8_lossy(bytes));
        }
        fn word(&mut self, word: &[u8]) {
            self.mark("w", word);
        }
        fn fixed(&mut self, bytes: &[u8]) {
            self.mark("f", bytes);
        }
        fn id(&mut self, id: &[u8]) {
            self.mark("i", id);
        }
        fn session_id(&mut self, id: &[u8]) {
            self.mark("s", id);
        }
        fn time(&mut self, time: &[u8]) {
            self.mark("t", time);
        }
        fn owner(&mut self, name: &[u8]) {
            self.mark("o", name);
        }
    }

    fn check(line: &str, expected: &str) {
        let mut marker = Marker::default();
        scan(line.as_bytes(), &mut marker);
        assert_eq!(marker.0, expected);
    }

    #[test]
    fn fields_say_what_their_values_are() {
        check(
            r#"{"type":"user","uuid": "edge_001","sessionId":"edge","timestamp":"2026-01-27T09:18:57.835Z","n":5}"#,
            r#"{"type":"[f user]","uuid": "[i edge_001]","sessionId":"[s edge]","timestamp":"[t 2026-01-27T09:18:57.835Z]","n":5}"#,
        );
        check(r#"{"id":"1","signature":"Eq+/x"}"#, r#"{"id":"[w 1]","signature":"Eq+/x"}"#);
    }

    #[test]
    fn texts_are_words_ids_and_tags() {
        check(
            r#"{"content":"see\n\"call_site\" \u00e9t 258c7280-ae70-4798-800f-63464d01a85d <task-id>a1</task-id>"}"#,
            r#"{"content":"[w see]\n\"[w call_site]\" \u00e9[w t] [i 258c7280-ae70-4798-800f-63464d01a85d] [f <task-id]>[w a1][f </task-id]>"}"#,
        );
        check(r#"{"text":"agentId: a4cae29 (for"}"#, r#"{"text":"[f agentId: a4cae29] ([w for]"}"#);
        check(r#"{"cwd":"/Users/ada/work"}"#, r#"{"cwd":"/Users/[o ada]/[w work]"}"#);
    }

    #[test]
    fn damaged_lines_come_out_whole() {
        check(r#"// a "comment"#, r#"// a "[w comment]"#);
        check(r#"{"a":"x\"#, r#"{"a":"[w x]\"#);
        check(r#"{"uuid":"aaaaa"}{"uuid":"bbbbb"}"#, r#"{"uuid":"[i aaaaa]"}{"uuid":"[i bbbbb]"}"#);
    }
}
