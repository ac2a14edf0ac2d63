//! The questions: subjects of real commits, and questions as people ask them about coding sessions.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;

const COMMITS: &str = "entire_commit_to_session.jsonl.gz";

/// One question per line, commits first.
pub fn all(data: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    #[derive(serde::Deserialize)]
    struct Row {
        query: String,
    }
    let mut questions = Vec::new();
    for line in BufReader::new(MultiGzDecoder::new(File::open(data.join(COMMITS))?)).lines() {
        let row: Row = serde_json::from_str(&line?)?;
        questions.push(row.query.replace('\n', " "));
    }
    questions.extend(asked_by_people());
    Ok(questions)
}

/// The questions that people ask, without the commits.
pub fn asked_by_people() -> Vec<String> {
    QUESTIONS.map(str::to_owned).to_vec()
}

/// The word of a question that somebody would search for first.
pub fn distinctive_word(question: &str) -> &str {
    let words = question.split(|c: char| !c.is_alphanumeric());
    words.max_by_key(|word| word.len()).unwrap_or(question)
}

/// The question without stop words.
pub fn without_stop_words(question: &str) -> String {
    let bare = |word: &str| word.to_lowercase().trim_matches(|c: char| c.is_ascii_punctuation()).to_owned();
    let kept: Vec<&str> = question.split_whitespace().filter(|word| !is_stop_word(&bare(word))).collect();
    if kept.is_empty() { question.to_owned() } else { kept.join(" ") }
}

/// `word`: in lower case.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

const STOP_WORDS: [&str; 64] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by",
    "can", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "me", "my", "no", "not", "of", "on", "or", "our", "so", "that", "the", "their", "then", "there", "they", "this",
    "to", "up", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you",
];

const QUESTIONS: [&str; 40] = [
    "What did we decide about storing session state in the git directory?",
    "Why did the integration tests fail on the worktree branch?",
    "How did we fix the race condition in the hook handler last time?",
    "Which file defines the checkpoint metadata format?",
    "When was the manual commit strategy introduced, and who asked for it?",
    "What was the error when the linter ran on the strategy package?",
    "How do I run only the tests of the agent package?",
    "Where is the transcript parsed and which fields does it need?",
    "What happened after I asked to rename the command?",
    "Did we ever try to use go-git for the diff, and why was it dropped?",
    "What is the difference between the shadow branch and the metadata branch?",
    "Why are there two implementations of the rewind command?",
    "What did the reviewer say about error handling in the hooks?",
    "How is attribution calculated when the user edits lines the agent wrote?",
    "Which environment variable turns the telemetry off?",
    "What broke when we updated the dependencies?",
    "Show me the session where the settings file was migrated to JSON",
    "What is still missing before the release can go out?",
    "How many lines did the agent add to the summary generator?",
    "Why does the build fail with an undefined reference on the CI machine?",
    "What was the workaround for the timeout in the end-to-end tests?",
    "Which commits touched the session cleanup code?",
    "What did I say about not committing directly to main?",
    "How does the program find the root of the repository inside a submodule?",
    "What was the plan for splitting the large strategy file?",
    "Where do we redact secrets before text is written to disk?",
    "Why is the prompt file empty after a compaction?",
    "What command did we use to reproduce the panic with a nil pointer?",
    "Is there a test for concurrent sessions in the same folder?",
    "What does the status command print when no session is active?",
    "How was the flaky test for file permissions made stable?",
    "What is the reason for the lock file in the state folder?",
    "Which of the sub-agents wrote the documentation?",
    "What did the user want instead of the interactive form?",
    "How do we keep backward compatibility with old checkpoint ids?",
    "What was wrong with the regular expression for branch names?",
    "Why did the agent revert its own change to the README?",
    "Where is the list of supported agents registered?",
    "What is the exit code when a hook refuses a push?",
    "How long did the token usage calculation take before it was cached?",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_of_stop_words_stays() {
        assert_eq!(without_stop_words("What is it?"), "What is it?");
        assert_eq!(without_stop_words("Why did the tests fail?"), "tests fail?");
    }
}
