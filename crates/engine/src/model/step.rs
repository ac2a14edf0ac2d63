//! What did the agent do and say in a turn?

use std::collections::HashMap;

use backstory_language::commands::prints_only_own_output;
use backstory_language::digest::span_hash;
use backstory_language::prompts::{first_words, foreign_spans};

use super::event::{Class, Event, EventKind, Exit};
use super::evidence::{EvidenceKind, EvidenceRef};

/// The text of a span is no longer than this, in bytes.
const LONGEST_SPAN: usize = 600;

/// A text of the agent, or a call with its result.
#[derive(Clone, Copy, Debug)]
pub struct AgentStep<'a> {
    pub seq: u32,
    /// The text, or the call.
    pub event: &'a Event,
    /// The call's result.
    pub output: Option<&'a Event>,
}

impl<'a> AgentStep<'a> {
    pub fn is_said(&self) -> bool {
        self.event.kind == EventKind::Assistant
    }

    pub fn exit(&self) -> Option<Exit> {
        self.output.and_then(|output| output.meta.exit)
    }

    /// The words by which a step is found: the text, or the call with its files.
    pub fn words(&self) -> String {
        let tool = self.event.meta.tool.as_deref().unwrap_or_default();
        format!("{tool} {} {}", self.event.meta.files.join(" "), foreign_text(&self.event.text))
    }

    /// The event that shows the step: the result of a call, if it has text. Backstory's own
    /// output is no consequence of a prompt, so its call stands for it.
    pub fn shown(&self) -> &'a Event {
        match self.output {
            Some(output) if !output.text.trim().is_empty() && !is_own_output(self.event, output) => output,
            _ => self.event,
        }
    }

    pub fn span(&self) -> EventSpan<'a> {
        let event = self.shown();
        let words = first_words(&event.text).unwrap_or(0..0);
        EventSpan::of(event, words.start, words.end)
    }

    pub fn evidence(&self) -> EvidenceRef {
        self.span().evidence(self.shown())
    }
}

/// Hosts write this if the model did not answer.
const NO_RESPONSE: &str = "No response requested.";

/// Did the agent say anything?
pub fn says_something(text: &str) -> bool {
    first_words(text).is_some() && text.trim() != NO_RESPONSE
}

/// All steps, in order. Thinking is not a step: nobody sees it.
pub fn agent_steps(events: &[Event]) -> Vec<AgentStep<'_>> {
    let mut outputs: HashMap<&str, Vec<&Event>> = HashMap::new();
    for event in events.iter().filter(|event| event.kind == EventKind::ToolOutput) {
        if let Some(id) = &event.meta.tool_use_id {
            outputs.entry(id).or_default().push(event);
        }
    }
    // A host may use an id twice: an output before a call is not its output.
    let output = |call: &Event| {
        let of_id = outputs.get(call.meta.tool_use_id.as_deref()?)?;
        of_id.iter().find(|output| output.seq > call.seq).copied()
    };
    let is_step = |event: &&Event| match event.kind {
        EventKind::Assistant => says_something(&event.text),
        EventKind::ToolCall => true,
        _ => false,
    };
    let steps = events.iter().filter(|event| is_step(event) && !event.forgotten);
    steps
        .map(|event| AgentStep {
            seq: event.seq,
            event,
            output: if event.kind == EventKind::ToolCall { output(event) } else { None },
        })
        .collect()
}

/// A request of a person, or of a lead to a teammate. Backstory's own output is no request.
pub fn is_prompt(event: &Event) -> bool {
    let asks = matches!(event.meta.class, Some(Class::Prompt | Class::Teammate | Class::Queued | Class::Command));
    asks && event.kind == EventKind::User && !event.forgotten && !event.text.trim().is_empty()
}

/// Shell tools of all hosts.
const SHELLS: [&str; 8] =
    ["Bash", "bash", "shell", "shell_command", "exec_command", "unified_exec", "local_shell", "container.exec"];

/// Is it a shell command, under any host's name for the shell?
pub fn is_shell(call: &Event) -> bool {
    call.meta.tool.as_deref().is_some_and(|tool| SHELLS.contains(&tool))
}

/// Does the result hold Backstory's output: by its markers, or because the command ran nothing else?
fn is_own_output(call: &Event, output: &Event) -> bool {
    output.meta.own_output || is_only_own_output(call, output)
}

/// The same of the whole result, with or without markers. A failed run tells what went wrong.
pub fn is_only_own_output(call: &Event, output: &Event) -> bool {
    is_shell(call) && output.meta.exit == Some(Exit::Ok) && prints_only_own_output(&call.text)
}

/// The person's words in a refusal.
pub fn reason_of_rejection(output: &Event) -> Option<&str> {
    if output.meta.exit != Some(Exit::Rejected) {
        return None;
    }
    let (_, reason) = output.text.split_once("the user said:")?;
    Some(reason.trim()).filter(|reason| !reason.is_empty())
}

/// All words of a text that Backstory did not print.
pub fn foreign_text(text: &str) -> String {
    foreign_spans(text).into_iter().map(|span| &text[span]).collect::<Vec<_>>().join(" ")
}

/// A part of an event's text, short enough to be stored.
pub struct EventSpan<'a> {
    start: usize,
    pub text: &'a str,
}

impl<'a> EventSpan<'a> {
    pub fn of(event: &'a Event, start: usize, end: usize) -> Self {
        let end = event.text.floor_char_boundary(end.min(start + LONGEST_SPAN));
        EventSpan { start, text: &event.text[start..end] }
    }

    pub fn evidence(&self, event: &Event) -> EvidenceRef {
        EvidenceRef {
            kind: EvidenceKind::of_event(event),
            id: event.id.0,
            start: self.start as u32,
            end: (self.start + self.text.len()) as u32,
            hash: span_hash(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, EpisodeId, EventId, Meta};

    fn event(seq: u32, kind: EventKind, text: &str) -> Event {
        let nobody = Digest([0; 16]);
        let meta = Meta { tool_use_id: Some("t1".to_owned()), ..Meta::default() };
        let (id, episode, text) = (EventId(nobody), EpisodeId(nobody), text.to_owned());
        Event { pos: 1, id, episode, seq, kind, time: None, text, meta, forgotten: false, unreadable: None }
    }

    #[test]
    fn a_call_has_the_output_that_comes_after_it() {
        use EventKind::{ToolCall, ToolOutput};
        let events = [
            event(4, ToolCall, "first"),
            event(5, ToolOutput, "one"),
            event(6, ToolCall, "second"),
            event(7, ToolOutput, "two"),
            event(8, ToolCall, "third"),
        ];
        let steps = agent_steps(&events);
        let outputs: Vec<_> = steps.iter().map(|step| step.output.map(|output| output.text.as_str())).collect();
        assert_eq!(outputs, [Some("one"), Some("two"), None]);
    }
}
