//! Does `check` find the rule that a plan in words goes against, and stay silent about a plan that only sounds like it?
//!
//! Each row has a rule, a plan that goes against it, and one that does not. All rules are in force for every plan.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::program::{Program, run};

/// The rows that come with this program.
const ROWS: &str = include_str!("plans/plans.jsonl");

#[derive(Deserialize)]
struct Row {
    rule: String,
    against: String,
    beside: String,
}

/// `rows`: a file of other rows.
pub fn measure(rows: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let text = rows.map_or_else(|| Ok(ROWS.to_owned()), std::fs::read_to_string)?;
    let rows: Vec<Row> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let scratch = tempfile::tempdir()?;
    let (home, folder) = (scratch.path().join("home"), scratch.path().join("work"));
    std::fs::create_dir_all(&folder)?;
    let program = Program::beside_this_one(&home.join(".backstory"))?;
    let asked = |arguments: &[&str]| -> Result<Vec<u8>, Box<dyn Error>> {
        let mut command = program.command(arguments);
        Ok(run(command.current_dir(&folder).env("HOME", &home).env("NO_COLOR", "1"))?.printed)
    };
    std::fs::create_dir_all(&home)?;
    asked(&["rebuild"])?;
    for row in &rows {
        asked(&["cards", "add", "--kind", "constraint", "--", &row.rule])?;
    }
    let (mut found, mut alarms, mut others) = (0usize, 0usize, 0usize);
    for row in &rows {
        let named = rules_named(&asked(&["check", "--json", &row.against])?);
        let is_found = named.contains(&row.rule);
        found += usize::from(is_found);
        others += named.len() - usize::from(is_found);
        if !is_found {
            println!("missed: {} — {}", row.against, row.rule);
        }
        let named = rules_named(&asked(&["check", "--json", &row.beside])?);
        alarms += usize::from(!named.is_empty());
        if !named.is_empty() {
            println!("false alarm: {} — {}", row.beside, named.join(" | "));
        }
    }
    let share = |count: usize| count as f64 / rows.len().max(1) as f64;
    println!("{} rules, {} plans", rows.len(), 2 * rows.len());
    println!("found                {:.2} (target .85)", share(found));
    println!("false alarms         {:.2} (target .10)", share(alarms));
    println!("other rules named    {:.2} a plan", share(others));
    Ok(())
}

/// Every rule that the answer names, in whatever section.
fn rules_named(json: &[u8]) -> Vec<String> {
    const SECTIONS: [&str; 5] = ["forbidden", "unread", "minded", "concerns", "said"];
    let value: Value = serde_json::from_slice(json).unwrap_or_default();
    let cards = SECTIONS.iter().flat_map(|section| value[*section].as_array().cloned().unwrap_or_default());
    cards.filter_map(|card| card["statement"].as_str().map(str::to_owned)).collect()
}
