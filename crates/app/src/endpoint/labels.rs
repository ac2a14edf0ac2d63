//! A cluster's words and excerpts -> its name, from a chat model.

use backstory_engine::Memory;
use backstory_engine::retrieve::{ClusterInfo, Clusters, cluster_members, clusters};
use serde_json::{Value, json};

use super::{Client, Timeout};
use crate::config::Service;
use crate::error::AppError;
use crate::terminal;

const EXCERPTS: usize = 3;
const EXCERPT_LENGTH: usize = 240;
const LONGEST_NAME: usize = 60;
const TASK: &str = "You name topics in the work log of a software team. From the key words and excerpts of one \
                    topic, answer with its name only: two to five words, no quotes, no full stop.";

/// Requests a name for each cluster. Those without a good answer keep their words. Returns the number of named
/// clusters; `progress` is called for each.
pub fn name_clusters(
    memory: &mut Memory,
    service: &Service,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<usize, AppError> {
    let (log, views) = memory.parts();
    let all = clusters(log, views, &Clusters::default())?.map_or(Vec::new(), |list| list.items);
    if all.is_empty() {
        return Ok(0);
    }
    let named = ask_for_all(memory, service, &all, progress)?;
    memory.label_clusters(&named)?;
    Ok(named.len())
}

fn ask_for_all(
    memory: &mut Memory,
    service: &Service,
    all: &[ClusterInfo],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<(u32, String)>, AppError> {
    let mut named = Vec::new();
    let keep_words = |reason: String| terminal::warn(format!("clusters keep their words: {reason}"));
    let client = match Client::new(service, Timeout::Batch) {
        Ok(client) => client,
        Err(reason) => {
            keep_words(reason);
            return Ok(named);
        }
    };
    let many = terminal::count(all.len() as u64, "cluster");
    let url = client.url();
    terminal::warn(format!("sending the label words and three short excerpts of {many} to {url} for naming"));
    for (place, info) in all.iter().enumerate() {
        progress(place, all.len());
        let question = json!({"model": service.name, "messages": [
            {"role": "system", "content": TASK},
            {"role": "user", "content": describe(memory, info)?},
        ]});
        match client.ask(&question) {
            Ok(answer) => named.extend(name_in(&answer).map(|name| (info.id, name))),
            Err(reason) => {
                keep_words(reason);
                break;
            }
        }
    }
    Ok(named)
}

fn describe(memory: &mut Memory, info: &ClusterInfo) -> Result<String, AppError> {
    let (log, views) = memory.parts();
    let closest = Clusters { project: None, limit: Some(EXCERPTS) };
    let members = cluster_members(log, views, &info.id.to_string(), &closest)?;
    let mut text = format!("Key words: {}\n", info.label);
    for member in members.iter().flat_map(|members| &members.items) {
        text.push_str(&format!("Excerpt: {}\n", terminal::clip(&member.shown.text, EXCERPT_LENGTH)));
    }
    Ok(text)
}

/// Models may think aloud first, quote, or continue after the name.
fn name_in(answer: &Value) -> Option<String> {
    let content = answer.pointer("/choices/0/message/content")?.as_str()?;
    let said = content.rsplit("</think>").next().unwrap_or(content);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
    let name = line.trim_matches(|c: char| c == '.' || c == '*' || "\"'`“”".contains(c)).trim();
    (!name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control))
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_out_of_what_a_model_says() {
        let name = |content: &str| name_in(&json!({"choices": [{"message": {"content": content}}]}));
        assert_eq!(name("Cart rounding errors"), Some("Cart rounding errors".to_owned()));
        assert_eq!(name("<think>hm\n\nso</think>\n\n\"Receipt mails.\"\n"), Some("Receipt mails".to_owned()));
        assert_eq!(name("**Gift wrap**"), Some("Gift wrap".to_owned()));
        assert_eq!(name("  \n"), None);
        assert_eq!(name(&"on and on ".repeat(20)), None);
        assert_eq!(name_in(&json!({"error": "no"})), None);
    }
}
