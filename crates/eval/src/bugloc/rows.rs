//! The questions, with the files and functions that their fixes changed.

use std::collections::BTreeMap;
use std::path::Path;

use backstory_cause::path_names::stem;
use serde::{Deserialize, Serialize};

use super::EvalResult;

/// The source of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Set {
    Issues,
    Commits,
}

impl Set {
    pub const ALL: [Set; 2] = [Set::Issues, Set::Commits];

    pub fn name(self) -> &'static str {
        match self {
            Set::Issues => "issues",
            Set::Commits => "commits",
        }
    }
}

#[derive(Deserialize)]
pub struct ReportRow {
    pub id: String,
    pub repo: String,
    pub base_commit: String,
    pub query: String,
    pub gold_files: Vec<String>,
    /// By file, names from another tool.
    #[serde(default)]
    pub gold_functions: Option<BTreeMap<String, Vec<String>>>,
    /// By file, the first and last line of each change, before the change.
    #[serde(default)]
    pub gold_lines: BTreeMap<String, Vec<(u32, u32)>>,
    #[serde(skip, default = "no_set")]
    pub set: Set,
}

fn no_set() -> Set {
    Set::Issues
}

impl ReportRow {
    /// Does the text name no file of the fix, not even in passing?
    pub fn names_no_stem(&self) -> bool {
        let text = self.query.to_lowercase();
        !self.gold_files.iter().any(|path| text.contains(&stem(path).to_lowercase()))
    }
}

/// All rows of both sets.
pub fn read(data: &Path) -> EvalResult<Vec<ReportRow>> {
    let mut all = Vec::new();
    for set in Set::ALL {
        let path = data.join(format!("bugloc_{}.jsonl.gz", set.name()));
        let rows: Vec<ReportRow> = crate::input::rows(&path).map_err(|error| error.to_string())?;
        all.extend(rows.into_iter().map(|row| ReportRow { set, ..row }));
    }
    Ok(all)
}
