//! Is an error found that a person pastes in another form than the tool printed it?
//!
//! Errors of the real sessions that `fix` answers in their strict form are asked again in five loosened forms.

use std::error::Error;
use std::path::Path;

use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{ErrorForm, Fix, Fixes, fix};
use backstory_engine::store::FailureRow;

use backstory_language::diagnostics::DiagnosticKind;

use crate::quality::World;

/// So many errors, spread over all sessions.
const ERRORS: usize = 60;

type Loosen = fn(&FailureRow) -> String;
const FORMS: [(&str, Loosen); 5] = [
    ("without the place", without_place),
    ("without the rule", without_rule),
    ("in prose", in_prose),
    ("other quotes and names", with_other_names),
    ("first words only", first_words),
];

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let mut world = World::of_sessions(&data.join("sessions"))?;
    let mut rows: Vec<FailureRow> = Vec::new();
    for (num, _) in world.memory.log().store().episodes()? {
        rows.extend(world.memory.views().read().failures_of(num)?);
    }
    let mut known = std::collections::BTreeSet::new();
    rows.retain(|row| known.insert(row.failure.fingerprint));
    let mut asked = Vec::new();
    for row in rows {
        if is_answered(&ask(&mut world, row.project, strict(&row))?, &row) {
            asked.push(row);
        }
    }
    let step = (asked.len() / ERRORS).max(1);
    let asked: Vec<FailureRow> = asked.into_iter().step_by(step).take(ERRORS).collect();
    println!("{} errors that are found in their strict form", asked.len());
    let mut total = 0usize;
    for (name, loosen) in FORMS {
        let mut found = 0usize;
        for row in &asked {
            found += usize::from(is_answered(&ask(&mut world, row.project, loosen(row))?, row));
        }
        total += found;
        println!("  {name:24} {:.2}", found as f64 / asked.len().max(1) as f64);
    }
    println!("  {:24} {:.2} (target .80)", "all", total as f64 / (asked.len() * FORMS.len()).max(1) as f64);
    Ok(())
}

fn ask(world: &mut World, project: ProjectId, error: String) -> Result<Fixes, Box<dyn Error>> {
    let question = Fix { error, project: Some(project), form: ErrorForm::Pasted, ..Fix::default() };
    let (log, views) = world.memory.parts();
    Ok(fix(log, views, &question)?)
}

/// Is it the same diagnostic, with its fix or at least with its end?
fn is_answered(found: &Fixes, row: &FailureRow) -> bool {
    let rule = row.failure.rule.as_ref();
    let fixed =
        found.items.iter().any(|item| item.then == row.failure.text || rule.is_some() && item.rule.as_ref() == rule);
    fixed || found.seen.iter().any(|seen| alike(&seen.diagnostic, &row.failure.text))
}

fn alike(a: &str, b: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (a, b) = (words(a), words(b));
    2 * a.intersection(&b).count() >= a.len().min(b.len())
}

fn strict(row: &FailureRow) -> String {
    let rule = row.failure.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    match &row.failure.file {
        Some(file) => format!("{file}:3:7: {}{rule}", row.failure.text),
        None => format!("{}{rule}", row.failure.text),
    }
}

fn without_place(row: &FailureRow) -> String {
    let rule = row.failure.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    format!("{}{rule}", row.failure.text)
}

fn without_rule(row: &FailureRow) -> String {
    match &row.failure.file {
        Some(file) => format!("{file}:3:7: {}", row.failure.text),
        None => row.failure.text.clone(),
    }
}

fn in_prose(row: &FailureRow) -> String {
    format!(
        "Hi, since I merged main this morning the build is red for me. It says {} and I have no idea what it wants. \
         I changed nothing there, any idea what we did about this the last time?",
        row.failure.text
    )
}

/// Other quotation marks. What a linter quotes is an example, so it is another one; elsewhere the name is the subject.
fn with_other_names(row: &FailureRow) -> String {
    if row.failure.sort != DiagnosticKind::Lint {
        return row.failure.text.replace(['`', '"'], "'");
    }
    let mut out = String::new();
    let mut inside: Option<char> = None;
    for c in row.failure.text.chars() {
        match inside {
            Some(open) if c == open => {
                out.push_str("someOther\u{201d}");
                inside = None;
            }
            Some(_) => {}
            None if matches!(c, '`' | '"') => {
                inside = Some(c);
                out.push('\u{201c}');
            }
            None => out.push(c),
        }
    }
    if inside.is_some() { row.failure.text.clone() } else { out }
}

/// The first line of what was printed, or most of a long one.
fn first_words(row: &FailureRow) -> String {
    let first = row.failure.text.lines().next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let kept = if words.len() > 12 { words.len() * 7 / 8 } else { words.len() };
    format!("{} …", words[..kept].join(" "))
}
