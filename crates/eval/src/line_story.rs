//! From a file and a line alone: the session, the edit and the prompt behind it.

use std::error::Error;
use std::path::Path;

use backstory_engine::retrieve::{LineQuestion, why_line};

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
}

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let rows: Vec<Row> = input::rows(&data.join("entire_line_to_prompt.jsonl.gz"))?;
    let mut world = World::of_sessions(&data.join("sessions"))?;
    println!("{} committed lines\n", rows.len());
    println!("asked with                  session    edit  prompt  no answer");
    for (what, with_others) in [("the longest line", false), ("and those written with it", true)] {
        let mut tally = Tally::default();
        for row in &rows {
            tally.add(row, &question(row, with_others), &mut world)?;
        }
        let share = |count: usize| count as f64 / rows.len().max(1) as f64;
        println!(
            "{what:26}  {:7.3} {:7.3} {:7.3}  {:9.3}",
            share(tally.session),
            share(tally.edit),
            share(tally.prompt),
            share(tally.silent)
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
        let prompt = written.prompt.and_then(|prompt| prompt.record);
        self.prompt += usize::from(prompt.is_some() && prompt == row.gold_prompt_uuid);
        Ok(())
    }
}
