//! Sums up the events of an episode.

use backstory_language::text::{clip, one_line};

use crate::model::{Class, Event, EventKind, span_hash};
use crate::store::RunRow;

const SHOWN_PROMPT: usize = 300;

/// Adds the events that the run has not seen yet.
pub(super) fn fold(mut run: RunRow, events: &[Event]) -> RunRow {
    let first_new = run.next_seq;
    for event in events.iter().filter(|event| event.seq >= first_new) {
        run.events += 1;
        run.next_seq = event.seq + 1;
        if let Some(time) = event.time {
            run.started = Some(run.started.map_or(time, |started| started.min(time)));
            run.ended = Some(run.ended.map_or(time, |ended| ended.max(time)));
        }
        if event.meta.class == Some(Class::Title) && event.meta.leaf.is_none() {
            run.title = Some(clip(&one_line(&event.text), SHOWN_PROMPT));
        }
        let speaks = event.starts_turn() || event.meta.class == Some(Class::Line);
        if event.kind == EventKind::User && speaks {
            run.prompts += 1;
            if run.first_prompt.is_none() {
                run.first_prompt = Some(clip(&one_line(&event.text), SHOWN_PROMPT));
                run.prompt_hash = Some(span_hash(event.text.trim()));
            }
        }
        let meta = &event.meta;
        fill(&mut run.agent_name, &meta.agent);
        fill(&mut run.team, &meta.team);
        fill(&mut run.spawned_by, &meta.spawned_by);
        fill(&mut run.forked_from, &meta.forked_from);
        if run.first_parent.is_none() && run.events == 1 {
            run.first_parent = meta.parent.clone();
        }
    }
    run
}

/// The first event with a value decides.
fn fill(field: &mut Option<String>, value: &Option<String>) {
    if field.is_none() {
        field.clone_from(value);
    }
}
