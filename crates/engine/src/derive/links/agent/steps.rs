//! What did the agent do and say in a turn?

use std::collections::HashMap;

use backstory_language::prompts::first_words;

use crate::model::{Event, EventKind, EvidenceRef, Exit};

use super::{Span, without_own};

/// Something the agent said, or a call with its result.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub seq: u32,
    /// What was said, or the call.
    pub event: &'a Event,
    /// What the call gave back.
    pub output: Option<&'a Event>,
}

impl<'a> Step<'a> {
    pub fn is_said(&self) -> bool {
        self.event.kind == EventKind::Assistant
    }

    pub fn exit(&self) -> Option<Exit> {
        self.output.and_then(|output| output.meta.exit)
    }

    /// The words by which a step is found: what was said, or the call with its files.
    pub fn words(&self) -> String {
        let tool = self.event.meta.tool.as_deref().unwrap_or_default();
        format!("{tool} {} {}", self.event.meta.files.join(" "), without_own(&self.event.text))
    }

    /// What shows the step: the result of a call where there is one with words.
    /// What Backstory found is not what came of a prompt; that it was asked is.
    pub fn shown(&self) -> &'a Event {
        match self.output {
            Some(output) if !output.text.trim().is_empty() && !output.meta.own_output => output,
            _ => self.event,
        }
    }

    pub(super) fn span(&self) -> Span<'a> {
        let event = self.shown();
        let words = first_words(&event.text).unwrap_or(0..0);
        Span::of(event, words.start, words.end)
    }

    pub fn evidence(&self) -> EvidenceRef {
        self.span().evidence(self.shown())
    }
}

/// Hosts write this where the model had nothing to say.
const NO_RESPONSE: &str = "No response requested.";

fn says_something(text: &str) -> bool {
    first_words(text).is_some() && text.trim() != NO_RESPONSE
}

/// In order. Thinking is not a step: nobody sees it.
pub fn of_turn(events: &[Event]) -> Vec<Step<'_>> {
    let mut outputs: HashMap<&str, Vec<&Event>> = HashMap::new();
    for event in events.iter().filter(|event| event.kind == EventKind::ToolOutput) {
        if let Some(id) = &event.meta.tool_use_id {
            outputs.entry(id).or_default().push(event);
        }
    }
    // A host may use an id twice: what came before a call is not its output.
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
        .map(|event| Step {
            seq: event.seq,
            event,
            output: if event.kind == EventKind::ToolCall { output(event) } else { None },
        })
        .collect()
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
        let steps = of_turn(&events);
        let outputs: Vec<_> = steps.iter().map(|step| step.output.map(|output| output.text.as_str())).collect();
        assert_eq!(outputs, [Some("one"), Some("two"), None]);
    }
}
