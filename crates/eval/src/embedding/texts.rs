//! Which texts is the table fitted on? Passages and sentences from files of several kinds.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flate2::read::GzDecoder;
use serde_json::Value;
use walkdir::WalkDir;

/// Longer passages are cut.
const WORDS_OF_PASSAGE: usize = 90;

/// A source of texts, and the number to take.
#[derive(Clone)]
pub(crate) struct TextPlace {
    path: PathBuf,
    count: Option<usize>,
}

impl FromStr for TextPlace {
    type Err = std::num::ParseIntError;

    fn from_str(argument: &str) -> Result<Self, Self::Err> {
        match argument.rsplit_once('=') {
            Some((path, count)) => Ok(Self { path: path.into(), count: Some(count.parse()?) }),
            None => Ok(Self { path: argument.into(), count: None }),
        }
    }
}

/// Texts from all sources; one without a number gives an even share of `texts`.
pub(super) fn collect(places: &[TextPlace], texts: usize) -> io::Result<Vec<String>> {
    let share = texts / places.len().max(1);
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for place in places {
        let mut found = texts_below(&place.path)?;
        // A sample that does not depend on the order of the files: the smallest hashes.
        found.sort_by_cached_key(|text| *blake3::hash(text.as_bytes()).as_bytes());
        found.retain(|text| seen.insert(text.clone()));
        found.truncate(place.count.unwrap_or(share));
        println!("{:>7} texts from {}", found.len(), place.path.display());
        all.append(&mut found);
    }
    Ok(all)
}

fn texts_below(path: &Path) -> io::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in WalkDir::new(path).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            texts_of_file(entry.path(), &mut texts)?;
        }
    }
    Ok(texts)
}

fn texts_of_file(path: &Path, texts: &mut Vec<String>) -> io::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = name.trim_end_matches(".gz").rsplit('.').next().unwrap_or_default();
    match kind {
        "noun" | "verb" | "adj" | "adv" if name.starts_with("data.") => glosses(&read(path)?, texts),
        "md" | "rst" | "txt" => prose(&read(path)?, texts),
        "xhtml" => prose(&without_tags(&read(path)?), texts),
        "rs" => rust(&read(path)?, texts),
        "json" => utterances(&serde_json::from_str(&read(path)?).unwrap_or_default(), texts),
        "jsonl" => {
            for line in read(path)?.lines() {
                utterances(&serde_json::from_str(line).unwrap_or_default(), texts);
            }
        }
        _ => {}
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(fs::File::open(path)?).read_to_end(&mut bytes)?;
    } else {
        fs::File::open(path)?.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// WordNet: the words of a sense with its gloss, so that synonyms share a text.
fn glosses(file: &str, texts: &mut Vec<String>) {
    for line in file.lines().filter(|line| !line.starts_with(' ')) {
        let Some((data, gloss)) = line.split_once(" | ") else { continue };
        let fields: Vec<&str> = data.split(' ').collect();
        let count = fields.get(3).and_then(|count| usize::from_str_radix(count, 16).ok()).unwrap_or(0);
        let words: Vec<String> =
            (0..count).filter_map(|at| fields.get(4 + 2 * at)).map(|word| word.replace('_', " ")).collect();
        texts.push(tidy(&format!("{}: {}", words.join(", "), gloss)));
    }
}

/// Paragraphs, including code blocks and tables.
fn prose(file: &str, texts: &mut Vec<String>) {
    file.split("\n\n").for_each(|paragraph| add(paragraph, texts));
}

/// Drops tags inside a paragraph; the end of a paragraph separates.
fn without_tags(file: &str) -> String {
    let paragraphs = file.replace("</p>", "\n\n");
    paragraphs.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}

/// Doc comments without their marks, and the code between them.
fn rust(file: &str, texts: &mut Vec<String>) {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let lines: Vec<&str> = file.lines().collect();
    for block in lines.chunk_by(|a, b| is_comment(a) == is_comment(b)) {
        let comment = block.first().is_some_and(is_comment);
        let strip = |line: &&str| {
            if comment { line.trim_start().trim_start_matches(['/', '!']).to_owned() } else { (*line).to_owned() }
        };
        let block = block.iter().map(strip).collect::<Vec<_>>().join("\n");
        if comment {
            prose(&block, texts);
        } else {
            block.split("\n\n").for_each(|code| add(code, texts));
        }
    }
}

/// The words of people and agents, in any JSON with `text` or `content`.
fn utterances(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| utterances(item, texts)),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
            if matches!(kind, "tool_result" | "tool_use" | "thinking" | "progress")
                || fields.contains_key("toolUseResult")
            {
                return;
            }
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "text" || name == "content" => prose(text, texts),
                    _ => utterances(value, texts),
                }
            }
        }
        _ => {}
    }
}

/// Adds a passage and its first sentence: questions are short, their targets often are not.
fn add(passage: &str, texts: &mut Vec<String>) {
    let words: Vec<&str> = passage.split_whitespace().collect();
    for words in words.chunks(WORDS_OF_PASSAGE) {
        let end =
            words.iter().position(|word| word.ends_with(['.', '?', '!', ';', '{'])).map_or(words.len(), |at| at + 1);
        let sentence = words[..end].join(" ");
        let passage = words.join(" ");
        if has_meaning(&passage) && passage != sentence {
            texts.push(passage);
        }
        if has_meaning(&sentence) {
            texts.push(sentence);
        }
    }
}

/// At least three words of letters; less is not enough context.
fn has_meaning(text: &str) -> bool {
    text.split(' ').filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count() >= 3
}

fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{glosses, rust, utterances, without_tags};

    #[test]
    fn a_gloss_comes_with_its_words() {
        let mut texts = Vec::new();
        glosses(
            "  1 licence\n00592652 04 n 02 ice_cream 0 gelato 0 001 @ 00586262 n 0000 | frozen dessert\n",
            &mut texts,
        );
        assert_eq!(texts, ["ice cream, gelato: frozen dessert"]);
    }

    #[test]
    fn comments_and_code_are_texts_of_their_own() {
        let mut texts = Vec::new();
        rust("/// Reads the whole file.\nfn read(path: &Path) -> String", &mut texts);
        assert_eq!(texts, ["Reads the whole file.", "fn read(path: &Path) -> String"]);
    }

    #[test]
    fn tool_output_is_no_utterance() {
        let mut texts = Vec::new();
        let value = serde_json::json!([
            { "text": "please fix the login page" },
            { "type": "tool_result", "content": "ten lines of output" },
        ]);
        utterances(&value, &mut texts);
        assert_eq!(texts, ["please fix the login page"]);
    }

    #[test]
    fn tags_vanish() {
        assert_eq!(without_tags("<p>It <i>was</i> he.</p><p>No.</p>").trim(), "It was he.\n\nNo.");
    }
}
