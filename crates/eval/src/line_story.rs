//! From a file and a line alone: the session, the edit and the prompt behind it.

use std::error::Error;
use std::path::Path;

use backstory_engine::retrieve::{CaseBehind, LineQuestion, why_line};
use backstory_language::prompts::replies::is_mere_assent;

use crate::input;
use crate::quality::World;

#[derive(serde::Deserialize)]
struct Row {
    file: String,
    lines: Vec<String>,
    gold_session: String,
    gold_edit_uuid: String,
    gold_prompt_uuid: Option<String>,
}

#[derive(Default)]
struct Tally {
    session: usize,
    edit: usize,
    prompt: usize,
    silent: usize,
    /// Answers whose prompt is a mere "yes", and those with no other words.
    assents: usize,
    bare: usize,
}

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let rows: Vec<Row> = input::rows(&data.join("entire_line_to_prompt.jsonl.gz"))?;
    let mut world = World::of_sessions(&data.join("sessions"))?;
    println!("{} committed lines\n", rows.len());
    println!("asked with                  session    edit  prompt  no answer  \"yes\"  and no more");
    for (what, with_others) in [("the longest line", false), ("and those written with it", true)] {
        let mut tally = Tally::default();
        for row in &rows {
            tally.add(row, &question(row, with_others), &mut world)?;
        }
        let share = |count: usize| count as f64 / rows.len().max(1) as f64;
        println!(
            "{what:26}  {:7.3} {:7.3} {:7.3}  {:9.3}  {:5.3}  {:11.3}",
            share(tally.session),
            share(tally.edit),
            share(tally.prompt),
            share(tally.silent),
            share(tally.assents),
            share(tally.bare)
        );
    }
    println!("\ntargets: session at least .95, prompt at least .90; words alone find the prompt of .18");
    Ok(())
}

fn question(row: &Row, with_others: bool) -> LineQuestion {
    let text = row.lines.iter().max_by_key(|line| line.trim().len()).cloned().unwrap_or_default();
    let others = row.lines.iter().filter(|line| with_others && **line != text);
    LineQuestion {
        paths: vec![row.file.clone()],
        around: others.cloned().collect(),
        text: text.clone(),
        ..LineQuestion::default()
    }
}

impl Tally {
    fn add(&mut self, row: &Row, question: &LineQuestion, world: &mut World) -> Result<(), Box<dyn Error>> {
        let (log, views) = world.memory.parts();
        let story = why_line(log, views, question)?;
        let Some(written) = story.written else {
            self.silent += 1;
            return Ok(());
        };
        self.session += usize::from(written.session == row.gold_session);
        self.edit += usize::from(written.record.as_deref() == Some(row.gold_edit_uuid.as_str()));
        if written.prompt.as_ref().is_some_and(|prompt| is_mere_assent(&prompt.text)) {
            self.assents += 1;
            let says_more = |case: &CaseBehind| !case.accepted.is_empty() || !is_mere_assent(&case.asked.text);
            self.bare += usize::from(!written.reason.as_ref().is_some_and(says_more));
        }
        let prompt = written.prompt.and_then(|prompt| prompt.record);
        self.prompt += usize::from(prompt.is_some() && prompt == row.gold_prompt_uuid);
        Ok(())
    }
}
