//! Does a file begin like a transcript? Missing one, which the user can still name, is better than
//! taking a settings file for a conversation.

use std::collections::HashMap;

use serde_json::Value;

use super::super::format::Format;
use super::document::{conversations, read_cut};
use super::fields::is_utterance;
use super::plain::{LineShape, Names, shape};
use super::roles::{SpeakerRole, role_of};

const MOST_LINES: usize = 400;
/// A shorter head is a whole file, with a complete last line.
const CUT_FROM: usize = 16 << 10;

/// `head`: the first 64 KB of a file, or all of it.
pub fn detect(head: &str) -> Option<Format> {
    let text = head.trim_start_matches('\u{feff}').trim_start();
    match text.as_bytes().first()? {
        b'{' => json_lines(text).or_else(|| document(text)),
        b'[' if text[1..].trim_start().starts_with(['{', '[']) => json_lines(text).or_else(|| document(text)),
        _ if is_plain(text) => Some(Format::Transcript),
        _ => None,
    }
}

/// The first line must be complete; the last one may be cut.
fn json_lines(text: &str) -> Option<Format> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES).collect();
    let first: Value = serde_json::from_str(lines.first()?).ok()?;
    let (mut talks, mut utterances, mut records) = (0, 0, 0);
    let cut = lines[1..].last().and_then(|line| read_cut(line));
    let rest = lines[1..].iter().filter_map(|line| serde_json::from_str(line).ok()).chain(cut);
    for value in std::iter::once(first).chain(rest) {
        records += 1;
        match &value {
            Value::Object(fields) if is_utterance(fields) => utterances += 1,
            other => talks += usize::from(!conversations(other).is_empty()),
        }
    }
    let enough = talks > 0 || utterances >= 2;
    let read = text.lines().take(MOST_LINES).count();
    (enough && (talks + utterances) * 10 >= records * 6 && records * 10 >= read * 5).then_some(Format::Transcript)
}

fn document(text: &str) -> Option<Format> {
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let fewest = if whole.is_some() { 2 } else { 1 };
    let value = whole.or_else(|| read_cut(text))?;
    let lines: usize = conversations(&value).iter().map(|conversation| conversation.lines.len()).sum();
    (lines >= fewest).then_some(Format::TranscriptDocument)
}

/// Counts over the lines of a text.
#[derive(Default)]
struct Count {
    lines: usize,
    said: usize,
    continued: usize,
    notes: usize,
    /// Has a time stamp or the form `<nick>`, which settings do not have.
    strong: usize,
    sentences: usize,
    speakers: HashMap<String, usize>,
    /// How often one speaker follows another.
    answers: HashMap<(String, String), usize>,
    /// Lines before the first utterance.
    preamble: usize,
}

fn is_plain(text: &str) -> bool {
    let mut lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    if text.len() >= CUT_FROM && !text.ends_with('\n') {
        lines.pop();
    }
    if text.bytes().take(4096).any(|byte| byte == 0) {
        return false;
    }
    let shapes: Vec<LineShape> = lines.into_iter().map(shape).collect();
    let names = Names::learn(shapes.iter());
    let count = Count::of(&shapes, &names);
    count.is_role_chat() || count.is_tiny_talk() || count.is_talk()
}

impl Count {
    fn of(shapes: &[LineShape], names: &Names) -> Count {
        let mut count = Count::default();
        let mut in_speech = false;
        let mut last: Option<String> = None;
        for shape in shapes {
            count.lines += usize::from(!matches!(shape, LineShape::Blank | LineShape::Rule));
            match shape {
                LineShape::Said(candidate) if names.accept(candidate) => {
                    count.said += 1;
                    count.strong += usize::from(candidate.said.stamp.is_some() || candidate.said.nick);
                    count.sentences += usize::from(is_sentence(&candidate.said.text));
                    let speaker = candidate.said.speaker.clone().unwrap_or_default();
                    *count.speakers.entry(speaker.clone()).or_default() += 1;
                    if let Some(last) = last.replace(speaker.clone()) {
                        *count.answers.entry((last, speaker)).or_default() += 1;
                    }
                    in_speech = true;
                }
                LineShape::Said(_) | LineShape::Other { .. } => {
                    count.continued += usize::from(in_speech);
                    count.preamble += usize::from(count.said == 0);
                }
                LineShape::Note(_) | LineShape::Heading(_) => count.notes += 1,
                LineShape::Blank | LineShape::Rule => in_speech = false,
            }
        }
        count
    }

    /// Long answers give few utterances of many lines; the role names are clear enough.
    fn is_role_chat(&self) -> bool {
        let speaks = |role: SpeakerRole| self.speakers.keys().any(|name| role_of(name) == Some(role));
        speaks(SpeakerRole::User) && speaks(SpeakerRole::Assistant) && self.said >= 2 && self.preamble <= 3
    }

    fn is_tiny_talk(&self) -> bool {
        self.lines <= 5 && self.said >= 2 && self.said + self.notes == self.lines && self.reads_like_speech()
    }

    fn is_talk(&self) -> bool {
        let lines = self.lines - self.notes.min(self.lines / 2);
        let repeated = self.speakers.values().any(|lines| *lines >= 2);
        self.said >= 3
            && self.preamble <= 10
            && (self.said + self.continued) * 10 >= lines * 6
            && self.said * 5 >= lines
            && repeated
            && self.speakers.len() * 10 <= self.said * 6 + 10
            && ((self.reads_like_speech() && !self.is_form()) || self.strong * 2 > self.said)
    }

    /// The same three or more keys in the same order, again and again.
    fn is_form(&self) -> bool {
        let follower = |name: &String| {
            let after = self.answers.iter().filter(|((first, _), _)| first == name);
            after.map(|(_, times)| *times).max().unwrap_or(0)
        };
        let usual: usize = self.speakers.keys().map(follower).sum();
        let all: usize = self.answers.values().sum();
        self.speakers.len() >= 3 && all >= 5 && usual * 10 >= all * 9
    }

    /// Settings have short values, written without sentences.
    fn reads_like_speech(&self) -> bool {
        self.sentences * 10 >= self.said * 4
    }
}

fn is_sentence(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().next().is_some_and(char::is_alphabetic)).count();
    words >= 2 || text.ends_with(['.', '!', '?', '…', '。', '？', '！'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, expected: Option<Format>) {
        assert_eq!(detect(head), expected, "{head}");
    }

    #[test]
    fn transcripts() {
        let lines = Some(Format::Transcript);
        let whole = Some(Format::TranscriptDocument);
        check("{\"speaker\":\"Ana\",\"text\":\"hi\"}\n{\"speaker\":\"Bo\",\"text\":\"ho\"}\n{\"speaker\":\"A", lines);
        check("{\"id\":\"c\",\"turns\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n", lines);
        check("[{\"role\":\"user\",\"content\":\"hi\"},\n{\"role\":\"assistant\",\"content\":\"ho\"}]", whole);
        check(
            "{\n  \"messages\": [\n    {\"from\": \"human\", \"value\": \"hi\"},\n    {\"from\": \"gpt\", \"value\": \"h",
            whole,
        );
        check("Ana: hi there\nBo: hello you\nAna: how are you?\n  I am fine\n", lines);
        check("Ana: hi there\nBo: hello you", lines);
        check("[12:34] ana: hi\n[12:35] bo: ho\n[12:36] ana: hm\n", lines);
        check("12:01 <ana> hi\n12:01 -!- cy has joined\n12:02 <bo> ho\n12:02 <ana> ok\n", lines);
        check("User: how do I make tea?\n\nAssistant: You need:\n- water\n- tea\n\n1. Boil it.\n2. Stir it.\n", lines);
        check("# Night one\n\nWren: It is dusk.\nOdo: I listen.\nWren: You hear chains.\nOdo: Oh no.\n", lines);
    }

    #[test]
    fn other_files() {
        for head in [
            "",
            "   ",
            "{",
            "{}",
            "[1, 2, 3]",
            "{\n  \"name\": \"left-pad\",\n  \"version\": \"1.0.0\",\n  \"author\": \"Ana\",\n  \"scripts\": {\"test\": \"x\"}\n}",
            "{\"env\": [{\"name\": \"A\", \"value\": \"b\"}, {\"name\": \"C\", \"value\": \"d\"}]}",
            "{\"level\":\"info\",\"user\":\"ana\",\"msg\":\"login\"}\n{\"level\":\"info\",\"user\":\"bo\",\"msg\":\"logout\"}",
            "name: tea\nversion: 1.0\ndescription: a pot of tea\nauthor: Ana\nlicense: MIT\n",
            "services:\n  web:\n    image: tea\n    ports:\n      - 80:80\n  db:\n    image: pot\n",
            "From: ana@x.example\nTo: bo@x.example\nSubject: tea\nDate: today\n\nHi Bo,\n",
            "2026-01-03 10:00:00 INFO starting the kettle\n2026-01-03 10:00:01 ERROR kettle: no water\n2026-01-03 10:00:02 INFO bye\n",
            "[10:00:00] INFO: start\n[10:00:01] WARNING: slow\n[10:00:02] INFO: stop\n",
            "Jan  3 10:00:00 host sshd[12]: Accepted key\nJan  3 10:00:01 host cron[13]: run\nJan  3 10:00:02 host sshd[12]: bye\n",
            "import os\n\nclass Tea:\n    def pour(self):\n        return 1\n\nif os:\n    x: int = 3\nelse:\n    y = 4\n",
            "# Tea\n\nTea is a drink. It is warm.\n\nNote: do not spill it.\n\n## Usage\n\nPour water, wait, drink.\n",
            "id,name,text\n1,Ana,hi\n2,Bo,ho\n",
            "all: tea\n\ntea: water\n\tboil\nwater:\n\tpour\n.PHONY: all\n",
            "Host: x.example\nAccept: all of it\nUser-Agent: some kind of browser\n",
            "Name: Tea Time\nTitle: A nice cup\nLocation: the kitchen\n",
            "commit 123\nAuthor: Ana <a@x>\nDate:   today\n\n    make tea\n\ncommit 124\nAuthor: Bo <b@x>\nDate:   today\n\n    drink it\n",
            "what: the old spoon\nwhy: it was bent\nsince: last year\n\nwhat: the old cup\nwhy: it was cracked\nsince: last week\n",
            "a { color: red; }\nb:hover { color: blue; }\n",
        ] {
            check(head, None);
        }
    }
}
